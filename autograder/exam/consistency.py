"""Does what the author wrote fit together? Course data, reference and known mistakes, compared when an exam is set.

Every check raises BrokenCourse, with the place, what was expected and what to change.
"""

import difflib
import inspect
import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from torch import Tensor

from autograder.course.answer import Answer, Failure
from autograder.course.counting import unknown_steps
from autograder.course.course import Course
from autograder.course.draw import Draw
from autograder.course.errors import FILE, BrokenCourse, place_of, place_of_definition, refuse, what_happened
from autograder.course.model import Case, Criterion, Mistake, Part, Step, Tolerance, Words
from autograder.course.probing import failure_of
from autograder.course.verdicts import Verdict
from autograder.exam.agreement import same_answer
from autograder.exam.criteria import GRADIENTS, VALUES, problems_of, problems_with_names
from autograder.exam.model import Fingerprint, KeyCase
from autograder.exam.reference import ReferenceModule
from autograder.exam.syllabus import Syllabus

# What the course says of itself


def check_counting(course: Course, syllabus: Syllabus) -> None:
    """Check that the course says only of steps that there are how they count."""
    problems = unknown_steps(course.counting, [step.path for step in syllabus.steps])
    refuse(f"{FILE}: {problem}" for problem in problems)


# The course data of a part


def steps_of(part: str) -> str:
    """Return where the steps of a part are written, for an author."""
    return f"course/{part}/steps.py"


def mistakes_of(part: str) -> str:
    """Return where the known mistakes of a part are written."""
    return f"course/{part}/mistakes.py"


def load_part(course: Course, name: str) -> Part:
    """Import the data of a part and check each step by itself."""
    file = steps_of(name)
    with _importing(file, "PART", "PART = Part(...)"):
        part = course.part_as_written(name)
    refuse(f"{file}: {problem}" for problem in _problems_of_part(part, name))
    return course.part(name)


@contextmanager
def _importing(file: str, defines: str, form: str) -> Iterator[None]:
    """Report any error while a module of the course is imported."""
    try:
        yield
    except Exception as error:
        missing = f"{defines!r}" in str(error) and isinstance(error, AttributeError)
        if isinstance(error, ModuleNotFoundError) and error.name == file[:-3].replace("/", "."):
            what = f"{file} does not exist, but {FILE} names the part; write it"
        elif missing:
            what = f"{file} does not define {defines}; write `{form}`"
        else:
            place = place_of(error) or file
            what = f"{place}: the module cannot be imported: {what_happened(error)}; correct that line"
        raise BrokenCourse(what) from error


def _problems_of_part(part: Part, name: str) -> Iterator[str]:
    if not isinstance(part, Part):
        yield f"PART is {part!r}; expected `PART = Part(...)`"
        return
    if part.name != name:
        yield f"the part is named {part.name!r}; expected {name!r}, as its folder is"
    if not _is_text(part.title):
        yield f"the part's title is {part.title!r}; expected a text"
    if not (isinstance(part.steps, tuple) and part.steps and all(isinstance(step, Step) for step in part.steps)):
        yield "`steps` is no tuple of steps; write `steps=(Step(...),)`, with a comma behind each step"
        return
    for twice in _twice(step.name for step in part.steps):
        yield f"step {twice} occurs twice in `steps`; each step has a name of its own"
    for step in part.steps:
        yield from (f"step {step.name}: {problem}" for problem in _problems_of_step(step))


def _problems_of_step(step: Step) -> Iterator[str]:
    points: object = step.points
    if isinstance(points, bool) or not isinstance(points, int | float) or not (0 <= points < math.inf):
        yield f"points is {points!r}; expected a number from 0 on, such as `points=3`"
    if not (_is_text(step.lecture) and step.lecture.startswith("docs/") and step.lecture.endswith(".md")):
        yield f'lecture is {step.lecture!r}; expected the page that teaches it, such as `lecture="docs/lectures/scores.md"`'
    if not _is_text(step.effort):
        yield f'effort is {step.effort!r}; expected a few words, such as `effort="two lines"`'
    if isinstance(step.hints, str):
        yield "hints is one string; expected several, with a comma behind each: is one missing?"
    elif not (_is_texts(step.hints) and step.hints):
        yield f'hints is {step.hints!r}; expected two or three texts, such as `hints=("...", "...")`'
    if not _is_texts(step.forbids):
        yield f'forbids is {step.forbids!r}; expected a tuple of names, such as `forbids=("softmax",)`'
    elif dotted := [name for name in step.forbids if "." in name]:
        alone = dotted[0].rpartition(".")[2]
        yield f"forbids has {dotted[0]!r}; write only the name of the function or class: {alone!r}"
    if not (isinstance(step.criteria, tuple) and all(isinstance(one, Criterion) for one in step.criteria)):
        yield f'criteria is {step.criteria!r}; expected a tuple, such as `criteria=(Criterion("batch", 0.2, cases=("batch",)),)`'
    else:
        yield from problems_of(step)
    if not callable(step.cases):
        yield f"cases is {step.cases!r}; expected a function that takes a Draw and yields cases"
    if step.probe is not None and not callable(step.probe):
        yield f"probe is {step.probe!r}; expected a function, or none"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_texts(value: object) -> bool:
    return isinstance(value, tuple) and all(_is_text(item) for item in value)


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


