"""Tokens generated one by one, with a cache and without: what one costs as the text grows."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from workbench.labs.clock import measuring
from workbench.labs.lab import Curves, Lab, Own, Tell, brief, even_lengths, rounded

WITH, WITHOUT = "with a cache", "without"
LAYERS, HEADS, HEAD_DIM = 2, 2, 16
RUNS = 3
WINDOW = 8
"""Of how many tokens up to a length the median is taken."""


@dataclass(frozen=True)
class Written:
    """A text and what it took. text: 1 t d, the vectors of its tokens. For each new token: its seconds, and how many
    keys a layer had computed up to it.
    """

    text: Tensor
    seconds: tuple[float, ...]
    keys: tuple[int, ...]


@dataclass(frozen=True)
class _Layer:
    """The projections of one layer of attention: into queries, keys and values of all heads, and back."""

    inward: Tensor
    outward: Tensor

    def read(self, x: Tensor, attend: Any, cache: Any) -> Tensor:
        """Return what the tokens (1 t d) are after this layer. attend, cache: the student's."""
        projected = (x @ self.inward).unflatten(-1, (3, HEADS, HEAD_DIM))
        context = attend(*projected.permute(2, 0, 3, 1, 4), cache)
        return layer_norm(x + context.movedim(1, 2).flatten(-2) @ self.outward, x.shape[-1:])


def write(part: ModuleType, num_tokens: int, cached: bool) -> Written:
    """Write tokens one after the other behind a first one, each from what the layers make of the last.

    With a cache the layers read only the last token. Without one they read everything again, into a new cache.
    """
    layers, text = _small_model()
    caches = [part.KVCache() for _ in layers]
    seconds, keys = [], [0]
    for _ in range(num_tokens):
        begun = time.perf_counter()
        if not cached:
            caches = [part.KVCache() for _ in layers]
        read = text[:, -1:] if cached else text
        keys.append(keys[-1] + read.shape[1])
        for layer, cache in zip(layers, caches, strict=True):
            read = layer.read(read, part.attend_with_cache, cache)
        text = torch.cat([text, read[:, -1:]], dim=1)
        seconds.append(time.perf_counter() - begun)
    return Written(text, tuple(seconds), tuple(keys[1:]))


def _small_model() -> tuple[list[_Layer], Tensor]:
    """Return layers and the first token, the same at every call."""
    generator, d = torch.Generator().manual_seed(123), HEADS * HEAD_DIM
    layers = [
        _Layer(
            torch.randn(d, 3 * d, generator=generator) / d**0.5,
            torch.randn(d, d, generator=generator) / d**0.5,
        )
        for _ in range(LAYERS)
    ]
    return layers, torch.randn(1, 1, d, generator=generator)


def measure(own: Own, longest: int, tell: Tell) -> tuple[Curves, ...]:
    """Return milliseconds for a token, tokens per second, seconds in all, and keys computed, at each length."""
    part, tokens = own["part5_inference"], even_lengths(longest, 8)
    with measuring():
        write(part, WINDOW, cached=True)  # warms up
        runs: dict[str, list[Written]] = {}
        for way in (WITH, WITHOUT):
            tell(f"writing {longest} tokens {way}, {RUNS} times …")
            runs[way] = [write(part, longest, cached=way == WITH) for _ in range(RUNS)]
    return (
        _curves("milliseconds for one token", tokens, runs, lambda made, at: rounded(1000 * _seconds_at(made, at))),
        _curves("tokens per second", tokens, runs, lambda made, at: rounded(1 / _seconds_at(made, at))),
        _curves("seconds for all tokens", tokens, runs, lambda made, at: rounded(_seconds_up_to(made, at))),
        _curves("keys that a layer computes", tokens, runs, lambda made, at: made[0].keys[at - 1]),
    )


def _curves(
    quantity: str,
    tokens: tuple[int, ...],
    runs: dict[str, list[Written]],
    number: Callable[[list[Written], int], float],
) -> Curves:
    """Return one quantity. number: what it is for the runs of one way, at a length."""
    return Curves(quantity, tokens, {way: tuple(number(made, at) for at in tokens) for way, made in runs.items()})


def _seconds_at(runs: list[Written], length: int) -> float:
    """Return how long a token takes at a length: the median of the last few up to it, in all runs."""
    return statistics.median(one for run in runs for one in run.seconds[max(0, length - WINDOW) : length])


def _seconds_up_to(runs: list[Written], length: int) -> float:
    return statistics.median(sum(run.seconds[:length]) for run in runs)


def says(found: tuple[Curves, ...]) -> str:
    """Say how a token's time has grown, and how fast each way is in the end."""
    token, speed, _, _ = found
    first, last = token.tokens[0], token.tokens[-1]
    return (
        f"From {first} to {last} tokens, the time for one token became {brief(token.growth(WITHOUT))} times as long "
        f"without a cache, and {brief(token.growth(WITH))} times with it: {brief(speed.lines[WITHOUT][-1])} tokens per "
        f"second against {brief(speed.lines[WITH][-1])}."
    )


LAB = Lab(
    steps=("part5_inference.KVCache", "part5_inference.attend_with_cache"), longest=512, measure=measure, says=says
)
