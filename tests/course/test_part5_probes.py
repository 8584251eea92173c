"""Part 5: the reference gives torch's own numbers, and the probes see what numbers do not show."""

import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from autograder.course.draw import Draw
from autograder.workspace import Workspace
from course.part5_inference.steps import (
    ALL_KEYS,
    ALL_SCORES,
    TokensKept,
    attend_in_chunks,
    attend_in_tiles,
    feed_caches,
    read_in_blocks,
    score_without_keys,
)

DRAW = Draw(5)


@pytest.fixture(scope="module")
def part5(course: Workspace) -> ModuleType:
    spec = importlib.util.spec_from_file_location("solutions_part5", course.solutions / "part5_inference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _same(one: Tensor, other: Tensor) -> None:
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


# The reference against torch


def test_one_pass_with_an_empty_cache_is_causal_attention(part5: ModuleType) -> None:
    queries, keys, values = (DRAW.normal(2, 3, 5, 4) for _ in range(3))
    _same(
        part5.attend_with_cache(queries, keys, values, TokensKept()),
        functional.scaled_dot_product_attention(queries, keys, values, is_causal=True),
    )


@pytest.mark.parametrize("chunks", [[1, 1, 1, 1, 1, 1], [2, 3, 1], [5, 1]], ids=str)
def test_tokens_in_chunks_give_what_one_pass_gives(part5: ModuleType, chunks: list[int]) -> None:
    queries, keys, values = (DRAW.normal(2, 3, 6, 4) for _ in range(3))
    fed = attend_in_chunks(part5.attend_with_cache, queries, keys, values, 0, torch.tensor(chunks))
    _same(fed.outputs["context"], functional.scaled_dot_product_attention(queries, keys, values, is_causal=True))


@pytest.mark.parametrize("kv", [1, 2, 3, 6])
def test_shared_heads_are_those_of_torch(part5: ModuleType, kv: int) -> None:
    queries, keys, values = DRAW.normal(2, 6, 4, 5), DRAW.normal(2, kv, 4, 5), DRAW.normal(2, kv, 4, 5)
    _same(
        part5.grouped_query_attention(queries, keys, values),
        functional.scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=True),
    )


def test_a_rotation_is_a_product_of_complex_numbers(part5: ModuleType) -> None:
    x, positions = DRAW.normal(2, 5, 6), torch.tensor([3, 0, 41, 7, 8])
    angles = positions[:, None] * 10_000.0 ** (-torch.arange(3) / 3)
    turned = torch.view_as_complex(x.view(2, 5, 3, 2)) * torch.polar(torch.ones_like(angles), angles)
    _same(part5.rotate(x, positions), torch.view_as_real(turned).flatten(-2))


def test_scores_of_rotated_vectors_depend_on_the_distance_alone(part5: ModuleType) -> None:
    query, key = DRAW.normal(1, 6).expand(3, 6), DRAW.normal(1, 6).expand(3, 6)
    asked, asking = torch.tensor([0, 5, 30]), torch.tensor([4, 9, 34])
    scores = (part5.rotate(query, asking) * part5.rotate(key, asked)).sum(dim=-1)
    _same(scores, scores[:1].expand(3))


def test_absorbed_scores_are_those_with_the_keys(part5: ModuleType) -> None:
    queries, latent, W_up_key = DRAW.normal(2, 3, 4, 5), DRAW.normal(2, 4, 6), DRAW.normal(6, 15)
    _same(part5.absorbed_scores(queries, latent, W_up_key), _with_keys(queries, latent, W_up_key))


def test_maximum_and_sum_make_torch_s_softmax(part5: ModuleType) -> None:
    scores = 3 * DRAW.normal(2, 4, 11)
    maximum, total = part5.online_softmax_stats(scores, 4)
    _same((scores - maximum[..., None]).exp() / total[..., None], torch.softmax(scores, dim=-1))


@pytest.mark.parametrize("block_size", [1, 3, 7, 20])
@pytest.mark.parametrize("causal", [False, True], ids=["everything seen", "causal"])
def test_tiles_give_what_torch_gives(part5: ModuleType, block_size: int, causal: bool) -> None:
    queries, keys, values = DRAW.normal(2, 3, 7, 4), DRAW.normal(2, 3, 7, 4), DRAW.normal(2, 3, 7, 5)
    _same(
        part5.flash_attention(queries, keys, values, block_size, causal),
        functional.scaled_dot_product_attention(queries, keys, values, is_causal=causal),
    )


