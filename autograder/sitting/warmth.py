"""What is slow the first time, done once before any student waits for it."""

import jaxtyping
import torch

from autograder.course import parts
from autograder.sitting.child import rehearse


def warm_up() -> None:
    """Load all parts and rehearse a sitting, in one thread: a process that has run threads must not fork."""
    assert jaxtyping.Float  # every stub imports it
    torch.set_num_threads(1)
    loaded = [parts.load(name) for name in parts.NAMES]
    if any(part.trains for part in loaded):
        _take_a_step()
    rehearse()


def _take_a_step() -> None:
    """Take one step of an optimiser. The first in a process imports what takes a second, and 70 MB in every child."""
    module = torch.nn.Linear(2, 2)
    optimiser = torch.optim.Adam(module.parameters())
    module(torch.ones(1, 2)).sum().backward()
    optimiser.step()
