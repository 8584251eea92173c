"""Pictures: the part that is shown, the cells that are wrong, the decimals."""

import numpy as np
import pytest

from autograder.course.answer import Array
from autograder.course.model import Words
from autograder.grading.pictures import View, decimals_of, view_of, write_number

WORDS = Words({"t": "token", "tq": "token", "h": "head"})


def seen(expected: Array, yours: Array, *dims: str, tokens: tuple[str, ...] = ()) -> View:
    return view_of("", expected, yours, dims, {"token": tokens}, WORDS)


def one_wrong(shape: tuple[int, ...], *at: int) -> View:
    """Return the view of a tensor of ones in which a single number is off."""
    yours = np.ones(shape)
    yours[at] = 3.0
    return seen(np.ones(shape), yours, *(f"d{number}" for number in range(len(shape))))


def test_of_a_large_matrix_the_first_rows_and_columns_are_shown() -> None:
    view = one_wrong((12, 20), 0, 0)

    assert (view.row, view.column, view.expected.shape) == (0, 0, (8, 6))
    assert view.left_out == "the first rows and columns of a larger tensor"


def test_the_part_moves_to_the_first_wrong_number() -> None:
    view = one_wrong((12, 20), 10, 15)

    assert (view.row, view.column) == (4, 14)
    assert view.rows == tuple(map(str, range(4, 12)))
    assert view.columns == tuple(map(str, range(14, 20)))
    assert view.left_out == "from row 4 and column 14 on, a part of a larger tensor"
    assert np.argwhere(view.wrong).tolist() == [[6, 1]]


def test_the_matrix_of_a_batch_that_is_furthest_off_is_shown_and_named() -> None:
    view = one_wrong((2, 3, 4, 5), 1, 2, 0, 0)

    assert (view.where, view.heading, view.shape) == ((1, 2), "d0 1, d1 2", (2, 3, 4, 5))
    assert seen(np.ones((2, 2, 2, 2)), np.zeros((2, 2, 2, 2)), "d", "h", "t", "t").heading == "d 0, head 0"


def test_rows_and_columns_have_the_labels_of_their_word_where_each_has_one() -> None:
    matrix, labels = np.ones((2, 2)), ("Your", "step")

    assert seen(matrix, matrix, "t", "d", tokens=labels).rows == labels
    assert seen(matrix, matrix, tokens=labels).rows == labels
    assert seen(matrix, matrix, "t", "d", tokens=labels[:1]).rows == ("0", "1")
    assert seen(matrix, matrix, "h", "d", tokens=labels).rows == ("0", "1")
    assert seen(np.ones((2, 9)), np.zeros((2, 9))).columns == tuple("012345")
    assert seen(np.ones(3), np.zeros(3), "t").rows == ()
    assert seen(np.array(1.0), np.array(2.0)).columns == ()


def test_a_difference_by_rounding_is_not_wrong() -> None:
    view = seen(np.array([100.0, 0.0, np.nan]), np.array([100.001, 0.009, np.nan]), "t")

    assert view.wrong.tolist() == [[False, False, False]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("odd", [1e308, -1e308, np.inf, -np.inf, np.nan])
def test_the_largest_numbers_overflow_in_silence(odd: float) -> None:
    view = seen(np.array([1e308, -np.inf, 1.0]), np.array([odd, odd, 1.0]), "t")

    assert view.wrong[0, 2] == np.False_


@pytest.mark.parametrize(
    ("value", "largest", "written"),
    [
        (0.123, 1.0, "0.12"),
        (-0.001, 1.0, "0.00"),
        (12.34, 250.0, "12.3"),
        (1234.5, 1e4, "1234"),
        (1e6, 1e6, "1e+06"),
        (-np.inf, 1.0, "-inf"),
    ],
)
def test_a_number_has_as_many_decimals_as_fit_beside_the_others(value: float, largest: float, written: str) -> None:
    assert write_number(value, decimals_of(largest)) == written


def test_a_picture_has_as_many_decimals_as_show_a_difference() -> None:
    view = view_of("", np.array([0.95440, 0.2]), np.array([0.95469, 0.2]), ("d",), wrong=np.array([True, False]))
    assert [view.write(value) for value in (*view.expected[0], *view.yours[0])] == ["0.954", "0.200", "0.955", "0.200"]
