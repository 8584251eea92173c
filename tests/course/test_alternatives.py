"""Correct implementations written in other ways than the reference's have full marks, in whatever exam."""

from collections import Counter

import pytest
from warm import PATIENCE, lend_worker

from autograder.authoring.alternatives import Alternative, read
from autograder.authoring.trial import describe_marks, try_text
from autograder.exam.build import build_exam
from autograder.exam.model import Exam
from autograder.runner.processes import Runner
from autograder.workspace import COURSE, Workspace

ANOTHER_SEED = 2

ALTERNATIVES = [
    one for part in COURSE.course.parts for one in read(part, COURSE.root / "course" / part / "alternatives.py")
]

FIRST = {f"{one.part}.{one.step}": one for one in reversed(ALTERNATIVES)}
"""The first one of each step; the others are slow."""


def every_alternative(*others: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """Return a parametrisation by each alternative. others: the marks of all but the first of a step."""
    return pytest.mark.parametrize(
        "one",
        [
            pytest.param(
                one,
                id=f"{one.part.partition('_')[0]}.{one.step}: {one.label}",
                marks=() if one in FIRST.values() else others,
            )
            for one in ALTERNATIVES
        ],
    )


@pytest.fixture(scope="session")
def another_exam(course: Workspace) -> Exam:
    """An exam that is not the practice exam: the same steps, other numbers."""
    return build_exam(course.course, ANOTHER_SEED, with_mistakes=False)


@pytest.fixture(scope="module")
def worker() -> Runner:
    """A process that sits one after the other: eight hundred sittings, none of which goes wrong, need no fork each."""
    borrowed: Runner = lend_worker()
    return borrowed


def _assert_full_marks(worker: Runner, exam: Exam, one: Alternative) -> None:
    step = exam.syllabus.part(one.part).step(one.step)
    marks = try_text(worker, exam, step, one.text, PATIENCE)
    assert (marks.verdict, marks.score) == ("passed", step.points), describe_marks(marks)


@every_alternative(pytest.mark.slow)
def test_a_correct_implementation_has_full_marks(worker: Runner, practice: Exam, one: Alternative) -> None:
    _assert_full_marks(worker, practice, one)


@pytest.mark.slow
@every_alternative(pytest.mark.world)
def test_a_correct_implementation_has_full_marks_in_another_exam(
    worker: Runner, another_exam: Exam, one: Alternative
) -> None:
    _assert_full_marks(worker, another_exam, one)


def test_every_step_is_written_in_at_least_three_other_ways(practice: Exam) -> None:
    ways = Counter(f"{one.part}.{one.step}" for one in ALTERNATIVES)
    assert [step.path for step in practice.syllabus.steps if ways[step.path] < 3] == []
