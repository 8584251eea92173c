"""Sketches: the same answers are known again within a tolerance, and no others."""

import numpy as np
import pytest

from autograder.course.answer import Answer, Array, Failure, PlainValue, TensorValue
from autograder.course.verdicts import Verdict
from autograder.exam.sketches import sketch, which_are

RIGHT = np.linspace(-2, 3, 12, dtype=np.float32).reshape(3, 4)


def answer_of(array: Array) -> Answer:
    return Answer({"result": TensorValue(str(array.dtype), array.shape, array)})


def are_same(one: Array, other: Array) -> bool:
    sketches = [sketch([answer_of(array)], [answer_of(one)]) for array in (one, other)]
    assert sketches[0] is not None
    assert sketches[1] is not None
    return bool(which_are(sketches[0][None], sketches[1])[0])


def test_numbers_that_are_rounded_otherwise_are_the_same() -> None:
    assert are_same(RIGHT, RIGHT * np.float32(1 + 1e-6))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(RIGHT[::-1].copy(), id="in another order"),
        pytest.param(-RIGHT, id="of the other sign"),
        pytest.param(RIGHT + np.eye(3, 4, 1, dtype=np.float32) / 50, id="some of them"),
        pytest.param(RIGHT * np.float32(1.01), id="all a little larger"),
        pytest.param(np.where(RIGHT > 2, np.float32("inf"), RIGHT), id="with infinity"),
    ],
)
def test_other_numbers_are_not(other: Array) -> None:
    assert not are_same(RIGHT, other)


def test_beside_huge_numbers_the_small_ones_count() -> None:
    huge = np.where(RIGHT > 2, np.float32(-1e9), RIGHT)

    assert not are_same(huge, np.where(RIGHT > 2, np.float32(-1e9), RIGHT / 2))


def test_masks_are_known_again() -> None:
    mask = np.triu(np.ones((4, 4), dtype=bool), 1)

    assert are_same(mask, mask.copy())
    assert not are_same(mask, mask.T.copy())


def test_whole_numbers_that_are_no_tensors_count() -> None:
    three, four = (Answer({"result": PlainValue("int", number)}) for number in (3, 4))
    sketches = [sketch([answer], [three]) for answer in (three, four)]

    assert sketches[0] is not None
    assert sketches[1] is not None
    assert not np.allclose(sketches[0], sketches[1])


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(answer_of(RIGHT.T.copy()), id="another shape"),
        pytest.param(answer_of(RIGHT.astype(np.float64)), id="another type"),
        pytest.param(Answer({"0": TensorValue("float32", RIGHT.shape, RIGHT)}), id="another name"),
        pytest.param(Answer({"result": PlainValue("str", "a")}), id="no tensor"),
        pytest.param(Answer(failure=Failure(Verdict.RAISED, "TypeError")), id="an exception"),
    ],
)
def test_answers_of_another_form_have_none(answer: Answer) -> None:
    assert sketch([answer], [answer_of(RIGHT)]) is None
