"""What every command does: a submission sits some steps of an exam, is marked, and the causes of wrong steps are searched for."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from autograder.course.course import read_course
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep, by_part
from autograder.grading.callees import unmarked_callees, with_callees
from autograder.grading.compare import GENERAL
from autograder.grading.grade import mark
from autograder.grading.match_known import is_searched
from autograder.grading.results import Marks
from autograder.runner.limits import TIMEOUT
from autograder.runner.processes import Runner
from autograder.runner.run import Interruption, OnStep, run
from autograder.sandbox import NONE
from autograder.submission.model import Submission
from autograder.submission.parsed import Definitions

if TYPE_CHECKING:
    from autograder.course.answer import Answer
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
    """Let a submission sit some steps of an exam, mark it by what its course knows about wrong numbers, and look for causes.

    timeout, on_step, interruption: as `run` takes them. sandbox: the level at which the runner confines. seconds: that the search for
    a step's cause may take; none is made in none. on_cause: called before each search.
    Raises CannotRun, Interrupted, and BrokenCourse if the course's own relations cannot be imported.
    """
    relations = read_course(runner.course).own_relations() or GENERAL
    sat = functools.partial(run, runner, submission, exam.syllabus, exam.paper)
    answers = sat(by_part(steps), timeout, on_step, interruption)
    known, definitions, others = answers.by_case, Definitions(submission.modules), None
    marks = mark(exam, answers, submission, relations, sandbox)
    if callees := unmarked_callees(marks, exam.syllabus, definitions):
        answers = sat(callees, timeout, interruption=interruption)
        known |= answers.by_case
        others = mark(exam, answers, submission, relations, sandbox)
    marks = with_callees(marks, definitions, others)
    if not seconds:
        return marks
    return explain(marks, exam, submission, runner, seconds, timeout, interruption, on_cause, known)


def explain(
    marks: Marks,
    exam: Exam,
    submission: Submission,
    runner: Runner,
    seconds: float,
    timeout: float = TIMEOUT,
    interruption: Interruption | None = None,
    on_cause: OnCause | None = None,
    known: Mapping[str, Answer] = MappingProxyType({}),
) -> Marks:
    """Return marks with the causes of wrong steps as far as they are found, in the words of their course.

    Takes what `check` takes. known: answers of the submission by case path; a step sits once more if one of its own is not there.
    Raises CannotRun and Interrupted.
    """
    if not any(is_searched(step) for part in marks.parts for step in part.steps):
        return marks
    from autograder.diagnosis.find import find_causes

    return find_causes(marks, exam, submission, runner, seconds, timeout, interruption, on_cause, known)
