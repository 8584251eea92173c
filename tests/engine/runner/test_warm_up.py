"""What is rehearsed is done before any student waits for it."""

from collections.abc import Callable

import pytest

from autograder.grading.results import StepMarks
from autograder.workspace import COURSE

LOADS = """

import sys

_known, _train_step = set(sys.modules), train_step


def train_step(model, optimizer, tokens):
    loss = _train_step(model, optimizer, tokens)
    print("loaded", sorted(name for name in sys.modules.keys() - _known if name.startswith("torch")))
    return loss
"""


@pytest.mark.slow
def test_a_step_of_an_optimizer_loads_nothing_of_torch(mark_step: Callable[..., StepMarks]) -> None:
    text = (COURSE.solutions / "part6_training.py").read_text(encoding="utf-8")

    marks = mark_step("part6_training", "train_step", text + LOADS)

    assert {line for line in marks.printed.splitlines() if line.startswith("loaded")} == {"loaded []"}
