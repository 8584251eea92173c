"""How numbers are drawn: labels, shades, sums, owners, and nothing wider than the screen."""

import numpy as np
import pytest
from screen_text import drawn

from autograder.course.answer import Array
from autograder.course.model import Words
from autograder.grading.pictures import CHANGED, Picture, view_of
from autograder.render.pictures import Drawing
from autograder.render.screen import ASCII, UNICODE, Signs

WORDS = Words({"t": "token", "tq": "token", "tk": "token"})
EXPECTED = np.array([[0.1, 0.2], [0.3, 0.4]])
TOKENS = ("Your", "journey", "starts", "with")


def picture(
    expected: Array, yours: Array, dims: tuple[str, ...] = ("tq", "tk"), tokens: tuple[str, ...] = (), name: str = ""
) -> Drawing:
    return Drawing(view_of(Picture(name, expected, yours, dims, {"token": tokens}, WORDS)), UNICODE)


def test_a_matrix_is_drawn_beside_yours_and_their_difference() -> None:
    wrong = EXPECTED + np.array([[0, 0], [0, 0.2]])
    assert drawn(picture(EXPECTED, wrong, tokens=("Your", "step"))) == (
        "expected          yours       difference\n"
        "tq/tk Your step   Your step   Your  step\n"
        "Your  0.10 0.20   0.10 0.20      ·     ·\n"
        "step  0.30 0.40   0.30 0.60      · 0.20█"
    )


def test_a_tensor_that_was_written_to_is_drawn_before_and_after_with_the_change() -> None:
    shown = Drawing(view_of(Picture("argument scores", EXPECTED, EXPECTED * 2, ("tq", "tk"), titles=CHANGED)), UNICODE)
    assert drawn(shown) == (
        "argument scores\n"
        "before            after       change\n"
        "tq/tk    0    1      0    1       0     1\n"
        "0     0.10 0.20   0.20 0.40   0.10▒ 0.20▓\n"
        "1     0.30 0.40   0.60 0.80   0.30▓ 0.40█"
    )


def test_rows_without_tokens_are_numbered() -> None:
    lines = drawn(picture(EXPECTED, EXPECTED + 1)).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["0", "1"]


def test_where_yours_is_right_the_difference_is_a_dot() -> None:
    wrong = EXPECTED + np.array([[0, 0.2], [0, 0]])
    assert drawn(picture(EXPECTED, wrong)).count("·") == 3


def test_a_larger_difference_is_shaded_darker() -> None:
    text = drawn(picture(EXPECTED, EXPECTED + np.array([[0.05, 0.15], [0.25, 0.4]])))
    assert [cell for cell in text.split() if cell[-1] in "░▒▓█"] == ["0.05░", "0.15▒", "0.25▓", "0.40█"]


def test_a_narrow_screen_puts_the_panels_below_one_another() -> None:
    lines = drawn(picture(EXPECTED, EXPECTED + 1), width=20).splitlines()
    assert [line for line in lines if line in ("expected", "yours", "difference")] == [
        "expected",
        "yours",
        "difference",
    ]


def test_a_medium_screen_puts_the_difference_below_the_other_two() -> None:
    lines = drawn(picture(EXPECTED, EXPECTED + 1), width=30).splitlines()
    assert [line.split() for line in lines if "e" in line] == [["expected", "yours"], ["difference"]]


def test_booleans_are_drawn_as_blocks() -> None:
    expected = np.array([[False, True], [False, False]])
    lines = drawn(picture(expected, ~expected)).splitlines()
    assert [line.split() for line in lines[2:]] == [
        ["0", "··", "██", "██", "··", "✗", "✗"],
        ["1", "··", "··", "██", "██", "✗", "✗"],
        ["██", "True", "··", "False"],
    ]


def test_the_slice_that_is_drawn_is_one_with_a_wrong_number_even_beside_infinities() -> None:
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 1] = -np.inf
    yours = expected.copy()
    yours[1, 1, 1] = 3.0
    assert drawn(picture(expected, yours, dims=("b", "tq", "tk"))).startswith("b 1\n")


def test_a_vector_is_drawn_line_below_line() -> None:
    text = drawn(picture(np.array([1.0, 2.0]), np.array([1.0, 3.0]), dims=("t",)))
    assert text == "t             0     1\nexpected   1.00  2.00\nyours      1.00  3.00\ndifference    · 1.00█"


def test_a_single_number_is_drawn_without_columns() -> None:
    text = drawn(picture(np.array(1.0), np.array(3.0), dims=()))
    assert text == "expected    1.00\nyours       3.00\ndifference 2.00█"


def test_of_a_batch_the_first_wrong_matrix_is_drawn_and_named() -> None:
    expected = np.zeros((2, 3, 2, 2)) + np.arange(3)[:, None, None]
    yours = expected.copy()
    yours[1, 2] += 5
    lines = drawn(picture(expected, yours, dims=("b", "h", "tq", "tk"))).splitlines()
    assert lines[0] == "b 1, h 2"
    assert "2.00 2.00" in lines[3]


def test_an_output_is_named() -> None:
    assert drawn(picture(EXPECTED, EXPECTED + 1, name="keys")).splitlines()[0] == "keys"


def test_a_batch_that_is_hardly_wrong_is_drawn() -> None:
    expected = np.ones((2, 2, 2))
    assert "expected" in drawn(picture(expected, expected + 1.5e-4, dims=("b", "tq", "tk")))


def test_of_a_large_matrix_the_first_rows_and_columns_are_drawn() -> None:
    text = drawn(picture(np.ones((9, 10)), np.zeros((9, 10))), width=110)
    assert text.endswith("\nthe first rows and columns of a larger tensor")
    assert [line.split()[0] for line in text.splitlines()[2:10]] == list("01234567")


