"""One student's marks, as plain data for a page that can be handed to them: it holds nothing of anybody else."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.report.states import Json, State, state_of
from autograder.classroom.results import as_file_name
from autograder.course.answer import Array
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.marking.marks import NOT_ATTEMPTED, PASSED
from autograder.marking.pictures import View, from_json, largest_of, rows_and_columns, write_number


@dataclass(frozen=True)
class Cell:
    """A number of a tensor, as it is written, and whether it is wrong."""

    text: str
    wrong: bool = False


Cells = tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Table:
    """Numbers under a title, each row behind its label. corner: what rows and columns are."""

    title: str
    corner: str
    columns: tuple[int, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Figure:
    """Expected, yours and their difference: a table each for a matrix, one for all three for a vector."""

    heading: str
    tables: tuple[Table, ...]
    left_out: str


@dataclass(frozen=True)
class StepFeedback:
    """What a student is told of one step. case: of which the message and the figure are."""

    step: SyllabusStep
    state: State
    score: float
    max_score: float
    case: str = ""
    message: str = ""
    figure: Figure | None = None
    diagnosis: str = ""
    hint: str = ""
    traceback: str = ""
    printed: str = ""


@dataclass(frozen=True)
class PartFeedback:
    """What a student is told of one part. error: why it could not be read. steps: none where it was not handed in."""

    part: SyllabusPart
    score: float
    error: str
    steps: tuple[StepFeedback, ...]


@dataclass(frozen=True)
class Feedback:
    """What a student is told. marked: the day of the marks."""

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
    """Return what one student is told. Raises KeyError."""
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
    picture = failed.get("picture") if failed else None
    return replace(
        told,
        case=failed["case"] if failed else "",
        message=failed["message"] if failed and found["verdict"] != NOT_ATTEMPTED else "",
        figure=_figure(from_json(picture)) if picture else None,
        diagnosis=found["diagnosis"]["says"] if found["diagnosis"] else "",
        hint=found["hint"] or "",
        traceback=found["traceback"] or "",
    )


def _figure(view: View) -> Figure:
    panels = _panels(view)
    corner, columns = rows_and_columns(view.dims), tuple(view.columns)
    if len(view.shape) < 2:
        tables = [Table("", corner, columns, tuple((title, cells[0]) for title, cells in panels.items()))]
    else:
        tables = [
            Table(title, corner, columns, tuple(zip(view.rows, cells, strict=True))) for title, cells in panels.items()
        ]
    return Figure(view.heading, tuple(tables), view.left_out)


def _panels(view: View) -> dict[str, Cells]:
    """Return the three matrices by their titles; a difference shows only where there is one."""
    largest = largest_of(view.expected)

    def number(value: float) -> str:
        return str(bool(value)) if view.boolean else write_number(value, largest)

    def difference(value: float) -> str:
        return "✗" if view.boolean else number(value)

    return {
        "expected": _cells(view.expected, np.zeros_like(view.wrong), number),
        "yours": _cells(view.yours, view.wrong, number),
        "difference": tuple(
            tuple(cell if cell.wrong else Cell("·") for cell in row)
            for row in _cells(view.difference, view.wrong, difference)
        ),
    }


def _cells(matrix: Array, wrong: Array, write: Callable[[float], str]) -> Cells:
    return tuple(
        tuple(Cell(write(float(value)), bool(off)) for value, off in zip(numbers, offs, strict=True))
        for numbers, offs in zip(matrix, wrong, strict=True)
    )
