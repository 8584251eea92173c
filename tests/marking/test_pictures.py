"""Views of pictures: which part is shown, which cells are wrong, how numbers are written; and all of it as JSON."""

import json

import numpy as np
import pytest

from autograder.classroom.results import to_bytes
from autograder.course.answer import Array
from autograder.exam.model import Exam
from autograder.marking.marks import Marks, PartMarks, Picture
from autograder.marking.pictures import View, from_json, to_json, view_of, write_number
from autograder.publishing.trial import text_with, try_text
from autograder.sitting.processes import Sitter


def seen(expected: Array, yours: Array, *dims: str, tokens: tuple[str, ...] = (), columns: int = 8) -> View:
    return view_of(Picture("", expected, yours, dims, tokens), columns)


def one_wrong(shape: tuple[int, ...], *at: int) -> View:
    """A tensor of ones in which a single number is off."""
    yours = np.ones(shape)
    yours[at] = 3.0
    return seen(np.ones(shape), yours, *(f"d{number}" for number in range(len(shape))))


# What is shown


def test_of_a_large_matrix_the_first_rows_and_columns_are_shown() -> None:
    view = one_wrong((12, 20), 0, 0)

    assert (view.row, view.column, view.expected.shape) == (0, 0, (8, 8))
    assert view.left_out == "the first rows and columns of a larger tensor"


def test_where_nothing_wrong_would_be_seen_the_part_moves_to_the_first_wrong_number() -> None:
    view = one_wrong((12, 20), 10, 15)

    assert (view.row, view.column) == (4, 12)
    assert (view.rows, view.columns) == (tuple(map(str, range(4, 12))), range(12, 20))
    assert view.left_out == "from row 4 and column 12 on, a part of a larger tensor"
    assert np.argwhere(view.wrong).tolist() == [[6, 3]]


def test_fewer_columns_are_shown_where_there_is_less_room() -> None:
    view = seen(np.ones((2, 6)), np.zeros((2, 6)), columns=3)

    assert view.columns == range(3)


def test_of_a_batch_the_matrix_that_is_furthest_off_is_shown_and_named() -> None:
    view = one_wrong((2, 3, 4, 5), 1, 2, 0, 0)

    assert (view.where, view.heading, view.shape) == ((1, 2), "d0 1, d1 2", (2, 3, 4, 5))


def test_rows_are_called_by_their_tokens_where_each_has_one() -> None:
    matrix = np.ones((2, 2))

    assert seen(matrix, matrix, tokens=("Your", "step")).rows == ("Your", "step")
    assert seen(matrix, matrix, tokens=("Your",)).rows == ("0", "1")


def test_a_vector_has_no_names_of_rows_and_a_number_no_columns() -> None:
    assert seen(np.ones(3), np.zeros(3), "t").rows == ()
    assert list(seen(np.array(1.0), np.array(2.0)).columns) == []


def test_what_differs_by_rounding_alone_is_not_wrong() -> None:
    view = seen(np.array([100.0, 0.0, np.nan]), np.array([100.001, 0.009, np.nan]), "t")

    assert view.wrong.tolist() == [[False, False, False]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("odd", [1e308, -1e308, np.inf, -np.inf, np.nan])
def test_the_largest_numbers_there_are_overflow_in_silence(odd: float) -> None:
    view = seen(np.array([1e308, -np.inf, 1.0]), np.array([odd, odd, 1.0]), "t")

    assert view.wrong[0, 2] == np.False_
    assert view.difference.shape == (1, 3)


@pytest.mark.parametrize(
    ("value", "largest", "written"),
    [
        (0.123, 1.0, "0.12"),
        (-0.001, 1.0, "0.00"),
        (12.34, 250.0, "12.3"),
        (1234.5, 1e4, "1234"),
        (1e6, 1e6, "1e+06"),
        (np.nan, 1.0, "nan"),
        (-np.inf, 1.0, "-inf"),
    ],
)
def test_a_number_has_as_many_decimals_as_fit_beside_the_others(value: float, largest: float, written: str) -> None:
    assert write_number(value, largest) == written


# As JSON


def test_a_view_is_plain_data_with_six_digits_and_words_for_numbers_that_are_none() -> None:
    expected, yours = np.array([[1 / 3, 12345.678]]), np.array([[np.nan, -np.inf]])

    assert to_json(view_of(Picture("keys", expected, yours, ("tq", "tk"), ("Your",)))) == {
        "name": "keys",
        "dims": ["tq", "tk"],
        "where": [],
        "tokens": ["Your"],
        "row": 0,
        "column": 0,
        "shape": [1, 2],
        "boolean": False,
        "expected": [[0.333333, 12345.7]],
        "yours": [["nan", "-inf"]],
        "wrong": [[True, True]],
    }


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (9, 9), (2, 2, 3, 4)])
def test_a_view_comes_back_from_its_json(shape: tuple[int, ...]) -> None:
    written = to_json(one_wrong(shape, *(0 for _ in shape)))

    assert to_json(from_json(json.loads(json.dumps(written, allow_nan=False)))) == written


def test_booleans_come_back_as_zeros_and_ones() -> None:
    mask = np.array([[True, False]])

    view = from_json(to_json(seen(mask, ~mask)))

    assert view.boolean
    assert (view.expected.tolist(), view.yours.tolist()) == ([[1.0, 0.0]], [[0.0, 1.0]])


@pytest.mark.slow
def test_marks_in_which_everything_is_wrong_stay_far_below_their_limit(sitter: Sitter, practice: Exam) -> None:
    parts = tuple(
        PartMarks(
            part.name,
            None,
            tuple(
                try_text(sitter, practice, step, text_with(part.name, practice.key.fingerprints[step.path][0]))
                for step in part.steps
            ),
        )
        for part in practice.syllabus.parts
    )

    content = to_bytes(Marks("ada", "", "", "", 0.0, "none", parts))

    assert content.count(b'"picture"') > 10
    assert len(content) < 300_000
