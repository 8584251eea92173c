"""Part 5, what makes generation fast: its cases, probes, points and hints."""

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.course.draw import Draw
from autograder.course.model import IDEA, SINGLE, Case, Criterion, Part, Step
from autograder.course.operations import LargestTensor, OperationObserver, tensors_in
from autograder.course.probing import Observation, Unmet, failure_of
from autograder.course.tolerances import Tolerance
from course.attention.example_inputs import JOURNEY_TOKENS, WARS_TOKENS, journey, lecture_weights, wars
from course.attention.pointing import FOUND, LATER, pointing_queries, pointing_scores
from course.attention.tolerances import LARGE_SCORES
from course.part4_multihead.steps import REFUSALS, UNEVEN, refusals, uneven

LARGE = "scores of hundreds"
"""Too large for exp in float32, and small enough that rounding does not show."""

SMALLEST = "smallest input"
"""Every size is 1: what squeezes or counts on more fails."""

LARGE_FUTURE = "large scores in the future"
"""If they are hidden after the softmax, they have already taken all the weight."""

FORBIDDEN_IN_ONLINE_SOFTMAX = (
    "softmax",
    "log_softmax",
    "Softmax",
    "LogSoftmax",
    "softmin",
    "Softmin",
    "logsumexp",
    "logcumsumexp",
)


# Probes of the cache

LENGTHS = "len(cache) along the way"
LENGTHS_IN_TURNS = "len of two caches that are fed in turns"
IN_TURNS = ("all {} of the first of two caches that are fed in turns", "all {} of the second, fed in another order")


class _Fed:
    """A student's cache: what its last append returned, and how long it was, before and after each append."""

    def __init__(self, cls: Callable[[], Any]) -> None:
        self._cache = cls()
        self.lengths = [self._length()]
        self.returned: tuple[Any, Any] = None, None

    def append(self, keys: Tensor, values: Tensor) -> None:
        """Append and note the pair that comes back; anything else is noted in both places."""
        if not hasattr(self._cache, "append"):
            raise Unmet("your cache has no method `append(keys, values)`")
        returned = self._cache.append(keys, values)
        is_pair = isinstance(returned, tuple | list) and len(returned) == 2
        self.returned = (returned[0], returned[1]) if is_pair else (returned, returned)
        self.lengths.append(self._length())

    def _length(self) -> str:
        """Return what `len(cache)` gives, or why it gives nothing: what is kept may be right all the same."""
        try:
            return str(len(self._cache))
        except Exception as error:
            return failure_of(error).message


def _as_written(cls: Any) -> Any:
    """Return a class with copies of the lists that its body made: what one case leaves there must not spoil the next."""
    made = {name: list(value) for name, value in vars(cls).items() if isinstance(value, list)}
    return type(cls.__name__, (cls,), made) if made else cls


def feed_caches(cls: Callable[[], Any], keys: Tensor, values: Tensor, chunks: Tensor) -> Observation:
    """Feed a cache chunk by chunk; then two in turns, the second with the same chunks in reverse order."""
    cls = _as_written(cls)
    sizes = chunks.tolist()
    pieces = list(zip(keys.split(sizes, dim=2), values.split(sizes, dim=2), strict=True))
    alone = _Fed(cls)
    for piece in pieces:
        alone.append(*piece)
    one, other = _Fed(cls), _Fed(cls)
    for piece, other_piece in zip(pieces, reversed(pieces), strict=True):
        one.append(*piece)
        other.append(*other_piece)
    outputs: dict[str, Any] = {LENGTHS: ", ".join(alone.lengths)}
    for name, *returned in zip(("keys", "values"), alone.returned, one.returned, other.returned, strict=True):
        outputs |= dict(zip((f"all {name}", *(where.format(name) for where in IN_TURNS)), returned, strict=True))
    return Observation(outputs | {LENGTHS_IN_TURNS: " and ".join(", ".join(fed.lengths[1:]) for fed in (one, other))})


KEPT = ("keys in the cache", "values in the cache")


class TokensKept:
    """The cache that `attend_with_cache` is given: has what the docstring promises of a KVCache.

    It returns the tensors that it keeps, not copies, so that writing into them shows.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[Tensor, Tensor]] = []

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Keep some tokens and return all."""
        every_key, every_value = zip(*self._kept, (keys, values), strict=True)
        self._kept = [(torch.cat(every_key, dim=-2), torch.cat(every_value, dim=-2))]
        return self._kept[0]

    def __len__(self) -> int:
        return sum(keys.shape[-2] for keys, _ in self._kept)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"a cache has `append` and `len`, as step 2 says, but no `{name}`")

    def everything(self) -> tuple[Any, Any]:
        """Return all keys and all values; None for both if nothing was appended."""
        return self._kept[0] if self._kept else (None, None)


