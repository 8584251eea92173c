"""The largest tensor that comes to be is found, in whatever way it does."""

import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from autograder.course.operations import LargestTensor


def _largest(work: Callable[[Tensor], object]) -> int:
    x = torch.ones(4, 5)
    with LargestTensor() as watch:
        work(x)
    elements: int = watch.elements
    return elements


@pytest.mark.parametrize(
    ("work", "elements"),
    [
        (lambda x: x * 2, 20),
        (lambda x: x @ x.T, 16),
        (lambda x: torch.einsum("ad,bd->ab", x, x), 16),
        (lambda x: torch.zeros(6, 7), 42),
        (lambda x: torch.ones(6, 6, dtype=torch.bool).triu(), 36),
        (lambda x: x.max(dim=0), 5),
        (lambda x: x.expand(3, 4, 5).clone(), 60),
        (lambda x: x.expand(3, 4, 5).reshape(12, 5), 60),
        (lambda x: x.double(), 20),
        (lambda x: torch.cat([x, x]), 40),
    ],
    ids=["product", "matrix product", "einsum", "zeros", "mask", "several", "copy", "reshaped", "float64", "joined"],
)
def test_what_an_operation_makes_is_counted(work: Callable[[Tensor], object], elements: int) -> None:
    assert _largest(work) == elements


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x.T,
        lambda x: x[1:, :2],
        lambda x: x.expand(100, 4, 5),
        lambda x: x.split(2),
        lambda x: x.mul_(2),
        lambda x: x.view(2, 10),
        lambda x: torch.mul(x, 2, out=x),
    ],
    ids=["transposed", "cut", "expanded", "split", "in place", "viewed", "into another"],
)
def test_what_lies_in_memory_that_was_there_is_not_counted(work: Callable[[Tensor], object]) -> None:
    assert _largest(work) == 0


def test_tensors_that_carry_gradients_are_counted() -> None:
    assert _largest(lambda x: x.requires_grad_() * torch.ones(2, 4, 5)) == 40


def test_nothing_is_counted_after_the_end() -> None:
    with LargestTensor() as watch:
        torch.zeros(3)
    torch.zeros(30)
    assert watch.elements == 3


TRAINS = """
import sys, torch
from autograder.course.operations import LargestTensor, without_compiler

def trained(kind):
    parameter = torch.nn.Parameter(torch.arange(3.0))
    optimizer = kind([parameter], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (parameter - 1).square().sum().backward()
        optimizer.step()
    return parameter

kinds = (torch.optim.SGD, torch.optim.Adam)
with LargestTensor():
    without = [trained(without_compiler(kind)) for kind in kinds]
print("torch._dynamo" in sys.modules, [torch.equal(trained(kind), one) for kind, one in zip(kinds, without)])
"""


@pytest.mark.world
@pytest.mark.slow
def test_optimizers_train_as_torch_s_own_and_load_no_compiler_which_takes_seconds() -> None:
    ran = subprocess.run([sys.executable, "-c", TRAINS], capture_output=True, text=True, check=True)

    assert ran.stdout == "False [True, True]\n"
