"""Explain failures that come from other steps: called stubs and wrong steps, undefined names."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from autograder.course.answer import Answer
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.checks import Sheet
from autograder.grading.exceptions import PLACE
from autograder.grading.results import Diagnosis, Marks, StepMarks
from autograder.submission.parsed import Definitions

STUB = re.compile(r"NotImplementedError: (?P<number>step \d+: )?(?P<step>\w+)")
"""The message of the exception that a stub raises. A stub made by nbgrader has no step number."""

NOT_DEFINED = re.compile(r"NameError: name '(?P<name>\w+)' is not defined")
"""Python's message for an undefined name."""

CALLS_OPEN = "calls_an_open_step"
"""The id of the diagnosis that a called step has not passed. The caller is not repaired."""

UNWRITTEN = "which is not written yet"
"""The words in a failure's message for a called step that is still a stub."""

WRONG_TENSORS = (Verdict.WRONG_SHAPE, Verdict.WRONG_VALUES)


def unwritten_callee(step: SyllabusStep, answer: Answer, syllabus: Syllabus) -> Answer:
    """Name the called step in the failure of an answer, if that step's stub raised the failure."""
    if not answer.failure or answer.failure.kind != Verdict.NOT_ATTEMPTED:
        return answer
    stub = STUB.fullmatch(answer.failure.message)
    others = {one.name for one in syllabus.steps} - {step.name}
    if not stub or stub["step"] not in others:
        return answer
    number = f": {stub['number'].removesuffix(': ')}" if stub["number"] else ""
    message = f"it calls your `{stub['step']}`, {UNWRITTEN}{number}. Write that one first."
    return replace(answer, failure=replace(answer.failure, kind=Verdict.RAISED, message=message))


def defined_elsewhere(sheet: Sheet, definitions: Definitions) -> Diagnosis | None:
    """Explain a NameError. The undefined name may be a step of this part or of an earlier part.

    Returns None for other failures. Suggests an argument that the code never uses before an import.
    """
    failure, syllabus, step = sheet.answer.failure, sheet.syllabus, sheet.step
    unknown = NOT_DEFINED.match(failure.message) if failure else None
    if not failure or not unknown:
        return None
    name = unknown["name"]
    if name in {one.name for one in syllabus.part(step.part).steps}:
        says = f"There is no `{name}` here, a step of this part. In a notebook run its cell first; in a file it may be spelt otherwise, or deleted."
        return Diagnosis("relation", "defined_elsewhere", says)
    earlier = takewhile(lambda part: part.name != step.part, syllabus.parts)
    homes = [part.name for part in earlier if name in {one.name for one in part.steps}]
    if not homes:
        says = f"There is no `{name}` here: no argument, no variable and no import has this name."
        return Diagnosis("exception", "undefined", says) if unknown.end() == len(failure.message) else None
    if unused := definitions.unused_arguments(step.part, step.name):
        says = f"Your code never uses `{unused[0]}`, which it is given: should that stand where `{name}` stands?"
        return Diagnosis("influence", "unused", says)
    says = f"Your `{name}` is in another file: import it, `from {homes[-1]} import {name}`, or write here what it does."
    return Diagnosis("relation", "defined_elsewhere", says)


def unmarked_callees(marks: Marks, syllabus: Syllabus, definitions: Definitions) -> dict[str, frozenset[str]]:
    """Return, by part, the steps that were not graded and that an undiagnosed wrong step calls."""
    found: dict[str, frozenset[str]] = {}
    for part in marks.parts:
        unmarked = {one.name for one in syllabus.part(part.part).steps} - {one.step for one in part.steps}
        wrong = [one for one in part.steps if one.verdict in WRONG_TENSORS and not one.diagnosis]
        called = {one for step in wrong for one in definitions.called_by(part.part, step.step)}
        if others := {name for home, name in called if home == part.part and name in unmarked}:
            found[part.part] = frozenset(others)
    return found


def with_callees(marks: Marks, definitions: Definitions, others: Marks | None = None) -> Marks:
    """Name, in the diagnosis of each failed step, the called steps that may cause its failure.

    others: marks of called steps that are not in `marks`.
    """
    parts = [part for one in (marks, others) if one for part in one.parts if not part.error]
    open_steps = {(part.part, step.step): step for part in parts for step in part.steps if not step.passed}
    return replace(
        marks,
        parts=tuple(
            replace(part, steps=tuple(_with_callees(part.part, step, open_steps, definitions) for step in part.steps))
            for part in marks.parts
        ),
    )


def _with_callees(
    part: str, step: StepMarks, open_steps: dict[tuple[str, str], StepMarks], definitions: Definitions
) -> StepMarks:
    alike = [one for one, callee in open_steps.items() if one != (part, step.step) and _may_cause(callee, step)]
    called = definitions.called_by(part, step.step) if alike else ()
    names = [f"`{name}`" for where, name in alike if (where, name) in called]
    if not names:
        return step
    have = "has not passed itself" if len(names) == 1 else "have not passed themselves"
    says = f"It calls your {listed(names)}, which {have}: start there."
    if step.diagnosis is None:
        return replace(step, diagnosis=Diagnosis("relation", CALLS_OPEN, says))
    return replace(step, diagnosis=replace(step.diagnosis, says=f"{step.diagnosis.says} {says}"))


def _may_cause(callee: StepMarks, step: StepMarks) -> bool:
    failure, of_callee = step.first_failure, callee.first_failure
    if not failure or not of_callee or failure.headline or of_callee.headline or UNWRITTEN in failure.message:
        return False
    if step.verdict == Verdict.RAISED:
        return callee.verdict == Verdict.RAISED and _last_place(callee) == _last_place(step) != ""
    if step.verdict in WRONG_TENSORS:
        drawn = (failure.picture or failure.boxes) and (of_callee.picture or of_callee.boxes)
        shapes_alone = step.verdict == Verdict.WRONG_SHAPE and callee.verdict != Verdict.WRONG_SHAPE
        return bool(drawn) and callee.verdict in WRONG_TENSORS and not shapes_alone
    return callee.verdict == step.verdict not in (Verdict.NOT_ATTEMPTED, Verdict.FORBIDDEN)


def _last_place(step: StepMarks) -> str:
    """Return the student's last frame in the traceback of a step, or an empty text."""
    places = list(PLACE.finditer(step.traceback or ""))
    return places[-1][0] if places else ""


def listed(names: Sequence[str]) -> str:
    """Join names for a sentence: `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
