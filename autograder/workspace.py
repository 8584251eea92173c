"""The paths of a course: exercises, solutions, exams, notebooks, progress and backups."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.errors import FILE

if TYPE_CHECKING:
    from autograder.course.course import Course


@dataclass(frozen=True)
class Workspace:
    """A checkout of a course. root: the folder that contains `course.toml`."""

    root: Path

    @property
    def course(self) -> "Course":
        """The course as described in `course.toml`. Raises BrokenCourse."""
        from autograder.course.course import read_course  # imports libraries; the paths need none

        return read_course(self.root)

    @property
    def exercises(self) -> Path:
        """The folder of the modules that students edit."""
        return self.root / "exercises"

    @property
    def solutions(self) -> Path:
        """The folder of the reference solutions. A student's release does not contain it."""
        return self.root / "solutions"

    @property
    def syllabus(self) -> Path:
        """The JSON file that describes the parts and steps of the course."""
        return self.root / "exams" / "syllabus.json"

    @property
    def practice_exam(self) -> Path:
        """The exam file with which students check their own work."""
        return self.root / "exams" / "practice.exam"

    @property
    def memory(self) -> Path:
        """The folder of progress and backups. It is not under version control."""
        return self.root / ".attn"

    def exercise(self, part: str) -> Path:
        """Return the path of the module in which students write a part."""
        return self.exercises / f"{part}.py"

    def notebook(self, part: str) -> Path:
        """Return the path of the notebook in which students can write a part instead of in the module."""
        return self.root / "notebooks" / f"{part}.ipynb"


COURSE = Workspace(Path(__file__).resolve().parent.parent)
"""The checkout that contains this package, unless the package is installed elsewhere."""


def here() -> Workspace:
    """Return the checkout that contains the current folder; if there is none, COURSE."""
    return find_workspace(Path.cwd()) or COURSE


def find_workspace(start: Path) -> Workspace | None:
    """Return the checkout that contains `start`, or None."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE).is_file():
            return Workspace(folder)
    return None
