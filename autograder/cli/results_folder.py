"""Reading the folder that `attn grade --out` has written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autograder.cli.context import Stop

if TYPE_CHECKING:
    from autograder.classroom.class_marks import ClassMarks
    from autograder.exam.syllabus import Syllabus


def open_class(folder: Path, syllabus: Syllabus) -> ClassMarks:
    """Read the marks of a class, or stop with a message."""
    from autograder.classroom.class_marks import NoMarks, read_class

    try:
        return read_class(folder, syllabus)
    except NoMarks as error:
        raise Stop(str(error)) from error
