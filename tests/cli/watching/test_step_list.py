"""The list of steps follows the choice."""

import pytest

from autograder.cli.screen import ASCII, PLAIN, UNICODE
from autograder.cli.watching.step_list import StepList
from autograder.exam.model import Exam


@pytest.fixture(scope="module")
def steps(practice: Exam) -> StepList:
    return StepList(practice.syllabus.steps, {"part1_simplified.dot_product"}, {"part1_simplified.softmax"}, 0)


def drawn(steps: StepList, height: int = 5) -> list[str]:
    return [line.plain for line in steps.draw(UNICODE, height)]


def test_each_step_stands_there_with_its_state(steps: StepList) -> None:
    assert drawn(steps)[:3] == [
        "→ ✓ part1_simplified.dot_product  2 points",
        "  · part1_simplified.attention_scores  4 points",
        "  ✗ part1_simplified.softmax  8 points",
    ]


def test_no_step_lies_before_the_first_or_after_the_last(steps: StepList) -> None:
    assert steps.move(-1).chosen == 0
    assert steps.move(1000).step == steps.steps[-1]


@pytest.mark.parametrize("by", [0, 1, 20, 1000])
def test_the_window_is_full_and_holds_the_choice(steps: StepList, by: int) -> None:
    lines = drawn(steps.move(by))
    assert len(lines) == 5
    assert sum(line.startswith("→") for line in lines) == 1


def test_one_point_is_one_point(steps: StepList) -> None:
    one = next(number for number, step in enumerate(steps.steps) if step.points == 1)
    assert drawn(steps.move(one), 1) == [f"→ · {steps.steps[one].path}  1 point"]


def test_in_ascii_the_signs_are_ascii(steps: StepList) -> None:
    assert all(line.plain.isascii() for line in steps.draw(ASCII, 5))


def test_in_words_the_choice_stands_alone(steps: StepList) -> None:
    (line,) = steps.draw(PLAIN, 5)
    assert line.plain.split() == ["passed", "part1_simplified.dot_product", "2", "points"]