def test_of_a_large_matrix_something_wrong_is_seen() -> None:
    expected = np.ones((9, 9))
    yours = expected.copy()
    yours[8, 8] = 3.0
    assert "2.00" in drawn(picture(expected, yours), width=110)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_drawn(odd: float) -> None:
    yours = EXPECTED.copy()
    yours[0, 1] = odd
    assert str(odd) in drawn(picture(EXPECTED, yours))


def test_an_expected_infinity_that_is_met_is_right() -> None:
    expected = np.array([[0.5, -np.inf]])
    assert drawn(picture(expected, np.array([[1.5, -np.inf]]))).splitlines()[-1].endswith(" ·")


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e4, 1e12])
@pytest.mark.parametrize("width", [40, 60, 80, 110])
def test_no_picture_is_wider_than_the_screen(size: float, width: int) -> None:
    expected = size * np.random.default_rng(0).normal(size=(8, 8))
    tokens = tuple(f"word{number}" for number in range(8))
    for yours in (-expected, expected * 1.001, expected[::-1]):
        text = drawn(picture(expected, yours, tokens=tokens), width=width)
        assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [40, 60, 80, 110])
@pytest.mark.parametrize("factor", [0.5, 1e6, -1e12])
def test_sums_fit_the_screen_too(factor: float, width: int) -> None:
    weights = np.full((8, 8), 0.125)
    text = drawn(picture(weights, weights * factor, tokens=("extraordinary",) * 8), width=width)
    assert max(map(len, text.splitlines())) <= width


def test_tokens_above_columns_are_cut_to_the_width_of_the_numbers() -> None:
    lines = drawn(picture(np.eye(4), np.eye(4) + 1, tokens=TOKENS), width=110).splitlines()
    assert lines[1].split()[1:5] == ["Your", "jour", "star", "with"]


def test_a_dimension_as_long_as_the_sentence_that_does_not_run_over_it_is_numbered() -> None:
    lines = drawn(picture(np.eye(4), np.eye(4) + 1, ("t", "d_out"), TOKENS), width=110).splitlines()
    assert lines[1].split()[1:5] == ["0", "1", "2", "3"]


def test_a_long_name_of_a_dimension_is_left_out() -> None:
    lines = drawn(picture(EXPECTED, EXPECTED + 1, ("num_new", "num_past+num_new"))).splitlines()
    assert lines[1].split()[:2] == ["0", "1"]


def test_rows_that_should_add_up_to_1_are_shown_with_their_sums() -> None:
    right = np.array([[0.5, 0.5], [0.25, 0.75]])
    lines = drawn(picture(right, right + np.array([[0, 0], [0, 0.5]]))).splitlines()
    assert [line.split()[5] for line in lines[1:4]] == ["sum", "1.00", "1.50"]


def test_a_sum_that_is_nearly_right_is_written_with_the_digits_that_show_it() -> None:
    right = np.array([[0.5, 0.5]])
    assert "1.0030" in drawn(picture(right, right + np.array([[0, 0.003]])))


def test_a_vector_of_weights_has_its_sum_too() -> None:
    lines = drawn(picture(np.array([0.5, 0.5]), np.array([1.0, 0.5]), ("t",))).splitlines()
    assert lines[2].split() == ["yours", "1.00", "0.50", "1.50"]


def test_integers_are_drawn_without_decimals_and_their_difference_as_a_mark() -> None:
    lines = drawn(picture(np.array([[12, 7]]), np.array([[12, 9]]), ("b", "t"))).splitlines()
    assert lines[2].split() == ["0", "12", "7", "12", "9", "·", "✗"]


def test_the_right_numbers_in_another_order_carry_the_letters_of_their_tokens() -> None:
    heads = np.arange(6.0).reshape(3, 2)
    lines = drawn(picture(heads, np.ascontiguousarray(heads.T).reshape(3, 2), ("t", "hd"))).splitlines()
    assert [line.split()[1:] for line in lines[2:5]] == [
        ["0.00a", "1.00a", "0.00a", "2.00b"],
        ["2.00b", "3.00b", "4.00c", "1.00a"],
        ["4.00c", "5.00c", "3.00b", "5.00c"],
    ]
    assert " ".join(lines[5:]) == (
        "letters and colours: to which token of the expected answer a number belongs (a token 0, b token 1, c token 2)"
    )


def test_a_difference_too_small_for_two_decimals_is_written_by_its_magnitude() -> None:
    assert drawn(picture(np.array([[0.5]]), np.array([[0.498]]), ("t", "d"))).splitlines()[-1].endswith(" -2e-3█")


@pytest.mark.parametrize("signs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_without_colours_what_is_wrong_stands_out_in_the_difference(signs: Signs) -> None:
    mask = np.array([[False, True]])
    lines = drawn(Drawing(view_of(Picture("", mask, np.array([[False, False]]), ("t", "t"))), signs)).splitlines()
    assert lines[2].split()[-2:] == [signs.dot, signs.failed]


def test_where_most_is_wrong_no_sign_marks_it() -> None:
    yours = EXPECTED + np.array([[1, 1], [1, 0]])
    assert UNICODE.failed not in drawn(Drawing(view_of(Picture("", EXPECTED, yours, ("tq", "tk"))), UNICODE, False))


@pytest.mark.parametrize("signs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_where_no_difference_is_drawn_what_is_wrong_has_a_sign(signs: Signs) -> None:
    yours = np.array([[0.1, 1.2], [0.3, 0.4]])
    found = drawn(Drawing(view_of(Picture("", EXPECTED, yours, ("tq", "tk"))), signs, difference=False))
    assert [line.split()[-2:] for line in found.splitlines()[2:]] == [
        ["0.10", f"1.20{signs.failed}"],
        ["0.30", "0.40"],
    ]
