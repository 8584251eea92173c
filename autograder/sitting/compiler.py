"""torch's compiler, which the first optimiser step of a process loads, and the first look at every operation."""

import torch


def load_compiler() -> None:
    """Load it, by a step of an optimiser.

    That takes a second, and a child forked afterwards takes some milliseconds more; so it is done only where a part needs it.
    """
    module = torch.nn.Linear(2, 2)
    adam = torch.optim.Adam(module.parameters())
    module(torch.ones(1, 2)).sum().backward()
    adam.step()
