"""Time, measured so that it can be compared: on one thread, after a warm-up, and as the median of several runs."""

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

RUNS = 7
ENOUGH = 1.0
"""Seconds after which a slow run is not repeated."""


@contextlib.contextmanager
def measuring() -> Iterator[None]:
    """Compute on one thread, and without gradients."""
    torch.set_num_threads(1)
    with torch.no_grad():
        yield


def median_seconds(run: Callable[..., object], *given: Tensor) -> float:
    """Return how long `run(*given)` takes: the median of up to seven, the first of all not counted."""
    run(*given)
    taken: list[float] = []
    while not taken or (len(taken) < RUNS and sum(taken) < ENOUGH):
        begun = time.perf_counter()
        run(*given)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)
