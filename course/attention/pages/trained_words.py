"""A sentence as one trained head reads it: the words of docs/lectures/trained_words.json, which workbench/words.py has trained."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.workspace import here

FILE = "docs/lectures/trained_words.json"


@dataclass(frozen=True)
class ReadSentence:
    """What a sentence becomes in the head. next: the probability of each word of the model after each word of the sentence."""

    tokens: list[str]
    inputs: Float[Tensor, "t 3"]
    queries: Float[Tensor, "t 2"]
    keys: Float[Tensor, "t 2"]
    values: Float[Tensor, "t 2"]
    weights: Float[Tensor, "t t"]
    contexts: Float[Tensor, "t 2"]
    next: Float[Tensor, "t v"]

    def likeliest(self) -> tuple[str, float]:
        """Return what is likeliest to come after the sentence, and how likely it is."""
        chance, word = self.next[-1].max(dim=0)
        return _kept()["words"][word], float(chance)


def trained_sentence(sentence: str) -> ReadSentence:
    """Return what a sentence becomes in the trained head, in which a word sees those before it."""
    kept = _kept()
    tokens = sentence.split()
    numbers = {name: torch.tensor(rows) for name, rows in kept.items() if name != "words"}
    inputs = numbers["embeddings"][[kept["words"].index(word) for word in tokens]]
    queries, keys, values = (inputs @ numbers[name] for name in ("W_query", "W_key", "W_value"))
    future = torch.ones(len(tokens), len(tokens), dtype=torch.bool).triu(1)
    scores = (queries @ keys.T / keys.shape[-1] ** 0.5).masked_fill(future, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    contexts = weights @ values
    chances = torch.softmax(contexts @ numbers["W_next"], dim=-1)
    return ReadSentence(tokens, inputs, queries, keys, values, weights, contexts, chances)


@cache
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads((here().root / FILE).read_text(encoding="utf-8"))
    return kept
