"""Measure the time to generate each token as a text grows, with a cache and without."""

import statistics
import time
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from workbench.labs.lab import Curves, Lab, Own, Show, brief, even_lengths, rounded

WITH, WITHOUT = "with a cache", "without"
LAYERS, HEADS, HEAD_DIM = 2, 2, 16
RUNS = 3
WINDOW = 8
"""The time at a length is the median over this number of tokens before it."""


def write(part: ModuleType, num_tokens: int, cached: bool) -> tuple[Tensor, list[float]]:
    """Generate tokens after a first one. Each is the layers' output for the last token.

    With a cache, the layers read only the last token. Without, they read all tokens into a new cache.
    Returns the vectors of all tokens (1 t d), and the seconds that each new token took.
    """
    generator, d = torch.Generator().manual_seed(123), HEADS * HEAD_DIM
    inward = torch.randn(LAYERS, d, 3 * d, generator=generator) / d**0.5
    outward = torch.randn(LAYERS, d, d, generator=generator) / d**0.5
    text = torch.randn(1, 1, d, generator=generator)
    caches: list[Any] = [part.KVCache() for _ in range(LAYERS)]
    seconds = []
    for _ in range(num_tokens):
        begun = time.perf_counter()
        if not cached:
            caches = [part.KVCache() for _ in range(LAYERS)]
        read = text[:, -1:] if cached else text
        for cache, into, back in zip(caches, inward, outward, strict=True):
            projected = (read @ into).unflatten(-1, (3, HEADS, HEAD_DIM)).permute(2, 0, 3, 1, 4)
            context = part.attend_with_cache(*projected, cache)
            read = layer_norm(read + context.movedim(1, 2).flatten(-2) @ back, read.shape[-1:])
        text = torch.cat([text, read[:, -1:]], dim=1)
        seconds.append(time.perf_counter() - begun)
    return text, seconds


def measure(own: Own, longest: int, show: Show) -> tuple[Curves, ...]:
    """Return the time per token, the speed, the total time and the computed keys, at each length."""
    part, tokens = own["part5_inference"], even_lengths(longest, 8)
    each: dict[str, list[float]] = {}
    total: dict[str, list[float]] = {}
    torch.set_num_threads(1)
    with torch.no_grad():
        write(part, WINDOW, cached=True)  # warms up
        for way in (WITH, WITHOUT):
            show(f"writing {longest} tokens {way}, {RUNS} times …")
            runs = [write(part, longest, cached=way == WITH)[1] for _ in range(RUNS)]
            windows = ([one for run in runs for one in run[max(0, length - WINDOW) : length]] for length in tokens)
            each[way] = [statistics.median(window) for window in windows]
            sums = ([sum(run[:length]) for run in runs] for length in tokens)
            total[way] = [rounded(statistics.median(several)) for several in sums]
    keys = {WITH: tokens, WITHOUT: [length * (length + 1) // 2 for length in tokens]}
    milliseconds = {way: [rounded(1000 * one) for one in line] for way, line in each.items()}
    speed = {way: [rounded(1 / one) for one in line] for way, line in each.items()}
    return (
        Curves("milliseconds for one token", tokens, milliseconds),
        Curves("tokens per second", tokens, speed),
        Curves("seconds for all tokens", tokens, total),
        Curves("keys that a layer computes", tokens, keys),
    )


def says(found: tuple[Curves, ...]) -> str:
    """Return a sentence on the growth of the time per token, and on the speed of each way at the end."""
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
