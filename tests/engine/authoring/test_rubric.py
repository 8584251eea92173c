"""The laws of points: what breaks one is named with its step or criterion."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from autograder.authoring import rubric
from autograder.course.model import Criterion
from autograder.exam.model import Exam, restricted_to
from autograder.exam.syllabus import FORM, VALUES, SyllabusStep
from autograder.runner.processes import Runner

DOT_PRODUCT, SOFTMAX = "part1_simplified.dot_product", "part1_simplified.softmax"

Edit = Callable[[SyllabusStep], SyllabusStep]


@pytest.fixture
def exam(practice: Exam) -> Exam:
    return restricted_to(practice, [DOT_PRODUCT, SOFTMAX])


def edited(exam: Exam, edit: Edit) -> Exam:
    """Return an exam with changed steps."""
    parts = tuple(replace(part, steps=tuple(map(edit, part.steps))) for part in exam.syllabus.parts)
    return replace(exam, syllabus=replace(exam.syllabus, parts=parts))


def split(step: SyllabusStep) -> SyllabusStep:
    """Return a step whose values have less than half of the points."""
    others = (Criterion(name, 0.2) for name in ("one", "two", "three"))
    return replace(step, criteria=(Criterion(VALUES, 0.275), *others, Criterion(FORM, 0.125)))


def uneven(step: SyllabusStep) -> SyllabusStep:
    """Return a step in which a criterion has another share than in others."""
    share = 0.1 if step.path == SOFTMAX else 0.4
    return replace(step, criteria=(Criterion(VALUES, 1 - share), Criterion("batch", share)))


BREACHES: dict[str, tuple[Edit, str]] = {
    "points that are no halves": (
        lambda step: replace(step, points=2.3),
        f"{DOT_PRODUCT}: values has 1.3 points; give it a multiple of 0.5",
    ),
    "no half": (split, f"{SOFTMAX}: no criterion has half of the points; give the idea of the step half"),
    "a criterion of two shares": (uneven, "batch has 12% of one step and 50% of another"),
}


@pytest.mark.parametrize(("edit", "says"), BREACHES.values(), ids=BREACHES)
def test_a_breach_is_named(exam: Exam, runner: Runner, edit: Edit, says: str) -> None:
    assert says in rubric.laws_of_points(runner, edited(exam, edit)).problems


def test_points_for_nothing_are_named(exam: Exam, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rubric.NOTHING_DONE, "is right", ("return (given[0] * given[-1]).sum()", "torch.nn.Module"))

    assert rubric.laws_of_points(runner, exam).problems == [f"{DOT_PRODUCT}: code that is right earns 2 points"]