# Caches


def _cache_that(joins: Callable[[list[Tensor]], Tensor]) -> type:
    class Cache:
        def __init__(self) -> None:
            self.kept: list[tuple[Tensor, Tensor]] = []

        def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
            self.kept.append((keys, values))
            return joins([keys for keys, _ in self.kept]), joins([values for _, values in self.kept])

        def __len__(self) -> int:
            return sum(keys.shape[2] for keys, _ in self.kept)

    return Cache


def _join(chunks: list[Tensor]) -> Tensor:
    return torch.cat(chunks, dim=2)


def _feed(cache: Callable[[], Any], keys: Tensor) -> dict[str, Any]:
    return dict(feed_caches(cache, keys, -keys, torch.tensor([1, 3, 2])).outputs)


def test_a_cache_is_fed_in_chunks_and_asked_for_its_length_each_time() -> None:
    keys = DRAW.normal(2, 3, 6, 5)
    outputs = _feed(_cache_that(_join), keys)
    assert outputs["len(cache) along the way"] == "0, 1, 4, 6"
    assert torch.equal(outputs["all values"], -keys)


def test_two_caches_are_fed_in_turns_one_of_them_in_another_order() -> None:
    keys = DRAW.normal(2, 3, 6, 5)
    outputs = _feed(_cache_that(_join), keys)
    assert outputs["len of two caches that are fed in turns"] == "1, 4, 6 and 2, 5, 6"
    assert torch.equal(outputs["all keys of the first of two caches that are fed in turns"], keys)
    assert torch.equal(outputs["all keys of the second, fed in another order"], keys[:, :, [4, 5, 1, 2, 3, 0]])


def test_caches_that_share_what_they_keep_are_right_alone_and_wrong_in_turns() -> None:
    class Shared(_cache_that(_join)):  # type: ignore[misc]
        kept: list[Any] = []  # noqa: RUF012  # the mistake itself

        def __init__(self) -> None:
            pass

    for keys in DRAW.normal(2, 3, 6, 5), DRAW.normal(1, 2, 6, 4):
        outputs = _feed(Shared, keys)
        assert torch.equal(outputs["all keys"], keys)
        assert outputs["len(cache) along the way"] == "0, 1, 4, 6"
        assert outputs["len of two caches that are fed in turns"] == "7, 12, 17 and 9, 15, 18"


def test_a_length_that_cannot_be_asked_for_is_told_and_spoils_nothing_else() -> None:
    class NoneAtFirst(_cache_that(_join)):  # type: ignore[misc]
        def __len__(self) -> int:
            return int(torch.cat([keys for keys, _ in self.kept], dim=2).shape[2])

    keys = DRAW.normal(2, 3, 6, 5)
    outputs = _feed(NoneAtFirst, keys)
    assert str(outputs["len(cache) along the way"]).endswith("expected a non-empty list of Tensors, 1, 4, 6")
    assert torch.equal(outputs["all keys"], keys)


def test_a_cache_without_what_the_contract_names_is_told_so() -> None:
    with pytest.raises(AttributeError, match="a cache has `append` and `len`"):
        _ = TokensKept().keys


def test_the_past_that_the_probe_appends_itself_is_attended_to(part5: ModuleType) -> None:
    queries, keys, values = (DRAW.normal(2, 3, 6, 4) for _ in range(3))
    whole = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    fed = attend_in_chunks(part5.attend_with_cache, queries, keys, values, 2, torch.tensor([3, 1]))
    _same(fed.outputs["context"], whole[:, :, 2:])
    assert fed.outputs["len(cache) along the way"] == "2, 5, 6"


def test_tokens_that_are_never_appended_are_missed() -> None:
    tokens = DRAW.normal(2, 3, 4, 5)
    fed = attend_in_chunks(lambda queries, *_: queries, tokens, tokens, tokens, 0, torch.tensor([3, 1]))
    assert fed.outputs["len(cache) along the way"] == "0, 0, 0"
    assert fed.outputs["keys in the cache"] is None


