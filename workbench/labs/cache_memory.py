"""Measure what a cache holds: keys and values of all heads, some heads, or one, or a latent vector."""

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from workbench.labs.lab import Curves, Lab, Own, Show, brief, even_lengths

MHA, GQA, MQA, MLA = "MHA", "GQA", "MQA", "MLA"
HEADS, GROUPS, HEAD_DIM, LATENT = 16, 4, 64, 256
KEPT = {
    MHA: (HEADS, HEAD_DIM),
    GQA: (GROUPS, HEAD_DIM),
    MQA: (1, HEAD_DIM),
    MLA: (1, LATENT // 2),
}
"""For each way to cache: the number of cached heads, and the size of a key. Values have equal size.

MLA caches a latent vector in two halves: one in place of the key and one in place of the value.
"""
CHUNKS = 4


def numbers_per_token(heads: int, head_dim: int) -> int:
    """Return how many numbers a layer caches for each token: a key and a value of each cached head."""
    return 2 * heads * head_dim


def measure(own: Own, longest: int, show: Show) -> tuple[Curves, ...]:
    """Return the KiB that the student's cache holds at each length, for each way."""
    tokens = even_lengths(longest, 4)
    held: dict[str, list[float]] = {}
    for way, (heads, head_dim) in KEPT.items():
        show(f"filling a cache with {longest} tokens, {way} …")
        held[way] = [_filled_bytes(own, length, heads, head_dim) / 1024 for length in tokens]
    return (Curves("KiB in the cache of one layer", tokens, held),)


def _filled_bytes(own: Own, length: int, heads: int, head_dim: int) -> int:
    """Fill a new cache chunk by chunk, and return the bytes of the tensors in its attributes."""
    cache = own["part5_inference"].KVCache()
    for chunk in torch.ones(1, heads, length, head_dim).chunk(CHUNKS, dim=2):
        cache.append(chunk.clone(), chunk.clone())
    held = [one for one in tree_leaves(vars(cache)) if isinstance(one, Tensor)]
    storages = {one.untyped_storage().data_ptr(): one.untyped_storage() for one in held}
    return sum(storage.nbytes() for storage in storages.values())


def says(found: tuple[Curves, ...]) -> str:
    """Return a sentence that compares the other caches with the one for all heads."""
    (held,) = found
    full = held.lines[MHA][-1]
    smaller = {way: brief(full / held.lines[way][-1]) for way in (GQA, MLA, MQA)}
    return (
        f"At {held.tokens[-1]} tokens, {HEADS} heads of their own keys and values take {brief(full)} KiB. With {GROUPS} "
        f"groups (GQA) it is {smaller[GQA]} times less, with a latent vector of {LATENT} numbers (MLA) {smaller[MLA]}, "
        f"with one head for all (MQA) {smaller[MQA]}."
    )


LAB = Lab(steps=("part5_inference.KVCache",), longest=1024, measure=measure, says=says)
