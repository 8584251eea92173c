"""Downloads for a class folder, as a test writes them, and what became of them."""

from collections.abc import Callable
from pathlib import Path

from autograder.classroom.attempts import attempts_in, read_entry, read_handed_in
from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.collecting.collect import Collected
from autograder.exam.syllabus import load
from autograder.submission.model import Submission
from autograder.workspace import COURSE

PARTS = load(COURSE.syllabus).parts[:2]
FIRST, SECOND = (part.name for part in PARTS)
ONE = "def dot_product(a, b):\n    return a @ b\n"
OF_SECOND = f"def {PARTS[1].steps[0].name}(x):\n    return x\n"
BAD = ONE + "x = 0"

Gather = Callable[..., Collected]


def moodle(name: str, number: int, text: str = ONE) -> dict[str, str]:
    return {f"{name}_{number}_assignsubmission_file_/part1.py": text}


def students(class_: Path) -> list[str]:
    return [entry.student for entry in read_class_folder(class_).entries]


def history(class_: Path, student: str) -> list[list[str]]:
    """The files of each attempt, the oldest first."""
    return [
        sorted(path.relative_to(attempt).as_posix() for path in attempt.rglob("*") if path.is_file())
        for attempt in reversed(attempts_in(class_ / student))
    ]


def read(class_: Path, student: str) -> Submission:
    """Return the submission that is marked: for each part the newest attempt with work."""
    rows = [row for row in read_handed_in(class_) if row.student == student]
    return read_entry(class_ / student, student, PARTS, rows=rows)


def texts(class_: Path, student: str) -> dict[str, str]:
    """The text of each part that counts."""
    modules = read(class_, student).modules
    return {part: modules[part].text for part in (FIRST, SECOND) if part in modules}
