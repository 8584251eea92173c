"""What a model is trained on, and what is measured before and after."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

import torch
from jaxtyping import Float, Int
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
    batch: draws tokens to train on. shown: the characters whose maps are drawn. framed: the cells (query, key) in them that an
    induction head looks at. observe: looks at a model on a device.
    """

    name: str
    vocabulary: str
    context_length: int
    steps: int
    batch: Callable[[torch.Generator], Int[Tensor, "b t"]]
    shown: str
    framed: tuple[tuple[int, int], ...]
    observe: Callable[[Code, nn.Module, str], Observation]


def maps_of_all(code: Code, model: nn.Module, tokens: Int[Tensor, "b t"]) -> Float[Tensor, "layers b h t t"]:
    """Return the attention maps of some sentences, by the student's own `attention_maps`, which may compute them with gradients."""
    maps: Tensor = code[MODEL].attention_maps(model, tokens)
    return maps.detach().cpu()


def maps_of(code: Code, model: nn.Module, tokens: Int[Tensor, " t"], device: str) -> Array:
    """Return the attention maps of one sentence."""
    maps: Array = maps_of_all(code, model, tokens[None].to(device))[:, 0].numpy()
    return maps
