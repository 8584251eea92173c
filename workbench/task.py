"""Types for a training: the task, and the behaviour of the model before and after."""

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

    maps: the weights of every head on the shown tokens, (layers, heads, t, t). A task has one of
    scores, the induction score of every head (layers, heads), and sample, a text by the model.
    """

    maps: Array
    scores: Array | None = None
    sample: str = ""


@dataclass(frozen=True)
class Task:
    """One kind of training.

    name: begins the names of its files. vocabulary: each token as one character. context_length: the
    model's. steps: the usual number. batch: draws tokens to train on. shown: the characters whose
    maps are drawn. observe: describes a model.
    """

    name: str
    vocabulary: str
    context_length: int
    steps: int
    batch: Callable[[torch.Generator], Int[Tensor, "b t"]]
    shown: str
    observe: Callable[[Code, nn.Module], Observation]


def encoded(text: str, vocabulary: str) -> Int[Tensor, " t"]:
    """Return the tokens of a text: the place of each character in the vocabulary."""
    place = {letter: number for number, letter in enumerate(vocabulary)}
    return torch.tensor([place[letter] for letter in text])


def device_of(model: nn.Module) -> torch.device:
    """Return the device on which a model computes."""
    return next(model.parameters()).device


def maps_of(code: Code, model: nn.Module, tokens: Int[Tensor, " t"]) -> Array:
    """Return the attention maps of one sentence, by the student's own `attention_maps`."""
    maps: Array = code[MODEL].attention_maps(model, tokens[None].to(device_of(model)))[:, 0].detach().cpu().numpy()
    return maps
