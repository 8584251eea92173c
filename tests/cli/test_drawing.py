"""How marks are drawn: panels, signs, numbers, and nothing wider than the screen."""

import io

import numpy as np
import pytest
from rich.console import Console, RenderableType

from autograder.cli.drawing import Drawing, draw_marks, draw_step
from autograder.cli.screen import ASCII, UNICODE, Signs, signs_for
from autograder.course.answer import Array
from autograder.exam.model import Exam
from autograder.marking.marks import Check, Diagnosis, Marks, PartMarks, Picture, StepMarks
from autograder.publishing.trial import text_with, try_text
from autograder.sitting.processes import Sitter

EXPECTED = np.array([[0.1, 0.2], [0.3, 0.4]])
LONG = "a rather long message that goes on and on " * 6


def drawn(*renderables: RenderableType, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    for renderable in renderables:
        console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def picture(
    expected: Array, yours: Array, dims: tuple[str, ...] = ("tq", "tk"), tokens: tuple[str, ...] = (), name: str = ""
) -> Drawing:
    return Drawing(Picture(name, expected, yours, dims, tokens), UNICODE)


def failed(message: str, shown: Picture | None = None, diagnosis: Diagnosis | None = None, **rest: str) -> StepMarks:
    check = Check("journey", "values", False, message, shown)
    return StepMarks("scale_scores", "wrong_values", 0.5, 2.0, (check,), diagnosis, **rest)  # type: ignore[arg-type]


# Pictures


def test_a_matrix_is_drawn_beside_yours_and_their_difference() -> None:
    wrong = EXPECTED + np.array([[0, 0], [0, 0.2]])
    assert drawn(picture(EXPECTED, wrong, tokens=("Your", "step"))) == (
        "expected          yours       difference\n"
        "tq/tk    0    1      0    1   0     1\n"
        "Your  0.10 0.20   0.10 0.20   ·     ·\n"
        "step  0.30 0.40   0.30 0.60   · 0.20█"
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
        ["0", "·", "█", "█", "·", "x", "x"],
        ["1", "·", "·", "█", "█", "x", "x"],
    ]


def test_the_slice_that_is_drawn_is_one_with_a_wrong_number_even_beside_infinities() -> None:
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 1] = -np.inf
    yours = expected.copy()
    yours[1, 1, 1] = 3.0
    assert drawn(picture(expected, yours, dims=("b", "tq", "tk"))).startswith("b 1\n")


@pytest.mark.slow
@pytest.mark.parametrize("part", ["part1_simplified", "part2_trainable", "part3_causal", "part4_multihead"])
def test_every_known_mistake_can_be_drawn(sitter: Sitter, practice: Exam, part: str) -> None:
    for step in practice.syllabus.part(part).steps:
        for fingerprint in practice.key.fingerprints[step.path]:
            marks = try_text(sitter, practice, step, text_with(part, fingerprint))
            for width in (40, 80):
                lines = drawn(*draw_step(part, marks, UNICODE), width=width).splitlines()
                assert max(map(len, lines)) <= width, fingerprint.id


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
    assert "(the first rows and columns of a larger tensor)" in text
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
    text = drawn(picture(expected, -expected, tokens=tuple(f"word{number}" for number in range(8))), width=width)
    assert max(map(len, text.splitlines())) <= width


# Steps and parts


def test_a_passed_step_is_one_line_with_its_points_at_the_edge() -> None:
    text = drawn(*draw_step("part", StepMarks("softmax", "passed", 2.0, 2.0), UNICODE), width=40)
    assert text == "  ✓ softmax                        2 / 2"


def test_an_open_step_is_one_line() -> None:
    text = drawn(*draw_step("part", StepMarks("softmax", "not_attempted", 0.0, 2.0), UNICODE), width=40)
    assert text == "  · softmax  not attempted         0 / 2"


def test_a_name_wider_than_the_screen_is_cut_and_the_points_stay() -> None:
    text = drawn(*draw_step("part", StepMarks("s" * 60, "passed", 2.0, 2.0), UNICODE), width=40)
    assert len(text) == 40
    assert text.endswith("… 2 / 2")


def test_a_wrong_step_tells_message_diagnosis_and_hint_in_this_order() -> None:
    step = failed("36 of 36 numbers differ", diagnosis=Diagnosis("mistake", "by_d_k", "You divide by d_k."))
    lines = [line.strip() for line in drawn(*draw_step("part", step, UNICODE)).splitlines()]
    assert lines[1:4] == ["journey: 36 of 36 numbers differ", "→ You divide by d_k.", "attn hint part.scale_scores"]


def test_square_brackets_of_a_message_are_no_markup() -> None:
    assert "[red]a[/red] [/]" in drawn(*draw_step("part", failed("[red]a[/red] [/]"), UNICODE))


def test_twelve_lines_of_printed_text_are_shown_and_the_rest_is_counted() -> None:
    text = drawn(*draw_step("part", failed("no", printed="\n".join(map(str, range(20)))), UNICODE))
    assert text.split("your code printed:\n")[1].split() == [
        *map(str, range(12)),
        "…",
        "and",
        "8",
        "lines",
        "more",
        "attn",
        "hint",
        "part.scale_scores",
    ]


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_of_a_step_is_wider_than_the_screen(width: int) -> None:
    shown = Picture("", EXPECTED, EXPECTED + 1, ("tq", "tk"))
    step = failed(LONG, shown, Diagnosis("mistake", "x", LONG), printed="表" * 100, traceback="x" * 200)
    text = drawn(*draw_step("part", step, UNICODE), width=width)
    assert max(len(line) + line.count("表") for line in text.splitlines()) <= width


def test_a_part_that_could_not_be_loaded_says_why_and_lists_no_steps() -> None:
    part = PartMarks("part1", "SyntaxError in line 3", (StepMarks("softmax", "missing", 0.0, 8.0),))
    marks = Marks("me", "", "", "", 0.1, "none", (part,))
    assert drawn(*draw_marks(marks, {"part1": "The title"}, UNICODE), width=40) == (
        "part1  The title                   0 / 8\n  SyntaxError in line 3\n"
    )


# Signs


@pytest.mark.parametrize(
    ("encoding", "signs"), [("utf-8", UNICODE), ("UTF-8", UNICODE), ("ascii", ASCII), ("latin-1", ASCII)]
)
def test_signs_are_those_that_the_encoding_can_show(encoding: str, signs: Signs) -> None:
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert signs_for(console) == signs


def test_ascii_signs_are_ascii() -> None:
    assert "".join(vars(ASCII).values()).isascii()


def test_an_ascii_drawing_is_ascii() -> None:
    step = failed(
        "36 of 36 numbers differ",
        Picture("", EXPECTED, EXPECTED + np.array([[0.1, 0.2], [0, 0.4]]), ("tq", "tk")),
        Diagnosis("mistake", "by_d_k", "You divide by d_k."),
        printed="\n" * 20,
    )
    assert drawn(*draw_step("part", step, ASCII)).isascii()
