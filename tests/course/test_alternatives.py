"""Correct implementations written in other ways than the reference's have full marks, in whatever exam."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course.parts import NAMES
from autograder.exam.model import Exam
from autograder.exam.setting import set_exam
from autograder.marking.marks import Marks
from autograder.publishing.alternatives import Alternative, read
from autograder.workspace import Workspace

FOLDER = Path(__file__).resolve().parents[2] / "solutions" / "alternatives"
ANOTHER_SEED = 2

ALTERNATIVES = [one for part in NAMES for one in read(FOLDER / f"{part}.py")]

every_alternative = pytest.mark.parametrize(
    "one", [pytest.param(one, id=f"{one.part.partition('_')[0]}.{one.step}: {one.label}") for one in ALTERNATIVES]
)


@pytest.fixture(scope="session")
def another_exam(course: Workspace) -> Exam:
    """An exam that is not the practice exam: the same steps, other numbers."""
    return set_exam(course.solutions, ANOTHER_SEED, with_mistakes=False)


def _assert_full_marks(marks: Marks) -> None:
    (part,) = marks.parts
    assert part.error is None
    (step,) = part.steps
    assert (step.verdict, step.score) == ("passed", step.max_score), step.first_failure


@every_alternative
def test_a_correct_implementation_has_full_marks(
    mark_text: Callable[..., Marks], practice: Exam, one: Alternative
) -> None:
    _assert_full_marks(mark_text(one.part, one.text, one.step, exam=practice))


@pytest.mark.slow
@every_alternative
def test_a_correct_implementation_has_full_marks_in_another_exam(
    mark_text: Callable[..., Marks], another_exam: Exam, one: Alternative
) -> None:
    _assert_full_marks(mark_text(one.part, one.text, one.step, exam=another_exam))


def test_every_step_is_written_in_at_least_three_other_ways(practice: Exam) -> None:
    ways = Counter(f"{one.part}.{one.step}" for one in ALTERNATIVES)
    assert [step.path for step in practice.syllabus.steps if ways[step.path] < 3] == []
