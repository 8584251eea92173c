"""Measure the largest tensor that attention makes, with all scores at once or tile by tile."""

import torch

from autograder.course.operations import LargestTensor
from workbench.labs.lab import Curves, Lab, Own, Show, brief, doubling_lengths

AT_ONCE, TILED = "all at once", "in tiles"
HEAD_DIM = BLOCK = 64


def measure(own: Own, longest: int, show: Show) -> tuple[Curves, ...]:
    """Return the number of elements of the largest tensor at each length, at once and in tiles."""
    tokens = doubling_lengths(longest, 6)
    largest: dict[str, list[int]] = {AT_ONCE: [], TILED: []}
    for length in tokens:
        show(f"watching {length} tokens …")
        queries, keys, values = torch.ones(3, length, HEAD_DIM)
        with LargestTensor() as watch:
            own["part2_trainable"].scaled_dot_product_attention(queries, keys, values)
        largest[AT_ONCE].append(watch.elements)
        with LargestTensor() as watch:
            own["part5_inference"].flash_attention(queries, keys, values, block_size=BLOCK, causal=False)
        largest[TILED].append(watch.elements)
    return (Curves("numbers in the largest tensor", tokens, largest),)


def says(found: tuple[Curves, ...]) -> str:
    """Return a sentence on the growth of the largest tensor with the number of tokens, in both ways."""
    (largest,) = found
    first, last = largest.tokens[0], largest.tokens[-1]
    hidden = f" Up to {BLOCK} tokens one tile holds everything: only longer texts show the difference."
    return (
        f"From {first} to {last} tokens, {brief(last / first)} times as many, the largest tensor became "
        f"{brief(largest.growth(AT_ONCE))} times as large all at once, and {brief(largest.growth(TILED))} times in tiles."
        f"{hidden if first < BLOCK else ''}"
    )


LAB = Lab(
    steps=("part2_trainable.scaled_dot_product_attention", "part5_inference.flash_attention"),
    longest=2048,
    measure=measure,
    says=says,
)
