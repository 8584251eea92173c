"""Check that course data, reference and known mistakes fit together when an exam is built.

An inconsistency raises BrokenCourse. Its message gives the line, what is expected and the change.
`attn verify` finds inconsistencies that affect only grades: a known mistake that passes, two known
mistakes with the same answers, points that the reference does not earn.
"""

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from inspect import signature
from typing import Annotated, Any

import msgspec
from torch import Tensor

from autograder.course.answer import Answer, Failure
from autograder.course.course import Course
from autograder.course.draw import Draw
from autograder.course.errors import BrokenCourse, place_of, place_of_definition, refuse, what_happened
from autograder.course.model import Case, Criterion, Mistake, Name, NonEmpty, Part, Step
from autograder.course.probing import failure_of
from autograder.exam.reference import ReferenceModule
from autograder.exam.syllabus import AT_LEAST_FOR_VALUES

AGAIN = "again, with other numbers"
DOUBLE = "in float64"

FIELDS: Mapping[str, tuple[Any, str]] = {
    "points": (Annotated[float, msgspec.Meta(ge=0)], "a number from 0 on, such as `points=3`"),
    "hints": (
        Annotated[tuple[NonEmpty, ...], msgspec.Meta(min_length=2, max_length=3)],
        'two or three texts, with a comma behind each, such as `hints=("...", "...")`',
    ),
    "forbids": (tuple[Name, ...], 'a tuple of names without dots, such as `forbids=("softmax",)`'),
    "criteria": (tuple[Criterion, ...], 'a tuple, such as `criteria=(Criterion("batch", 0.2, cases=("batch",)),)`'),
}
"""The type of each checked field of a step, and its description in an error message."""


def steps_of(part: str) -> str:
    """Return the path of the module that defines the steps of a part."""
    return f"course/{part}/steps.py"


def load_part(course: Course, name: str) -> Part:
    """Import the data of a part and check each of its steps. Raises BrokenCourse."""
    file = steps_of(name)
    with _importing(file, "PART = Part(...)"):
        written = course.part_as_written(name)
        problems = [f"step {step.name}: {problem}" for step in written.steps for problem in _problems_of_step(step)]
        if written.name != name:
            problems.append(f"PART is named {written.name!r}; expected {name!r}, as its folder is")
    refuse(f"{file}: {problem}" for problem in problems)
    return course.part(name)


@contextmanager
def _importing(file: str, form: str) -> Iterator[None]:
    """Turn any exception from the import of a course module into BrokenCourse.

    file: the path of the module.
    form: the definition that the module must contain.
    """
    try:
        yield
    except Exception as error:
        place = place_of(error)
        what = f"{place}: the module cannot be imported: {what_happened(error)}; correct that line"
        missing = f"{file} cannot be imported: {what_happened(error)}; expected a module with `{form}`"
        raise BrokenCourse(what if place.startswith("course/") else missing) from error


def _problems_of_step(step: Step) -> Iterator[str]:
    for field, (kind, expected) in FIELDS.items():
        try:
            msgspec.convert(getattr(step, field), kind, from_attributes=True)
        except msgspec.ValidationError:
            yield f"{field} is {getattr(step, field)!r}; expected {expected}"
            return
    if sum(criterion.share for criterion in step.criteria) > 1 - AT_LEAST_FOR_VALUES:
        yield f"its criteria have more than {1 - AT_LEAST_FOR_VALUES:.0%} of the points; leave the rest to its values"


def check_steps(part: Part, module: ReferenceModule) -> None:
    """Check that course data and reference have the same steps in the same order.

    Each step that is a class must also have a probe.
    Raises BrokenCourse.
    """
    data, reference = steps_of(part.name), f"solutions/{part.name}.py"
    listed, written = [step.name for step in part.steps], [source.name for source in module.steps]
    if listed != written:
        expected = f"expected those of {reference}, in this order: {', '.join(written)}"
        raise BrokenCourse(f"{data}: its steps are {', '.join(listed)}; {expected}")
    refuse(
        f"{data}: step {step.name} is a class and has no probe; write one that makes an object and runs it"
        for step, source in zip(part.steps, module.steps, strict=True)
        if source.kind == "class" and not step.probe
    )


