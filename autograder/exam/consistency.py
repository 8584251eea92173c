"""Checks that what an author wrote fits together: course data, reference and known mistakes, compared when an exam is built.

Every check raises BrokenCourse, with the place, what was expected and what to change.
"""

import difflib
import inspect
import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any

import msgspec
from torch import Tensor

from autograder.course.answer import Answer, Failure
from autograder.course.course import Course
from autograder.course.draw import Draw
from autograder.course.errors import FILE, BrokenCourse, place_of, place_of_definition, refuse, what_happened
from autograder.course.model import Case, Criterion, Mistake, Name, NonEmpty, Part, Step, Words
from autograder.course.probing import failure_of
from autograder.course.tolerances import Tolerance
from autograder.course.verdicts import Verdict
from autograder.exam.agreement import same_answer
from autograder.exam.criteria import GRADIENTS, VALUES, problems_of, problems_with_names
from autograder.exam.model import KeyCase, KnownWrong
from autograder.exam.reference import ReferenceModule
from autograder.exam.syllabus import Syllabus

FIELDS: Mapping[str, tuple[Any, str]] = {
    "points": (Annotated[float, msgspec.Meta(ge=0, le=1e9)], "a number from 0 on, such as `points=3`"),
    "lecture": (
        Annotated[str, msgspec.Meta(pattern=r"^docs/.*\.md\Z")],
        'the page that teaches it, such as `lecture="docs/lectures/scores.md"`',
    ),
    "effort": (NonEmpty, 'a few words, such as `effort="two lines"`'),
    "hints": (
        Annotated[tuple[NonEmpty, ...], msgspec.Meta(min_length=1)],
        'two or three texts, with a comma behind each, such as `hints=("...", "...")`',
    ),
    "forbids": (tuple[Name, ...], 'a tuple of names without dots, such as `forbids=("softmax",)`'),
    "criteria": (tuple[Criterion, ...], 'a tuple, such as `criteria=(Criterion("batch", 0.2, cases=("batch",)),)`'),
}
"""The type of each field of a step, and what an author who wrote another is asked for."""


def check_counting(course: Course, syllabus: Syllabus) -> None:
    """Check that the course says only of steps that there are how they count."""
    problems = course.counting.unknown_steps([step.path for step in syllabus.steps])
    refuse(f"{FILE}: {problem}" for problem in problems)


def steps_of(part: str) -> str:
    """Return the path of the steps of a part, for an author."""
    return f"course/{part}/steps.py"


def mistakes_of(part: str) -> str:
    """Return the path of the known mistakes of a part."""
    return f"course/{part}/mistakes.py"


def load_part(course: Course, name: str) -> Part:
    """Import the data of a part and check each step by itself."""
    file = steps_of(name)
    with _importing(file, "PART = Part(...)"):
        part = course.part_as_written(name)
    refuse(f"{file}: {problem}" for problem in _problems_of_part(part, name))
    return course.part(name)


@contextmanager
def _importing(file: str, form: str) -> Iterator[None]:
    """Report any error while a module of the course is imported. form: of what it defines."""
    try:
        yield
    except Exception as error:
        place = place_of(error)
        what = f"{place}: the module cannot be imported: {what_happened(error)}; correct that line"
        missing = f"{file} cannot be imported: {what_happened(error)}; expected a module with `{form}`"
        raise BrokenCourse(what if place.startswith("course/") else missing) from error


def _problems_of_part(part: Part, name: str) -> Iterator[str]:
    if not isinstance(part, Part) or part.name != name:
        yield f"PART is named {getattr(part, 'name', part)!r}; expected {name!r}, as its folder is"
        return
    if not (isinstance(part.steps, tuple) and all(isinstance(step, Step) for step in part.steps)):
        yield "`steps` is no tuple of steps; write `steps=(Step(...),)`, with a comma behind each step"
        return
    for twice in _twice(step.name for step in part.steps):
        yield f"step {twice} occurs twice in `steps`; each step has a name of its own"
    for step in part.steps:
        wrong = list(_wrong_fields(step)) or problems_of(step)
        yield from (f"step {step.name}: {problem}" for problem in wrong)


