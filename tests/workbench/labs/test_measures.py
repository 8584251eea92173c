"""What each lab finds with the reference: exact where it counts; where it times, as many numbers as lengths."""

from types import ModuleType

import pytest
import torch

from workbench.labs import LABS, against_torch, cache_memory, cache_speed, largest_tensor

Own = dict[str, ModuleType]


def quiet(doing: str) -> None:
    """Tell nobody what is being measured."""


# Tokens with and without a cache


def test_with_and_without_a_cache_the_same_text_is_written(own: Own) -> None:
    kept, anew = (cache_speed.write(own["part5_inference"], 12, cached) for cached in (True, False))

    torch.testing.assert_close(kept.text, anew.text)
    assert kept.text.shape == (1, 13, cache_speed.HEADS * cache_speed.HEAD_DIM)


def test_the_text_goes_on_and_does_not_stand_still(own: Own) -> None:
    text = cache_speed.write(own["part5_inference"], 6, cached=True).text[0]

    assert torch.cdist(text[1:], text[1:]).fill_diagonal_(1).min() > 1e-3


def test_with_a_cache_each_token_takes_one_key(own: Own) -> None:
    assert cache_speed.write(own["part5_inference"], 5, cached=True).keys == (1, 2, 3, 4, 5)


def test_without_a_cache_each_token_takes_all_keys_again(own: Own) -> None:
    assert cache_speed.write(own["part5_inference"], 5, cached=False).keys == (1, 3, 6, 10, 15)


def test_tokens_per_second_and_milliseconds_are_two_sides_of_one_time(own: Own) -> None:
    token, speed, total, keys = cache_speed.measure(own, 16, quiet)

    for way, line in token.lines.items():
        assert [1000 / one for one in line] == pytest.approx(speed.lines[way], rel=0.02)
        assert list(total.lines[way]) == sorted(total.lines[way])
    assert keys.lines == {"with a cache": (2, 4, 6, 8, 10, 12, 14, 16), "without": (3, 10, 21, 36, 55, 78, 105, 136)}


# What a cache holds


def test_a_layer_keeps_a_key_and_a_value_of_each_head() -> None:
    assert cache_memory.numbers_per_token(heads=32, head_dim=128) == 8192


def test_caches_hold_what_can_be_computed_by_hand(own: Own) -> None:
    (held,) = cache_memory.measure(own, 64, quiet)

    assert held.tokens == (16, 32, 48, 64)
    assert {way: line[-1] for way, line in held.lines.items()} == {"MHA": 512, "GQA": 128, "MQA": 32, "MLA": 64}
    assert held.lines["MHA"] == (128, 256, 384, 512)


def test_a_cache_that_keeps_everything_twice_is_found_out(own: Own) -> None:
    class Twice(own["part5_inference"].KVCache):  # type: ignore[name-defined, misc]
        def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            kept: tuple[torch.Tensor, torch.Tensor] = super().append(keys, values)
            self.more = [one.clone() for one in kept]
            return kept

    part = ModuleType("part5_inference")
    part.KVCache = Twice  # type: ignore[attr-defined]

    (held,) = cache_memory.measure({"part5_inference": part}, 64, quiet)

    assert held.lines["MHA"][-1] == 2 * 512


# Against torch


def test_all_three_ways_give_the_same_context(own: Own) -> None:
    given = torch.randn(3, 1, 2, 200, 16, generator=torch.Generator().manual_seed(1))
    mine, tiled, torchs = (attend(*given) for attend in against_torch.ways_to_attend(own).values())

    torch.testing.assert_close(mine, torchs)
    torch.testing.assert_close(tiled, torchs)


def test_memory_all_at_once_is_three_tables_of_scores_and_torch_needs_a_context(own: Own) -> None:
    _, memory = against_torch.measure(own, 512, quiet)

    table = 4 * 512 * 512 * 4 / 2**20
    context = 4 * 512 * 64 * 4 / 2**20
    assert memory.lines["all at once"][-1] == 3 * table
    assert context <= memory.lines["torch"][-1] < 1.1 * context


def test_time_is_measured_at_each_length_for_each_way(own: Own) -> None:
    seconds, _ = against_torch.measure(own, 64, quiet)

    assert seconds.tokens == (4, 8, 16, 32, 64)
    assert {way: len(line) for way, line in seconds.lines.items()} == {"all at once": 5, "in tiles": 5, "torch": 5}
    assert all(one > 0 for line in seconds.lines.values() for one in line)


def test_measuring_time_leaves_threads_and_gradients_as_they_were(own: Own) -> None:
    before = torch.get_num_threads()

    against_torch.measure(own, 32, quiet)

    assert torch.get_num_threads() == before
    assert torch.is_grad_enabled()


# The largest tensor


def test_the_largest_tensor_is_all_scores_or_one_tile_of_them(own: Own) -> None:
    (largest,) = largest_tensor.measure(own, 256, quiet)

    assert largest.tokens == (8, 16, 32, 64, 128, 256)
    assert largest.lines["all at once"][-2:] == (128 * 128, 256 * 256)
    assert largest.lines["in tiles"][-2:] == (128 * 64, 256 * 64)


def test_that_one_tile_hides_the_difference_is_said_where_it_does(own: Own) -> None:
    hidden = "Up to 64 tokens one tile holds everything"

    assert hidden in largest_tensor.says(largest_tensor.measure(own, 64, quiet))
    assert hidden not in largest_tensor.says(largest_tensor.measure(own, 2048, quiet))


# All of them


@pytest.mark.parametrize("name", LABS)
def test_a_lab_says_what_it_is_doing(own: Own, name: str) -> None:
    told: list[str] = []

    LABS[name].measure(own, 64, told.append)

    assert told
    assert all(doing.endswith(" …") for doing in told)


@pytest.mark.parametrize("name", LABS)
def test_a_lab_says_what_it_has_found_at_its_longest(own: Own, name: str) -> None:
    said = LABS[name].says(LABS[name].measure(own, 64, quiet))

    assert " 64 tokens" in said
    assert said.endswith(".")


@pytest.mark.parametrize("name", LABS)
def test_each_line_has_a_number_at_each_length(own: Own, name: str) -> None:
    for curves in LABS[name].measure(own, 64, quiet):
        assert {len(line) for line in curves.lines.values()} == {len(curves.tokens)}
        assert curves.tokens[-1] == 64
