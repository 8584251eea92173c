"""How marks are drawn: panels, signs, numbers, and nothing wider than the screen."""

import io

import numpy as np
import pytest
from rich.console import Console
from screen_text import drawn

from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam, KnownWrong
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.grade import mark
from autograder.grading.pictures import Boxes, Picture, Side, view_of
from autograder.grading.relations import GENERAL
from autograder.grading.results import Check, Diagnosis, Marks, PartMarks, StepMarks
from autograder.render.marks import draw_heading, draw_marks, draw_part, draw_step
from autograder.render.screen import ASCII, PLAIN, UNICODE, Signs, signs_for
from autograder.runner.answers import Answers, PartAnswers
from autograder.submission.model import Submission
from autograder.workspace import COURSE

EXPECTED = np.array([[0.1, 0.2], [0.3, 0.4]])
LONG = "a rather long message that goes on and on " * 6


def failed(message: str, shown: Picture | None = None, diagnosis: Diagnosis | None = None, **rest: str) -> StepMarks:
    check = Check("journey", "values", False, message, view_of(shown) if shown else None)
    return StepMarks("scale_scores", Verdict.WRONG_VALUES, 0.5, 2.0, (check,), diagnosis, **rest)


# Steps and parts


def marks_of(exam: Exam, step: SyllabusStep, mistake: KnownWrong) -> StepMarks:
    """Return the marks of a known mistake from the answers that are known of it; elsewhere it answers as is expected."""
    cases = exam.paper.of(step.part, frozenset({step.name}))
    answers = {case.path: mistake.signature.get(case.path, exam.key.cases[case.path].expected) for case in cases}
    sat = {step.part: PartAnswers(step.part, frozenset({step.name}), answers=answers)}
    return mark(exam, Answers("mistake", sat), Submission("mistake", {}), GENERAL).parts[0].steps[0]


@pytest.mark.slow  # a second a part
@pytest.mark.parametrize("part", COURSE.course.parts)
def test_every_known_mistake_can_be_drawn(practice: Exam, part: str) -> None:
    for step in practice.syllabus.part(part).steps:
        for mistake in practice.key.known_wrong[step.path]:
            marks = marks_of(practice, step, mistake)
            assert marks.verdict != "passed", mistake.id
            for width in (40, 80):
                lines = drawn(*draw_step(part, marks, UNICODE), width=width).splitlines()
                assert max(map(len, lines)) <= width, mistake.id


def test_a_passed_step_is_one_line_with_its_points_at_the_edge() -> None:
    text = drawn(*draw_step("part", StepMarks("softmax", Verdict.PASSED, 2.0, 2.0), UNICODE), width=40)
    assert text == "  ✓ softmax                        2 / 2"


def test_an_open_step_is_one_line() -> None:
    text = drawn(*draw_step("part", StepMarks("softmax", Verdict.NOT_ATTEMPTED, 0.0, 2.0), UNICODE), width=40)
    assert text == "  · softmax  not attempted         0 / 2"


def test_a_name_wider_than_the_screen_is_cut_and_the_points_stay() -> None:
    text = drawn(*draw_step("part", StepMarks("s" * 60, Verdict.PASSED, 2.0, 2.0), UNICODE), width=40)
    assert len(text) == 40
    assert text.endswith("… 2 / 2")


def test_a_wrong_step_tells_message_diagnosis_and_hint_in_this_order() -> None:
    step = failed("36 of 36 numbers differ", diagnosis=Diagnosis("mistake", "by_d_k", "You divide by d_k."))
    lines = [line.strip() for line in drawn(*draw_step("part", step, UNICODE)).splitlines()]
    assert lines[1:4] == [
        "case journey: 36 of 36 numbers differ",
        "→ You divide by d_k.",
        "attn hint part.scale_scores",
    ]


def test_the_lines_of_a_traceback_begin_with_a_place_to_click_on() -> None:
    step = failed("KeyError: 'x'", traceback="exercises/part1.py, line 12, in softmax\n    return scores['x']")
    lines = [line.strip() for line in drawn(*draw_step("part", step, UNICODE)).splitlines()]
    assert lines[2:4] == ["exercises/part1.py:12 in softmax", "return scores['x']"]


def test_a_headline_takes_the_place_of_the_verdict() -> None:
    check = Check("journey", "dtype", False, "you returned None", headline="nothing returned")
    step = StepMarks("softmax", Verdict.WRONG_DTYPE, 0.0, 2.0, (check,))
    assert drawn(draw_heading(step, UNICODE), width=50) == "  ✗ softmax  nothing returned                0 / 2"