def _wrong_fields(step: Step) -> Iterator[str]:
    for field, (kind, expected) in FIELDS.items():
        try:
            msgspec.convert(getattr(step, field), kind, from_attributes=True)
        except msgspec.ValidationError:
            yield f"{field} is {getattr(step, field)!r}; expected {expected}"


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def check_steps(part: Part, module: ReferenceModule) -> None:
    """Check that reference and course data have the same steps in the same order, and a probe for each class."""
    data, reference = steps_of(part.name), f"solutions/{part.name}.py"
    written, listed = [source.name for source in module.steps], [step.name for step in part.steps]
    problems = [
        *(
            f"{data}: there is no step {one}, but {reference} has it; add a Step"
            for one in written
            if one not in listed
        ),
        *(f"{reference}: there is no step {one}, but {data} has it; write it" for one in listed if one not in written),
        *(f"{reference}: step {one} is defined twice; give one another name" for one in _twice(written)),
    ]
    if not problems and written != listed:
        problems.append(
            f"{data}: its steps are {_listed(listed)}; put them in the order of {reference}: {_listed(written)}"
        )
    problems += [
        f"{data}: step {source.name} is a class and has no probe; write one that makes an object and runs it"
        for source in module.steps
        if source.kind == "class" and source.name in listed and not part.step(source.name).probe
    ]
    refuse(problems)


def draw_cases(part: Part, step: Step, implementation: Callable[..., Any], seed: int) -> list[Case]:
    """Return a step's cases as drawn with a seed, with their names and inputs checked.

    implementation: the reference, whose arguments the inputs are if the step has no probe.
    """
    where = _place_of_cases(part, step)
    try:
        cases = list(step.cases(Draw(seed)))
    except Exception as error:
        place = place_of(error)
        where = f"{place}: step {step.name} of {part.name}" if place else where
        raise BrokenCourse(
            f"{where}: its cases cannot be drawn: {what_happened(error)}; "
            "correct that line (the function takes a Draw and yields each `Case(name, inputs)`)"
        ) from error
    if not cases:
        raise BrokenCourse(f"{where}: it has no cases; yield at least one `Case(name, inputs)`")
    refuse(f"{where}: {problem}" for case in cases for problem in _problems_of_case(step, implementation, case))
    return cases


def _problems_of_case(step: Step, implementation: Callable[..., Any], case: Case) -> Iterator[str]:
    if not (isinstance(case, Case) and isinstance(case.inputs, Mapping)):
        yield f"{case!r} is no case; write `Case(name, {{argument: value, ...}})`"
        return
    called = step.probe or implementation
    names = list(inspect.signature(called).parameters)[1 if step.probe else 0 :]
    try:
        inspect.signature(called).bind(*[implementation] * bool(step.probe), **case.inputs)
        fits = bool(step.probe) or list(case.inputs) == names[: len(case.inputs)]
    except TypeError:
        fits = False
    if not fits:
        owner, order = ("probe", "") if step.probe else ("reference", ", in this order")
        expected = f"expected the arguments of the {owner} {called.__name__}{order}: {_listed(names)}"
        yield f"case {case.name!r} has the inputs {_listed(case.inputs)}; {expected}"
    for name, value in case.inputs.items():
        what = f"case {case.name!r}: the input {name}"
        if not isinstance(value, Tensor | int | float | None):
            yield f"{what} is a {type(value).__name__}; expected a tensor, a number or a truth value"
        elif isinstance(value, Tensor) and value.requires_grad:
            yield f"{what} requires a gradient already; hand over `{name}.detach()`"


def check_cases(part: Part, step: Step, cases: list[Case], words: Words) -> None:
    """Check that no two cases share a name, those included that the course adds by itself, and that it has words for their labels."""
    known = sorted(set(words.slices.values()))
    problems = [
        f"two cases have the name {name!r}; give each a name of its own" for name in _twice(one.name for one in cases)
    ]
    problems += [
        f"case {case.name!r} labels {word!r}; expected one of the words in {FILE}: {_listed(known)}"
        for case in cases
        for word in case.labels
        if word not in known
    ]
    refuse(f"{_place_of_cases(part, step)}: {problem}" for problem in problems)


def check_criteria(part: Part, step: Step, criteria: Iterable[Criterion], answers: Mapping[str, Answer]) -> None:
    """Check that all that a step's criteria are about is there. answers: the reference's by the names of cases."""
    outputs = {case: tuple(answer.outputs) for case, answer in answers.items()}
    problems = list(problems_with_names(step, outputs))
    compared = any(one is not None for answer in answers.values() for one in answer.gradients.values())
    if GRADIENTS in {criterion.name for criterion in criteria} and not compared:
        problems.append("no case has gradients to compare; write `gradients=False` in the step")
    refuse(f"{_place_of_cases(part, step)}: {problem}" for problem in problems)


