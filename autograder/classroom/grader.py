"""Mark submissions, one after the other, in a sandboxed server."""

import gc
import hashlib
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.check import check
from autograder.classroom.results import to_bytes
from autograder.course.errors import FILE, ExplainedError
from autograder.exam.files import exam_from_bytes
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks
from autograder.runner.processes import Died, open_runner
from autograder.submission.model import Submission, shown
from autograder.workspace import COURSE

TRIES = 2
LONGEST_REASON = 200
"""The most characters of an error of the grader in a message."""


@dataclass(frozen=True)
class Conditions:
    """The settings with which a class is marked. They are sent to other processes and machines.

    course: its folder. exam: the content of the exam's file. parts: the names of the parts to mark.
    sandbox: its level. timeout: seconds for a step. seconds: for the search for a mistake's cause.
    """

    course: Path
    exam: bytes
    parts: tuple[str, ...]
    sandbox: str
    timeout: float
    seconds: float = 0.0

    @cached_property
    def digest(self) -> str:
        """The digest of these conditions."""
        return hashlib.sha256(self.exam + repr((self.parts, self.sandbox, self.timeout)).encode()).hexdigest()


class Unmarked(ExplainedError):
    """The grader failed, so a submission has no marks. The message says how; a later run tries again."""


class Grader:
    """Marks submissions, one at a time."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        course = course_here(conditions.course)
        self._runner = open_runner(course, level=conditions.sandbox)
        self._exam = exam_from_bytes(conditions.exam)
        with self._runner.child():  # waits until the server is warm
            pass
        gc.freeze()  # else garbage collection of the exam takes a sixth of the judge's time

    def grade(self, submission: Submission) -> Marks:
        """Mark a submission. Raises CannotRun if no child can start, Unmarked if each child dies."""
        for _ in range(TRIES):
            try:
                return check(
                    self._exam,
                    submission,
                    self._wanted(submission),
                    self._runner,
                    self._conditions.timeout,
                    sandbox=self._conditions.sandbox,
                    seconds=self._conditions.seconds,
                )
            except Died:
                continue
        raise Unmarked(f"the process that runs submissions died {TRIES} times while it ran this one")

    def close(self) -> None:
        """End the server."""
        self._runner.close()

    def _wanted(self, submission: Submission) -> list[SyllabusStep]:
        """Return all steps of the parts that were handed in."""
        wanted = (submission.modules.keys() | submission.problems.keys()) & {*self._conditions.parts}
        return [step for step in self._exam.syllabus.steps if step.part in wanted]


def course_here(folder: Path) -> Path:
    """Return the folder of a course; if this machine lacks it, the folder of the installed course."""
    return folder if (folder / FILE).is_file() else COURSE.root


_graders: dict[int, tuple[str, Grader]] = {}
"""The grader of each thread of this process, and the digest of its conditions."""


def grade(conditions: Conditions, submission: Submission) -> bytes:
    """Mark a submission; return the content of its file of marks.

    Raises CannotRun if no submission can be marked here, and Unmarked if this one cannot.
    """
    try:
        return to_bytes(grader_here(conditions).grade(submission))
    except ExplainedError:
        raise
    except Exception as error:  # a bug of the grader must cost nobody marks
        said = shown(f"{type(error).__name__}: {error}")[:LONGEST_REASON]
        raise Unmarked(f"the grader failed on this submission ({said}). Please report it.") from error


def grader_here(conditions: Conditions) -> Grader:
    """Return the grader of this thread. Opens one if there is none for these conditions."""
    thread = threading.get_ident()
    digest, grader = _graders.get(thread, ("", None))
    if grader is None or digest != conditions.digest:
        if grader:
            grader.close()
        grader = Grader(conditions)
        _graders[thread] = conditions.digest, grader
    return grader


def get_ready(conditions: Conditions) -> None:
    """Open the grader of this thread."""
    grader_here(conditions)


def close_graders() -> None:
    """Close all graders of this process."""
    while _graders:
        _, (_, grader) = _graders.popitem()
        grader.close()
