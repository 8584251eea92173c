"""The feedback on a step and on a part, as plain text."""

from autograder.classroom.grades import PartGrade, State
from autograder.grading.points import told
from autograder.grading.results import StepMarks

NOT_HANDED_IN = "This part was not handed in."


def headline(step: StepMarks) -> str:
    """Return the verdict and the first check that failed, in one line."""
    failed, verdict = step.first_failure, step.verdict.words
    if not failed or not failed.message:
        return verdict
    return f"{verdict}: case {failed.case}: {_one_line(failed.message)}"


def feedback(step: StepMarks) -> str:
    """Return all that helps: the headline, the traceback, the likely mistake, the hint. Empty for a step that passed."""
    if step.passed:
        return ""
    pieces = [
        headline(step),
        step.traceback,
        step.diagnosis and step.diagnosis.says,
        told(step),
        step.hint and f"Hint: {step.hint}",
    ]
    return "\n\n".join(piece for piece in pieces if piece)


def said_of(part: PartGrade) -> str:
    """Return what is said of a whole part: that it was not handed in, why it could not be read, what was decided or taken off."""
    missing = [NOT_HANDED_IN] if part.state == State.NOT_HANDED_IN else []
    return "\n".join([*missing, *([part.error] if part.error else []), *part.done])


def _one_line(text: str) -> str:
    return " ".join(text.split())
