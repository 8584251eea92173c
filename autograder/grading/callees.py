"""Steps that call other steps of the student's: a fault in one shows in the other, and is fixed where it is."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from autograder.course.answer import Answer, Failure
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.exceptions import PLACE
from autograder.grading.results import Diagnosis, Marks, PartMarks, StepMarks
from autograder.submission.parsed import Definitions

STUB = re.compile(r"NotImplementedError: (?P<number>step \d+: )?(?P<step>\w+)")
"""What a stub raises; one that nbgrader has made has no number."""

NOT_DEFINED = re.compile(r"NameError: name '(?P<name>\w+)' is not defined")
"""Python's message for an undefined name."""

CALLS_OPEN = "calls_an_open_step"
"""The cause that another step is called which has not passed: an edit that makes up for it would be none of this step's."""

UNWRITTEN = "which is not written yet"
"""The message for a stub that another step has reached, complete."""


def unwritten_callee(step: SyllabusStep, answer: Answer, syllabus: Syllabus) -> Answer:
    """Return the answer of a step that reached the stub of another as a failure which names that one."""
    if not answer.failure or answer.failure.kind != Verdict.NOT_ATTEMPTED:
        return answer
    stub = STUB.fullmatch(answer.failure.message)
    others = {one.name for one in syllabus.steps} - {step.name}
    if not stub or stub["step"] not in others:
        return answer
    number = f": {stub['number'].removesuffix(': ')}" if stub["number"] else ""
    message = f"it calls your `{stub['step']}`, {UNWRITTEN}{number}. Write that one first."
    return replace(answer, failure=replace(answer.failure, kind=Verdict.RAISED, message=message))


def defined_elsewhere(
    syllabus: Syllabus, step: SyllabusStep, failure: Failure | None, definitions: Definitions
) -> Diagnosis | None:
    """Say where a name comes from that a step's file does not know, if it is a step of this part or of an earlier one.

    Who leaves an argument aside may have been given what they look for.
    """
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


def blame_callees(
    parts: Sequence[PartMarks], definitions: Definitions, others: Sequence[PartMarks] = ()
) -> tuple[PartMarks, ...]:
    """Add to every step that has not passed which steps that it calls fail in the same way and may be the cause.

    others: what is called, where that is not among the parts; if it is given, nothing else is blamed.
    """
    open_steps = {
        (part.part, step.step): step
        for part in others or parts
        for step in part.steps
        if not step.passed and not part.error
    }
    return tuple(
        part
        if part.error
        else replace(part, steps=tuple(_blame(part.part, step, open_steps, definitions) for step in part.steps))
        for part in parts
    )


def unmarked_callees(marks: Marks, syllabus: Syllabus, definitions: Definitions) -> dict[str, frozenset[str]]:
    """Return the steps, by part, that wrong steps of the same part call and that were not asked for, so that they are not marked."""
    found: dict[str, frozenset[str]] = {}
    for part in marks.parts:
        steps, marked = {one.name for one in syllabus.part(part.part).steps}, {one.step for one in part.steps}
        wrong = (one for one in part.steps if not part.error and one.diagnosis is None and _shows_wrong_tensors(one))
        called = {
            name for one in wrong for home, name in definitions.called_by(part.part, one.step) if home == part.part
        }
        if others := called & steps - marked:
            found[part.part] = frozenset(others)
    return found


def with_callees(marks: Marks, others: Marks, definitions: Definitions) -> Marks:
    """Return marks in which steps that have not passed name what they call of other marks, if that may be the cause."""
    return replace(marks, parts=blame_callees(marks.parts, definitions, others.parts))


def _shows_wrong_tensors(step: StepMarks) -> bool:
    return step.verdict in (Verdict.WRONG_SHAPE, Verdict.WRONG_VALUES)


def _blame(
    part: str, step: StepMarks, open_steps: dict[tuple[str, str], StepMarks], definitions: Definitions
) -> StepMarks:
    """Add the callees to the diagnosis of a step. What one of them makes wrong may look like a mistake of the step's own."""
    if step.passed or step.verdict in (Verdict.NOT_ATTEMPTED, Verdict.FORBIDDEN):
        return step
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
    """Return whether a step may fail because its callee does: both in the same way."""
    shapes_alone = step.verdict == Verdict.WRONG_SHAPE and callee.verdict != Verdict.WRONG_SHAPE
    return _symptom(callee) == _symptom(step) and not shapes_alone


def _symptom(step: StepMarks) -> str:
    """Return what a step shares with a callee that makes it fail: the line that raised, wrong tensors, the verdict.

    Its own name if there is nothing of the kind: it returned too many tensors, or no tensor, or a mask that is no buffer; or it has
    reached a stub, which is named already.
    """
    failure = step.first_failure
    if failure is None:
        return step.verdict
    if step.verdict == Verdict.RAISED and UNWRITTEN not in failure.message:
        return f"{_last_place(step)}: {failure.message.partition(':')[0]}"
    if step.verdict in (Verdict.RAISED, Verdict.WRONG_SHAPE, Verdict.WRONG_VALUES):
        return "wrong tensors" if failure.picture or failure.boxes else step.step
    return step.step if failure.headline else step.verdict


def _last_place(step: StepMarks) -> str:
    """Return the file and the line of the student's in which a step's traceback ends; the step's name if it has none."""
    places = list(PLACE.finditer(step.traceback or ""))
    return f"{places[-1]['file']}, line {places[-1]['line']}" if places else step.step


def listed(names: Sequence[str]) -> str:
    """Return names as a list for people."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
