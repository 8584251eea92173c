"""One student's marks, as plain data for a page that can be given to them: it holds nothing about anybody else."""

from dataclasses import dataclass, replace

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.report.states import State, state_of
from autograder.classroom.results import as_file_name
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.marking.boxes import Boxes
from autograder.marking.marks import PartMarks, StepMarks
from autograder.marking.pictures import View


@dataclass(frozen=True)
class StepFeedback:
    """The feedback on one step. case: of which the message is, and the picture or the shapes."""

    step: SyllabusStep
    state: State
    score: float
    max_score: float
    case: str = ""
    message: str = ""
    picture: View | None = None
    boxes: Boxes | None = None
    diagnosis: str = ""
    hint: str = ""
    traceback: str = ""
    printed: str = ""


@dataclass(frozen=True)
class PartFeedback:
    """The feedback on one part. error: why it could not be read. steps: none if it was not handed in."""

    part: SyllabusPart
    score: float
    error: str
    steps: tuple[StepFeedback, ...]


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
    steps = tuple(_step(step, marks) for step in part.steps if (marks := found.step(step.name)))
    return PartFeedback(part, found.score, found.error or "", steps)


def _step(step: SyllabusStep, found: StepMarks) -> StepFeedback:
    said = StepFeedback(step, state_of(found), found.score, found.max_score, printed=found.printed)
    if found.passed:
        return said
    failed = found.first_failure
    return replace(
        said,
        case=failed.case if failed else "",
        message=failed.message if failed and found.verdict != Verdict.NOT_ATTEMPTED else "",
        picture=failed.picture if failed else None,
        boxes=failed.boxes if failed else None,
        diagnosis=found.diagnosis.says if found.diagnosis else "",
        hint=found.hint or "",
        traceback=found.traceback or "",
    )
