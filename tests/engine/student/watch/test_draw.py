"""What stands on the screen."""

from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console
from watch_states import CURE, FIRST, LINE, WHAT, WHERE, known, marks_of, wrong_with

from autograder.course.verdicts import Verdict
from autograder.grading.pictures import view_of
from autograder.grading.results import Check, StepMarks
from autograder.render.results import Detail
from autograder.render.screen import ASCII, PLAIN
from autograder.student.watch.draw import draw
from autograder.student.watch.react import CHECKING, marked, pressed
from autograder.student.watch.state import State, View

LIST = {"view": View.LIST}


def drawn(state: State, height: int = 50, detail: Detail = Detail.ALL, **change: Any) -> list[str]:
    """Return the lines of a screen, without the spaces at their ends."""
    console = Console(width=100, force_terminal=False)
    with console.capture() as captured:
        for one in draw(replace(state, **change), height, detail):
            console.print(one)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_a_step_that_is_not_attempted_shows_what_it_asks_and_where(state: State) -> None:
    lines = drawn(state)
    assert lines[0] == f"{FIRST}  {state.syllabus.part(FIRST).title}, step 1 of 5"
    assert any(line.startswith("  · dot_product  not attempted") for line in lines)
    assert any(line.startswith(f"exercises/{FIRST}.py:") for line in lines)


def test_why_a_part_cannot_be_loaded_takes_the_place_of_its_verdict(state: State) -> None:
    now, _ = marked(state, marks_of(FIRST, f"SyntaxError in exercises/{FIRST}.py, line 7: '(' was never closed"))
    lines = drawn(now)
    assert lines[2] == f"  SyntaxError in exercises/{FIRST}.py, line 7: '(' was never closed"
    assert f"exercises/{FIRST}.py:7" in lines


def test_the_place_to_look_at_is_the_line_that_raised(state: State) -> None:
    raised = StepMarks(
        "dot_product", Verdict.RAISED, 0.0, 2.0, traceback=f"exercises/{FIRST}.py, line 31, in dot_product"
    )
    assert f"exercises/{FIRST}.py:31" in drawn(state, marks={f"{FIRST}.dot_product": raised})


def test_hints_are_shown_up_to_the_one_revealed_last(state: State) -> None:
    first, second = state.step.hints
    text = " ".join(" ".join(drawn(pressed(state, "h")[0])).split())
    assert f"hint 1: {first[:60]}" in text
    assert second[:60] not in text


def test_a_bar_and_a_number_say_how_far_it_is(state: State) -> None:
    passed = {step.path: StepMarks(step.name, Verdict.PASSED, 1.0, 1.0) for step in state.steps[:20]}
    assert "━" * 15 + "─" * 25 + "  20 of 53 steps" in drawn(state, marks=passed)


@pytest.mark.parametrize(
    ("detail", "expected", "difference"),
    [(Detail.ALL, True, True), (Detail.NO_DIFFERENCE, True, False), (Detail.WORDS, False, False)],
)
def test_with_less_detail_there_is_less_of_the_picture(
    state: State, detail: Detail, expected: bool, difference: bool
) -> None:
    import numpy as np

    picture = view_of("", np.eye(2), np.ones((2, 2)), ("t", "t"))
    check = Check("random", "values", False, "2 of 4 numbers differ", picture)
    wrong = StepMarks("dot_product", Verdict.WRONG_VALUES, 0.0, 2.0, (check,))
    text = "\n".join(drawn(state, detail=detail, marks={f"{FIRST}.dot_product": wrong}))
    assert "2 of 4 numbers differ" in text
    assert ("expected" in text, "difference" in text) == (expected, difference)
    assert ("A taller window shows the picture." in text) == (detail == Detail.WORDS)


CHECK = Check("random", "values", False, "the number differs")


def told(state: State, *keys: str, **change: Any) -> list[str]:
    """Return what stands between the message of a wrong step with a cause and the place to look at, after some keys."""
    now = replace(wrong_with(state, CURE, [CHECK]), **change)
    for key in keys:
        now, _ = pressed(now, key)
    lines = [line.strip() for line in drawn(now)]
    begin = lines.index("case random: the number differs") + 1
    return lines[begin : lines.index("", begin)]


def test_the_cause_stands_below_the_message_with_its_line_underlined(state: State) -> None:
    assert told(state) == [f"→ {WHERE}", f"exercises/{FIRST}.py:31", LINE.strip(), "^^^^^^^^^", "2 more: press w."]


def test_in_words_the_cause_and_its_rungs_are_sentences(state: State) -> None:
    assert told(state, "w", signs=PLAIN) == [
        f"Likely cause: {WHERE}",
        f"exercises/{FIRST}.py, line 31: {LINE.strip()}",
        "In it: a * b - a",
        WHAT,
        "1 more: press w.",
    ]


def test_each_step_stands_in_the_list_with_its_state(state: State) -> None:
    marks = known(dot_product="passed", attention_scores="not_attempted", softmax="raised")
    assert drawn(state, marks=marks, **LIST)[:4] == [
        "→ ✓ part1_simplified.dot_product  2 points",
        "  · part1_simplified.attention_scores  4 points",
        "  ✗ part1_simplified.softmax  8 points",
        f"  · {state.steps[3].path}  {state.steps[3].points:g} points",
    ]


@pytest.mark.parametrize("chosen", [0, 1, 20, -1])
def test_the_list_is_full_and_holds_the_choice(state: State, chosen: int) -> None:
    lines = drawn(state, 16, chosen=state.steps[chosen], **LIST)
    listed = [line for line in lines if line.startswith(("→ ·", "  ·"))]
    assert (len(listed), sum(line.startswith("→") for line in listed)) == (10, 1)
    assert len(lines) <= 16


def test_in_ascii_the_signs_are_ascii(state: State) -> None:
    looking = wrong_with(replace(state, searching=True), None)
    shown = [line for one in ({"under_way": CHECKING}, LIST) for line in drawn(looking, signs=ASCII, **one)]
    assert all(line.isascii() for line in shown)