def attend_in_chunks(
    function: Callable[..., Any], queries: Tensor, keys: Tensor, values: Tensor, past: int, chunks: Tensor
) -> Observation:
    """Feed tokens chunk by chunk with a cache of our own; join the contexts, and look at what is kept.

    past: how many tokens the probe itself puts into the cache before. chunks: how many then come at a time.
    """
    cache = TokensKept()
    if past:
        cache.append(keys[:, :, :past], values[:, :, :past])
    sizes = chunks.tolist()
    pieces = zip(*(tensor[:, :, past:].split(sizes, dim=2) for tensor in (queries, keys, values)), strict=True)
    contexts, lengths = [], [str(past)]
    for piece in pieces:
        contexts.append(function(*piece, cache))
        lengths.append(str(len(cache)))
    outputs = {"context": _joined(contexts)}
    if len(set(sizes)) > 1:  # else the tokens that are kept say as much
        outputs[LENGTHS] = ", ".join(lengths)
    return Observation(outputs | dict(zip(KEPT, cache.everything(), strict=True)))


def _joined(contexts: list[Any]) -> Any:
    """Join the contexts of all chunks along the tokens; return the first that cannot be joined instead."""
    for context in contexts:
        if not isinstance(context, Tensor) or context.dim() != 4:
            return context
    return torch.cat(contexts, dim=2)


NOTHING_DONE = "nothing was computed"
"""Stands for what can be right of code that does nothing."""


# Probes of latent attention


def attend_by_latents(function: Callable[..., Any], num_heads: int, **tensors: Tensor) -> Any:
    """Attend, or see which numbers of heads are refused."""
    d_out = tensors["W_query"].shape[1]
    if d_out % num_heads == 0:
        return function(*tensors.values(), num_heads)
    return Observation({REFUSALS: refusals(functools.partial(function, *tensors.values()), d_out)})


KEYS_BUILT = "the keys were built"

ENOUGH = 4
"""So many numbers of a key do not appear by accident."""


class _KeyWatch(OperationObserver):  # type: ignore[no-untyped-call]
    """Notices any tensor that holds all numbers of one key, in any order."""

    def __init__(self, key: Tensor) -> None:
        super().__init__()
        self._key = key
        self._near = 1e-4 * key.abs() + 1e-6
        self.seen = False

    def see(self, operation: str, given: Any, made: Any) -> None:
        """Look for the key in a result."""
        self.seen = self.seen or any(self._is_in(tensor) for tensor in tensors_in(made))

    def _is_in(self, tensor: Tensor) -> bool:
        numbers = tensor.detach().reshape(-1, 1).to(self._key.dtype)
        return bool(((numbers - self._key).abs() < self._near).any(dim=0).all())


def score_without_keys(function: Callable[..., Any], queries: Tensor, latent: Tensor, W_up_key: Tensor) -> Observation:
    """Compute the scores and notice whether the last key of the last head was ever built, if it is long enough to be known."""
    last_key = (latent[-1, -1] @ W_up_key)[-queries.shape[-1] :].detach()
    if queries.shape[-1] < ENOUGH or not bool(last_key.isfinite().all()):
        return Observation({"scores": function(queries, latent, W_up_key)})
    with _KeyWatch(last_key) as watch:
        scores = function(queries, latent, W_up_key)
    is_something = not isinstance(scores, Tensor) or bool(scores.any())
    return Observation({"scores": scores, KEYS_BUILT: watch.seen if is_something else NOTHING_DONE})


# Probes of tiling


READ_AT_ONCE = "more than a block was read at once"
ALL_SCORES = "a tensor of tq x tk numbers was made"
ALL_KEYS = "a query met all keys at once"

MAXIMA = ("amax", "aminmax", "argmax", "cummax", "max", "sort", "topk")
EXPONENTIALS = ("exp", "exp2", "exp2_", "exp_", "expm1", "expm1_", "logsumexp", "pow", "_log_softmax", "_softmax")
"""Names of torch's operations for what a softmax does with scores."""


class _ReadingWatch(OperationObserver):  # type: ignore[no-untyped-call]
    """Sees how many scores are read at once, by any operation that looks for a maximum or takes exponentials.

    elements: the most numbers read at once. widest: the largest dimension.
    """

    def __init__(self) -> None:
        super().__init__()
        self.elements = 0
        self.widest = 0

    def see(self, operation: str, given: Any, made: Any) -> None:
        """Measure what was given."""
        if operation in (*MAXIMA, *EXPONENTIALS):
            for tensor in tensors_in(given):
                self.elements = max(self.elements, tensor.numel())
                self.widest = max(self.widest, *tensor.shape, 0)


