"""The cause by influence: what the inputs of a wrong step change, beside what they change in the reference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from autograder.course.answer import Answer, Array, Failure, TensorValue
from autograder.course.verdicts import Verdict
from autograder.diagnosis.dependency_map import by_influence
from autograder.exam.model import Exam, Influence, Pair, PaperCase
from autograder.grading.checks import Sheet
from autograder.grading.results import Diagnosis

PAD = "part1_convolution.pad."

Pad = Callable[[Array], Array]
"""What somebody wrote to put zeros around some pictures."""


def right(image: Array) -> Array:
    return np.pad(image, ((0, 0), (1, 1), (1, 1)))


def answer_of(pad: Pad, case: PaperCase) -> Answer:
    array = pad(np.asarray(case.inputs["image"]))
    return Answer(outputs={"result": TensorValue(str(array.dtype), array.shape, array)})


@pytest.fixture
def said(convolution_exam: Exam) -> Callable[..., Diagnosis | None]:
    """Say what is told of a way to pad. expected: what pictures change with, if not as in the reference. labels: of the pictures."""

    def say(pad: Pad, expected: Sequence[Sequence[int]] = (), labels: Sequence[str] = ()) -> Diagnosis | None:
        case = next(one for one in convolution_exam.paper.cases if one.path.startswith(PAD))
        case = replace(case, inputs={**case.inputs, "image": np.arange(27.0).reshape(3, 3, 3) + 1})
        changes = np.array(expected or np.eye(3), dtype=bool)
        key = replace(
            convolution_exam.key.cases[case.path],
            expected=answer_of(right, case),
            influences=(Influence(Pair("image", "result", 0, 0), changes),),
            labels={"picture": tuple(labels)},
        )
        sheet = Sheet(convolution_exam.syllabus, case, key, answer_of(pad, case))

        def run(cases: Sequence[PaperCase]) -> Mapping[str, Answer]:
            return {one.path: answer_of(pad, one) for one in cases}

        return by_influence(sheet, run)

    return say


def test_nothing_is_said_of_the_right_influences(said: Callable[..., Diagnosis | None]) -> None:
    assert said(right) is None


def test_an_argument_that_changes_nothing_is_named(said: Callable[..., Diagnosis | None]) -> None:
    found = said(lambda image: np.zeros((3, 5, 5)))

    assert found == Diagnosis(
        "influence",
        "without_effect",
        "`image` changes nothing in your answer.",
        where="`image` changes nothing in your answer.",
    )


@pytest.mark.parametrize(
    ("pad", "expected", "name", "says"),
    [
        pytest.param(
            lambda image: right(image - image.mean(axis=0)),
            (),
            "mixed",
            "Picture 0 of your answer changes with picture 2 of `image`: the pictures are mixed.",
            id="slices are mixed",
        ),
        pytest.param(
            lambda image: right(image - image.mean(axis=0)),
            ((1, 0, 0), (1, 1, 0), (1, 1, 1)),
            "sees_later",
            "Picture 0 of your answer changes with picture 2 of `image`, which comes later.",
            id="a slice sees later ones",
        ),
        pytest.param(
            lambda image: right(image[[0, 0, 2]]),
            (),
            "mixed",
            "Picture 1 of your answer changes with picture 0 of `image`: the pictures are mixed.",
            id="a slice is taken twice",
        ),
        pytest.param(
            lambda image: right(image),
            ((1, 1, 0), (0, 1, 0), (0, 0, 1)),
            "sees_too_little",
            "Picture 0 of your answer does not change with picture 1 of `image`, and should.",
            id="a slice does not see another",
        ),
        pytest.param(
            lambda image: right(image - image.mean(axis=0)),
            ((1, 1, 0), (1, 1, 0), (0, 0, 1)),
            "sees_too_much",
            "Picture 0 of your answer changes with picture 2 of `image`, and should not.",
            id="a slice sees another",
        ),
    ],
)
def test_slices_are_named(
    said: Callable[..., Diagnosis | None], pad: Pad, expected: Sequence[Sequence[int]], name: str, says: str
) -> None:
    found = said(pad, expected)

    assert found
    assert (found.id, found.says) == (name, says)


def mixed(image: Array) -> Array:
    return right(image[[0, 0, 2]])


def test_what_changes_with_what_is_drawn_beside_what_should(said: Callable[..., Diagnosis | None]) -> None:
    found = said(mixed)

    assert found
    assert found.picture
    assert found.picture.expected.tolist() == np.eye(3).tolist()
    assert found.picture.yours.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    assert found.picture.heading == "whether a picture of the answer (row) changes with a picture of image (column)"


def test_slices_have_their_labels_in_the_sentence_and_the_picture(said: Callable[..., Diagnosis | None]) -> None:
    found = said(mixed, labels=("cat", "dog", "owl"))

    assert found
    assert found.says.startswith("Picture 'dog' of your answer changes with picture 'cat' of `image`")
    assert found.picture
    assert found.picture.rows == found.picture.columns == ("cat", "dog", "owl")


def test_nothing_is_run_where_there_is_no_answer(convolution_exam: Exam) -> None:
    case = next(one for one in convolution_exam.paper.cases if one.path.startswith(PAD))
    failed = Answer(failure=Failure(Verdict.RAISED, "ValueError"))
    sheet = Sheet(convolution_exam.syllabus, case, convolution_exam.key.cases[case.path], failed)

    def refuse(cases: Sequence[PaperCase]) -> Mapping[str, Answer]:
        raise AssertionError("nothing should be run")

    assert by_influence(sheet, refuse) is None


def test_numbers_that_are_none_show_no_influence(said: Callable[..., Diagnosis | None]) -> None:
    assert said(lambda image: np.full((3, 5, 5), np.nan)) is None


def test_slices_of_another_shape_are_not_compared(said: Callable[..., Diagnosis | None]) -> None:
    assert said(lambda image: right(image - image.mean(axis=0))[:, 1:]) is None
