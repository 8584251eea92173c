"""Influence: an input is changed slice by slice, and what changes in the outputs is noted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from autograder.course.answer import Answer, Array, TensorValue
from autograder.course.model import Words
from autograder.exam.influence import influences, pairs_of
from autograder.exam.model import Exam, Pair, PaperCase

PAD = "part1_convolution.pad."


@pytest.fixture(scope="module")
def case(convolution_exam: Exam) -> PaperCase:
    """Several pictures to be padded."""
    return next(one for one in convolution_exam.paper.cases if one.path.startswith(PAD) and _size(one) > 1)


def _size(case: PaperCase) -> int:
    shape: tuple[int, ...] = np.shape(np.asarray(case.inputs["image"]))
    return shape[0] if len(shape) == 3 else 1


def answer_of(array: Array) -> Answer:
    return Answer(outputs={"result": TensorValue(str(array.dtype), array.shape, array)})


def test_the_reference_s_influences_are_in_the_key(convolution_exam: Exam, case: PaperCase) -> None:
    (pictures,) = (
        one.changes
        for one in convolution_exam.key.cases[case.path].influences
        if one.pair == Pair("image", "result", 0, 0)
    )

    assert np.array_equal(pictures, np.eye(_size(case), dtype=bool))


def test_slices_with_one_word_are_paired(convolution_exam: Exam, case: PaperCase) -> None:
    step = convolution_exam.syllabus.part(case.part).step(case.step)
    expected = answer_of(np.zeros((_size(case), 4, 4)))

    assert pairs_of(case, expected, step, Words({"b": "picture"})) == (Pair("image", "result", 0, 0),)


def test_an_argument_without_such_a_slice_is_changed_as_a_whole(convolution_exam: Exam, case: PaperCase) -> None:
    step = convolution_exam.syllabus.part(case.part).step(case.step)

    assert pairs_of(case, answer_of(np.zeros(3)), step, Words()) == (Pair("image", "result", -1, -1),)


def changed_images(case: PaperCase, image: Array) -> list[Array]:
    """Return the images with which a case runs when its slices are changed."""
    seen: list[Array] = []

    def run(cases: Sequence[PaperCase]) -> Mapping[str, Answer]:
        seen.extend(np.asarray(one.inputs["image"]) for one in cases)
        return {}

    pair = Pair("image", "result", 0, 0)
    assert influences(replace(case, inputs={"image": image}), [pair], answer_of(image), run) == ()
    return seen


@pytest.mark.parametrize(
    "image",
    [np.array([[1.0, -2.0], [0.0, np.inf]]), np.array([[1, 2], [3, 4]]), np.array([[True, False], [False, False]])],
    ids=["numbers", "whole numbers", "booleans"],
)
def test_one_slice_is_changed_at_a_time(case: PaperCase, image: Array) -> None:
    first, second = changed_images(case, image)

    assert [(row != image).any(axis=1).tolist() for row in (first, second)] == [[True, False], [False, True]]
    assert first.dtype == image.dtype


def test_whole_numbers_are_changed_to_others_that_occur(case: PaperCase) -> None:
    changed = changed_images(case, np.array([3, 7, 5]))

    assert {int(number) for array in changed for number in array} == {3, 5, 7}