def read_in_blocks(function: Callable[..., Any], scores: Tensor, block_size: int) -> Observation:
    """Ask for maximum and sum, and notice whether more than a block was read at once.

    The statistics of all blocks may be joined in the end, and the maximum so far may have been put beside a block.
    """
    with _ReadingWatch() as watch:
        returned = function(scores, block_size)
    rows, t = scores[..., 0].numel(), scores.shape[-1]
    most = rows * (max(block_size, math.ceil(t / block_size)) + 1)
    outputs = dict(zip(("max", "sum"), _pair(returned), strict=True))
    if scores.numel() > most:  # else nobody can read too much
        outputs[READ_AT_ONCE] = watch.elements > most if watch.elements else NOTHING_DONE
    return Observation(outputs)


def _pair(returned: Any) -> tuple[Any, Any]:
    """Return the two that came back; anything else in both places."""
    is_pair = isinstance(returned, tuple | list) and len(returned) == 2
    return (returned[0], returned[1]) if is_pair else (returned, returned)


class _TileWatch(_ReadingWatch):  # type: ignore[no-untyped-call]
    """Sees what is read, and the largest tensor that is made: one watch costs half the time of two."""

    def __init__(self) -> None:
        super().__init__()
        self.largest = LargestTensor()

    def see(self, operation: str, given: Any, made: Any) -> None:
        """Measure what was given and what was made."""
        super().see(operation, given, made)
        self.largest.see(operation, given, made)


def attend_in_tiles(
    function: Callable[..., Any], queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool
) -> Observation:
    """Attend tile by tile; notice, if that is possible, whether the scores of all, or of one query, existed at once.

    It is possible if all scores are more numbers than anything that tiling needs: all keys, or a tile's products before
    they are added up. Whether a query met all keys at once shows only where there are more keys than queries.
    """
    tq, tk = queries.shape[-2], keys.shape[-2]
    if queries.dim() > 2 or block_size * max(queries.shape[1], values.shape[1]) >= min(tq, tk):
        return Observation({"context": function(queries, keys, values, block_size, causal)})
    with _TileWatch() as watch:
        context = function(queries, keys, values, block_size, causal)
    seen = {ALL_SCORES: watch.largest.elements >= tq * tk}
    if tq + block_size <= tk:
        seen[ALL_KEYS] = watch.widest >= tk
    return Observation({"context": context} | (seen if watch.elements else dict.fromkeys(seen, NOTHING_DONE)))


# Cases


def _causal_mask_with_past(draw: Draw) -> Iterator[Case]:
    yield Case("some new, some past", {"num_new": 3, "num_past": 2})
    yield Case("one new token", {"num_new": 1, "num_past": 1})
    yield Case("no past", {"num_new": 4, "num_past": 0})
    yield Case("as many new as past", {"num_new": 3, "num_past": 3})
    yield Case("some tokens", {"num_new": draw.integer(10, 20), "num_past": draw.integer(21, 31)})


def _tokens(draw: Draw, b: int, h: int, t: int, hd: int, *names: str) -> dict[str, Tensor]:
    return {name: draw.normal(b, h, t, hd) for name in names}


def _sizes(draw: Draw, *chunks: int) -> dict[str, Tensor]:
    """Return the sizes of chunks, in an order that is drawn: so is the length along the way."""
    return {"chunks": torch.tensor(chunks)[draw.uniform(len(chunks)).argsort()]}


def _kvcache(draw: Draw) -> Iterator[Case]:
    names = ("keys", "values")
    sizes = [draw.integer(1, 7) for _ in range(3)]
    yield Case("in chunks", _tokens(draw, 2, 3, sum(sizes), 5, *names) | _sizes(draw, *sizes))
    yield Case(SMALLEST, _tokens(draw, 1, 1, 1, 1, *names) | _sizes(draw, 1))
    few = draw.integer(1, 4)
    yield Case("as many heads as tokens", _tokens(draw, 1, 4, 4, 3, *names) | _sizes(draw, few, 4 - few))
    half = draw.integer(2, 10)
    twice = {name: torch.cat([tokens, tokens], dim=2) for name, tokens in _tokens(draw, 2, 3, half, 4, *names).items()}
    yield Case("the same tokens twice", twice | _sizes(draw, half, half))
    t = draw.integer(5, 13)
    yield Case("token by token", _tokens(draw, 3, 2, t, 4, *names) | _sizes(draw, *[1] * t))


def _by_head(x: Tensor) -> dict[str, Tensor]:
    """Return queries, keys and values of one sentence, as one head."""
    return {
        name: (x @ weight)[None, None]
        for name, weight in zip(("queries", "keys", "values"), lecture_weights(), strict=True)
    }


ONE_PASS = "one pass"


