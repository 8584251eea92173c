"""Pictures in words: what a screen reader reads of them."""

import numpy as np

from autograder.course.answer import Array
from autograder.course.model import Words
from autograder.grading.pictures import CHANGED, Picture, view_of
from autograder.render.screen_reader import tell_view

WORDS = Words({"t": "token", "tq": "token", "tk": "token"})
NUMBERS = np.arange(4.0).reshape(2, 2)
TOKENS = ("Your", "step")


def told(expected: Array, yours: Array, *dims: str, tokens: tuple[str, ...] = (), name: str = "") -> list[str]:
    return list(tell_view(view_of(Picture(name, expected, yours, dims, {"token": tokens}, WORDS))))


def test_wrong_numbers_are_told_with_row_column_and_both_values() -> None:
    assert told(NUMBERS, NUMBERS + np.array([[0, 0], [0, 1]]), "t", "t", tokens=TOKENS) == [
        "Of the 4 numbers that are compared here, 1 differs.",
        'Row 1, "step", column 1, "step": expected 3.00, yours 4.00.',
    ]


def test_what_was_written_to_is_told_with_its_number_before_and_after() -> None:
    written = view_of(Picture("argument keys", np.array([1.0, 2.0]), np.array([1.0, 4.0]), ("t",), titles=CHANGED))
    assert list(tell_view(written)) == [
        "This is about argument keys.",
        "Of the 2 numbers that are compared here, 1 differs.",
        "Place 1: before 2.00, after 4.00.",
    ]


def test_numbers_that_differ_a_little_are_told_with_the_digits_that_show_it() -> None:
    assert "Place 0: expected 0.2101, yours 0.2139." in told(np.array([0.2101, 1.0]), np.array([0.2139, 1.0]), "t")


def test_of_many_wrong_numbers_the_first_are_told_and_the_rest_are_counted() -> None:
    lines = told(np.zeros((3, 3)), np.ones((3, 3)), "t", "d")
    assert len([line for line in lines if line.startswith("Row")]) == 5
    assert lines[-1] == "And 4 more, none further off."


def test_a_vector_has_places() -> None:
    assert "Place 1: expected 2.00, yours 3.00." in told(np.array([1.0, 2.0]), np.array([1.0, 3.0]), "t")


def test_a_single_number_has_none() -> None:
    assert told(np.array(1.0), np.array(3.0)) == ["Expected 1.00, yours 3.00."]


def test_flags_of_a_mask_are_words() -> None:
    mask = np.array([[False, True]])
    assert "Row 0, column 1: expected True, yours False." in told(mask, mask & False, "t", "t")


def test_of_many_wrong_flags_the_rest_are_counted() -> None:
    mask = np.zeros((3, 3), dtype=bool)
    assert told(mask, ~mask, "t", "t")[-1] == "And 4 more."


def test_a_row_that_should_add_up_to_1_is_told_with_its_sum() -> None:
    weights = np.array([[0.5, 0.5], [0.5, 0.5]])
    lines = told(weights, weights + np.array([[0, 0], [0, 0.5]]), "t", "t", tokens=TOKENS)
    assert lines[-1] == 'Row 1, "step" should add up to 1 and adds up to 1.50.'


def test_of_numbers_in_another_order_the_tokens_are_told() -> None:
    assert told(NUMBERS, NUMBERS[::-1], "t", "hd", tokens=TOKENS) == [
        "The numbers are right but in other places. This is the token to which they belong.",
        'Row 0, "Your" of yours holds numbers of step.',
        'Row 1, "step" of yours holds numbers of Your.',
    ]


def test_a_row_of_numbers_that_stand_in_several_places_belongs_to_none_of_them() -> None:
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0]])

    assert "Row 1 of yours holds numbers that are in several places." in told(rows, rows[[1, 0, 3, 2, 4, 5]], "t", "d")


def test_the_output_and_the_slice_are_named_first() -> None:
    stacked = np.stack([NUMBERS, NUMBERS])
    assert told(stacked, stacked + 1, "h", "t", "hd", name="keys")[0] == "This is about keys, h 0."
