"""Marking one submission after the other: an exam, and a sandboxed server."""

import gc
import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.check import check
from autograder.course.errors import FILE, ExplainedError
from autograder.exam.files import exam_from_bytes
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks
from autograder.runner.processes import Died, open_runner
from autograder.submission.model import Submission
from autograder.workspace import COURSE

TRIES = 2


@dataclass(frozen=True)
class Conditions:
    """What all submissions of a class have in common. It travels to other processes and machines.

    course: its folder. exam: the content of the exam's file. parts: the names of the parts that are marked. sandbox: its level.
    timeout: seconds a step may take. seconds: that the search for the cause of a wrong one may take; the marks are the same without.
    """

    course: Path
    exam: bytes
    parts: tuple[str, ...]
    sandbox: str
    timeout: float
    seconds: float = 0.0

    @cached_property
    def digest(self) -> str:
        """Names these conditions."""
        return hashlib.sha256(self.exam + repr((self.parts, self.sandbox, self.timeout)).encode()).hexdigest()


class Unmarked(ExplainedError):
    """A submission has no marks, because what marks it failed. The message says how; a later run tries again."""


class Grader:
    """Marks submissions, one at a time."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        course = course_here(conditions.course)
        self._runner = open_runner(course, level=conditions.sandbox)
        self._exam = exam_from_bytes(conditions.exam)
        with self._runner.child():  # once its server is warm: the seconds of a submission are those of its own run
            pass
        gc.freeze()  # searching the exam for garbage again and again takes a sixth of the judge's time

    def grade(self, submission: Submission) -> Marks:
        """Mark a submission. Raises CannotRun if no child can be handed out, and Unmarked if none survives this one."""
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
    """Return the folder of a course: on another machine, where it may be elsewhere, that of the installed grader."""
    return folder if (folder / FILE).is_file() else COURSE.root
