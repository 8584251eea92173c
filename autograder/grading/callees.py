"""Explain failures that come from called steps: stubs and wrong steps."""

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.course.answer import Answer
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.exceptions import PLACE
from autograder.grading.results import Diagnosis, Marks, StepMarks
from autograder.submission.parsed import Definitions

STUB = re.compile(r"NotImplementedError: (?P<number>step \d+: )?(?P<step>\w+)")
"""The message of the exception that a stub raises. A stub made by nbgrader has no step number."""

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


def with_callees(marks: Marks, definitions: Definitions) -> Marks:
    """Name, in the diagnosis of each failed step, the called steps that may cause its failure."""
    parts = [part for part in marks.parts if not part.error]
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
        shapes_alone = step.verdict == Verdict.WRONG_SHAPE and callee.verdict != Verdict.WRONG_SHAPE
        are_tensors = all(one.picture or one.check == "shape" for one in (failure, of_callee))
        return are_tensors and callee.verdict in WRONG_TENSORS and not shapes_alone
    return callee.verdict == step.verdict not in (Verdict.NOT_ATTEMPTED, Verdict.FORBIDDEN)


def _last_place(step: StepMarks) -> str:
    """Return the student's last frame in the traceback of a step, or an empty text."""
    places = list(PLACE.finditer(step.traceback or ""))
    return places[-1][0] if places else ""


def listed(names: Sequence[str]) -> str:
    """Join names for a sentence: `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
