"""An optimiser that a probe hands out is torch's own, but for the second in which torch loads its compiler."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from autograder.grading.results import StepMarks
from autograder.workspace import Workspace

TRAINS = """
import sys, torch
from autograder.course.operations import without_compiler

def trained(kind):
    parameter = torch.nn.Parameter(torch.arange(3.0))
    optimizer = kind([parameter], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (parameter - 1).square().sum().backward()
        optimizer.step()
    return parameter

kinds = (torch.optim.SGD, torch.optim.Adam)
without = [trained(without_compiler(kind)) for kind in kinds]
print("torch._dynamo" in sys.modules, [torch.equal(trained(kind), one) for kind, one in zip(kinds, without)])
"""

LOOKS = """
import sys

_train_step = train_step

def train_step(model, optimizer, tokens):
    loss = _train_step(model, optimizer, tokens)
    assert isinstance(optimizer, torch.optim.Optimizer)
    assert "torch._dynamo" not in sys.modules
    return loss
"""


@pytest.mark.slow
def test_it_trains_as_torch_s_own_and_does_not_load_the_compiler() -> None:
    ran = subprocess.run([sys.executable, "-c", TRAINS], capture_output=True, text=True, check=True)

    assert ran.stdout == "False [True, True]\n"


def test_a_step_that_trains_does_not_wait_for_the_compiler(
    course: Workspace, mark_step: Callable[..., StepMarks]
) -> None:
    reference = (course.solutions / "part6_training.py").read_text(encoding="utf-8")

    assert mark_step("part6_training", "train_step", reference + LOOKS).verdict == "passed"
