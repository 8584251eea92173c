"""The cause by the text of a step alone: what it shows, and what it does not."""

import pytest

from autograder.course.answer import Answer, PlainValue
from autograder.diagnosis.syntax import by_absence, by_idleness, by_unused_argument
from autograder.grading.results import Diagnosis
from autograder.submission.model import Source

NOTHING, NUMBER = Answer({"output": PlainValue("NoneType", None)}), Answer({"output": PlainValue("int", 1)})


def found_in(text: str, answer: Answer = NUMBER) -> Diagnosis | None:
    source = Source.module("part.py", text)
    return by_unused_argument("step", source) or by_absence("step", source, answer) or by_idleness("step", source)


FOUND = {
    "an argument": ("def step(x, scaled):\n    return x\n", 1, "Your code never uses `scaled`."),
    "an argument by keyword": ("def step(x, *, seed):\n    return x\n", 1, "Your code never uses `seed`."),
    "an argument of a method": (
        "class step:\n    def __init__(self, size):\n        pass\n",
        2,
        "Your code never uses `size`.",
    ),
    "a statement after a return": (
        "def step(x):\n    return x\n    x = x + 1\n",
        2,
        "Line 2 returns: line 3 is never reached.",
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


@pytest.mark.parametrize(
    "text",
    [
        "def step(x):\n    y = x + 1\n    y = y * 2\n",
        "class step:\n    def forward(self, x):\n        x + 1\n\n    def other(self):\n        return 1\n",
    ],
)
def test_the_end_of_what_returns_nothing_is_the_place(text: str) -> None:
    cause = found_in(text, NOTHING)

    assert cause
    assert cause.spot
    assert cause.spot.line == 3


SILENT = {
    "a right step": "def step(x, scaled):\n    return x if scaled else -x\n",
    "an argument of a function inside": "def step(x, s):\n    def inner():\n        return s\n    return inner() + x\n",
    "an argument that says so": "def step(x, _scaled):\n    return x\n",
    "another definition": "def other(x):\n    return 1\n    pass\n\ndef step(x):\n    return x\n",
    "what is left of a stub": "def step(x):\n    return x\n    raise NotImplementedError('step 1')\n",
    "a return of some turns": "def step(x):\n    for row in x:\n        if row:\n            return row\n",
    "a return that is passed by": "def step(x):\n    for row in x:\n        if row:\n            continue\n        return row\n",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_what_may_be_right_is_not(text: str) -> None:
    assert found_in(text) is None
