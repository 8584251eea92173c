"""One student's marks, as plain data for a page that can be given to them: it holds nothing about anybody else."""

from dataclasses import dataclass, replace

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.report.states import Json, State, state_of
from autograder.classroom.results import as_file_name
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.marking import boxes, pictures
from autograder.marking.boxes import Boxes
from autograder.marking.marks import NOT_ATTEMPTED, PASSED
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
    by_name = {part["part"]: part for part in found["parts"]}
    return Feedback(
        student=student,
        marked=found["graded_at"][:10],
        score=found["score"],
        max_score=marks.max_score,
        notes=tuple(found["notes"]),
        parts=tuple(_part(part, by_name.get(part.name)) for part in marks.parts),
    )


def _part(part: SyllabusPart, found: Json | None) -> PartFeedback:
    if found is None:
        return PartFeedback(part, 0.0, "", ())
    by_name = {step["step"]: step for step in found["steps"]}
    steps = tuple(_step(step, by_name[step.name]) for step in part.steps if step.name in by_name)
    return PartFeedback(part, found["score"], found["error"] or "", steps)


def _step(step: SyllabusStep, found: Json) -> StepFeedback:
    told = StepFeedback(step, state_of(found), found["score"], found["max_score"], printed=found["printed"])
    if found["verdict"] == PASSED:
        return told
    failed = next((check for check in found["checks"] if not check["passed"]), None)
    picture, shapes = (failed.get(name) if failed else None for name in ("picture", "boxes"))
    return replace(
        told,
        case=failed["case"] if failed else "",
        message=failed["message"] if failed and found["verdict"] != NOT_ATTEMPTED else "",
        picture=pictures.from_json(picture) if picture else None,
        boxes=boxes.from_json(shapes) if shapes else None,
        diagnosis=found["diagnosis"]["says"] if found["diagnosis"] else "",
        hint=found["hint"] or "",
        traceback=found["traceback"] or "",
    )
