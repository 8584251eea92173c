"""Seeded inputs for cases."""

import torch
from torch import Tensor


class Draw:
    """A source of random inputs: the same seed gives the same inputs."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int) -> Tensor:
        """Return standard normal numbers: scores made of them leave a softmax unsaturated."""
        return torch.randn(*shape, generator=self._generator)

    def uniform(self, *shape: int) -> Tensor:
        """Return numbers from 0.1 to 1.1: positive, and adding up to nothing in particular."""
        return torch.rand(*shape, generator=self._generator) + 0.1

    def integer(self, low: int, high: int) -> int:
        """Return an integer from `low` up to, not including, `high`."""
        return int(torch.randint(low, high, (), generator=self._generator))
