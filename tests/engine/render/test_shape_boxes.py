"""Shapes drawn as boxes: sides labelled, what is off marked, sheets where there are more than two dimensions."""

import pytest
from screen_text import drawn

from autograder.grading.pictures import boxes_of
from autograder.render.pictures import BoxDrawing
from autograder.render.screen import ASCII, PLAIN, UNICODE, Signs


def boxes(expected: dict[str, int], yours: dict[str, int], signs: Signs = UNICODE) -> BoxDrawing:
    """Draw two shapes, each given by names and sizes."""
    found = boxes_of("", tuple(expected.values()), tuple(yours.values()), tuple(expected), tuple(yours))
    assert found
    return BoxDrawing(found, signs)


def test_two_shapes_stand_side_by_side_with_their_sides_named() -> None:
    assert drawn(boxes({"t": 2, "d": 3}, {"t": 2, "": 4})) == (
        "expected          yours\n"
        "     d=3                4 ✗\n"
        "    ┌──────┐          ┌────────┐\n"
        "t=2 │      │      t=2 │        │\n"
        "    │      │          │        │\n"
        "    └──────┘          └────────┘\n"
        "✗ d should be 3 and is 4"
    )


def test_a_vector_is_one_row_and_a_single_number_one_cell() -> None:
    assert drawn(boxes({"t": 3}, {})) == (
        "expected       yours\n"
        " t=3 ✗          a single number\n"
        " ┌──────┐       ┌────┐\n"
        " │      │       │    │\n"
        " └──────┘       └────┘\n"
        "✗ t=3 is missing"
    )


def test_a_tensor_without_numbers_is_an_empty_row() -> None:
    assert drawn(boxes({}, {"": 0})) == (
        "expected              yours\n"
        " a single number       0 ✗\n"
        " ┌────┐                ┌────┐\n"
        " │    │                │    │\n"
        " └────┘                └────┘\n"
        "✗ a dimension too many: size 0"
    )


def test_a_single_sheet_is_no_pile() -> None:
    lines = drawn(boxes({"b": 1, "t": 1, "d": 3}, {"b": 1, "t": 1, "d": 2})).splitlines()
    assert lines[1:5] == [
        "sheets: b=1       sheets: b=1",
        "     d=3              d=2 ✗",
        "    ┌──────┐          ┌────┐",
        "t=1 │      │      t=1 │    │",
    ]


def test_more_dimensions_than_two_are_a_pile_of_sheets() -> None:
    lines = drawn(boxes({"b": 2, "t": 1, "d": 3}, {"": 5, "t": 1, "d": 3})).splitlines()
    assert lines[1:7] == [
        "sheets: b=2         sheets: 5 ✗",
        "     d=3                 d=3",
        "      ┌──────┐            ┌──────┐",
        "    ┌──────┐ │          ┌──────┐ │",
        "t=1 │      │ │      t=1 │      │ │",
        "    └──────┘─┘          └──────┘─┘",
    ]


def test_a_narrow_screen_puts_one_below_the_other() -> None:
    lines = drawn(boxes({"t": 2, "d": 3}, {"t": 2, "": 4}), width=24).splitlines()
    assert [line for line in lines if line in ("expected", "yours")] == ["expected", "yours"]


@pytest.mark.parametrize("width", [40, 80])
def test_the_largest_shapes_fit_the_screen(width: int) -> None:
    text = drawn(boxes({"t": 50_000, "d_out": 768}, {"d_out": 768, "": 1}), width=width)
    assert max(map(len, text.splitlines())) <= width


def test_in_ascii_a_box_is_ascii() -> None:
    assert drawn(boxes({"b": 2, "t": 2, "d": 3}, {"t": 2}, ASCII)).isascii()


def test_in_words_both_shapes_are_told_and_what_is_off() -> None:
    assert drawn(boxes({"t": 2, "d": 3}, {"d": 3}, PLAIN)).splitlines() == [
        "Expected: t 2, d 3.",
        "Yours: d 3.",
        "In yours, t=2 is missing.",
    ]
