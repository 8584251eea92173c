"""Known mistakes of part 5."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.course.model import Mistakes

Pair = tuple[Tensor, Tensor]
HIDDEN = float("-inf")


def ones(*shape: int) -> Tensor:
    """Return a mask that hides everything."""
    return torch.ones(*shape, dtype=torch.bool)


def hidden_from(scores: Tensor) -> Tensor:
    """The causal mask that fits the scores: the queries are the last of the tokens."""
    new, everything = scores.shape[-2:]
    return ones(new, everything).triu(diagonal=everything - new + 1)


def scored(queries: Tensor, keys: Tensor) -> Tensor:
    """Return scaled scores."""
    return queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5


def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """What the mistakes below have in common where they are right: causal attention, for any number of queries."""
    scores = scored(queries, keys)
    return torch.softmax(scores.masked_fill(hidden_from(scores), HIDDEN), dim=-1) @ values


def attend_scaled(grouped: tuple[Tensor, Tensor, Tensor], factor: float) -> Tensor:
    """Attend with queries of another length, as wrong scaling makes them."""
    queries, keys, values = grouped
    return attend(queries * factor, keys, values)


def attend_to_everything(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention without a mask."""
    return torch.softmax(scored(queries, keys), dim=-1) @ values


def attend_hiding(hidden: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention with another mask."""
    return torch.softmax(scored(queries, keys).masked_fill(hidden, HIDDEN), dim=-1) @ values


def attend_masked_too_late(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention that hides weights, not scores."""
    weights = torch.softmax(scored(queries, keys), dim=-1)
    return weights.masked_fill(hidden_from(weights), 0.0) @ values


def attend_renormalized(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The same, with rows that add up to 1 again."""
    weights = torch.softmax(scored(queries, keys), dim=-1)
    visible = weights.masked_fill(hidden_from(weights), 0.0)
    return visible / visible.sum(dim=-1, keepdim=True) @ values


def attend_over_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention whose softmax runs over the queries."""
    scores = scored(queries, keys)
    return torch.softmax(scores.masked_fill(hidden_from(scores), HIDDEN), dim=-2) @ values


def attend_with_plain_exp(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention whose softmax overflows."""
    scores = scored(queries, keys)
    exponentials = scores.masked_fill(hidden_from(scores), HIDDEN).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ values


class causal_mask_with_past(Mistakes):
    def mask_without_past(num_new: int, num_past: int) -> Tensor:
        """The mask is misaligned: you begin in the upper left corner, as if there were no past. New
        token i is at position num_past + i, so the hidden part begins num_past columns further
        right."""
        return ones(num_new, num_past + num_new).triu(diagonal=1)

    def new_token_hidden_from_itself(num_new: int, num_past: int) -> Tensor:
        """You hide each new token from itself: column num_past + i. Begin one column later."""
        return ones(num_new, num_past + num_new).triu(diagonal=num_past)

    def mask_with_past_inverted(num_new: int, num_past: int) -> Tensor:
        """Your mask is the wrong way round. True hides: the past is seen, the future is not."""
        return ones(num_new, num_past + num_new).tril(diagonal=num_past)

    def past_left_out(num_new: int, num_past: int) -> Tensor:
        """There are no columns for the past. Its num_past columns come before the new ones."""
        return ones(num_new, num_new).triu(diagonal=1)

    def past_on_the_right(num_new: int, num_past: int) -> Tensor:
        """The past is on the right. It came first: its columns belong on the left."""
        return torch.cat([ones(num_new, num_new).triu(diagonal=1), ~ones(num_new, num_past)], dim=1)

    def past_hidden(num_new: int, num_past: int) -> Tensor:
        """You hide the past. A new token sees all of it: False in all those columns."""
        return torch.cat([ones(num_new, num_past), ones(num_new, num_new).triu(diagonal=1)], dim=1)

    def rows_of_the_past_too(num_new: int, num_past: int) -> Tensor:
        """These are the rows of all tokens. Only the new ones ask: keep the last num_new rows."""
        return ones(num_past + num_new, num_past + num_new).triu(diagonal=1)

    def numbers_for_booleans(num_new: int, num_past: int) -> Tensor:
        """This mask holds numbers. Make it of booleans: `dtype=torch.bool`."""
        return torch.ones(num_new, num_past + num_new).triu(diagonal=num_past + 1)


class _Cache:
    """What the mistakes below have in common, as far as they are right."""

    dim = 2

    def __init__(self) -> None:
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def append(self, keys: Tensor, values: Tensor) -> Any:
        if self.keys is not None and self.values is not None:
            keys, values = self.joined(self.keys, keys), self.joined(self.values, values)
        self.keys, self.values = keys, values
        return keys, values

    def joined(self, old: Tensor, new: Tensor) -> Tensor:
        return torch.cat([old, new], dim=self.dim)

    def __len__(self) -> int:
        return 0 if self.keys is None else self.keys.shape[2]


class _OtherValues(_Cache):
    """Joins the keys as it should, and the values along another dimension."""

    along: int

    def append(self, keys: Tensor, values: Tensor) -> Any:
        if self.keys is not None and self.values is not None:
            keys, values = self.joined(self.keys, keys), torch.cat([self.values, values], dim=self.along)
        self.keys, self.values = keys, values
        return keys, values


class KVCache(Mistakes):
    class SharedByAllCaches(_Cache):
        """All caches share what they keep: what is made in the class, outside of it, or as the
        default of an argument exists only once. Make it in `__init__`: `self.keys = ...`."""

        chunks: list[Pair] = []  # noqa: RUF012  # the mistake itself

        def append(self, keys: Tensor, values: Tensor) -> Pair:
            self.chunks.append((keys, values))
            all_keys, all_values = zip(*self.chunks, strict=True)
            return torch.cat(all_keys, dim=2), torch.cat(all_values, dim=2)

        def __len__(self) -> int:
            return sum(keys.shape[2] for keys, _ in self.chunks)

    class OnlyTheNewest(_Cache):
        """You keep only the newest tokens: `append` must join them with the earlier ones."""

        def joined(self, old: Tensor, new: Tensor) -> Tensor:
            return new

    class NewTokensReturned(_Cache):
        """`append` returns only the new tokens. It must return those of all, the new ones last."""

        def append(self, keys: Tensor, values: Tensor) -> Pair:
            super().append(keys, values)
            return keys, values

    class NewBeforeOld(_Cache):
        """The new tokens come first, in the wrong order: `torch.cat([old, new], dim=2)`."""

        def joined(self, old: Tensor, new: Tensor) -> Tensor:
            return torch.cat([new, old], dim=2)

    class JoinedAlongHeads(_Cache):
        """You join along the heads. Tokens are dimension 2 of (b, h, t, hd)."""

        dim = 1

    class JoinedAlongTheBatch(_Cache):
        """You join along the batch, as `torch.cat` does without `dim`. Tokens are dimension 2."""

        dim = 0

    class JoinedAlongTheNumbers(_Cache):
        """You join along the numbers of a head. Tokens are dimension 2 of (b, h, t, hd)."""

        dim = -1

    class ValuesJoinedAlongTheBatch(_OtherValues):
        """You join the values along the batch. Tokens are dimension 2, as in your keys."""

        along = 0

    class ValuesJoinedAlongTheNumbers(_OtherValues):
        """You join the values along their numbers. Tokens are dimension 2, as in your keys."""

        along = -1

    class KeysForValues(_Cache):
        """Your values are the keys: the second of the pair must hold the values."""

        def append(self, keys: Tensor, values: Tensor) -> Any:
            return super().append(keys, keys)

    class ValuesFirst(_Cache):
        """Keys and values are swapped: return the keys first."""

        def append(self, keys: Tensor, values: Tensor) -> Any:
            return super().append(values, keys)

    class AppendsCounted(_Cache):
        """`len` counts how often something was appended. Count tokens: there may be several."""

        def __init__(self) -> None:
            super().__init__()
            self.appends = 0

        def append(self, keys: Tensor, values: Tensor) -> Any:
            self.appends += 1
            return super().append(keys, values)

        def __len__(self) -> int:
            return self.appends

    class SentencesCounted(_Cache):
        """`len` counts sentences, as `len` of a tensor does. Tokens are dimension 2, `shape[2]`."""

        def __len__(self) -> int:
            return 0 if self.keys is None else len(self.keys)

    class HeadsCounted(_Cache):
        """`len` counts heads, dimension 1. Tokens are dimension 2 of (b, h, t, hd)."""

        def __len__(self) -> int:
            return 0 if self.keys is None else self.keys.shape[1]

    class Detached(_Cache):
        """No gradient reaches the earlier tokens: what you keep is cut off. Keep the tensors as
        they come, without `.detach()`, `.data` or `no_grad`."""

        def joined(self, old: Tensor, new: Tensor) -> Tensor:
            return torch.cat([old.detach(), new], dim=2)

    class NoShapeAtFirst(_Cache):
        """`len` comes before the first `append`, without a tensor's `shape`: it is 0 then."""

        def __len__(self) -> int:
            return self.keys.shape[2]  # type: ignore[union-attr]  # the mistake itself

    class NoSizeAtFirst(_Cache):
        """`len` comes before the first `append`, without a tensor's `size`: it is 0 then."""

        def __len__(self) -> int:
            return self.keys.size(2)  # type: ignore[union-attr]  # the mistake itself

    class NothingReturned(_Cache):
        """`append` returns nothing. Return all keys and all values."""

        def append(self, keys: Tensor, values: Tensor) -> None:
            super().append(keys, values)


class attend_with_cache(Mistakes):
    def mask_misaligned(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """The mask is misaligned: it begins in the upper left corner, so new tokens cannot see all
        of the past. Shift it by the number of tokens that were in the cache."""
        all_keys, all_values = cache.append(keys, values)
        hidden = ones(queries.shape[2], len(cache)).triu(diagonal=1)
        return attend_hiding(hidden, queries, all_keys, all_values)

    def mask_for_new_tokens_missing(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """Of several new tokens, each sees those that come after it too: the mask is missing, or
        begins too late, as where `len(cache)` is asked after `append`."""
        return attend_to_everything(queries, *cache.append(keys, values))

    def past_not_used(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """The new tokens attend to each other only. Use what `cache.append` returns."""
        cache.append(keys, values)
        return attend(queries, keys, values)

    def cache_never_used(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """The cache stays empty: append keys and values, and attend to all that come back."""
        return attend(queries, keys, values)

    def appended_twice(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """You append twice, so every new token is there twice. Keep what one append returns."""
        all_keys, _ = cache.append(keys, values)
        return attend(queries, all_keys, cache.append(keys, values)[1][:, :, : all_keys.shape[2]])

    def length_asked_too_late(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """The mask does not fit the scores: the new tokens count as past too, as when the length of
        the cache is asked for after appending. Ask before."""
        all_keys, all_values = cache.append(keys, values)
        t = queries.shape[2]
        return attend_hiding(ones(t, len(cache) + t).triu(diagonal=len(cache) + 1), queries, all_keys, all_values)

    def masked_without_past_only(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """Once there is a past, nothing is masked: of several new tokens, each sees those that come
        after it too. A mask is needed with a past as well."""
        masked = attend_to_everything if len(cache) else attend
        return masked(queries, *cache.append(keys, values))

    def cached_scores_unscaled(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """The scores are not scaled: divide them by the root of hd before the softmax."""
        return attend(queries * queries.shape[-1] ** 0.5, *cache.append(keys, values))

    def cached_scores_scaled_by_hd(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """You scale by hd: scale by its square root."""
        return attend(queries / queries.shape[-1] ** 0.5, *cache.append(keys, values))

    def cached_scores_scaled_by_root_of_all(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """You scale by the root of h · hd, of all heads. A key has hd numbers: use its root."""
        return attend(queries * queries.shape[1] ** -0.5, *cache.append(keys, values))

    def cached_softmax_over_queries(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """Your softmax runs over the new tokens. Each row must add up to 1: `dim=-1`, the keys."""
        return attend_over_queries(queries, *cache.append(keys, values))

    def cached_masked_after_softmax(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """Future tokens take their share in the softmax before they are hidden, so the rows no
        longer add up to 1. Mask the scores first, with −∞."""
        return attend_masked_too_late(queries, *cache.append(keys, values))

    def cached_masked_and_renormalized(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """Right for moderate scores, but beside a much larger future score the visible weights
        underflow to 0, and 0 / 0 is nan. Mask the scores before the softmax."""
        return attend_renormalized(queries, *cache.append(keys, values))

    def cached_overflow(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        return attend_with_plain_exp(queries, *cache.append(keys, values))

    def keys_and_values_exchanged(queries: Tensor, keys: Tensor, values: Tensor, cache: Any) -> Tensor:
        """Keys and values are swapped: `append` takes and returns the keys first."""
        return attend(queries, *cache.append(values, keys))


class repeat_kv(Mistakes):
    def repeated_as_a_whole(x: Tensor, groups: int) -> Tensor:
        """Your heads are in the order 0 1 0 1: whole copies come one after the other, as by
        `repeat`. Head i of the result is head i // groups: 0 0 1 1. Repeat each head in place,
        before the next one."""
        return x.repeat(1, groups, 1, 1)

    def tokens_repeated(x: Tensor, groups: int) -> Tensor:
        """You repeat the tokens. The heads are dimension 1 of (b, kv, t, hd)."""
        return x.repeat_interleave(groups, dim=2)

    def sentences_repeated(x: Tensor, groups: int) -> Tensor:
        """You repeat the sentences, dimension 0. The heads are dimension 1."""
        return x.repeat_interleave(groups, dim=0)

    def batch_repeated(x: Tensor, groups: int) -> Tensor:
        """You copy the whole batch. The heads are dimension 1, and each is repeated in place."""
        return x.repeat(groups, 1, 1, 1)

    def numbers_repeated(x: Tensor, groups: int) -> Tensor:
        """You repeat the numbers of each head. The heads are dimension 1 of (b, kv, t, hd)."""
        return x.repeat_interleave(groups, dim=-1)

    def flattened(x: Tensor, groups: int) -> Tensor:
        """All numbers are in one long row: no dimension is named. The heads are dimension 1."""
        return x.repeat_interleave(groups)

    def copies_in_their_own_dimension(x: Tensor, groups: int) -> Tensor:
        """The copies are in their own dimension. Join it with the heads: `flatten(1, 2)`."""
        return x[:, :, None].expand(-1, -1, groups, -1, -1)

    def repeated_and_cut_anew(x: Tensor, groups: int) -> Tensor:
        """Right shape, scrambled numbers: they are repeated along another dimension, and then
        regrouped in memory order. Repeat the heads themselves, dimension 1."""
        b, kv, t, hd = x.shape
        return x.repeat(1, 1, 1, groups).view(b, kv * groups, t, hd)

    def numbers_repeated_and_cut_anew(x: Tensor, groups: int) -> Tensor:
        """Right shape, scrambled numbers: without `dim` each number of one long row is repeated.
        The heads are dimension 1: `dim=1`."""
        b, kv, t, hd = x.shape
        return x.repeat_interleave(groups).view(b, kv * groups, t, hd)

    def not_repeated(x: Tensor, groups: int) -> Tensor:
        """The heads have not been repeated. Each must be there `groups` times in a row."""
        return x.clone()


def groups_of(queries: Tensor, keys: Tensor) -> int:
    """How many query heads share one head of keys."""
    return queries.shape[1] // keys.shape[1]


def shared(queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of as many heads, shared as they should be."""
    groups = groups_of(queries, keys)
    return queries, keys.repeat_interleave(groups, dim=1), values.repeat_interleave(groups, dim=1)


class grouped_query_attention(Mistakes):
    def heads_take_turns(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The wrong heads share: the query heads take keys and values in turns, 0 1 0 1, as by
        `repeat`. Neighbours share: 0 0 1 1, as in step 4."""
        groups = groups_of(queries, keys)
        return attend(queries, keys.repeat(1, groups, 1, 1), values.repeat(1, groups, 1, 1))

    def values_take_turns(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The keys are shared as they should be, but the values in turns, 0 1 0 1: a head gets the
        values of another. Repeat both in the same way."""
        return attend(queries, shared(queries, keys, values)[1], values.repeat(1, groups_of(queries, keys), 1, 1))

    def first_head_for_all(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """All query heads use the first head of keys and values. Head i uses head i // (h / kv)."""
        return attend(queries, keys[:, :1], values[:, :1])

    def heads_averaged(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You use the mean of all heads of keys and values. Head i uses head i // (h / kv)."""
        return attend(queries, keys.mean(dim=1, keepdim=True), values.mean(dim=1, keepdim=True))

    def queries_of_a_group_averaged(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The queries of a group are averaged, so that its heads return the same. They share keys
        and values alone: each head keeps its own queries."""
        means = queries.unflatten(1, (keys.shape[1], -1)).mean(dim=2)
        return attend(means, keys, values).repeat_interleave(groups_of(queries, keys), dim=1)

    def one_head_per_group(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """There are as many heads as heads of keys: the queries of a group are averaged. They share
        keys and values alone: each of the h heads keeps its own queries."""
        return attend(queries.unflatten(1, (keys.shape[1], -1)).mean(dim=2), keys, values)

    def heads_not_repeated(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Keys and values have fewer heads than the queries. Repeat them first, by step 4."""
        return attend(queries, keys, values)

    def repeated_kv_times(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You repeat each head kv times. As many times as query heads share it: h / kv."""
        repeated = (torch.repeat_interleave(one, one.shape[1], dim=1) for one in (keys, values))
        return attend(queries, *repeated)

    def groups_upside_down(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The number of copies rounds to 0: there are more query heads. Divide h by kv."""
        groups = keys.shape[1] // queries.shape[1]
        return attend(queries, *(one.repeat_interleave(groups, dim=1) for one in (keys, values)))

    def grouped_mask_missing(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Nothing is hidden: each token sees later ones. Put −∞ above the diagonal of the scores,
        and use the result: what you gave stays as it is."""
        return attend_to_everything(*shared(queries, keys, values))

    def grouped_unscaled(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The scores are not scaled: divide them by the root of hd before the softmax."""
        return attend_scaled(shared(queries, keys, values), queries.shape[-1] ** 0.5)

    def grouped_scaled_by_root_of_all(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You scale by the root of all heads' numbers together. Use the root of hd, a key's."""
        return attend_scaled(shared(queries, keys, values), queries.shape[1] ** -0.5)

    def grouped_masked_after_softmax(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Future tokens take their share in the softmax before they are hidden, so the rows no
        longer add up to 1. Mask the scores first, with −∞."""
        return attend_masked_too_late(*shared(queries, keys, values))

    def grouped_masked_and_renormalized(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Right for moderate scores, but beside a much larger future score the visible weights
        underflow to 0, and 0 / 0 is nan. Mask the scores before the softmax."""
        return attend_renormalized(*shared(queries, keys, values))

    def grouped_softmax_over_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Your softmax runs over the queries: for each key, the weights of all queries add up to 1.
        It runs over the keys, dim=-1 where rows are queries."""
        return attend_over_queries(*shared(queries, keys, values))

    def grouped_overflow(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        return attend_with_plain_exp(*shared(queries, keys, values))


def speeds_of(x: Tensor, base: float) -> Tensor:
    """The angle by which each pair turns from one position to the next."""
    hd = x.shape[-1]
    return torch.tensor([base ** (-2 * i / hd) for i in range(hd // 2)], dtype=x.dtype)


def turned(x: Tensor, angles: Tensor) -> Tensor:
    """What the mistakes below have in common where they are right: pairs of neighbours, turned counterclockwise."""
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(-2)


def angles_of(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """The angle of each position and pair."""
    return positions[:, None] * speeds_of(x, base)


class rotate(Mistakes):
    def halves_rotated(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """You pair number i with number i + hd / 2, as some libraries do. Here neighbours form a
        pair, 2i and 2i + 1, as in the paper."""
        first, second = x.chunk(2, dim=-1)
        angles = angles_of(x, positions, base)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)

    def put_back_as_halves(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """The pairs are rotated correctly, but put back as halves: all first numbers, then all
        second ones. Interleave them: stack them in a new last dimension and flatten the last
        two."""
        pairs = turned(x, angles_of(x, positions, base))
        return torch.cat([pairs[..., 0::2], pairs[..., 1::2]], dim=-1)

    def clockwise(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """You turn clockwise. First comes a · cos − b · sin, then a · sin + b · cos."""
        return turned(x, -angles_of(x, positions, base))

    def half_the_exponent(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """The pairs turn too fast, by half the exponent. It is −2i / hd for pair i."""
        return turned(x, positions[:, None] * speeds_of(x, base).sqrt())

    def twice_the_exponent(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """The pairs turn too slowly: the exponent counts twice. Pair i has −2i / hd:
        `torch.arange(0, hd, 2)` is 2i already."""
        return turned(x, positions[:, None] * speeds_of(x, base) ** 2)

    def exponent_positive(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """Later pairs turn faster. They turn more slowly: the exponent is −2i / hd."""
        return turned(x, positions[:, None] / speeds_of(x, base))

    def one_speed_for_all(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """All pairs turn at the same speed. Pair i turns by p · base ** (−2i / hd)."""
        return turned(x, positions[:, None] * torch.ones_like(speeds_of(x, base)))

    def positions_not_used(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """The rows are turned as if at 0, 1, 2 and so on. Their places are in `positions`."""
        return turned(x, angles_of(x, torch.arange(len(positions)), base))

    def positions_from_1(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """You add 1 to the positions. They count from 0: what is at 0 is not turned."""
        return turned(x, angles_of(x, positions + 1, base))

    def base_not_used(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """The base is always 10 000 in your code. Use the argument."""
        return turned(x, angles_of(x, positions, 10000.0))

    def first_overwritten(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """You compute the second number of a pair from the first one already rotated. Compute both
        from the old ones, then put them back."""
        angles = angles_of(x, positions, base)
        first = x[..., 0::2] * angles.cos() - x[..., 1::2] * angles.sin()
        second = first * angles.sin() + x[..., 1::2] * angles.cos()
        return torch.stack([first, second], dim=-1).flatten(-2)

    def positions_added(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """You add sines and cosines. Rotary positions turn each pair, and keep its length."""
        angles = angles_of(x, positions, base)
        return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def heads_of(x: Tensor, num_heads: int) -> Tensor:
    """Tokens grouped by head. Raises ValueError as the docstring says."""
    if x.shape[-1] % num_heads:
        raise ValueError(f"{num_heads} heads")
    return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads)).transpose(1, 2)


def merged(context: Tensor) -> Tensor:
    """Heads side by side again."""
    return context.transpose(1, 2).flatten(2)


def grouped_latents(*given: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values by head."""
    x, W_query, W_down, W_up_key, W_up_value, num_heads = given
    latent = x @ W_down
    queries, keys, values = (heads_of(one, num_heads) for one in (x @ W_query, latent @ W_up_key, latent @ W_up_value))
    return queries, keys, values


class latent_attention(Mistakes):
    def latent_mask_missing(*given: Any) -> Tensor:
        """Nothing is hidden: each token sees later ones. Put −∞ above the diagonal of the scores,
        and use the result: what you gave stays as it is."""
        return merged(attend_to_everything(*grouped_latents(*given)))

    def up_projections_exchanged(*given: Any) -> Tensor:
        """Keys and values are swapped: W_up_key makes the keys, W_up_value the values."""
        *tokens, W_up_key, W_up_value, num_heads = given
        return merged(attend(*grouped_latents(*tokens, W_up_value, W_up_key, num_heads)))

    def values_from_the_keys_matrix(*given: Any) -> Tensor:
        """Your values are the keys: W_up_value is never used."""
        *tokens, W_up_key, _, num_heads = given
        return merged(attend(*grouped_latents(*tokens, W_up_key, W_up_key, num_heads)))

    def latent_scaled_by_root_of_d_out(*given: Any) -> Tensor:
        """You scale by the root of d_out, of all heads. A key has hd numbers: use its root."""
        grouped = grouped_latents(*given)
        return merged(attend_scaled(grouped, given[-1] ** -0.5))

    def latent_scaled_by_root_of_r(*given: Any) -> Tensor:
        """You scale by the root of r. Scores are sums of hd products, latent or not: use hd."""
        grouped, W_down = grouped_latents(*given), given[2]
        return merged(attend_scaled(grouped, (grouped[0].shape[-1] / W_down.shape[1]) ** 0.5))

    def latent_unscaled(*given: Any) -> Tensor:
        """The scores are not scaled: divide them by the root of hd before the softmax."""
        grouped = grouped_latents(*given)
        return merged(attend_scaled(grouped, grouped[0].shape[-1] ** 0.5))

    def latent_not_transposed_back(*given: Any) -> Tensor:
        """The context is scrambled: bring the tokens before the heads again (`transpose(1, 2)`)
        before you join the last two dimensions."""
        return attend(*grouped_latents(*given)).reshape(*given[0].shape[:2], -1)

    def latent_viewed_instead_of_transposed(*given: Any) -> Tensor:
        """Heads and tokens are scrambled, as after `view(b, num_heads, t, hd)`. Split the last
        dimension into (num_heads, hd), then `transpose(1, 2)`."""
        grouped = grouped_latents(*given)
        queries, keys, values = (merged(one).reshape(one.shape) for one in grouped)
        return merged(attend(queries, keys, values))

    def one_wide_head(*given: Any) -> Tensor:
        """This is one head as wide as all. Split queries, keys and values into num_heads."""
        *tensors, num_heads = given
        heads_of(tensors[1], num_heads)
        return merged(attend(*grouped_latents(*tensors, 1)))

    def latent_cut_in_silence(*given: Any) -> Tensor:
        """Heads that cannot share the numbers are accepted: a slice or `chunk` makes fewer heads,
        or leaves numbers out, in silence. Refuse a num_heads that does not divide d_out: `raise
        ValueError(...)` before anything else."""
        x, W_query, W_down, W_up_key, W_up_value, num_heads = given
        latent, cut = x @ W_down, [weight.chunk(num_heads, dim=1) for weight in (W_query, W_up_key, W_up_value)]
        heads = (attend(x @ query, latent @ key, latent @ value) for query, key, value in zip(*cut, strict=True))
        return torch.cat(list(heads), dim=-1)

    def latent_overflow(*given: Any) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        return merged(attend_with_plain_exp(*grouped_latents(*given)))

    def latent_masked_after_softmax(*given: Any) -> Tensor:
        """Future tokens take their share in the softmax before they are hidden, so the rows no
        longer add up to 1. Mask the scores first, with −∞."""
        return merged(attend_masked_too_late(*grouped_latents(*given)))


def absorbed(queries: Tensor, latent: Tensor, by_head: Tensor) -> Tensor:
    """What the mistakes below have in common, as far as they are right. by_head: r h hd."""
    return queries @ by_head.permute(1, 2, 0) @ latent[:, None].transpose(2, 3)


def by_head(W_up_key: Tensor, queries: Tensor) -> Tensor:
    """The up-projection's columns, split into heads: r h hd."""
    return W_up_key.unflatten(-1, (queries.shape[1], queries.shape[3]))


class absorbed_scores(Mistakes):
    def keys_built(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
        """The scores are right, but on the way you build the keys, which is what this step avoids.
        Multiply the queries by W_up_key first, head by head, and then by the latent."""
        return queries @ heads_of(latent @ W_up_key, queries.shape[1]).transpose(2, 3)

    def columns_dealt_out(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
        """The columns of W_up_key are assigned wrongly: each head gets every h-th one. Its columns
        are next to each other: split into (h, hd)."""
        return absorbed(queries, latent, W_up_key.unflatten(-1, (queries.shape[3], queries.shape[1])).transpose(1, 2))

    def weights_cut_anew(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
        """Right shape, scrambled weights: the numbers of W_up_key, (r, h · hd), are regrouped in
        memory order, as by `view(h, hd, r)`. Split its last dimension, then `permute`."""
        _, h, _, hd = queries.shape
        return queries @ W_up_key.reshape(h, hd, -1) @ latent[:, None].transpose(2, 3)

    def rows_cut_into_heads(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
        """Right shape, scrambled weights: a head has hd of the columns of W_up_key, and `reshape(h,
        r, hd)` cuts rows. Split its last dimension, (r, h, hd), and then move the heads to the
        front by a transpose."""
        _, h, _, hd = queries.shape
        return absorbed(queries, latent, W_up_key.reshape(h, -1, hd).transpose(0, 1))

    def absorbed_and_scaled(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
        """These are scaled scores. Here they stay as they are: neither scaled nor masked."""
        return absorbed(queries, latent, by_head(W_up_key, queries)) / queries.shape[3] ** 0.5

    def absorbed_and_masked(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
        """These are masked scores. Here they stay as they are: neither scaled nor masked."""
        scores = absorbed(queries, latent, by_head(W_up_key, queries))
        return scores.masked_fill(hidden_from(scores), HIDDEN)

    def absorbed_transposed(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
        """Rows and columns are swapped: rows are queries, columns are keys."""
        return absorbed(queries, latent, by_head(W_up_key, queries)).transpose(2, 3)

    def first_columns_for_all(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
        """All heads use the first head's part of W_up_key. Each has hd columns of its own."""
        return queries @ W_up_key[:, : queries.shape[3]].T @ latent[:, None].transpose(2, 3)

    def absorbed_heads_summed(queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Tensor:
        """The heads are added up. Each head has scores of its own, (b, h, t, t)."""
        return absorbed(queries, latent, by_head(W_up_key, queries)).sum(dim=1)


def running_stats(scores: Tensor, block_size: int, smallest: float | None = None) -> Pair:
    """What the mistakes below have in common, as far as they are right."""
    maximum = scores.new_full(scores.shape[:-1], torch.finfo(scores.dtype).min if smallest is None else smallest)
    total = torch.zeros_like(maximum)
    for block in scores.split(block_size, dim=-1):
        higher = torch.maximum(maximum, block.amax(dim=-1))
        total = total * (maximum - higher).exp() + (block - higher[..., None]).exp().sum(dim=-1)
        maximum = higher
    return maximum, total


def first_block_stats(scores: Tensor, block_size: int) -> Pair:
    """The statistics of the first block, which needs no correction."""
    return running_stats(scores[..., :block_size], block_size)


class online_softmax_stats(Mistakes):
    def sum_not_rescaled(scores: Tensor, block_size: int) -> Pair:
        """The sum so far is not corrected: it is relative to the old maximum. When the maximum
        rises from m to n, multiply it by exp(m − n)."""
        maximum = scores.new_full(scores.shape[:-1], torch.finfo(scores.dtype).min)
        total = torch.zeros_like(maximum)
        for block in scores.split(block_size, dim=-1):
            maximum = torch.maximum(maximum, block.amax(dim=-1))
            total = total + (block - maximum[..., None]).exp().sum(dim=-1)
        return maximum, total

    def correction_inverted(scores: Tensor, block_size: int) -> Pair:
        """The correction is upside down, and overflows: exp(old maximum − new) is at most 1."""
        maximum, total = first_block_stats(scores, block_size)
        for block in scores.split(block_size, dim=-1)[1:]:
            higher = torch.maximum(maximum, block.amax(dim=-1))
            total = total * (higher - maximum).exp() + (block - higher[..., None]).exp().sum(dim=-1)
            maximum = higher
        return maximum, total

    def each_block_by_its_own_maximum(scores: Tensor, block_size: int) -> Pair:
        """Each block is summed relative to its own maximum, and the sums are added as they are.
        They must be relative to the same maximum."""
        stats = [running_stats(block, block_size) for block in scores.split(block_size, dim=-1)]
        maxima, sums = (torch.stack(one) for one in zip(*stats, strict=True))
        return maxima.amax(dim=0), sums.sum(dim=0)

    def newest_block_by_its_own_maximum(scores: Tensor, block_size: int) -> Pair:
        """The sum so far is corrected, but the exponentials of a block are relative to the block's
        own maximum. Subtract the largest score so far, that block included."""
        maximum = scores.new_full(scores.shape[:-1], torch.finfo(scores.dtype).min)
        total = torch.zeros_like(maximum)
        for block in scores.split(block_size, dim=-1):
            newest = block.amax(dim=-1)
            higher = torch.maximum(maximum, newest)
            total = total * (maximum - higher).exp() + (block - newest[..., None]).exp().sum(dim=-1)
            maximum = higher
        return maximum, total

    def begun_at_minus_infinity(scores: Tensor, block_size: int) -> Pair:
        """A whole block of −∞ at the beginning gives nan: −∞ minus −∞. Begin with the smallest
        finite number, `torch.finfo(scores.dtype).min`, in a tensor of that dtype."""
        return running_stats(scores, block_size, HIDDEN)

    def begun_at_zero(scores: Tensor, block_size: int) -> Pair:
        """The maximum of a row of negative scores is 0 in yours. Begin below any score."""
        return running_stats(scores, block_size, 0.0)

    def tail_dropped(scores: Tensor, block_size: int) -> Pair:
        """The last block is dropped when it is shorter: `t // block_size` counts whole blocks only.
        `range(0, t, block_size)` does not."""
        whole = scores.shape[-1] // block_size * block_size
        return running_stats(scores[..., :whole], block_size)

    def whole_rows_read(scores: Tensor, block_size: int) -> Pair:
        """Right numbers, but whole rows are read at once, for the maximum or for the sum. Look at
        one block, then forget it: keep only a maximum and a sum."""
        return running_stats(scores, scores.shape[-1])

    def nothing_subtracted(scores: Tensor, block_size: int) -> Pair:
        """Right for small scores, but exp overflows: subtract the maximum so far first."""
        maximum, _ = running_stats(scores, block_size)
        total = torch.zeros_like(maximum)
        for block in scores.split(block_size, dim=-1):
            total = total + block.exp().sum(dim=-1)
        return maximum, total * (-maximum).exp()

    def sum_of_plain_exponentials(scores: Tensor, block_size: int) -> Pair:
        """This is the sum of plain exponentials. It is the sum of exp(score − maximum)."""
        maximum, total = running_stats(scores, block_size)
        return maximum, total * maximum.exp()

    def maximum_of_the_last_block(scores: Tensor, block_size: int) -> Pair:
        """The maximum is that of the last block. It must be the largest so far."""
        maximum = scores.new_full(scores.shape[:-1], torch.finfo(scores.dtype).min)
        total = torch.zeros_like(maximum)
        for block in scores.split(block_size, dim=-1):
            newest = block.amax(dim=-1)
            total = total * (maximum - newest).exp() + (block - newest[..., None]).exp().sum(dim=-1)
            maximum = newest
        return maximum, total

    def dimension_kept(scores: Tensor, block_size: int) -> Pair:
        """A dimension of size 1 is left over: return one number per row, without `keepdim`."""
        maximum, total = running_stats(scores, block_size)
        return maximum[..., None], total[..., None]

    def one_maximum_for_all_rows(scores: Tensor, block_size: int) -> Pair:
        """All rows share one maximum. Each row has its own: `amax(dim=-1)`."""
        maximum, total = running_stats(scores, block_size)
        highest = maximum.amax().expand(maximum.shape)
        return highest, total * (maximum - highest).exp()


def tiled(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    block_size: int,
    causal: bool,
    scale: float | None = None,
    corrected: tuple[bool, bool] = (True, True),
    places: tuple[int, bool] = (0, True),
    lowest: float | None = None,
) -> Pair:
    """What the mistakes below have in common where they are right: the weighted values, and the sums to divide them by.

    corrected: whether the context and the sum are. places: how far ahead a query sees, and whether tiles count on.
    """
    ahead, counting_on = places
    scale = queries.shape[-1] ** 0.5 if scale is None else scale
    lowest = torch.finfo(queries.dtype).min if lowest is None else lowest
    maximum = queries.new_full((*queries.shape[:-1], 1), lowest)
    total = torch.zeros_like(maximum)
    context = queries.new_zeros((*queries.shape[:-1], values.shape[-1]))
    for start in range(0, keys.shape[-2], block_size):
        tile = slice(start, start + block_size)
        scores = queries @ keys[..., tile, :].transpose(-2, -1) / scale
        if causal:
            columns = torch.arange(scores.shape[-1]) + (start if counting_on else 0)
            scores = scores.masked_fill(columns > torch.arange(queries.shape[-2])[:, None] + ahead, HIDDEN)
        higher = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        correction, weights = (maximum - higher).exp(), (scores - higher).exp()
        total = total * (correction if corrected[1] else 1) + weights.sum(dim=-1, keepdim=True)
        context = context * (correction if corrected[0] else 1) + weights @ values[..., tile, :]
        maximum = higher
    return context, total


def tiled_context(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool, **changes: Any
) -> Tensor:
    """The same, divided."""
    context, total = tiled(queries, keys, values, block_size, causal, **changes)
    return context / total


def contexts_of_tiles(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Iterator[Tensor]:
    """What each tile gives by itself."""
    for start in range(0, keys.shape[-2], block_size):
        tile = slice(start, start + block_size)
        scores = scored(queries, keys[..., tile, :])
        if causal:
            hidden = start + torch.arange(scores.shape[-1]) > torch.arange(queries.shape[-2])[:, None]
            scores = scores.masked_fill(hidden, HIDDEN)
        yield torch.softmax(scores, dim=-1).nan_to_num(0.0) @ values[..., tile, :]


class flash_attention(Mistakes):
    def context_not_rescaled(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """The context so far is not corrected: when a tile raises the maximum, multiply it by
        exp(old maximum − new maximum), as the sum."""
        return tiled_context(queries, keys, values, block_size, causal, corrected=(False, True))

    def flash_sum_not_rescaled(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """The sum so far is not corrected: multiply it by exp(old − new) in each tile."""
        return tiled_context(queries, keys, values, block_size, causal, corrected=(True, False))

    def nothing_rescaled(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """Nothing is corrected: when a tile raises the maximum, both the sum and the context so far
        must be multiplied by exp(old − new)."""
        return tiled_context(queries, keys, values, block_size, causal, corrected=(False, False))

    def last_tile_dropped(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """The last tile is dropped when it is smaller: `tk // block_size` counts whole tiles only.
        `range(0, tk, block_size)` does not."""
        whole = keys.shape[-2] // block_size * block_size
        return tiled_context(queries, keys[..., :whole, :], values[..., :whole, :], block_size, causal)

    def never_divided(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """The context is never divided by the sum of exponentials. Divide after the last tile."""
        return tiled(queries, keys, values, block_size, causal)[0]

    def softmax_in_each_tile(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """Each tile has a softmax of its own, and the results are added up: every tile then counts
        as much as all of them. Divide by the sum of all tiles, in the end."""
        return sum(contexts_of_tiles(queries, keys, values, block_size, causal), torch.zeros(()))

    def tiles_averaged(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """Each tile has a softmax of its own, and the results are averaged: every tile then counts
        as much as any other. Add up exponentials and weighted values, and divide by the sum of all
        tiles, in the end."""
        contexts = [*contexts_of_tiles(queries, keys, values, block_size, causal)]
        return sum(contexts, torch.zeros(())) / len(contexts)

    def flash_unscaled(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """The scores are not scaled: divide them by the root of d."""
        return tiled_context(queries, keys, values, block_size, causal, scale=1.0)

    def flash_scaled_by_root_of_d_v(*given: Any) -> Tensor:
        """You scale by the root of d_v, a value's length. It is the root of d, a key's."""
        return tiled_context(*given, scale=given[2].shape[-1] ** 0.5)

    def causal_not_used(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """`causal` has no effect: if it is True, hide the keys that come after the query."""
        return tiled_context(queries, keys, values, block_size, False)

    def always_causal(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """You always hide the future. Hide it only if `causal` is True."""
        return tiled_context(queries, keys, values, block_size, True)

    def places_counted_in_the_tile(*given: Any) -> Tensor:
        """The mask is misaligned: in each tile you count its columns from 0. A key's position is
        the first position of its tile plus its column."""
        return tiled_context(*given, places=(0, False))

    def one_key_too_many(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """If causal, each query sees the next key too: hide keys of positions above its own."""
        return tiled_context(queries, keys, values, block_size, causal, places=(1, True))

    def all_scores_at_once(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """The context is right, but all scores exist at once: tq x tk of them. Make the scores of
        one tile of keys, use them, and go on."""
        return attend(queries, keys, values) if causal else attend_to_everything(queries, keys, values)

    def whole_mask_cut(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """If `causal`, something of tq x tk numbers exists, such as a full mask out of which tiles
        are cut. Compare the positions of one tile's keys with those of the queries."""
        if causal:
            ones(queries.shape[-2], keys.shape[-2])  # that it exists is the mistake
        return tiled_context(queries, keys, values, block_size, causal)

    def cut_out_of_everything(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """The context is right, but something of tq × tk numbers exists: all scores, or a full
        mask, made even if nothing is hidden. Make both for one tile."""
        ones(queries.shape[-2], keys.shape[-2])  # that it exists is the mistake
        return tiled_context(queries, keys, values, block_size, causal)

    def query_by_query(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """Not all queries are taken at once, but each meets all keys at once, in an ordinary
        softmax. Take the keys block_size at a time, with the online softmax of step 9."""
        contexts = []
        for place in range(queries.shape[-2]):
            seen = place + 1 if causal else keys.shape[-2]
            query = queries[..., place : place + 1, :]
            contexts.append(attend_to_everything(query, keys[..., :seen, :], values[..., :seen, :]))
        return torch.cat(contexts, dim=-2)

    def flash_begun_at_zero(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """If all scores of a row are far below 0, every exponential is 0, and 0 / 0 is nan: your
        maximum begins at 0, or is not the row's own. Begin with the smallest finite number,
        `torch.finfo(queries.dtype).min`, in a tensor of that dtype."""
        return tiled_context(queries, keys, values, block_size, causal, lowest=0.0)

    def flash_overflow(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool) -> Tensor:
        """Right for moderate scores, but exp overflows for large ones. Subtract each row's largest
        score so far, and correct when it rises."""
        context, total = torch.zeros(()), torch.zeros(())
        for start in range(0, keys.shape[-2], block_size):
            tile = slice(start, start + block_size)
            scores = scored(queries, keys[..., tile, :])
            if causal:
                hidden = start + torch.arange(scores.shape[-1]) > torch.arange(queries.shape[-2])[:, None]
                scores = scores.masked_fill(hidden, HIDDEN)
            weights = scores.exp()
            context = context + weights @ values[..., tile, :]
            total = total + weights.sum(dim=-1, keepdim=True)
        return context / total


def distances(num_tokens: int) -> Tensor:
    """How far each key lies behind each query."""
    return torch.arange(num_tokens)[:, None] - torch.arange(num_tokens)


class sliding_window_mask(Mistakes):
    def window_too_wide(num_tokens: int, window: int) -> Tensor:
        """The window is one too wide: a window of 1 is the token itself and nothing else."""
        behind = distances(num_tokens)
        return (behind < 0) | (behind > window)

    def window_too_narrow(num_tokens: int, window: int) -> Tensor:
        """The window is one too narrow: the token itself counts too, so a window of 1 shows it."""
        behind = distances(num_tokens)
        return (behind < 0) | (behind >= window - 1)

    def window_not_used(num_tokens: int, window: int) -> Tensor:
        """The window has no effect: each token sees all earlier ones. Hide the early ones too."""
        return distances(num_tokens) < 0

    def future_seen(num_tokens: int, window: int) -> Tensor:
        """Later tokens are seen. Hide them too: the window reaches back only."""
        return distances(num_tokens) >= window

    def window_both_ways(num_tokens: int, window: int) -> Tensor:
        """Your window reaches both ways. Here it reaches back only: every later token is hidden."""
        return distances(num_tokens).abs() >= window

    def window_hidden(num_tokens: int, window: int) -> Tensor:
        """Your mask is the wrong way round: True hides, and the window is what is seen."""
        behind = distances(num_tokens)
        return (behind >= 0) & (behind < window)

    def near_and_later_hidden(num_tokens: int, window: int) -> Tensor:
        """Your mask is the wrong way round, as True hides, and it knows no end: later tokens are as
        near as it looks."""
        return distances(num_tokens) < window

    def window_transposed(num_tokens: int, window: int) -> Tensor:
        """Rows and columns are swapped: a row belongs to a query, a column to a key."""
        behind = distances(num_tokens)
        return ((behind < 0) | (behind >= window)).T

    def blocks_for_windows(num_tokens: int, window: int) -> Tensor:
        """Each token sees its own block only. The window slides along, one token at a time."""
        block = torch.arange(num_tokens) // window
        return (distances(num_tokens) < 0) | (block[:, None] != block)

    def window_from_the_end_of_the_row(num_tokens: int, window: int) -> Tensor:
        """For the first tokens your window begins before 0, and a negative index counts from the
        end of the row: later tokens are seen. Let it begin at 0 at the earliest: `max(0, …)`."""
        mask = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
        for query in range(num_tokens):
            for key in range(query - window + 1, query + 1):
                mask[query, key] = False
        return mask


def cross_scaled(length: int, x: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Attention to a memory, scaled by the root of another length than that of a key."""
    queries = x @ W_query * math.sqrt(W_query.shape[1] / length)
    return attend_to_everything(queries, memory @ W_key, memory @ W_value)


class cross_attention(Mistakes):
    def memory_not_used(x: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """`memory` is never used: keys and values come from x too, which is self-attention."""
        return attend_to_everything(x @ W_query, x @ W_key, x @ W_value)

    def memory_asks(x: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """The roles are swapped: the queries come from x, keys and values from memory."""
        return attend_to_everything(memory @ W_query, x @ W_key, x @ W_value)

    def queries_from_memory(x: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """The queries come from memory. Make them from x."""
        return attend_to_everything(memory @ W_query, memory @ W_key, memory @ W_value)

    def keys_from_x(x: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """The keys come from x. x looks for something in memory: project memory by W_key."""
        return attend_to_everything(x @ W_query, x @ W_key, memory @ W_value)

    def queries_and_keys_exchanged(x: Tensor, memory: Tensor, *weights: Tensor) -> Tensor:
        """Queries and keys are swapped: the queries come from x, and the keys from memory."""
        W_query, W_key, W_value = weights
        return attend_to_everything(memory @ W_query, x @ W_key, memory @ W_value)

    def values_from_x(x: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """The values come from x. What is found comes from memory: project it by W_value."""
        return attend_to_everything(x @ W_query, memory @ W_key, x @ W_value)

    def causal_across(x: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """There is a mask. Here nothing is hidden: all of the memory is there before x begins."""
        queries, keys = x @ W_query, memory @ W_key
        return attend_hiding(ones(x.shape[1], memory.shape[1]).triu(diagonal=1), queries, keys, memory @ W_value)

    def cross_unscaled(x: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """The scores are not scaled: divide them by the root of d_k before the softmax."""
        return cross_scaled(1, x, memory, W_query, W_key, W_value)

    def cross_scaled_by_root_of_d_v(x: Tensor, memory: Tensor, *weights: Tensor) -> Tensor:
        """You scale by the root of d_v, a value's length. It is the root of d_k, a key's."""
        return cross_scaled(weights[2].shape[1], x, memory, *weights)

    def cross_scaled_by_root_of_d_in(x: Tensor, memory: Tensor, *weights: Tensor) -> Tensor:
        """You scale by the root of d_in, a token's length. It is the root of d_k, a key's."""
        return cross_scaled(x.shape[-1], x, memory, *weights)

    def cross_scaled_by_root_of_d_mem(x: Tensor, memory: Tensor, *weights: Tensor) -> Tensor:
        """You scale by the root of d_mem, the memory's width. It is the root of d_k, a key's."""
        return cross_scaled(memory.shape[-1], x, memory, *weights)

    def cross_softmax_over_queries(x: Tensor, memory: Tensor, *weights: Tensor) -> Tensor:
        """Your softmax runs over the queries. Each of them weighs the memory: `dim=-1`."""
        W_query, W_key, W_value = weights
        scores = scored(x @ W_query, memory @ W_key)
        return torch.softmax(scores, dim=-2) @ (memory @ W_value)

    def cross_overflow(x: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        exponentials = scored(x @ W_query, memory @ W_key).exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=True) @ (memory @ W_value)
