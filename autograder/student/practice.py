"""Read an exam, and the modules to be marked with it."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.course.errors import ExplainedError, shown
from autograder.exam.files import NotAnExam, read_exam
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep
from autograder.student.machine_checks import way_to_exams
from autograder.submission.model import Submission, read_folder

PRACTICE = "practice.exam"


def open_exam(path: Path, parts: Iterable[str] | None = None) -> Exam:
    """Read an exam. parts: the parts whose paper and key are read, by default all. Raises ExplainedError."""
    try:
        return read_exam(path, parts)
    except NotAnExam as error:
        advice = f" {way_to_exams(path.resolve().parents[1])}" if path.name == PRACTICE else ""
        raise ExplainedError(f"{error}.{advice}") from error


def read_exercises(folder: Path, steps: Sequence[SyllabusStep]) -> Submission:
    """Read the modules of these steps in a folder. Raises ExplainedError if the folder is missing."""
    if not folder.is_dir():
        raise ExplainedError(f"there is no folder {folder}. In exercises/, `attn reset` of a part puts its stub there.")
    return read_folder(folder, dict.fromkeys(step.part for step in steps), shown(folder.resolve()))
