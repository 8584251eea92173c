"""The cause by an argument that is never looked at."""

import pytest

from autograder.diagnosis.syntax import by_unused_argument
from autograder.submission.model import Source

UNUSED = {
    "of a function": ("def step(x, scaled):\n    return x\n", "scaled", 1),
    "of a method": (
        "class step:\n    def __init__(self, size):\n        pass\n\n    def forward(self, x):\n        return x\n",
        "size",
        2,
    ),
    "by keyword alone": ("def step(x, *, generator):\n    return x\n", "generator", 1),
}


@pytest.mark.parametrize(("text", "name", "line"), UNUSED.values(), ids=UNUSED)
def test_an_argument_that_is_nowhere_used_is_named(text: str, name: str, line: int) -> None:
    cause = by_unused_argument("step", Source.module("part.py", text))

    assert cause
    assert cause.says == f"Your code never uses `{name}`."
    assert cause.spot
    assert cause.spot.line == line
    assert cause.spot.text[cause.spot.first : cause.spot.last] == name


USED = {
    "in the function": "def step(x, scaled):\n    return x if scaled else -x\n",
    "in a function inside it": "def step(x, scaled):\n    def inner():\n        return scaled\n    return inner() + x\n",
    "with a name that says so": "def step(x, _scaled):\n    return x\n",
    "of another definition": "def other(x):\n    pass\n\ndef step(x):\n    return x\n",
}


@pytest.mark.parametrize("text", USED.values(), ids=USED)
def test_an_argument_that_is_used_is_not(text: str) -> None:
    assert by_unused_argument("step", Source.module("part.py", text)) is None
