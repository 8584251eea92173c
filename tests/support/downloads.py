"""Downloads for a class folder, as a test writes them, and what became of them."""

from collections.abc import Callable
from pathlib import Path

from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.collecting.collected import Collected
from autograder.classroom.collecting.handed_in import read_handed_in
from autograder.exam.syllabus import load
from autograder.workspace import COURSE

PARTS = load(COURSE.syllabus).parts[:2]
FIRST, SECOND = (part.name for part in PARTS)
ONE = "def dot_product(a, b):\n    return a @ b\n"
OF_SECOND = f"def {PARTS[1].steps[0].name}(x):\n    return x\n"
BAD = ONE + "x = 0"

Gather = Callable[..., Collected]


def moodle(name: str, number: int, text: str = ONE) -> dict[str, str]:
    return {f"{name}_{number}_assignsubmission_file_/part1.py": text}


def files_of(class_: Path, student: str) -> list[str]:
    return sorted(
        path.relative_to(class_ / student).as_posix() for path in (class_ / student).rglob("*") if path.is_file()
    )


def students(class_: Path) -> list[str]:
    return [entry.student for entry in read_class_folder(class_).entries]


def listed(class_: Path) -> list[tuple[str, str]]:
    """The parts that are there, each with the file in which it was handed in."""
    return [(row.part, row.from_file) for row in read_handed_in(class_)]