def draw_cases(part: Part, step: Step, implementation: Callable[..., Any], seed: int) -> list[Case]:
    """Draw the cases of a step with a seed, and check their names and inputs. Raises BrokenCourse.

    implementation: the reference. If the step has no probe, the inputs must have the names of its
    arguments, in order.
    """
    place, owner = place_of_cases(part, step), f"step {step.name} of {part.name}"
    try:
        cases = list(step.cases(Draw(seed)))
        names = Counter([*(case.name for case in cases), AGAIN, DOUBLE])
        problems = [problem for case in cases for problem in _problems_of_case(step, implementation, case)]
        if [case.name for case in step.cases(Draw(seed + 1))] != [case.name for case in cases]:
            problems.append("the names of its cases change with the draw; draw their inputs alone")
    except Exception as error:
        what = f"{place_of(error) or place}: {owner}: its cases cannot be drawn: {what_happened(error)}"
        advice = "correct that line (the function takes a Draw and yields each `Case(name, inputs)`)"
        raise BrokenCourse(f"{what}; {advice}") from error
    problems += [f"two cases have the name {name!r}; give each another" for name, count in names.items() if count > 1]
    refuse(f"{place}: {owner}: {problem}" for problem in problems)
    return cases


def place_of_cases(part: Part, step: Step) -> str:
    """Return `file, line N` of the function that draws a step's cases, else the module of steps."""
    return place_of_definition(step.cases) or steps_of(part.name)


def _problems_of_case(step: Step, implementation: Callable[..., Any], case: Case) -> Iterator[str]:
    arguments = [*signature(implementation).parameters][: len(case.inputs)]
    if not step.probe and [*case.inputs] != arguments:
        expected = f"expected the arguments of the reference, in this order: {', '.join(arguments)}"
        yield f"case {case.name!r} has the inputs {', '.join(case.inputs)}; {expected}"
    for name, value in case.inputs.items():
        if not isinstance(value, Tensor | int | float | None) or getattr(value, "requires_grad", False):
            expected = "expected a tensor without a gradient, a number or a truth value"
            yield f"case {case.name!r}: the input {name} is a {type(value).__name__}; {expected}"


def check_criteria(part: Part, step: Step, answers: Mapping[str, Answer]) -> None:
    """Check that all cases and outputs that criteria name exist. Raises BrokenCourse.

    answers: the answers of the reference, by case name.
    """
    known = dict.fromkeys([*answers, *(output for answer in answers.values() for output in answer.outputs)])
    refuse(
        f"{place_of_cases(part, step)}: step {step.name}: criterion {one.name!r} names {name!r}; expected one of: {', '.join(known)}"
        for one in step.criteria
        for name in (*one.cases, *one.outputs)
        if name not in known
    )


def failure_at(error: BaseException) -> Failure:
    """Describe an exception of the reference or the probe, with the author's line if known."""
    failure, place = failure_of(error), place_of(error)
    owner = "the probe's" if place.startswith("course/") else "the reference's"
    return replace(failure, message=f"{failure.message} ({owner} line is {place})") if place else failure


def load_mistakes(course: Course, part: Part) -> tuple[Mistake, ...]:
    """Import the known mistakes of a part, and check their names and steps.

    Raises BrokenCourse if two mistakes have the same name, or a mistake names a step that the part
    does not have.
    """
    file, steps = f"course/{part.name}/mistakes.py", [step.name for step in part.steps]
    with _importing(file, "BANK = MistakeBank()"):
        bank = course.mistakes(part.name)
    problems = [
        f"{place_of_definition(one.implementation) or file}: mistake {one.id}: {part.name} has no step {one.step!r}; "
        f"did you mean {difflib.get_close_matches(str(one.step), steps, n=1, cutoff=0)[0]!r}?"
        for one in bank
        if one.step not in steps
    ]
    counts = Counter(mistake.id for mistake in bank)
    problems += [f"{file}: two mistakes have the name {name}; give each another" for name in counts if counts[name] > 1]
    refuse(problems)
    return bank
