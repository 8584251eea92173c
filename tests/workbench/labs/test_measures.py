"""What each lab finds with the reference: exact where it counts; where it times, as many numbers as lengths."""

from types import ModuleType

import pytest
import torch

from workbench.labs import LABS, against_torch, cache_memory, cache_speed, largest_tensor

Own = dict[str, ModuleType]


def quiet(doing: str) -> None:
    """Tell nobody what is being measured."""


# Tokens with and without a cache


@pytest.mark.slow
def test_with_and_without_a_cache_the_same_text_is_written(own: Own) -> None:
    kept, anew = (cache_speed.write(own["part5_inference"], 12, cached)[0] for cached in (True, False))

    torch.testing.assert_close(kept, anew)
    assert kept.shape == (1, 13, cache_speed.HEADS * cache_speed.HEAD_DIM)


# What a cache holds


def test_caches_hold_what_can_be_computed_by_hand(own: Own) -> None:
    (held,) = cache_memory.measure(own, 64, quiet)

    assert held.tokens == (16, 32, 48, 64)
    assert {way: line[-1] for way, line in held.lines.items()} == {"MHA": 512, "GQA": 128, "MQA": 32, "MLA": 64}
    assert held.lines["MHA"] == [128, 256, 384, 512]


# Against torch


def test_all_three_ways_give_the_same_context(own: Own) -> None:
    given = torch.randn(3, 1, 2, 200, 16, generator=torch.Generator().manual_seed(1))
    mine, tiled, torchs = (attend(*given) for attend in against_torch.ways_to_attend(own).values())

    torch.testing.assert_close(mine, torchs)
    torch.testing.assert_close(tiled, torchs)


# The largest tensor


def test_the_largest_tensor_is_all_scores_or_one_tile_of_them(own: Own) -> None:
    (largest,) = largest_tensor.measure(own, 256, quiet)

    assert largest.tokens == (8, 16, 32, 64, 128, 256)
    assert largest.lines["all at once"][-2:] == [128 * 128, 256 * 256]
    assert largest.lines["in tiles"][-2:] == [128 * 64, 256 * 64]


# All of them


@pytest.mark.parametrize("name", LABS)
def test_a_lab_says_what_it_has_found_at_its_longest(own: Own, name: str) -> None:
    said = LABS[name].says(LABS[name].measure(own, 64, quiet))

    assert " 64 tokens" in said
    assert said.endswith(".")