def _attend_with_cache(draw: Draw) -> Iterator[Case]:
    def fed(given: dict[str, Tensor], past: int, *chunks: int) -> dict[str, Any]:
        return given | {"past": past} | _sizes(draw, *chunks)

    names = ("queries", "keys", "values")
    yield Case("journey, token by token", fed(_by_head(journey()), 0, 1, 1, 1, 1, 1, 1))
    t, half = draw.integer(5, 13), draw.integer(2, 10)
    yield Case(ONE_PASS, fed(_tokens(draw, 2, 3, t, 4, *names), 0, t))
    found = _pointing(draw, 1, 3, 3, 2 * half, 2 * half + 1)
    yield Case("as many new as past", fed(found, half, half))
    yield Case(SMALLEST, fed(_tokens(draw, 1, 1, 1, 1, *names), 0, 1))
    yield Case(LARGE, fed(_large(_pointing(draw, 1, 2, 2, 5, 6)), 0, 2, 3), tolerance=LARGE_SCORES)
    t = draw.integer(5, 9)
    future = _pointing(draw, 1, 2, 2, t, t, later=500.0)
    yield Case(LARGE_FUTURE, fed(future, 1, t - 1), tolerance=LARGE_SCORES)
    yield Case("in chunks", fed(_tokens(draw, 2, 3, 7, 5, *names), 0, 3, 2, 1, 1))


def _large(tensors: dict[str, Any]) -> dict[str, Any]:
    """Return the same with keys that make scores of hundreds."""
    return tensors | {"keys": 200 * tensors["keys"]}


def _with_large_future(tensors: dict[str, Any]) -> dict[str, Any]:
    """Return the same with scores of hundreds for the last key, and for no other."""
    keys = tensors["keys"].clone()
    keys[..., -1, :] = 200.0
    return tensors | {"queries": tensors["queries"].abs() + 1, "keys": keys}


def _repeat_kv(draw: Draw) -> Iterator[Case]:
    yield Case("random", {"x": draw.normal(2, 4, 5, 6), "groups": 3})
    yield Case("one head for all", {"x": draw.normal(2, 1, 3, 4), "groups": 5})
    yield Case("as many heads as tokens", {"x": draw.normal(1, 3, 3, 2), "groups": 3})
    yield Case(SMALLEST, {"x": draw.normal(1, 1, 1, 1), "groups": 1})


def _shared(draw: Draw, b: int, h: int, kv: int, t: int, hd: int) -> dict[str, Tensor]:
    return _tokens(draw, b, h, t, hd, "queries") | _tokens(draw, b, kv, t, hd, "keys", "values")


