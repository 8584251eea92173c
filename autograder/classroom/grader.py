"""Mark submissions, one after the other, on a server that runs their code in a sandbox."""

import contextlib
import gc
import threading
from dataclasses import dataclass
from pathlib import Path

from autograder.check import check
from autograder.classroom.results import to_bytes
from autograder.course.errors import FILE, ExplainedError
from autograder.exam.files import exam_from_bytes
from autograder.grading.results import Marks
from autograder.runner.processes import Died, open_runner
from autograder.submission.model import Submission, shown
from autograder.workspace import COURSE

TRIES = 2
LONGEST_REASON = 200
"""The most characters that a message quotes of an error of the grader."""


@dataclass(frozen=True)
class Conditions:
    """The settings with which a class is marked. They are sent to other processes and machines.

    course: the course's folder. exam: the content of its file. parts: the names of the parts to mark.
    sandbox: the sandbox's level. timeout: seconds for a step. seconds: to find a mistake's cause.
    """

    course: Path
    exam: bytes
    parts: tuple[str, ...]
    sandbox: str
    timeout: float
    seconds: float = 0.0


class Unmarked(ExplainedError):
    """The grader failed, so a submission has no marks. The message has the reason. A rerun tries again."""


class Grader:
    """Marks submissions, one at a time."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        is_here = (conditions.course / FILE).is_file()  # a machine of a cluster has its own installed course
        self._runner = open_runner(conditions.course if is_here else COURSE.root, level=conditions.sandbox)
        self._exam = exam_from_bytes(conditions.exam)
        with self._runner.child():  # waits until the server is warm
            pass
        gc.freeze()  # else garbage collection of the exam takes a sixth of the judge's time

    def grade(self, submission: Submission) -> Marks:
        """Mark a submission. Raises CannotRun if no child process starts, Unmarked if all of them die."""
        given, sandbox, seconds = self._conditions, self._conditions.sandbox, self._conditions.seconds
        handed_in = (submission.modules.keys() | submission.problems.keys()) & {*given.parts}
        steps = [step for step in self._exam.syllabus.steps if step.part in handed_in]
        for _ in range(TRIES):
            with contextlib.suppress(Died):
                return check(
                    self._exam, submission, steps, self._runner, given.timeout, sandbox=sandbox, seconds=seconds
                )
        raise Unmarked(f"the process that runs submissions died {TRIES} times while it ran this one")

    def close(self) -> None:
        """End the server."""
        self._runner.close()


_graders: dict[int, tuple[Conditions, Grader]] = {}
"""For each thread of this process, its grader and the conditions of the grader."""


def grade(conditions: Conditions, submission: Submission) -> bytes:
    """Mark a submission, and return the content of the file for its marks.

    Raises CannotRun if no submission can be marked here, and Unmarked if only this submission cannot.
    """
    try:
        return to_bytes(_grader_here(conditions).grade(submission))
    except ExplainedError:
        raise
    except Exception as error:  # a bug of the grader must cost nobody marks
        said = shown(f"{type(error).__name__}: {error}")[:LONGEST_REASON]
        raise Unmarked(f"the grader failed on this submission ({said}). Please report it.") from error


def get_ready(conditions: Conditions) -> None:
    """Start the grader of this thread, unless it runs already."""
    _grader_here(conditions)


def _grader_here(conditions: Conditions) -> Grader:
    thread = threading.get_ident()
    known, grader = _graders.get(thread, (None, None))
    if grader is None or known != conditions:
        if grader:
            grader.close()
        grader = Grader(conditions)
        _graders[thread] = conditions, grader
    return grader


def close_graders() -> None:
    """Close all graders of this process."""
    while _graders:
        _graders.popitem()[1][1].close()
