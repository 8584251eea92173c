"""One student's marks, as plain data for a page that can be given to them: it holds nothing about anybody else."""

from dataclasses import dataclass

from autograder.classroom.grades import Grades, PartGrade, StepGrade
from autograder.classroom.grades import State as Handed
from autograder.classroom.report.states import State, state_of
from autograder.classroom.results import as_file_name
from autograder.exam.syllabus import SyllabusPart
from autograder.grading.results import PartMarks, StepMarks


@dataclass(frozen=True)
class StepFeedback:
    """The feedback on one step: how it went, its points as they count, its marks, which say why, and in words how it counts."""

    state: State
    score: float
    max_score: float
    marks: StepMarks
    counts: str = ""


@dataclass(frozen=True)
class PartFeedback:
    """The feedback on one part.

    score: None if it is excused, or while nobody has decided. error: why it could not be read. steps: none if it was not handed in. notes: on
    its file. adjusted: what was decided or taken off. excused: whether it does not count.
    """

    part: SyllabusPart
    score: float | None
    max_score: float
    error: str
    steps: tuple[StepFeedback, ...]
    notes: tuple[str, ...] = ()
    adjusted: tuple[str, ...] = ()
    excused: bool = False


@dataclass(frozen=True)
class Feedback:
    """The feedback to a student. marked: the day of the marks. score: None while nobody has decided."""

    student: str
    marked: str
    score: float | None
    max_score: float
    notes: tuple[str, ...]
    parts: tuple[PartFeedback, ...]


def file_name_of(student: str) -> str:
    """Return the name of the file of a student's page."""
    return f"{as_file_name(student)}.html"


def feedback_of(grades: Grades, student: str) -> Feedback:
    """Return the feedback to one student. Raises KeyError."""
    found = grades.students[student]
    return Feedback(
        student=found.called,
        marked=found.marks.graded_at[:10],
        score=found.points,
        max_score=found.max_points,
        notes=found.marks.notes,
        parts=tuple(_part(part, found.marks.part(part.part.name)) for part in found.parts),
    )


def _part(part: PartGrade, found: PartMarks | None) -> PartFeedback:
    return PartFeedback(
        part=part.part,
        score=part.points,
        max_score=part.max_points,
        error=part.error,
        steps=tuple(_step(step, step.marks) for step in part.steps if step.marks),
        notes=found.notes if found else (),
        adjusted=part.done,
        excused=part.state == Handed.EXCUSED,
    )


def _step(step: StepGrade, marks: StepMarks) -> StepFeedback:
    return StepFeedback(state_of(marks), step.points, step.max_points, marks, step.counts)
