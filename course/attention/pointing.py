"""Inputs with which every query finds one key, whose weight is 1 however scores are scaled: the other ideas of a step show in them alone."""

import torch
from torch import Tensor

from autograder.course.draw import Draw

FOUND = "every query finds one key"

THE_ONE, OTHERS, LATER = 40.0, -40.0, 60.0
"""Scores so far apart that no usual scale brings them together, and none too large for exp in float32."""


def pointing_scores(draw: Draw, *leading: int, tq: int, tk: int, causal: bool = False, later: float = LATER) -> Tensor:
    """Return scores of which one a row stands out, at a key that is drawn.

    causal: it is one that the query may see, and those of later keys are larger still, `later`. tq is tk then.
    """
    hidden = torch.ones(tq, tk, dtype=torch.bool).triu(diagonal=1) & causal
    lots = draw.uniform(*leading, tq, tk).masked_fill(hidden, 0.0)
    scores = (OTHERS + lots).scatter(-1, lots.argmax(dim=-1, keepdim=True), THE_ONE)
    return scores.masked_fill(hidden, later)


def pointing_queries(
    draw: Draw, *leading: int, tq: int, tk: int, d_k: int, causal: bool = False, later: float = LATER
) -> dict[str, Tensor]:
    """Return queries and keys that have such scores. d_k is tk or more: the keys stand at right angles to each other."""
    keys = torch.linalg.qr(draw.normal(*leading, d_k, d_k)).Q[..., :tk, :].contiguous()
    scores = pointing_scores(draw, *leading, tq=tq, tk=tk, causal=causal, later=later)
    return {"queries": scores @ keys, "keys": keys}


def causal_pointing_scores(draw: Draw, t: int, *leading: int) -> Tensor:
    """Return scores of t tokens of which one a row stands out that the query may see."""
    return pointing_scores(draw, *leading, tq=t, tk=t, causal=True)
