"""Run a submission on steps of an exam, grade the answers and search for the causes of errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from autograder.course.course import read_course
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep, by_part
from autograder.grading.compare import GENERAL
from autograder.grading.grade import mark
from autograder.grading.match_known import is_searched
from autograder.grading.results import Marks
from autograder.runner.limits import TIMEOUT
from autograder.runner.processes import Runner
from autograder.runner.run import Interruption, OnStep, run
from autograder.sandbox import NONE
from autograder.submission.model import Submission

if TYPE_CHECKING:
    from autograder.diagnosis.find import OnCause


def check(
    exam: Exam,
    submission: Submission,
    steps: Iterable[SyllabusStep],
    runner: Runner,
    timeout: float = TIMEOUT,
    on_step: OnStep | None = None,
    interruption: Interruption | None = None,
    sandbox: str = NONE,
    seconds: float = 0.0,
    on_cause: OnCause | None = None,
) -> Marks:
    """Run a submission on steps of an exam, grade the answers and search for the causes of errors.

    timeout, on_step, interruption: see `run`. sandbox: the runner's level, one of LEVELS. seconds: the
    time limit of the search for the cause in one step; 0 means no search. on_cause: see `find_causes`.
    Raises CannotRun, Interrupted, and BrokenCourse if the course's own modules cannot be imported.
    """
    relations = read_course(runner.course).own_relations() or GENERAL
    asked = by_part(steps)
    answers = run(runner, submission, exam.syllabus, exam.paper, asked, timeout, on_step, interruption)
    marks = mark(exam, answers, submission, relations, sandbox)
    if not seconds or not any(is_searched(step) for part in marks.parts for step in part.steps):
        return marks
    from autograder.diagnosis.find import find_causes  # slow to import

    known = {path: answer for part in answers.parts.values() for path, answer in part.answers.items()}
    return find_causes(marks, exam, submission, runner, seconds, timeout, interruption, on_cause, known)