def test_shapes_that_differ_are_drawn_as_boxes() -> None:
    boxes = Boxes("", (Side("t", 4, 3),))
    step = StepMarks("softmax", Verdict.WRONG_SHAPE, 0.0, 2.0, (Check("journey", "shape", False, "no", boxes=boxes),))
    assert "t should be 4 and is 3" in drawn(*draw_step("part", step, UNICODE))


@pytest.mark.parametrize("printed", ["", "hello"])
def test_a_blank_line_stands_between_a_picture_and_what_helps(printed: str) -> None:
    shown = Picture("", EXPECTED, EXPECTED + 1, ("tq", "tk"))
    lines = drawn(*draw_step("part", failed("no", shown, printed=printed), UNICODE)).splitlines()
    assert lines[-3:] == ["", "      attn values part.scale_scores", "      attn hint part.scale_scores"]


def test_what_helps_follows_directly_on_words() -> None:
    lines = drawn(*draw_step("part", failed("no"), UNICODE)).splitlines()
    assert lines[-3].strip() == "case journey: no"


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
        *("attn", "values", "part.scale_scores"),
        *("attn", "hint", "part.scale_scores"),
    ]


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_of_a_step_is_wider_than_the_screen(width: int) -> None:
    shown = Picture("", EXPECTED, EXPECTED + 1, ("tq", "tk"))
    step = failed(LONG, shown, Diagnosis("mistake", "x", LONG), printed="表" * 100, traceback="x" * 200)
    text = drawn(*draw_step("part", step, UNICODE), width=width)
    assert max(len(line) + line.count("表") for line in text.splitlines()) <= width


def test_a_part_that_could_not_be_loaded_says_why_and_lists_no_steps() -> None:
    part = PartMarks("part1", "SyntaxError in line 3", (StepMarks("softmax", Verdict.MISSING, 0.0, 8.0),))
    marks = Marks("me", "", "", "", 0.1, "none", (part,))
    assert drawn(*draw_marks(marks, {"part1": "The title"}, UNICODE), width=40) == (
        "part1  The title                   0 / 8\n  SyntaxError in line 3\n"
    )


# In words


@pytest.fixture
def told() -> str:
    """A part in words: a step that passed, one that is open and one that is wrong."""
    wrong = failed(
        "4 of 4 numbers differ",
        Picture("", EXPECTED, EXPECTED + 1, ("tq", "tk")),
        Diagnosis("mistake", "by_d_k", "You divide by d_k."),
    )
    steps = (StepMarks("softmax", Verdict.PASSED, 2.0, 2.0), StepMarks("mask", Verdict.NOT_ATTEMPTED, 0.0, 1.0), wrong)
    return drawn(*draw_part(PartMarks("part1", None, steps), "The title", PLAIN))


@pytest.mark.parametrize(
    "line",
    [
        "part1  The title, 2.5 of 5 points",
        "softmax: passed, 2 of 2 points",
        "mask: open, not attempted, 0 of 1 points",
        "scale_scores: failed, wrong values, 0.5 of 2 points",
        "Row 0, column 1: expected 0.20, yours 1.20.",
        "Likely cause: You divide by d_k.",
        "For a hint: attn hint part1.scale_scores",
    ],
)
def test_words_are_whole_lines(told: str, line: str) -> None:
    assert line in told.splitlines()


def test_words_hold_no_sign_that_a_screen_reader_spells_out(told: str) -> None:
    assert told.isascii()
    assert not set("|#*<>") & set(told)


# Signs


@pytest.mark.parametrize(
    ("encoding", "signs"), [("utf-8", UNICODE), ("UTF-8", UNICODE), ("ascii", ASCII), ("latin-1", ASCII)]
)
def test_signs_are_those_that_the_encoding_can_show(encoding: str, signs: Signs) -> None:
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert signs_for(console) == signs


@pytest.mark.parametrize(("value", "plain"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_the_environment_asks_for_words_too(monkeypatch: pytest.MonkeyPatch, value: str, plain: bool) -> None:
    monkeypatch.setenv("ATTN_PLAIN", value)
    assert signs_for(Console(file=io.StringIO())).plain == plain


def test_a_flag_asks_for_words() -> None:
    assert signs_for(Console(file=io.StringIO()), plain=True) == PLAIN


def test_ascii_signs_are_ascii() -> None:
    assert "".join(map(str, vars(ASCII).values())).isascii()


def test_an_ascii_drawing_is_ascii() -> None:
    step = failed(
        "36 of 36 numbers differ",
        Picture("", EXPECTED, EXPECTED + np.array([[0.1, 0.2], [0, 0.4]]), ("tq", "tk")),
        Diagnosis("mistake", "by_d_k", "You divide by d_k."),
        printed="\n" * 20,
    )
    assert drawn(*draw_step("part", step, ASCII)).isascii()
