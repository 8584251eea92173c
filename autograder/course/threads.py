"""On how many threads torch computes: one. Its threads wait for each other by spinning, so on a busy machine more take ten times as long."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread meanwhile. As a decorator: while the function runs."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
