"""Influence: an input is changed slice by slice, and what changes in the outputs is noted."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.course.answer import Answer, Array, TensorValue
from autograder.course.model import Words
from autograder.exam.dependency_map import changed_cases, influences, pairs_of
from autograder.exam.files import exam_from_bytes, exam_to_bytes
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
    return Answer(outputs={"result": TensorValue("float32", array.shape, array)})


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


@pytest.mark.parametrize(
    "image",
    [
        pytest.param(np.array([[1.0, -2.0], [0.0, np.inf]]), id="numbers"),
        pytest.param(np.array([[1, 2], [3, 4]]), id="whole numbers"),
        pytest.param(np.array([[True, False], [False, False]]), id="booleans"),
    ],
)
def test_one_slice_is_changed_at_a_time(case: PaperCase, image: Array) -> None:
    small = replace(case, inputs={"image": image})
    first, second = (np.asarray(one.inputs["image"]) for one in changed_cases(small, [Pair("image", "result", 0, 0)]))

    assert [(row != image).any(axis=1).tolist() for row in (first, second)] == [[True, False], [False, True]]
    assert first.dtype == image.dtype


def test_whole_numbers_are_changed_to_others_that_occur(case: PaperCase) -> None:
    small = replace(case, inputs={"image": np.array([3, 7, 5])})
    changed = [np.asarray(one.inputs["image"]) for one in changed_cases(small, [Pair("image", "result", 0, 0)])]

    assert {int(number) for array in changed for number in array} == {3, 5, 7}


def test_nothing_is_known_where_a_run_has_failed(case: PaperCase) -> None:
    pair = Pair("image", "result", 0, 0)

    assert influences(case, [pair], answer_of(np.zeros((_size(case), 2, 2))), {}) == ()


def test_an_exam_s_file_keeps_them(convolution_exam: Exam) -> None:
    read = exam_from_bytes(exam_to_bytes(convolution_exam))

    for path, case in convolution_exam.key.cases.items():
        for one, other in zip(case.influences, read.key.cases[path].influences, strict=True):
            assert one.pair == other.pair
            assert np.array_equal(one.changes, other.changes)
