"""Correct implementations written in other ways than the reference's have full marks, in whatever exam."""

from collections import Counter

import pytest
from warm import PATIENCE, lend_worker

from autograder.authoring.alternatives import Alternative, read
from autograder.authoring.trial import describe_marks, try_text
from autograder.exam.model import Exam
from autograder.runner.processes import Runner
from autograder.workspace import COURSE

ALTERNATIVES = [
    one for part in COURSE.course.parts for one in read(part, COURSE.root / "course" / part / "alternatives.py")
]

FIRST = {f"{one.part}.{one.step}": one for one in reversed(ALTERNATIVES)}
"""The first one of each step; the others are tried every night."""


each = pytest.mark.parametrize(
    "one",
    [
        pytest.param(
            one,
            id=f"{one.part.partition('_')[0]}.{one.step}: {one.label}",
            marks=() if one in FIRST.values() else pytest.mark.world,
        )
        for one in ALTERNATIVES
    ],
)


@pytest.fixture(scope="module")
def worker() -> Runner:
    """A process that sits one after the other: eight hundred sittings, none of which goes wrong, need no fork each."""
    borrowed: Runner = lend_worker()
    return borrowed


def _assert_full_marks(worker: Runner, exam: Exam, one: Alternative) -> None:
    step = exam.syllabus.part(one.part).step(one.step)
    marks = try_text(worker, exam, step, one.text, PATIENCE)
    assert (marks.verdict, marks.score) == ("passed", step.points), describe_marks(marks)


@each
def test_a_correct_implementation_has_full_marks(worker: Runner, practice: Exam, one: Alternative) -> None:
    _assert_full_marks(worker, practice, one)


@pytest.mark.world
@each
def test_a_correct_implementation_has_full_marks_in_another_exam(
    worker: Runner, another_exam: Exam, one: Alternative
) -> None:
    _assert_full_marks(worker, another_exam, one)


def test_every_step_is_written_in_at_least_three_other_ways(practice: Exam) -> None:
    ways = Counter(f"{one.part}.{one.step}" for one in ALTERNATIVES)
    assert [step.path for step in practice.syllabus.steps if ways[step.path] < 3] == []
