"""Reading the folder that `attn grade --out` has written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cli.context import Stop

OF_GRADE = ("class.exam", "marks", "moves.csv", "summary.csv", "superseded")

if TYPE_CHECKING:
    from autograder.classroom.class_marks import ClassMarks
    from autograder.exam.syllabus import Syllabus


def open_class(folder: Path, syllabus: Syllabus) -> ClassMarks:
    """Read the marks of a class. Warns if they were made with several exams. Raises NoMarks."""
    from autograder.classroom.class_marks import read_class

    marks = read_class(folder, syllabus)
    _warn_of_exams(marks, folder)
    return marks


def refuse_to_replace(folder: Path, out: Path) -> None:
    """Stop if something would overwrite what `attn grade` has written into a folder of results."""
    place, results = out.resolve(), folder.resolve()
    if (place.parent == results and place.name in OF_GRADE) or place.is_relative_to(results / "marks"):
        raise Stop(f"{out} is what `attn grade` writes: choose another place for --out.")


def _warn_of_exams(marks: ClassMarks, folder: Path) -> None:
    from autograder.drawing.screen import say_error

    exams = {one.exam for one in marks.students.values()}
    if len(exams) > 1:
        say_error(f"{folder} holds marks of {len(exams)} exams: students were not all asked the same.")