def _pointing(draw: Draw, b: int, h: int, kv: int, t: int, hd: int, later: float = LATER) -> dict[str, Tensor]:
    """Return what grouped heads share, in which every query finds one key that it may see. hd is t or more."""
    shared = pointing_queries(draw, b, kv, tq=t, tk=t, d_k=hd)["keys"]
    scores = pointing_scores(draw, b, h, tq=t, tk=t, causal=True, later=later)
    queries = scores @ shared.repeat_interleave(h // kv, dim=1)
    return {"queries": queries, "keys": shared, "values": draw.normal(b, kv, t, hd)}


TWO_GROUPS = "two groups"


def _grouped_query_attention(draw: Draw) -> Iterator[Case]:
    yield Case(TWO_GROUPS, _shared(draw, 1, 6, 2, 4, 5))
    yield Case("each its own", _pointing(draw, 2, 3, 3, 4, 5))
    yield Case("one head for all", _pointing(draw, 2, 4, 1, 5, 6))
    yield Case(SMALLEST, _shared(draw, 1, 1, 1, 1, 1))
    yield Case(LARGE, _large(_pointing(draw, 1, 4, 2, 5, 6)), tolerance=LARGE_SCORES)
    yield Case(LARGE_FUTURE, _pointing(draw, 1, 4, 2, 5, 6, later=500.0), tolerance=LARGE_SCORES)
    yield Case("three groups", _shared(draw, 2, 6, 3, 4, 7))


ANOTHER_BASE, POSITION_0 = "another base", "at position 0"


def _rotate(draw: Draw) -> Iterator[Case]:
    """The first random case is repeated in float64: at position 0 angles made in float32 are exact."""
    W_query, _, _ = lecture_weights()
    yield Case("journey", {"x": journey() @ W_query, "positions": torch.arange(6)}, labels={"token": JOURNEY_TOKENS})
    yield Case(POSITION_0, {"x": draw.normal(3, 4), "positions": torch.zeros(3).long()})
    yield Case("one token", {"x": draw.normal(1, 1, 8), "positions": torch.tensor([37])})
    yield Case(ANOTHER_BASE, {"x": draw.normal(5, 6), "positions": torch.arange(5), "base": 50.0})
    yield Case("as many tokens as numbers", {"x": draw.normal(4, 4), "positions": torch.arange(3, 7)})
    yield Case("batch", {"x": draw.normal(2, 5, 6), "positions": torch.arange(20, 25)})
    unsorted = torch.tensor([9, 0, draw.integer(40, 64), 2])
    yield Case("heads, positions in any order", {"x": draw.normal(2, 3, 4, 6), "positions": unsorted})


def _latents(draw: Draw, b: int, t: int, d: int, r: int, d_out: int) -> dict[str, Tensor]:
    shapes = {"W_query": (d, d_out), "W_down": (d, r), "W_up_key": (r, d_out), "W_up_value": (r, d_out)}
    weights = {name: draw.normal(*shape) / shape[0] ** 0.5 for name, shape in shapes.items()}
    return {"x": draw.normal(b, t, d)} | weights


def _latents_that_point(draw: Draw, t: int, d_out: int) -> dict[str, Tensor]:
    """Return one head's weights, and tokens and latents of as many numbers as tokens, whose projections are the weights themselves."""
    of = pointing_queries(draw, tq=t, tk=t, d_k=d_out, causal=True)
    weights = {"W_query": of["queries"], "W_down": torch.eye(t), "W_up_key": of["keys"]}
    return {"x": torch.eye(t)[None], **weights, "W_up_value": draw.normal(t, d_out)}


TWO_HEADS = "two heads"


def _latent_attention(draw: Draw) -> Iterator[Case]:
    yield Case(TWO_HEADS, _latents(draw, 2, 5, 4, 3, 14) | {"num_heads": 2})
    yield Case("one head", _latents_that_point(draw, 4, 5) | {"num_heads": 1})
    yield Case(SMALLEST, _latents(draw, 1, 1, 1, 1, 1) | {"num_heads": 1})
    yield Case(UNEVEN, _latents(draw, 1, 3, 4, 2, uneven(draw)) | {"num_heads": 4})
    large = {name: tensor.abs() for name, tensor in _latents(draw, 1, 5, 4, 3, 6).items()}
    large |= {"W_up_key": 200 * large["W_up_key"]}  # of positive numbers alone, no draw makes small scores
    yield Case(LARGE, large | {"num_heads": 2}, tolerance=LARGE_SCORES)
    yield Case("three heads", _latents(draw, 2, 4, 6, 5, 21) | {"num_heads": 3})


def _absorbed(draw: Draw, b: int, h: int, t: int, hd: int, r: int) -> dict[str, Tensor]:
    return {"queries": draw.normal(b, h, t, hd), "latent": draw.normal(b, t, r), "W_up_key": draw.normal(r, h * hd)}


KEYS_TOO_LARGE = "keys too large for float32"
TOO_LARGE = Tolerance(rtol=1e-3, atol=1e2)
"""For scores of a hundred thousand and more."""


def _absorbed_scores(draw: Draw) -> Iterator[Case]:
    """If the keys are too large, only the scores that never needed them are numbers."""
    yield Case("random", _absorbed(draw, 2, 3, 4, 5, 6))
    yield Case("one head", _absorbed(draw, 2, 1, 3, 5, 4))
    yield Case(SMALLEST, _absorbed(draw, 1, 1, 1, 1, 1))
    yield Case("all sizes alike", _absorbed(draw, 4, 4, 4, 4, 4))
    parts = _absorbed(draw, 2, 3, 4, 5, 6)
    large = {name: part * size for (name, part), size in zip(parts.items(), (1e-35, 1e18, 1e22), strict=True)}
    yield Case(KEYS_TOO_LARGE, large, tolerance=TOO_LARGE)
    yield Case("a long head", _absorbed(draw, 3, 2, 5, 7, 4))


HIDDEN = ("some scores of -inf", "the first block -inf", "later blocks -inf")
LARGER = "scores of 10 000 and -10 000"


def _online_softmax_stats(draw: Draw) -> Iterator[Case]:
    yield Case("one row", {"scores": 2 * draw.normal(11), "block_size": 3})
    yield Case("the largest comes last", {"scores": draw.normal(3, 7).sort(dim=-1).values, "block_size": 2})
    yield Case("one score a block", {"scores": draw.normal(2, 5) - 3, "block_size": 1})
    yield Case("one block for all", {"scores": draw.normal(2, 4), "block_size": 9})
    yield Case(SMALLEST, {"scores": draw.normal(1, 1), "block_size": 1})
    some, first, last = draw.normal(2, 8), draw.normal(2, 8), draw.normal(2, 8)
    some[:, 1::3], first[0, :3], last[1, 3:] = (float("-inf"),) * 3
    yield Case(HIDDEN[0], {"scores": some, "block_size": 3})
    yield Case(HIDDEN[1], {"scores": first, "block_size": 3})
    yield Case(HIDDEN[2], {"scores": last, "block_size": 3})
    far = 10_000 * torch.tensor([[1.0], [-1.0], [0.0]])
    yield Case(LARGER, {"scores": draw.normal(3, 7) + far, "block_size": 3}, tolerance=LARGE_SCORES)
    yield Case("heads", {"scores": 2 * draw.normal(2, 3, 10), "block_size": 4})


def _tiled(
    draw: Draw, *leading: int, tq: int, tk: int, d: int, d_v: int, block_size: int, causal: bool
) -> dict[str, Any]:
    tensors = {
        "queries": draw.normal(*leading, tq, d),
        "keys": draw.normal(*leading, tk, d),
        "values": draw.normal(*leading, tk, d_v),
    }
    return tensors | {"block_size": block_size, "causal": causal}


def _tiled_to_point(draw: Draw, *leading: int, tq: int, tk: int, d: int, d_v: int, block_size: int) -> dict[str, Any]:
    tensors = pointing_queries(draw, *leading, tq=tq, tk=tk, d_k=d) | {"values": draw.normal(*leading, tk, d_v)}
    return tensors | {"block_size": block_size, "causal": False}


LOW = "scores far below zero"


def _flash_attention(draw: Draw) -> Iterator[Case]:
    names = ("queries", "keys", "values")
    projected = dict(zip(names, (wars() @ weight for weight in lecture_weights()), strict=True))
    yield Case("wars", projected | {"block_size": 2, "causal": False}, labels={"token": WARS_TOKENS})
    yield Case("one tile", _tiled_to_point(draw, 2, tq=4, tk=5, d=6, d_v=3, block_size=8))
    yield Case("large enough", _tiled(draw, tq=10, tk=13, d=3, d_v=4, block_size=2, causal=False))
    yield Case("large enough, causal", _tiled(draw, tq=10, tk=10, d=3, d_v=4, block_size=2, causal=True))
    large = _tiled(draw, tq=5, tk=7, d=3, d_v=4, block_size=2, causal=False)
    yield Case(LARGE, _large(large), tolerance=LARGE_SCORES)
    low = _tiled(draw, tq=4, tk=5, d=3, d_v=6, block_size=2, causal=False)
    yield Case(LOW, _with_low_scores(low), tolerance=LARGE_SCORES)
    future = _tiled(draw, tq=6, tk=6, d=3, d_v=4, block_size=4, causal=True)
    yield Case(LARGE_FUTURE, _with_large_future(future), tolerance=LARGE_SCORES)
    yield Case(SMALLEST, _tiled(draw, 1, tq=1, tk=1, d=1, d_v=1, block_size=1, causal=True))
    yield Case("more queries than keys", _tiled_to_point(draw, tq=9, tk=4, d=5, d_v=2, block_size=3))
    yield Case("heads, causal", _tiled(draw, 2, 3, tq=7, tk=7, d=4, d_v=5, block_size=3, causal=True))


def _with_low_scores(tensors: dict[str, Any]) -> dict[str, Any]:
    """Return the same with no score above −200: exp of each is 0."""
    queries, keys = tensors["queries"].abs() + 1, tensors["keys"] - 300
    return tensors | {"queries": queries, "keys": keys}


def _sliding_window_mask(draw: Draw) -> Iterator[Case]:
    yield Case("a window of 3", {"num_tokens": 6, "window": 3})
    yield Case("a window of 1", {"num_tokens": 4, "window": 1})
    yield Case("a window for all", {"num_tokens": 4, "window": 4})
    yield Case("a window for more", {"num_tokens": 3, "window": 5})
    yield Case("one token", {"num_tokens": 1, "window": 2})
    yield Case("some tokens", {"num_tokens": draw.integer(25, 40), "window": draw.integer(4, 20)})


def _crossed(draw: Draw, b: int, tq: int, tk: int, d_in: int, d_mem: int, d_k: int, d_v: int) -> dict[str, Tensor]:
    return {
        "x": draw.normal(b, tq, d_in),
        "memory": draw.normal(b, tk, d_mem),
        "W_query": draw.normal(d_in, d_k) / d_in**0.5,
        "W_key": draw.normal(d_mem, d_k) / d_mem**0.5,
        "W_value": draw.normal(d_mem, d_v) / d_mem**0.5,
    }


def _crossed_that_point(draw: Draw, tq: int, tk: int, d_k: int, d_v: int) -> dict[str, Tensor]:
    """Return as many tokens as numbers on both sides, whose projections are the weights themselves."""
    of = pointing_queries(draw, tq=tq, tk=tk, d_k=d_k)
    tokens = {"x": torch.eye(tq)[None], "memory": torch.eye(tk)[None]}
    return {**tokens, "W_query": of["queries"], "W_key": of["keys"], "W_value": draw.normal(tk, d_v)}


SIZES_ALIKE = "all sizes alike"


def _cross_attention(draw: Draw) -> Iterator[Case]:
    sentences = {"x": wars()[None], "memory": journey()[None]}
    weights = dict(zip(("W_query", "W_key", "W_value"), lecture_weights(), strict=True))
    yield Case("wars asks journey", sentences | weights)
    yield Case(SIZES_ALIKE, _crossed(draw, 3, 3, 3, 3, 3, 3, 3))
    yield Case(FOUND, _crossed_that_point(draw, 4, 5, 6, 3))
    yield Case(SMALLEST, _crossed(draw, 1, 1, 1, 1, 1, 1, 1))
    large = _crossed(draw, 1, 4, 5, 3, 6, 2, 7)
    yield Case(LARGE, large | {"W_key": 1_500 * large["W_key"]}, tolerance=LARGE_SCORES)
    yield Case("batch", _crossed(draw, 2, 4, 5, 3, 6, 8, 7))


_IN_TURNS = tuple(where.format(name) for name in ("keys", "values") for where in IN_TURNS)
_CACHE_RETURNS = dict.fromkeys(("all keys", "all values", *_IN_TURNS), "b h t hd")
_ATTENDED_RETURNS = dict.fromkeys(("context", *KEPT), "b h t hd")

MASK = Criterion("form", 0.4)
"""Of a mask: one of numbers is no mask, though the right places are marked."""

PART = Part(
    name="part5_inference",
    title="What makes generation fast",
    steps=(
        Step(
            name="causal_mask_with_past",
            lecture="docs/lectures/kv_cache.md",
            points=1,
            effort="two lines",
            cases=_causal_mask_with_past,
            gradients=False,
            criteria=(MASK,),
            hints=(
                "Without a past it is the mask of part 3. What does a past of three tokens put in front of each row?",
                "The first new token sees num_past + 1 columns, and the second sees one more. `triu(diagonal=...)` sets where the "
                "hidden part begins, counted from the upper left corner.",
            ),
        ),
        Step(
            name="KVCache",
            lecture="docs/lectures/kv_cache.md",
            points=2,
            effort="eight lines",
            cases=_kvcache,
            probe=feed_caches,
            returns=_CACHE_RETURNS,
            criteria=(
                Criterion("length", outputs=(LENGTHS,)),
                Criterion("each cache by itself", outputs=(*_IN_TURNS, LENGTHS_IN_TURNS)),
                Criterion("form", 0),
            ),
            hints=(
                "Make the attributes in `__init__`: then each object has its own. What is made in the class body is shared by "
                "all caches.",
                "In the first `append` there is nothing to join. After that, `torch.cat` makes a new tensor of old and new.",
                "Tokens are dimension 2 of (b, h, t, hd): that is where they are joined, and what `len` counts.",
            ),
        ),
        Step(
            name="attend_with_cache",
            lecture="docs/lectures/kv_cache.md",
            points=3,
            effort="seven lines",
            cases=_attend_with_cache,
            probe=attend_in_chunks,
            returns=_ATTENDED_RETURNS,
            criteria=(
                Criterion("what is kept", outputs=(LENGTHS, *KEPT)),
                Criterion("scaling", cases=(ONE_PASS,)),
            ),
            hints=(
                "Only new tokens have queries here, but each query is multiplied by the keys of all tokens: the scores are not square.",
                "Ask for `len(cache)` before you append: afterwards it counts the new tokens too.",
                "The mask of step 1 fits the scores: one row per new token, one column per token.",
            ),
        ),
        Step(
            name="repeat_kv",
            lecture="docs/lectures/shared_heads.md",
            points=1,
            effort="one line",
            cases=_repeat_kv,
            hints=(
                "With two heads and groups = 3, the result's heads are 0 0 0 1 1 1.",
                "`repeat` puts whole copies one after the other. A function with a longer name repeats each entry several times in a row.",
            ),
        ),
        Step(
            name="grouped_query_attention",
            lecture="docs/lectures/shared_heads.md",
            points=2,
            effort="eight lines",
            cases=_grouped_query_attention,
            criteria=(Criterion("scaling", cases=(TWO_GROUPS,)),),
            hints=(
                "How many query heads share one head of keys? Look at the shapes: h and kv.",
                "After keys and values are repeated, this is the multi-head attention of part 4, without its projections.",
                "Scores, causal mask, division by the square root of hd, softmax over the keys, values.",
            ),
        ),
        Step(
            name="rotate",
            lecture="docs/lectures/rotary_positions.md",
            points=3,
            effort="seven lines",
            cases=_rotate,
            never_one=("hd",),
            criteria=(
                Criterion("another base", cases=(ANOTHER_BASE,)),
                Criterion("position 0", cases=(POSITION_0,)),
            ),
            hints=(
                "`x[..., 0::2]` are the first numbers of all pairs, `x[..., 1::2]` the second. There are hd / 2 angles per position.",
                "If a point (a, b) is rotated by an angle, it becomes (a · cos − b · sin, a · sin + b · cos).",
                "Interleave the pairs again: stack first and second numbers in a new last dimension, then flatten the last two.",
            ),
        ),
        Step(
            name="latent_attention",
            lecture="docs/lectures/latent_attention.md",
            points=2,
            effort="twelve lines",
            cases=_latent_attention,
            probe=attend_by_latents,
            returns={SINGLE: "b t d_out"},
            criteria=(Criterion("scaling", cases=(TWO_HEADS,)),),
            hints=(
                "Only the queries are made from `x`. Keys and values are both made from the latent vectors.",
                "The rest is part 4: split into heads, group, scores, mask, scale by the square root of hd, softmax, values, merge.",
                "The first head's numbers come first, so split the last dimension into (num_heads, hd), and merge in the same order.",
            ),
        ),
        Step(
            name="absorbed_scores",
            lecture="docs/lectures/latent_attention.md",
            points=2,
            effort="three lines",
            cases=_absorbed_scores,
            probe=score_without_keys,
            returns={"scores": "b h t t"},
            criteria=(Criterion("keys never built", IDEA, cases=(KEYS_TOO_LARGE,), outputs=(KEYS_BUILT,)),),
            hints=(
                "A score is query · (latent · W) — three factors, and it does not matter which two are multiplied first.",
                "Each head has hd columns of W_up_key. Multiplied by them, a query of hd numbers becomes one of r numbers.",
                "Split the columns of W_up_key into (h, hd). The new queries are (b, h, t, r); the latent vectors need "
                "a dimension for the heads.",
            ),
        ),
        Step(
            name="online_softmax_stats",
            lecture="docs/lectures/flash_attention.md",
            points=3,
            effort="eight lines",
            cases=_online_softmax_stats,
            probe=read_in_blocks,
            returns={"max": "...", "sum": "..."},
            forbids=FORBIDDEN_IN_ONLINE_SOFTMAX,
            criteria=(Criterion("a block at a time", IDEA, outputs=(READ_AT_ONCE,)),),
            hints=(
                "Keep two running numbers per row: the maximum so far, and the sum so far, relative to that maximum.",
                "When the maximum rises from m to n, every exponential in the sum must be multiplied by exp(m − n).",
                "−inf minus −inf is nan. Begin with the smallest finite number of the dtype, `torch.finfo(dtype).min`, and in that dtype.",
            ),
        ),
        Step(
            name="flash_attention",
            lecture="docs/lectures/flash_attention.md",
            points=4,
            effort="sixteen lines",
            cases=_flash_attention,
            probe=attend_in_tiles,
            returns={"context": "... tq d_v"},
            criteria=(
                Criterion("a tile of keys at a time", IDEA, outputs=(ALL_SCORES, ALL_KEYS)),
                Criterion("large scores", 0.125, cases=(LARGE, LOW, LARGE_FUTURE)),
            ),
            hints=(
                "Loop over tiles of keys, with the values that belong to them. The scores of a tile are tq x block_size.",
                "Keep the running numbers of step 9, and a third: the sum of the values so far, weighted by the same "
                "exponentials, and corrected "
                "by the same factor. Divide by the sum of the exponentials only once, at the end.",
                "The position of a key is the first position of the tile plus the column. Compare the positions of a "
                "tile with those of the queries: later keys are hidden. No full mask is needed.",
            ),
        ),
        Step(
            name="sliding_window_mask",
            lecture="docs/lectures/windows_and_memories.md",
            points=1,
            effort="two lines",
            cases=_sliding_window_mask,
            gradients=False,
            criteria=(MASK,),
            hints=(
                "Two things are hidden: what comes later, as in part 3, and what came too long ago.",
                "With a window of 1 a token sees only itself: every key with a distance of `window` or more is too old.",
                "`tril(diagonal=-n)` keeps what lies n or more below the diagonal. `|` joins two boolean masks.",
            ),
        ),
        Step(
            name="cross_attention",
            lecture="docs/lectures/windows_and_memories.md",
            points=1,
            effort="four lines",
            cases=_cross_attention,
            criteria=(Criterion("scaling", cases=(SIZES_ALIKE,)),),
            hints=(
                "The sizes show which tokens fit which matrix: W_query takes d_in numbers, W_key and W_value take d_mem.",
                "Each token of `x` may look at the whole memory, so there is no mask; the scores are tq x tk.",
            ),
        ),
    ),
)
