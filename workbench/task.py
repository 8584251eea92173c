"""Types for a training: the task, and observations of the model before and after."""

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
    """The behaviour of a model at one moment.

    maps: the attention weights of each head on the shown tokens, (layers, heads, t, t). scores: the
    induction score of each head, (layers, heads), or None. sample: a text by the model, or empty.
    """

    maps: Array
    scores: Array | None = None
    sample: str = ""


@dataclass(frozen=True)
class Task:
    """One kind of training.

    name: begins the names of the task's files. vocabulary: a character for each token.
    context_length: the most tokens that the model reads. steps: the default number of steps. batch:
    draws tokens to train on. shown: the characters whose maps are drawn. observe: observes a model.
    """

    name: str
    vocabulary: str
    context_length: int
    steps: int
    batch: Callable[[torch.Generator], Int[Tensor, "b t"]]
    shown: str
    observe: Callable[[Code, nn.Module], Observation]


def encoded(text: str, vocabulary: str) -> Int[Tensor, " t"]:
    """Return the tokens of a text: the index of each character in the vocabulary."""
    place = {letter: number for number, letter in enumerate(vocabulary)}
    return torch.tensor([place[letter] for letter in text])


def device_of(model: nn.Module) -> torch.device:
    """Return the device on which a model computes."""
    return next(model.parameters()).device


def maps_of(code: Code, model: nn.Module, tokens: Int[Tensor, " t"]) -> Array:
    """Return the attention weights of all heads on a sequence, from the student's `attention_maps`."""
    maps: Array = code[MODEL].attention_maps(model, tokens[None].to(device_of(model)))[:, 0].detach().cpu().numpy()
    return maps
