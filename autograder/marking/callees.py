"""Steps that call other steps of the student's: a fault in one shows in the other, and is mended where it is."""

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.course.answer import Answer
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import NOT_ATTEMPTED, Diagnosis, PartMarks, StepMarks
from autograder.sitting.mentions import Mentions

STUB = re.compile(r"NotImplementedError: (?P<number>step \d+: )?(?P<step>\w+)")
"""What a stub raises; one that nbgrader has made has no number."""


def unwritten_callee(step: SyllabusStep, answer: Answer) -> Answer:
    """Return the answer of a step that reached the stub of another as a failure which names that one."""
    stub = STUB.fullmatch(answer.failure.message) if answer.failure else None
    if not answer.failure or not stub or stub["step"] == step.name or answer.failure.kind != NOT_ATTEMPTED:
        return answer
    number = f": {stub['number'].removesuffix(': ')}" if stub["number"] else ""
    message = f"it calls your `{stub['step']}`, which is not written yet{number}. Write that one first."
    return replace(answer, failure=replace(answer.failure, kind="raised", message=message))


def blame_callees(parts: Sequence[PartMarks], mentions: Mentions) -> tuple[PartMarks, ...]:
    """Say of every step that has not passed which other step that it calls has not passed either."""
    open_steps = {
        (part.part, step.step): step for part in parts for step in part.steps if not step.passed and not part.error
    }
    return tuple(
        replace(part, steps=tuple(_blame(part.part, step, open_steps, mentions) for step in part.steps))
        for part in parts
    )


def _blame(part: str, step: StepMarks, open_steps: dict[tuple[str, str], StepMarks], mentions: Mentions) -> StepMarks:
    if step.verdict in (NOT_ATTEMPTED, "forbidden") or (part, step.step) not in open_steps:
        return step
    called = mentions.called_by(part, step.step)
    names = [
        f"`{name}`"
        for (where, name), one in open_steps.items()
        if one.verdict != NOT_ATTEMPTED and (where, name) in called
    ]
    if not names:
        return step
    have = "has not passed itself" if len(names) == 1 else "have not passed themselves"
    says = f"It calls your {_listed(names)}, which {have}: start there."
    if step.diagnosis is None:
        return replace(step, diagnosis=Diagnosis("relation", "calls_an_open_step", says))
    return replace(step, diagnosis=replace(step.diagnosis, says=f"{says} {step.diagnosis.says}"))


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
