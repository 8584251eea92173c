"""Load the author's modules, and refuse those that do not fit together.

`attn verify` finds inconsistencies that affect only grades: a known mistake that passes, two known
mistakes with the same answers, points that the reference does not earn.
"""

from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from typing import Any

from autograder.course.answer import Answer
from autograder.course.course import Course
from autograder.course.draw import Draw
from autograder.course.errors import BrokenCourse, author_errors, refuse
from autograder.course.model import Case, Mistake, Part, Step
from autograder.exam.reference import ReferenceModule

AGAIN = "again, with other numbers"
DOUBLE = "in float64"


def place_of_step(part: str, step: str) -> str:
    """Return the module that defines the steps of a part, and the name of a step in it."""
    return f"course/{part}/steps.py: step {step}"


def load_part(course: Course, name: str) -> Part:
    """Import the data of a part. Raises BrokenCourse."""
    file = f"course/{name}/steps.py"
    with author_errors(file):
        part = course.part(name)
    if part.name != name:
        raise BrokenCourse(f"{file}: PART is named {part.name!r}; expected {name!r}, as its folder is")
    return part


def load_mistakes(course: Course, part: Part) -> tuple[Mistake, ...]:
    """Import the known mistakes of a part. Raises BrokenCourse if a mistake has an unknown step."""
    file, steps = f"course/{part.name}/mistakes.py", [step.name for step in part.steps]
    with author_errors(file):
        bank = course.mistakes(part.name)
    refuse(
        f"{file}: mistake {one.id} is of the step {one.step!r}; expected one of: {', '.join(steps)}"
        for one in bank
        if one.step not in steps
    )
    return bank


def check_steps(part: Part, module: ReferenceModule) -> None:
    """Check that course data and reference have the same steps in order. Raises BrokenCourse."""
    listed, written = [step.name for step in part.steps], [source.name for source in module.steps]
    if listed != written:
        expected = f"expected those of solutions/{part.name}.py, in this order: {', '.join(written)}"
        raise BrokenCourse(f"course/{part.name}/steps.py: its steps are {', '.join(listed)}; {expected}")


def draw_cases(part: Part, step: Step, implementation: Callable[..., Any], seed: int) -> list[Case]:
    """Draw the cases of a step with a seed, and check their names. Raises BrokenCourse.

    implementation: the reference. If the step has no probe, the inputs must have the names of its
    arguments, in order.
    """
    place = place_of_step(part.name, step.name)
    with author_errors(place):
        cases = list(step.cases(Draw(seed)))
        names, others = ([case.name for case in drawn] for drawn in (cases, step.cases(Draw(seed + 1))))
    problems = [] if step.probe else list(_problems_of_inputs(cases, [*signature(implementation).parameters]))
    if names != others:
        problems.append("the names of its cases change with the draw; draw their inputs alone")
    if len({*names, AGAIN, DOUBLE}) < len(names) + 2:
        problems.append(f"two of its cases have one name; expected others than {AGAIN!r} and {DOUBLE!r}, each once")
    refuse(f"{place}: {problem}" for problem in problems)
    return cases


def _problems_of_inputs(cases: list[Case], arguments: list[str]) -> Iterator[str]:
    for case in cases:
        if [*case.inputs] != arguments[: len(case.inputs)]:
            expected = f"expected the arguments of the reference, in this order: {', '.join(arguments)}"
            yield f"case {case.name!r} has the inputs {', '.join(case.inputs)}; {expected}"


def check_criteria(part: Part, step: Step, answers: Mapping[str, Answer]) -> None:
    """Check that all cases and outputs that criteria name exist. Raises BrokenCourse.

    answers: the answers of the reference, by case name.
    """
    known = dict.fromkeys([*answers, *(output for answer in answers.values() for output in answer.outputs)])
    refuse(
        f"{place_of_step(part.name, step.name)}: criterion {one.name!r} names {name!r}; "
        f"expected one of: {', '.join(known)}"
        for one in step.criteria
        for name in (*one.cases, *one.outputs)
        if name not in known
    )
