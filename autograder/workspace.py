"""Where the files of a course are: exercises, solutions, exams, and what one checkout remembers."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.errors import FILE

if TYPE_CHECKING:
    from autograder.course.course import Course


@dataclass(frozen=True)
class Workspace:
    """One checkout of the course."""

    root: Path

    @property
    def course(self) -> "Course":
        """What the course says of itself. Raises BrokenCourse."""
        from autograder.course.course import read_course  # with libraries; where a course is, is known without any

        return read_course(self.root)

    @property
    def exercises(self) -> Path:
        """The folder that students edit."""
        return self.root / "exercises"

    @property
    def solutions(self) -> Path:
        """The reference modules; not in a student's release."""
        return self.root / "solutions"

    @property
    def syllabus(self) -> Path:
        """What the course consists of, as JSON."""
        return self.root / "exams" / "syllabus.json"

    @property
    def practice_exam(self) -> Path:
        """The exam that students check themselves with."""
        return self.root / "exams" / "practice.exam"

    @property
    def memory(self) -> Path:
        """What this checkout remembers: progress and backups. Not under version control."""
        return self.root / ".attn"

    def holds(self, path: Path) -> bool:
        """Return whether a path ends in this checkout, wherever links lead it."""
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.root))

    def exercise(self, part: str) -> Path:
        """The module of one part that students edit."""
        return self.exercises / f"{part}.py"

    def notebook(self, part: str) -> Path:
        """The notebook of one part, for who prefers it to the module."""
        return self.root / "notebooks" / f"{part}.ipynb"


COURSE = Workspace(Path(__file__).resolve().parent.parent)
"""The checkout that holds this package; an installed package has none."""


def here() -> Workspace:
    """Return the course of the current folder, or the one that holds this package."""
    return find_workspace(Path.cwd()) or COURSE


def find_workspace(start: Path) -> Workspace | None:
    """Return the checkout that holds `start`, if one does."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE).is_file():
            return Workspace(folder)
    return None
