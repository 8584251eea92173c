"""What a model is trained on, and what is measured before and after."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

import torch
from jaxtyping import Int
from torch import Tensor, nn

from autograder.course.answer import Array

ATTENTION, MODEL = "part4_multihead", "part6_training"
"""The parts whose code is trained."""

Code = Mapping[str, ModuleType]


@dataclass(frozen=True)
class Observation:
    """What a model does at one moment.

    maps: the weights of every head on the shown tokens, (layers, heads, t, t). scores: the induction score of every head,
    (layers, heads), or None; sample: what the model writes, or "". A task has one of the two.
    """

    maps: Array
    scores: Array | None = None
    sample: str = ""


@dataclass(frozen=True)
class Task:
    """One kind of training.

    name: of its files. vocabulary: each token as one character. context_length: of the model. steps: how many are enough.
    batch: draws tokens to train on. shown: the characters whose maps are drawn. observe: looks at a model.
    """

    name: str
    vocabulary: str
    context_length: int
    steps: int
    batch: Callable[[torch.Generator], Int[Tensor, "b t"]]
    shown: str
    observe: Callable[[Code, nn.Module], Observation]


def device_of(model: nn.Module) -> torch.device:
    """Return the device on which a model computes."""
    return next(model.parameters()).device


def maps_of(code: Code, model: nn.Module, tokens: Int[Tensor, " t"]) -> Array:
    """Return the attention maps of one sentence, by the student's own `attention_maps`."""
    maps: Array = code[MODEL].attention_maps(model, tokens[None].to(device_of(model)))[:, 0].detach().cpu().numpy()
    return maps
