"""Bytes, on cases that can be computed by hand."""

import torch
from torch import Tensor

from workbench.labs.memory import peak_bytes

KILO = torch.ones(250)
"""A thousand bytes."""


def test_the_peak_lies_where_most_is_alive_and_not_at_the_end() -> None:
    def run(x: Tensor) -> Tensor:
        wide = x.repeat(4) + 1
        return wide[:1].clone()

    assert peak_bytes(run, KILO) == 8000


def test_what_was_given_does_not_count_nor_does_a_view_of_it() -> None:
    assert peak_bytes(lambda x: x.view(10, 25).transpose(0, 1), KILO) == 0


def test_a_view_keeps_all_of_its_tensor_alive() -> None:
    def run(x: Tensor) -> None:
        kept = (x + 1)[:1]
        other = x + 1
        del kept, other

    assert peak_bytes(run, KILO) == 2000
