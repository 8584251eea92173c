"""Random inputs of cases, from a seed."""

import torch
from torch import Tensor


class Draw:
    """A generator of random inputs. The same seed gives the same inputs."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int) -> Tensor:
        """Return a tensor of standard normal values, which are too small to saturate a softmax."""
        return torch.randn(*shape, generator=self._generator)

    def uniform(self, *shape: int) -> Tensor:
        """Return a tensor of uniform values from 0.1 to 1.1: positive, and not normalised."""
        return torch.rand(*shape, generator=self._generator) + 0.1

    def integer(self, low: int, high: int) -> int:
        """Return a random integer of at least `low` and less than `high`."""
        return int(torch.randint(low, high, (), generator=self._generator))
