"""Compare the student's attention with torch's: time and peak memory."""

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.benchmark import Timer

from autograder.course.operations import OperationObserver, tensors_in
from workbench.labs.lab import Curves, Lab, Own, Show, brief, doubling_lengths, rounded

AT_ONCE, TILED, TORCH = "all at once", "in tiles", "torch"
HEADS, HEAD_DIM, BLOCK = 4, 64, 128
ENOUGH = 0.5
"""The minimum number of seconds for which a measurement is repeated."""

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def measure(own: Own, longest: int, show: Show) -> tuple[Curves, ...]:
    """Return the time and the peak memory of each way to attend, at each length."""
    tokens, ways = doubling_lengths(longest, 5), ways_to_attend(own)
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    peaks: dict[str, list[float]] = {way: [] for way in ways}
    with torch.no_grad():
        for length in tokens:
            given = tuple(torch.randn(3, 1, HEADS, length, HEAD_DIM, generator=torch.Generator().manual_seed(length)))
            for way, attend in ways.items():
                show(f"{length} tokens, {way} …")
                timer = Timer("attend(*given)", globals={"attend": attend, "given": given})  # on one thread
                seconds[way].append(timer.blocked_autorange(min_run_time=ENOUGH).median)
                with LiveBytes(given) as live:
                    attend(*given)
                peaks[way].append(live.peak)
    return (
        Curves("milliseconds", tokens, {way: [rounded(1000 * one) for one in seconds[way]] for way in ways}),
        Curves("MiB at the peak", tokens, {way: [rounded(one / 2**20) for one in peaks[way]] for way in ways}),
    )


class LiveBytes(OperationObserver):  # type: ignore[no-untyped-call]
    """Measures peak memory: the most bytes of tensors that exist at once, without the given tensors.

    Memory that an operation of torch allocates and frees before it returns is not counted.
    """

    def __init__(self, given: tuple[Tensor, ...]) -> None:
        super().__init__()
        self.peak = 0
        self._given = {tensor.untyped_storage().data_ptr() for tensor in given}
        self._made: dict[int, weakref.ref[torch.UntypedStorage]] = {}

    def see(self, operation: str, given: Any, made: Any) -> None:
        """Add the results of an operation, forget freed tensors, and update the peak."""
        storages = (tensor.untyped_storage() for tensor in tensors_in(made))
        self._made |= {one.data_ptr(): weakref.ref(one) for one in storages if one.data_ptr() not in self._given}
        alive = [there for kept in self._made.values() if (there := kept()) is not None]
        self.peak = max(self.peak, sum(storage.nbytes() for storage in alive))
        self._made = {storage.data_ptr(): weakref.ref(storage) for storage in alive}


def ways_to_attend(own: Own) -> dict[str, Attention]:
    """Return three functions that compute attention from queries, keys and values, by name."""
    return {
        AT_ONCE: own["part2_trainable"].scaled_dot_product_attention,
        TILED: lambda queries, keys, values: own["part5_inference"].flash_attention(
            queries, keys, values, block_size=BLOCK, causal=False
        ),
        TORCH: scaled_dot_product_attention,
    }


def says(found: tuple[Curves, ...]) -> str:
    """Compare the student's two functions with torch's at the longest length, in one sentence."""
    time, memory = ({way: row[-1] for way, row in curves.lines.items()} for curves in found)
    return (
        f"At {found[0].tokens[-1]} tokens, all at once takes {brief(time[AT_ONCE] / time[TORCH])} times torch's time and "
        f"{brief(memory[AT_ONCE] / memory[TORCH])} times its memory; in tiles {brief(time[TILED] / time[TORCH])} times "
        f"the time and {brief(memory[TILED] / memory[TORCH])} times the memory."
    )


LAB = Lab(
    steps=("part2_trainable.scaled_dot_product_attention", "part5_inference.flash_attention"),
    longest=2048,
    measure=measure,
    says=says,
)
