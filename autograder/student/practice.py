"""From a folder to marks: what `check`, `watch` and the pytest plugin have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.check import check
from autograder.course.errors import ExplainedError
from autograder.exam.files import NotAnExam, read_exam
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks
from autograder.runner.processes import Runner
from autograder.runner.run import OnStep
from autograder.student.advice import way_to_exams
from autograder.submission.model import Submission, read_folder

if TYPE_CHECKING:
    from autograder.diagnosis.find import OnCause

PRACTICE = "practice.exam"


class CannotCheck(ExplainedError):
    """Checking cannot begin; the message says why and what to do."""


def open_exam(path: Path, parts: Iterable[str] | None = None) -> Exam:
    """Read an exam. parts: those of which paper and key are wanted; all by default. Raises CannotCheck."""
    try:
        return read_exam(path, parts)
    except NotAnExam as error:
        advice = f" {way_to_exams(path.resolve().parents[1])}" if path.name == PRACTICE else ""
        raise CannotCheck(f"{error}.{advice}") from error


def check_folder(
    runner: Runner,
    exam: Exam,
    folder: Path,
    steps: Sequence[SyllabusStep],
    timeout: float,
    on_step: OnStep | None = None,
    seconds: float = 0.0,
    on_cause: OnCause | None = None,
) -> Marks:
    """Let the modules of a folder sit some steps of an exam, and mark them. Raises CannotRun.

    seconds, on_cause: of the search for causes, as `check` takes them.
    """
    submission = read_exercises(folder, steps)
    return check(exam, submission, steps, runner, timeout, on_step, seconds=seconds, on_cause=on_cause)


def read_exercises(folder: Path, steps: Sequence[SyllabusStep]) -> Submission:
    """Read the modules of a folder that some steps are in."""
    return read_folder(folder, dict.fromkeys(step.part for step in steps), shown_path(folder))


def shown_path(folder: Path) -> str:
    """Return how messages write a folder: relative to the current one where it lies in it."""
    here = Path.cwd()
    folder = folder.resolve()
    return str(folder.relative_to(here)) if folder.is_relative_to(here) and folder != here else folder.name