# The course data and the reference


def check_steps(part: Part, module: ReferenceModule) -> None:
    """Check that reference and course data have the same steps in the same order, and a probe for each class."""
    data, reference = steps_of(part.name), f"solutions/{part.name}.py"
    written, told = [source.name for source in module.steps], [step.name for step in part.steps]
    problems = [
        *(f"{data}: there is no step {name}, but {reference} has it; add a Step" for name in _less(written, told)),
        *(f"{reference}: there is no step {name}, but {data} has it; write it" for name in _less(told, written)),
        *(f"{reference}: step {name} is defined twice; give one another name" for name in _twice(written)),
    ]
    if not problems:
        problems = [
            f"{data}: step {number} is {name}, but in {reference} it is {other}; put them in the same order"
            for number, (name, other) in enumerate(zip(told, written, strict=True), start=1)
            if name != other
        ][:1]
    problems += [
        f"{data}: step {source.name} is a class and has no probe; write one that makes an object and runs it"
        for source in module.steps
        if source.kind == "class" and source.name in told and not part.step(source.name).probe
    ]
    refuse(problems)


def _less(names: list[str], others: list[str]) -> list[str]:
    return [name for name in names if name not in others]


# Cases


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
    refuse(f"{where}: {problem}" for problem in _problems_of_cases(step, implementation, cases))
    return cases


def check_case_names(part: Part, step: Step, names: Iterable[str]) -> None:
    """Check that no two cases share a name, those included that the course adds by itself."""
    refuse(
        f"{_place_of_cases(part, step)}: two cases have the name {name!r}; give each a name of its own"
        for name in _twice(names)
    )


def check_criteria(part: Part, step: Step, criteria: Iterable[Criterion], answers: Mapping[str, Answer]) -> None:
    """Check that all that a step's criteria are about is there. answers: the reference's by the names of cases."""
    outputs = {case: tuple(answer.outputs) for case, answer in answers.items()}
    problems = list(problems_with_names(step, outputs))
    compared = any(one is not None for answer in answers.values() for one in answer.gradients.values())
    if GRADIENTS in {criterion.name for criterion in criteria} and not compared:
        problems.append("no case has gradients to compare; write `gradients=False` in the step")
    refuse(f"{_place_of_cases(part, step)}: {problem}" for problem in problems)


def has_something_to_solve(step: Step, keys: Mapping[str, KeyCase], fixed: Mapping[str, Collection[str]]) -> bool:
    """Return whether some of a step's values are not among the outputs that are fixed, by case path."""
    named = {output for criterion in step.criteria for output in criterion.outputs}
    return any(
        set(key.expected.outputs) - named - set(fixed[path]) for path, key in keys.items() if key.criterion == VALUES
    )


def check_something_to_solve(
    part: Part, step: Step, keys: Mapping[str, KeyCase], right: Mapping[str, Collection[str]]
) -> None:
    """Check that code that does nothing is wrong in some of a step's values. right: the outputs in which it is right."""
    if step.points and not has_something_to_solve(step, keys, right):
        raise BrokenCourse(
            f"{_place_of_cases(part, step)}: code that does nothing is right in all its values; draw a case in which it is wrong"
        )


def check_same_names(part: Part, step: Step, cases: list[Case], others: list[Case]) -> None:
    """Check that another draw gave cases of the same names."""
    if [case.name for case in cases] != [case.name for case in others]:
        raise BrokenCourse(
            f"{_place_of_cases(part, step)}: the names of its cases change with the draw; "
            "draw their inputs alone, so that every exam has the same cases"
        )


