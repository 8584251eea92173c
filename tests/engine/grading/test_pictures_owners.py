"""The right numbers in another order: where each of them stands in the right answer."""

import numpy as np
import pytest

from autograder.course.answer import Array
from autograder.grading.pictures import UNKNOWN, letter, sources

NUMBERS = np.arange(6.0).reshape(2, 3)


def rows_of(expected: Array, yours: Array) -> list[list[int]] | None:
    """The row of the right answer from which each number comes."""
    found = sources(expected, yours, 1e-6)
    return found[0].tolist() if found else None


def test_each_number_is_traced_to_its_row() -> None:
    assert rows_of(NUMBERS, np.ascontiguousarray(NUMBERS.T).reshape(2, 3)) == [[0, 1, 0], [1, 0, 1]]


def test_rounding_hides_no_number() -> None:
    assert rows_of(NUMBERS, NUMBERS[::-1] + 1e-7) == [[1, 1, 1], [0, 0, 0]]


def test_a_number_that_stands_in_several_places_is_unknown_unless_it_is_right() -> None:
    expected = np.array([[7.0, 1.0, 2.0], [3.0, 4.0, 7.0]])
    assert rows_of(expected, np.array([[7.0, 7.0, 2.0], [3.0, 4.0, 1.0]])) == [[0, UNKNOWN, 0], [1, 1, 0]]


@pytest.mark.parametrize(
    ("expected", "yours"),
    [
        pytest.param(NUMBERS, NUMBERS + 1, id="other numbers"),
        pytest.param(NUMBERS, NUMBERS.T, id="another shape"),
        pytest.param(np.array([[1.0, 1.0, 1.0, 2.0]]), np.array([[2.0, 1.0, 1.0, 1.0]]), id="hardly different numbers"),
        pytest.param(np.array([[np.inf, 1.0]]), np.array([[1.0, np.inf]]), id="infinity"),
    ],
)
def test_nothing_is_traced_where_it_would_be_a_guess(expected: Array, yours: Array) -> None:
    assert sources(expected, yours, 1e-6) is None


def test_owners_have_letters() -> None:
    assert [letter(owner) for owner in (0, 25, 26, UNKNOWN)] == ["a", "z", "a", "?"]
