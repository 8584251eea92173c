"""The feedback on a step and on a part, as plain text."""

from collections.abc import Iterator
from dataclasses import dataclass

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
    """Return headline, traceback, diagnosis, lost points and hint; an empty text if a step passed."""
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


@dataclass(frozen=True)
class Test:
    """A platform's test for a step, or for the decisions on a whole part. marks: None for a part."""

    name: str
    position: int
    score: float
    max_score: float
    output: str
    marks: StepMarks | None = None

    @property
    def passed(self) -> bool:
        """True if the step has full marks."""
        return bool(self.marks and self.marks.passed)


def tests_of(part: PartGrade) -> Iterator[Test]:
    """Yield a test for each step that was marked, and one for decisions on the whole part."""
    name = part.part.name
    marked = [(number, step, step.marks) for number, step in enumerate(part.steps, start=1) if step.marks]
    if part.state in (State.NOT_HANDED_IN, State.EXCUSED):
        yield Test(name, 0, part.points or 0.0, part.max_points, _said_of(part))
        return
    for number, step, marks in marked:
        output = part.error or feedback(marks)
        yield Test(f"{name}.{step.step.name}", number, step.points, step.max_points, output, marks)
    if part.done or not marked:
        yield Test(name, 0, part.beyond_steps, 0.0, _said_of(part))


def _said_of(part: PartGrade) -> str:
    """Return the text about a whole part: its state, its error, its adjustments and deductions."""
    missing = [NOT_HANDED_IN] if part.state == State.NOT_HANDED_IN else []
    return "\n".join([*missing, *([part.error] if part.error else []), *part.done])


def _one_line(text: str) -> str:
    return " ".join(text.split())
