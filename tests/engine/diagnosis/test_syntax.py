"""The cause by the text of a step alone: what it shows, and what it does not."""

import pytest

from autograder.diagnosis.syntax import by_only_turn, by_unused_argument
from autograder.grading.results import Diagnosis
from autograder.submission.model import Source


def found_in(text: str) -> Diagnosis | None:
    source = Source.module("part.py", text)
    return by_unused_argument("step", source) or by_only_turn("step", source)


FOUND = {
    "an argument": ("def step(x, scaled):\n    return x\n", 1, "Your code never uses `scaled`."),
    "an argument of a method": (
        "class step:\n    def __init__(self, size):\n        pass\n",
        2,
        "Your code never uses `size`.",
    ),
    "a loop's second turn": (
        "def step(x):\n    for row in x:\n        y = row\n        return y\n",
        4,
        "Line 4 returns in the first turn of the loop: there is no second one.",
    ),
}


@pytest.mark.parametrize(("text", "line", "says"), FOUND.values(), ids=FOUND)
def test_what_is_never_used_or_reached_is_the_place(text: str, line: int, says: str) -> None:
    cause = found_in(text)

    assert cause
    assert cause.spot
    assert (cause.spot.line, cause.says) == (line, says)


SILENT = {
    "a right step": "def step(x, scaled):\n    return x if scaled else -x\n",
    "an argument of a function inside": "def step(x, s):\n    def inner():\n        return s\n    return inner() + x\n",
    "an argument that says so": "def step(x, _scaled):\n    return x\n",
    "a return of some turns": "def step(x):\n    for row in x:\n        if row:\n            return row\n",
    "a return that is passed by": "def step(x):\n    for row in x:\n        if row:\n            continue\n        return row\n",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_what_may_be_right_is_not(text: str) -> None:
    assert found_in(text) is None