def check_labels(part: Part, step: Step, cases: list[Case], words: Words) -> None:
    """Check that what the labels of cases name is among the course's words for slices."""
    known = sorted(set(words.slices.values()))
    refuse(
        f"{_place_of_cases(part, step)}: case {case.name!r} labels {word!r}; expected one of the words in {FILE}: {_listed(known)}"
        for case in cases
        for word in case.labels
        if word not in known
    )


def _place_of_cases(part: Part, step: Step) -> str:
    return f"{place_of_definition(step.cases) or steps_of(part.name)}: step {step.name} of {part.name}"


def _problems_of_cases(step: Step, implementation: Callable[..., Any], cases: list[Case]) -> Iterator[str]:
    for case in cases:
        if not (isinstance(case, Case) and isinstance(case.inputs, Mapping)):
            yield f"{case!r} is no case; write `Case(name, {{argument: value, ...}})`"
            continue
        called = step.probe or implementation
        arguments = list(inspect.signature(called).parameters)[1 if step.probe else 0 :]
        if not _can_be_called(step, implementation, arguments, case.inputs):
            owner, order = ("probe", "") if step.probe else ("reference", ", in this order")
            yield (
                f"case {case.name!r} has the inputs {_listed(case.inputs)}; expected the arguments of the {owner} "
                f"{called.__name__}{order}: {_listed(arguments)}"
            )
        for name, value in case.inputs.items():
            what = f"case {case.name!r}: the input {name}"
            if not isinstance(value, Tensor | int | float | None):
                yield f"{what} is a {type(value).__name__}; expected a tensor, a number or a truth value"
            elif isinstance(value, Tensor) and value.requires_grad:
                yield f"{what} requires a gradient already; hand over `{name}.detach()`"


def _can_be_called(
    step: Step, implementation: Callable[..., Any], arguments: list[str], inputs: Mapping[str, Any]
) -> bool:
    try:
        if step.probe:
            inspect.signature(step.probe).bind(implementation, **inputs)
            return True
        inspect.signature(implementation).bind(*inputs.values())
    except TypeError:
        return False
    return list(inputs) == arguments[: len(inputs)]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


# What the reference answers


def failure_at(error: BaseException) -> Failure:
    """Describe what the reference raised, or the probe that ran it, with the author's own line."""
    failure, place = failure_of(error), place_of(error)
    owner = "the probe's" if place.startswith("course/") else "the reference's"
    return replace(failure, message=f"{failure.message} ({owner} line is {place})") if place else failure


# Known mistakes


def load_mistakes(course: Course, part: Part) -> tuple[Mistake, ...]:
    """Import the known mistakes of a part and check each by itself."""
    file = mistakes_of(part.name)
    with _importing(file, "BANK", "BANK = MistakeBank()"):
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
    if not _is_text(mistake.says):
        yield f"it says {mistake.says!r}; write what a teacher would say to a student who made it"


def check_fingerprints(path: str, known: tuple[Fingerprint, ...], tolerances: Mapping[str, Tolerance]) -> None:
    """Check that each mistake of a step answers otherwise than the reference, and than every other mistake."""
    part, _, step = path.partition(".")
    where = f"{mistakes_of(part)}: step {step}"
    problems = [
        f"{where}: {one.id} answers as the reference does in every case: "
        "it is no mistake, or no case catches it; remove it, or add a case in which it differs"
        for one in known
        if not one.answers
    ]
    problems += [
        f"{where}: {one.id} is forbidden: {failure.message}; write the mistake without it"
        for one in known
        if (failure := _forbidden_in(one))
    ]
    problems += [
        f"{where}: {one.id} and {other.id} answer alike in every case, so they cannot be distinguished; "
        "merge them, or add a case in which they differ"
        for one, other in itertools.combinations(known, 2)
        if one.answers and _alike(one, other, tolerances)
    ]
    refuse(problems)


def _forbidden_in(mistake: Fingerprint) -> Failure | None:
    failures = (answer.failure for answer in mistake.answers.values())
    return next((failure for failure in failures if failure and failure.kind == Verdict.FORBIDDEN), None)


def _alike(one: Fingerprint, other: Fingerprint, tolerances: Mapping[str, Tolerance]) -> bool:
    return one.answers.keys() == other.answers.keys() and all(
        same_answer(answer, other.answers[path], tolerances[path]) for path, answer in one.answers.items()
    )
