"""From a folder to marks: what `check`, `watch`, `solution` and the pytest plugin have in common."""

from collections.abc import Sequence
from pathlib import Path

from autograder.cli.repairs import way_to_exams
from autograder.exam.files import NotAnExam, read_exam
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.mark import mark
from autograder.marking.marks import Marks
from autograder.sitting.host import Interruption, OnStep, sit
from autograder.sitting.processes import Sitter
from autograder.sitting.submission import read_folder

PRACTICE = "practice.exam"


class CannotCheck(Exception):
    """Checking cannot begin; the message says why and what to do."""


def open_exam(path: Path) -> Exam:
    """Read an exam. Raises CannotCheck."""
    try:
        return read_exam(path)
    except NotAnExam as error:
        advice = f" {way_to_exams(path.resolve().parents[1])}" if path.name == PRACTICE else ""
        raise CannotCheck(f"{error}.{advice}") from error


def check_folder(
    sitter: Sitter,
    exam: Exam,
    folder: Path,
    steps: Sequence[SyllabusStep],
    timeout: float,
    on_step: OnStep | None = None,
    interruption: Interruption | None = None,
) -> Marks:
    """Let the modules of a folder sit some steps of an exam, and mark them. Raises CannotSit, Interrupted."""
    wanted: dict[str, frozenset[str]] = {}
    for step in steps:
        wanted[step.part] = wanted.get(step.part, frozenset()) | {step.name}
    submission = read_folder(folder, wanted, shown_path(folder))
    return mark(
        exam, sit(sitter, submission, exam.syllabus, exam.paper, wanted, timeout, on_step, interruption), submission
    )


def shown_path(folder: Path) -> str:
    """Return how messages write a folder: relative to the current one where it lies in it."""
    here = Path.cwd()
    folder = folder.resolve()
    return str(folder.relative_to(here)) if folder.is_relative_to(here) and folder != here else folder.name
