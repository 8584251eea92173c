"""How the cause of a wrong step is drawn: its sentence, and the line of the student's code that it means."""

import re
from dataclasses import replace

import numpy as np
import pytest
from screen_text import drawn

from autograder.course.model import Words
from autograder.course.verdicts import Verdict
from autograder.grading.pictures import Picture, view_of
from autograder.grading.results import Check, Diagnosis, Spot, StepMarks
from autograder.render.marks import Detail, SpotDrawing, draw_cause, draw_failure, draw_step
from autograder.render.screen import ASCII, PLAIN, UNICODE

LINE = "    weights = torch.softmax(scores, dim=0)"
SPOT = Spot("exercises/part1.py", 42, 14, len(LINE), LINE)
PLACE = Diagnosis("place", "place_here", "Line 42 makes something else.", spot=SPOT)


SEES = Picture(
    "whether a token of the answer (row) changes with a token of x (column)",
    np.tri(3, dtype=bool),
    np.array([[1, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=bool),
    ("tq", "tk"),
    {"token": ("Your", "journey", "starts")},
    Words({"tq": "token", "tk": "token"}),
)
INFLUENCE = Diagnosis("influence", "sees_later", "Token 'Your' changes with 'starts'.", picture=view_of(SEES))


def wrong(verdict: Verdict, diagnosis: Diagnosis | None = None, traceback: str | None = None) -> StepMarks:
    check = Check("journey", "values", False, "4 of 4 numbers differ")
    return StepMarks("softmax", verdict, 0.0, 2.0, (check,), diagnosis, traceback=traceback)


def test_what_is_meant_is_underlined_in_the_line_of_the_students_code() -> None:
    assert drawn(SpotDrawing(SPOT, UNICODE)).splitlines() == [
        "exercises/part1.py:42",
        "    weights = torch.softmax(scores, dim=0)",
        "              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]


def test_a_line_that_is_meant_as_a_whole_is_not_underlined() -> None:
    whole = Spot("part1.py", 42, 4, len(LINE), LINE)
    assert "^" not in drawn(SpotDrawing(whole, UNICODE))


def test_what_is_meant_in_wide_characters_is_underlined_as_wide_as_they_are() -> None:
    spot = Spot("part1.py", 1, 4, 6, "x = 表表 + 1")
    assert drawn(SpotDrawing(spot, UNICODE)).splitlines()[2] == "        ^^^^"


@pytest.mark.parametrize("signs", [UNICODE, ASCII])
def test_of_a_line_that_is_too_long_the_part_around_what_is_meant_stays(signs: object) -> None:
    text = f"x = {'a + ' * 40}softmax(scores)"
    spot = Spot("part1.py", 1, text.index("softmax"), len(text), text)
    code, under = drawn(SpotDrawing(spot, signs), width=40).splitlines()[1:]  # type: ignore[arg-type]
    assert len(code) <= 40
    assert code[under.index("^") :] == "softmax(scores)"


def test_in_words_the_line_and_what_is_meant_are_told() -> None:
    assert drawn(SpotDrawing(SPOT, PLAIN)).splitlines() == [
        "exercises/part1.py, line 42: weights = torch.softmax(scores, dim=0)",
        "In it: torch.softmax(scores, dim=0)",
    ]


@pytest.mark.parametrize("more", [True, False])
def test_another_mistake_after_this_one_is_announced(more: bool) -> None:
    cause = Diagnosis("cure", "dimension", "Look at line 42.", more=more)
    assert ("There is more after that." in drawn(*draw_cause(cause, UNICODE, with_spot=True))) == more


def test_the_cause_stands_directly_below_the_message() -> None:
    lines = [
        line.strip() for line in drawn(*draw_step("part1", wrong(Verdict.WRONG_VALUES, PLACE), UNICODE)).splitlines()
    ]
    assert lines[1:4] == [
        "case journey: 4 of 4 numbers differ",
        "→ Line 42 makes something else.",
        "exercises/part1.py:42",
    ]


def with_numbers(step: StepMarks) -> StepMarks:
    numbers = view_of(Picture("", np.eye(2), np.ones((2, 2)) / 3, ("tq", "d")))
    return replace(step, checks=(replace(step.checks[0], picture=numbers),))


def test_a_cause_that_can_be_drawn_is_drawn_in_place_of_the_wrong_numbers() -> None:
    text = drawn(*draw_failure(with_numbers(wrong(Verdict.WRONG_VALUES, INFLUENCE)), UNICODE))
    assert [line.strip() for line in text.splitlines()] == [
        "case journey: 4 of 4 numbers differ",
        "→ Token 'Your' changes with 'starts'.",
        "",
        "whether a token of the answer (row) changes with a token of x (column)",
        "expected           yours",
        "tq/tk    0  1  2    0  1   2",
        "Your    ██ ·· ··   ██ ·· ██✗",
        "journey ██ ██ ··   ██ ██  ··",
        "starts  ██ ██ ██   ██ ██  ██",
        "██ True   ·· False",
    ]


def test_in_words_it_is_said_what_changes_with_what_and_should_not() -> None:
    text = drawn(*draw_failure(wrong(Verdict.WRONG_VALUES, INFLUENCE), PLAIN), width=200)
    assert text.splitlines()[-3:] == [
        "This is about whether a token of the answer (row) changes with a token of x (column).",
        "Of the 9 places that are compared here, 1 differs.",
        'Row 0, "Your", column 2, "starts": expected False, yours True.',
    ]


def test_a_low_window_has_no_room_for_the_drawing_of_a_cause() -> None:
    text = drawn(*draw_failure(wrong(Verdict.WRONG_VALUES, INFLUENCE), UNICODE, detail=Detail.WORDS))
    assert text.splitlines()[-1].strip() == "A taller window shows the picture."


def test_a_step_without_a_cause_is_drawn_with_the_difference() -> None:
    assert "difference" in drawn(*draw_step("part1", with_numbers(wrong(Verdict.WRONG_VALUES)), UNICODE))


def test_a_step_with_a_cause_is_drawn_without_the_difference() -> None:
    text = drawn(*draw_step("part1", with_numbers(wrong(Verdict.WRONG_VALUES, PLACE)), UNICODE))
    assert "yours" in text
    assert "difference" not in text


def test_a_line_that_the_traceback_shows_is_not_drawn_twice() -> None:
    step = wrong(Verdict.RAISED, PLACE, f"exercises/part1.py, line 42, in softmax\n{LINE}")
    assert drawn(*draw_step("part1", step, UNICODE)).count("torch.softmax(scores, dim=0)") == 1


@pytest.mark.parametrize(
    ("verdict", "named"), [(Verdict.RAISED, True), (Verdict.WRONG_SHAPE, True), (Verdict.WRONG_VALUES, False)]
)
def test_shapes_line_by_line_are_named_where_they_help(verdict: Verdict, named: bool) -> None:
    assert ("attn shapes part1.softmax" in drawn(*draw_step("part1", wrong(verdict), UNICODE))) == named


@pytest.mark.parametrize(
    ("step", "named"),
    [
        (wrong(Verdict.RAISED), True),
        (wrong(Verdict.WRONG_SHAPE, PLACE), True),
        (wrong(Verdict.WRONG_VALUES), True),
        (wrong(Verdict.WRONG_VALUES, PLACE), False),
        (wrong(Verdict.WRONG_GRADIENT), False),
    ],
    ids=["raised", "shape", "values", "values with a cause", "gradient"],
)
def test_numbers_line_by_line_are_named_where_they_help(step: StepMarks, named: bool) -> None:
    assert ("attn values part1.softmax" in drawn(*draw_step("part1", step, UNICODE))) == named


@pytest.mark.parametrize("verb", ["shapes", "values"])
def test_commands_that_run_the_exercises_are_not_named_below_a_notebooks_code(verb: str) -> None:
    assert f"attn {verb}" not in drawn(*draw_step("part1", wrong(Verdict.RAISED), UNICODE, rungs="how"))


@pytest.mark.parametrize(("rungs", "told"), [(None, []), ("where", []), ("what", ["What"]), ("how", ["What", "How"])])
def test_a_cause_is_told_at_once_as_far_as_it_is_asked_for(rungs: str | None, told: list[str]) -> None:
    cause = Diagnosis(
        "cure", "sign", "Look at line 2.", "Look at line 2.", "The sign.", "With `+`. (Tested: all 3 cases pass.)"
    )
    text = drawn(*draw_step("part1", wrong(Verdict.WRONG_VALUES, cause), UNICODE, rungs))
    assert re.findall("Where|What|How", text) == told