def test_what_is_written_into_the_cache_is_seen() -> None:
    def overwrite(queries: Tensor, keys: Tensor, values: Tensor, cache: TokensKept) -> Tensor:
        cache.append(keys, values)[0].zero_()
        return queries

    tokens = DRAW.normal(2, 3, 4, 5)
    fed = attend_in_chunks(overwrite, tokens, tokens, tokens, 0, torch.tensor([3, 1]))
    assert not fed.outputs["keys in the cache"].any()


# Keys that are never built


def _with_keys(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
    keys: Tensor = (latent @ W_up_key).unflatten(-1, (queries.shape[1], -1)).transpose(1, 2)
    return queries @ keys.transpose(2, 3)


def _with_keys_of_one_head_at_a_time(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
    parts = W_up_key.chunk(queries.shape[1], dim=-1)
    return torch.stack([query @ (latent @ part).mT for query, part in zip(queries.unbind(1), parts, strict=True)], 1)


def _with_turned_keys_of_one_token_at_a_time(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
    scores = [
        (queries.mT * (W_up_key.T @ token).view(len(token), *queries.shape[1::2])[..., None]).sum(dim=2)
        for token in latent.unsqueeze(-1).unbind(1)
    ]
    return torch.stack(scores, dim=-1)


def _by_einsum(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
    by_head = W_up_key.unflatten(-1, (queries.shape[1], -1))
    return torch.einsum("bhqr,bkr->bhqk", torch.einsum("bhqd,rhd->bhqr", queries, by_head), latent)


def _head_by_head(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
    parts = W_up_key.chunk(queries.shape[1], dim=-1)
    return torch.stack([query @ part.T @ latent.mT for query, part in zip(queries.unbind(1), parts, strict=True)], 1)


def _built(function: Callable[..., Tensor]) -> object:
    queries, latent, W_up_key = DRAW.normal(2, 3, 4, 5), DRAW.normal(2, 4, 6), DRAW.normal(6, 15)
    observed = score_without_keys(function, queries, latent, W_up_key).outputs
    _same(observed["scores"], _with_keys(queries, latent, W_up_key))
    return observed["the keys were built"]


@pytest.mark.parametrize(
    "function",
    [_with_keys, _with_keys_of_one_head_at_a_time, _with_turned_keys_of_one_token_at_a_time],
    ids=["all", "head by head", "token by token"],
)
def test_keys_are_seen_when_they_are_built(function: Callable[..., Tensor]) -> None:
    assert _built(function) is True


@pytest.mark.parametrize("function", [_by_einsum, _head_by_head], ids=["einsum", "head by head"])
def test_no_keys_are_seen_where_none_are_built(function: Callable[..., Tensor]) -> None:
    assert _built(function) is False


# Blocks


def _stats(scores: Tensor, block_size: int) -> tuple[Tensor, Tensor]:
    return _stats_of(scores.split(block_size, dim=-1))


def _stats_with_a_padded_tail(scores: Tensor, block_size: int) -> tuple[Tensor, Tensor]:
    padded = functional.pad(scores, (0, -scores.shape[-1] % block_size), value=float("-inf"))
    return _stats_of(padded.unflatten(-1, (-1, block_size)).unbind(-2))


def _stats_of(blocks: Any) -> tuple[Tensor, Tensor]:
    maximum, total = blocks[0].amax(dim=-1), torch.zeros(())
    for block in blocks:
        higher = torch.cat([maximum[..., None], block], dim=-1).amax(dim=-1)
        total = total * (maximum - higher).exp() + (block - higher[..., None]).exp().sum(dim=-1)
        maximum = higher
    return maximum, total


def _stats_of_blocks_joined(scores: Tensor, block_size: int) -> tuple[Tensor, Tensor]:
    stats = [_stats_of([block]) for block in scores.split(block_size, dim=-1)]
    maxima, totals = (torch.stack(found, dim=-1) for found in zip(*stats, strict=True))
    maximum = maxima.amax(dim=-1)
    return maximum, (totals * (maxima - maximum[..., None]).exp()).sum(dim=-1)


def _stats_in_two_passes(scores: Tensor, block_size: int) -> tuple[Tensor, Tensor]:
    maximum = scores.amax(dim=-1)
    blocks = scores.split(block_size, dim=-1)
    return maximum, torch.stack([(block - maximum[..., None]).exp().sum(dim=-1) for block in blocks]).sum(dim=0)


def _stats_of_all_at_once(scores: Tensor, block_size: int) -> tuple[Tensor, Tensor]:
    maximum = torch.stack([block.amax(dim=-1) for block in scores.split(block_size, dim=-1)]).amax(dim=0)
    return maximum, (scores - maximum[..., None]).exp().sum(dim=-1)


@pytest.mark.parametrize(
    ("function", "seen"),
    [
        (_stats, False),
        (_stats_with_a_padded_tail, False),
        (_stats_of_blocks_joined, False),
        (_stats_in_two_passes, True),
        (_stats_of_all_at_once, True),
    ],
    ids=["blocks", "padded tail", "joined in the end", "maximum first", "exponentials together"],
)
@pytest.mark.parametrize("shape", [(11,), (2, 3, 11)], ids=["one row", "rows"])
def test_reading_more_than_a_block_at_once_is_seen(
    shape: tuple[int, ...], function: Callable[..., Any], seen: bool
) -> None:
    observed = read_in_blocks(function, DRAW.normal(*shape), 3).outputs
    assert observed["more than a block was read at once"] is seen


# Tiles


def _in_tiles(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
    """Attend in tiles of keys and of queries, with products of a tile before they are added up, and keys scaled at once."""
    keys = keys / queries.shape[-1] ** 0.5
    contexts = []
    for first in range(0, len(queries), block_size):
        tile = queries[first : first + block_size]
        context, total = torch.zeros(()), torch.zeros(())
        for start in range(0, len(keys), block_size):
            scores = (tile[:, None] * keys[start : start + block_size]).sum(dim=-1)
            if causal:
                places = torch.arange(start, start + scores.shape[1])
                scores = scores.masked_fill(places > torch.arange(first, first + len(tile))[:, None], float("-inf"))
            weights = scores.exp()
            context = context + weights @ values[start : start + block_size]
            total = total + weights.sum(dim=-1, keepdim=True)
        contexts.append(context / total)
    return torch.cat(contexts)


def _all_at_once(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
    scores = queries @ keys.T / queries.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), float("-inf"))
    return torch.softmax(scores, dim=-1) @ values


def _with_a_whole_mask(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
    torch.ones(len(queries), len(keys), dtype=torch.bool).triu(1)
    return _in_tiles(queries, keys, values, block_size, causal)


def _query_by_query(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
    return torch.stack([torch.softmax(keys @ query / len(query) ** 0.5, dim=0) @ values for query in queries])


def _tiles(function: Callable[..., Tensor], tq: int, causal: bool, block_size: int = 3) -> dict[str, Any]:
    queries, keys, values = DRAW.normal(tq, 4), DRAW.normal(19, 4), DRAW.normal(19, 5)
    observed = dict(attend_in_tiles(function, queries, keys, values, block_size, causal).outputs)
    _same(observed.pop("context"), functional.scaled_dot_product_attention(queries, keys, values, is_causal=causal))
    return observed


@pytest.mark.parametrize(
    ("function", "seen"),
    [
        (_in_tiles, {ALL_SCORES: False, ALL_KEYS: False}),
        (_all_at_once, {ALL_SCORES: True, ALL_KEYS: True}),
        (_with_a_whole_mask, {ALL_SCORES: True, ALL_KEYS: False}),
        (_query_by_query, {ALL_SCORES: False, ALL_KEYS: True}),
    ],
    ids=["tiles", "all at once", "a whole mask", "query by query"],
)
def test_what_tiling_avoids_is_seen(function: Callable[..., Tensor], seen: dict[str, bool]) -> None:
    assert _tiles(function, 16, causal=False) == seen


@pytest.mark.parametrize(
    ("function", "seen"),
    [(_in_tiles, False), (_all_at_once, True), (_with_a_whole_mask, True)],
    ids=["tiles", "all at once", "a whole mask"],
)
def test_where_the_future_is_hidden_a_whole_mask_is_seen_too(function: Callable[..., Tensor], seen: bool) -> None:
    assert _tiles(function, 19, causal=True) == {ALL_SCORES: seen}


def test_a_tile_for_all_keys_may_meet_all_keys() -> None:
    assert _tiles(_all_at_once, 16, causal=False, block_size=19) == {}
