"""The two sentences of the lectures, as vectors of three numbers a token, and the weights that the lectures draw."""

import torch
from torch import Tensor

JOURNEY_TOKENS = ("Your", "journey", "starts", "with", "one", "step")
WARS_TOKENS = ("wars", "not", "make", "one", "great")

_SHARED = ((0.43, 0.15, 0.89), (0.55, 0.87, 0.66), (0.57, 0.85, 0.64), (0.22, 0.58, 0.33))


def journey() -> Tensor:
    """Return the tokens of "Your journey starts with one step", (6, 3)."""
    return torch.tensor([*_SHARED, (0.77, 0.25, 0.10), (0.05, 0.80, 0.55)])


def wars() -> Tensor:
    """Return the tokens of "wars not make one great", (5, 3)."""
    return torch.tensor([*_SHARED, (0.02, 0.81, 0.52)])


def lecture_weights() -> tuple[Tensor, Tensor, Tensor]:
    """Return W_query, W_key, W_value of shape (3, 2): torch.rand with seed 123, drawn in that order."""
    generator = torch.Generator().manual_seed(123)
    W_query, W_key, W_value = (torch.rand(3, 2, generator=generator) for _ in range(3))
    return W_query, W_key, W_value
