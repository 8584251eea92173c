"""One student's marks, as plain data for a page that can be given to them: it holds nothing about anybody else."""

from dataclasses import dataclass

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.report.states import State, state_of
from autograder.classroom.results import as_file_name
from autograder.exam.syllabus import SyllabusPart
from autograder.marking.marks import PartMarks, StepMarks


@dataclass(frozen=True)
class StepFeedback:
    """The feedback on one step: how it went, and its marks, which say why."""

    state: State
    marks: StepMarks


@dataclass(frozen=True)
class PartFeedback:
    """The feedback on one part. error: why it could not be read. steps: none if it was not handed in. notes: on its file."""

    part: SyllabusPart
    score: float
    error: str
    steps: tuple[StepFeedback, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Feedback:
    """The feedback to a student. marked: the day of the marks."""

    student: str
    marked: str
    score: float
    max_score: float
    notes: tuple[str, ...]
    parts: tuple[PartFeedback, ...]


def file_name_of(student: str) -> str:
    """Return the name of the file of a student's page."""
    return f"{as_file_name(student)}.html"


def feedback_of(marks: ClassMarks, student: str) -> Feedback:
    """Return the feedback to one student. Raises KeyError."""
    found = marks.students[student]
    return Feedback(
        student=student,
        marked=found.graded_at[:10],
        score=found.score,
        max_score=marks.max_score,
        notes=found.notes,
        parts=tuple(_part(part, found.part(part.name)) for part in marks.parts),
    )


def _part(part: SyllabusPart, found: PartMarks | None) -> PartFeedback:
    if found is None:
        return PartFeedback(part, 0.0, "", ())
    marked = (found.step(step.name) for step in part.steps)
    steps = tuple(StepFeedback(state_of(marks), marks) for marks in marked if marks)
    return PartFeedback(part, found.score, found.error or "", steps, found.notes)