def takes_work(step: Step, keys: Mapping[str, KeyCase], fixed: Mapping[str, Collection[str]]) -> bool:
    """Return whether some of a step's values are not among the outputs that are fixed, by case path."""
    named = {output for criterion in step.criteria for output in criterion.outputs}
    values = {path: {*key.expected.outputs} - named for path, key in keys.items() if key.criterion == VALUES}
    return any(outputs - {*fixed[path]} for path, outputs in values.items())


def check_something_to_solve(
    part: Part, step: Step, keys: Mapping[str, KeyCase], right: Mapping[str, Collection[str]]
) -> None:
    """Check that code that does nothing is wrong in some of a step's values. right: the outputs in which it is right."""
    if step.points and not takes_work(step, keys, right):
        what = "code that does nothing is right in all its values; draw a case in which it is wrong"
        raise BrokenCourse(f"{_place_of_cases(part, step)}: {what}")


def check_same_names(part: Part, step: Step, cases: list[Case], others: list[Case]) -> None:
    """Check that another draw gave cases of the same names."""
    if [case.name for case in cases] != [case.name for case in others]:
        what = "the names of its cases change with the draw; draw their inputs alone, so that every exam has the same cases"
        raise BrokenCourse(f"{_place_of_cases(part, step)}: {what}")


def _place_of_cases(part: Part, step: Step) -> str:
    return f"{place_of_definition(step.cases) or steps_of(part.name)}: step {step.name} of {part.name}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def failure_at(error: BaseException) -> Failure:
    """Describe what the reference raised, or the probe that ran it, with the author's own line."""
    failure, place = failure_of(error), place_of(error)
    owner = "the probe's" if place.startswith("course/") else "the reference's"
    return replace(failure, message=f"{failure.message} ({owner} line is {place})") if place else failure


def load_mistakes(course: Course, part: Part) -> tuple[Mistake, ...]:
    """Import the known mistakes of a part and check each by itself."""
    file = mistakes_of(part.name)
    with _importing(file, "BANK = MistakeBank()"):
        bank = course.mistakes(part.name)
    refuse(
        f"{place_of_definition(mistake.implementation) or file}: mistake {mistake.id}: {problem}"
        for mistake in bank
        for problem in _problems_of_mistake(part, mistake)
    )
    refuse(
        f"{file}: two mistakes have the name {name}: the second hides the first; give one another name"
        for name in _twice(mistake.id for mistake in bank)
    )
    return bank


def _problems_of_mistake(part: Part, mistake: Mistake) -> Iterator[str]:
    names = [step.name for step in part.steps]
    if mistake.step not in names:
        near = difflib.get_close_matches(str(mistake.step), names, n=1, cutoff=0)
        yield f"{part.name} has no step {mistake.step!r}; did you mean {near[0]!r}?"
    if not mistake.says.strip():
        yield f"it says {mistake.says!r}; write what a teacher would say to a student who made it"


def check_known_wrong(path: str, known: tuple[KnownWrong, ...], tolerances: Mapping[str, Tolerance]) -> None:
    """Check that each mistake of a step answers otherwise than the reference, and than every other mistake."""
    part, _, step = path.partition(".")
    problems = [
        f"{one.id} answers as the reference does in every case: "
        "it is no mistake, or no case catches it; remove it, or add a case in which it differs"
        for one in known
        if not one.signature
    ]
    problems += [
        f"{one.id} is forbidden: {failure.message}; write the mistake without it"
        for one in known
        if (failure := _forbidden_in(one))
    ]
    problems += [
        f"{one.id} and {other.id} answer alike in every case, so they cannot be distinguished; "
        "merge them, or add a case in which they differ"
        for one, other in itertools.combinations(known, 2)
        if one.signature.keys() == other.signature.keys() != set()
        and all(same_answer(answer, other.signature[case], tolerances[case]) for case, answer in one.signature.items())
    ]
    refuse(f"{mistakes_of(part)}: step {step}: {problem}" for problem in problems)


def _forbidden_in(mistake: KnownWrong) -> Failure | None:
    failures = (answer.failure for answer in mistake.signature.values())
    return next((failure for failure in failures if failure and failure.kind == Verdict.FORBIDDEN), None)
