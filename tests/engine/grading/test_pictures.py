"""Pictures: the part that is shown, the cells that are wrong, where numbers come from, two shapes side by side."""

import numpy as np
import pytest

from autograder.course.answer import Array
from autograder.course.model import Words
from autograder.grading.pictures import UNKNOWN, View, boxes_of, letter, sources, view_of, write_number

WORDS = Words({"t": "token", "tq": "token", "h": "head"})
NUMBERS = np.arange(6.0).reshape(2, 3)


def seen(expected: Array, yours: Array, *dims: str, tokens: tuple[str, ...] = (), columns: int = 8) -> View:
    return view_of("", expected, yours, dims, {"token": tokens}, WORDS).narrowed(columns)


def one_wrong(shape: tuple[int, ...], *at: int) -> View:
    """Return the view of a tensor of ones in which a single number is off."""
    yours = np.ones(shape)
    yours[at] = 3.0
    return seen(np.ones(shape), yours, *(f"d{number}" for number in range(len(shape))))


def test_of_a_large_matrix_the_first_rows_and_columns_are_shown() -> None:
    view = one_wrong((12, 20), 0, 0)

    assert (view.row, view.column, view.expected.shape) == (0, 0, (8, 8))
    assert view.left_out == "the first rows and columns of a larger tensor"


def test_the_part_moves_to_the_first_wrong_number() -> None:
    view = one_wrong((12, 20), 10, 15)

    assert (view.row, view.column) == (4, 12)
    assert view.rows == tuple(map(str, range(4, 12)))
    assert view.columns == tuple(map(str, range(12, 20)))
    assert view.left_out == "from row 4 and column 12 on, a part of a larger tensor"
    assert np.argwhere(view.wrong).tolist() == [[6, 3]]


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
    assert seen(np.ones((2, 6)), np.zeros((2, 6)), columns=3).columns == ("0", "1", "2")
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
    assert view.difference.shape == (1, 3)


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
    assert write_number(value, largest) == written


def test_sums_are_those_of_the_whole_rows() -> None:
    expected = np.full((2, 20), 0.05)

    assert seen(expected, expected * 2).sums == pytest.approx((2.0, 2.0))


@pytest.mark.parametrize(
    ("expected", "yours"),
    [
        pytest.param([[0.5, 0.5]], [[0.25, 0.75]], id="all are right"),
        pytest.param([[0.5, 0.4]], [[0.25, 0.5]], id="the expected ones are no weights"),
        pytest.param([[1.5, -0.5]], [[0.25, 0.5]], id="an expected one is negative"),
        pytest.param([[1.0]], [[0.5]], id="a row of one number"),
        pytest.param([[0.5, 0.5]], [[np.nan, 0.5]], id="one of yours is no number"),
    ],
)
def test_there_are_no_sums_where_they_would_say_nothing(expected: list[list[float]], yours: list[list[float]]) -> None:
    assert seen(np.array(expected), np.array(yours)).sums == ()


def test_scrambled_heads_show_the_token_of_each_number() -> None:
    tokens_first = np.arange(24.0).reshape(1, 4, 3, 2)  # b t h hd
    heads_first = tokens_first.swapaxes(1, 2)
    view = seen(heads_first, tokens_first.reshape(1, 3, 4, 2), "b", "h", "t", "hd")

    assert view.where == (0, 0)
    assert view.owners
    assert view.owners.by == "token"
    assert view.owners.yours.tolist() == [[0, 0], [0, 0], [0, 0], [1, 1]]


def test_owners_are_slices_by_their_word_or_label() -> None:
    numbers = np.arange(8.0).reshape(2, 2, 2)
    others = {"slice": numbers[::-1], "row": numbers[:, ::-1], "column": numbers[..., ::-1]}
    by = {word: seen(numbers, yours, "a", "b", "c").owners for word, yours in others.items()}

    assert [word for word, owners in by.items() if not owners or owners.by != word] == []
    view = seen(numbers[0], numbers[0][::-1], "t", "hd", tokens=("Your", "step"))
    assert [view.owner_name(owner) for owner in range(2)] == ["Your", "step"]
    assert [letter(owner) for owner in (0, 25, 26, UNKNOWN)] == ["a", "z", "a", "?"]


TRACED = {
    "another order": (NUMBERS, NUMBERS.T.reshape(2, 3), [[0, 1, 0], [1, 0, 1]]),
    "rounding": (NUMBERS, NUMBERS[::-1] + 1e-7, [[1, 1, 1], [0, 0, 0]]),
    "a number in several places": (
        np.array([[7.0, 1.0, 2.0], [3.0, 4.0, 7.0]]),
        np.array([[7.0, 7.0, 2.0], [3.0, 4.0, 1.0]]),
        [[0, UNKNOWN, 0], [1, 1, 0]],
    ),
    "other numbers": (NUMBERS, NUMBERS + 1, None),
    "hardly different numbers": (np.array([[1.0, 1.0, 1.0, 2.0]]), np.array([[2.0, 1.0, 1.0, 1.0]]), None),
    "infinity": (np.array([[np.inf, 1.0]]), np.array([[1.0, np.inf]]), None),
}


@pytest.mark.parametrize(("expected", "yours", "rows"), TRACED.values(), ids=TRACED)
def test_each_number_is_traced_to_its_row(expected: Array, yours: Array, rows: list[list[int]] | None) -> None:
    found = sources(expected, yours, 1e-6)
    assert (found[0].tolist() if found else None) == rows


SHAPES = {
    "another size": ({"t": 6, "d": 3}, {"t": 6, "": 4}, ["d should be 3 and is 4"]),
    "a dimension is missing": ({"t": 6, "d": 3}, {"d": 3}, ["t=6 is missing"]),
    "one is too many": ({"t": 6}, {"t": 6, "": 1}, ["a dimension too many: size 1"]),
    "all are missing": ({"b": 2, "t": 6}, {}, ["b=2 is missing", "t=6 is missing"]),
    "two have changed places": (
        {"t": 6, "d": 3}, {"d": 3, "t": 6}, ["d=3 is where t=6 should be", "t=6 is where d=3 should be"],
    ),
    "heads that were not merged": (
        {"b": 2, "t": 4, "d_out": 15}, {"b": 2, "h": 3, "t": 4, "hd": 5},
        ["a dimension too many: h=3", "hd=5 is where d_out=15 should be"],
    ),
    "very many": ({"t": 2}, {str(number): 1 for number in range(9)}, None),
}  # fmt: skip


@pytest.mark.parametrize(("expected", "yours", "said"), SHAPES.values(), ids=SHAPES)
def test_a_wrong_shape_is_described_dimension_by_dimension(
    expected: dict[str, int], yours: dict[str, int], said: list[str] | None
) -> None:
    boxes = boxes_of("", tuple(expected.values()), tuple(yours.values()), tuple(expected), tuple(yours))

    assert (boxes and [side.says for side in boxes.sides if side.off]) == said


def test_a_dimension_in_its_own_place_is_not_in_anothers_as_well() -> None:
    boxes = boxes_of("", (2, 12, 5, 6), (6, 4, 5, 6), ("b", "h", "t", "hd"), ("hd", "kv", "t", "hd"))
    assert boxes
    assert [side.says for side in boxes.sides] == ["b should be 2 and is 6", "kv=4 is where h=12 should be", "", ""]
    assert [[size for _, size, _ in shape] for shape in (boxes.expected, boxes.yours)] == [[2, 12, 5, 6], [6, 4, 5, 6]]
