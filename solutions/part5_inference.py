"""Part 5: what makes generation fast.

A model generates one token at a time. What it has computed for earlier tokens
can be kept, shared between heads, or compressed; the scores need never be in
memory all at once; and queries may look at another text than their own. Each
step changes what is kept, shared or looked at. The idea of attention stays the
same.

As everywhere in this course, True in a mask means that a position is hidden.

torch's own attention, such as scaled_dot_product_attention, is not allowed in
any step.

Sources: Shazeer (2019), "Fast Transformer Decoding"; Ainslie et al. (2023),
"GQA"; Su et al. (2021), "RoFormer"; DeepSeek-AI (2024), "DeepSeek-V2"; Milakov
and Gimelshein (2018), "Online normalizer calculation for softmax"; Dao et al.
(2022), "FlashAttention"; Beltagy et al. (2020), "Longformer"; Vaswani et al.
(2017), "Attention Is All You Need".
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def causal_mask_with_past(
    num_new: int, num_past: int
) -> Bool[Tensor, "num_new num_past+num_new"]:
    """Return the causal mask of new tokens that come after tokens of the past.

    num_new: how many new tokens there are, at least 1. num_past: how many came
    before them, 0 or more.
    Returns one row for each new token, one column for each token: first the
    past, then the new ones. True means hidden: a new token sees all of the
    past, and the new tokens up to itself.
    """
    ### BEGIN SOLUTION
    # TODO 1: new token i is at position num_past + i. Hide what comes after
    # it.
    everything = torch.ones(num_new, num_past + num_new, dtype=torch.bool)
    return everything.triu(diagonal=num_past + 1)
    ### END SOLUTION


class KVCache:
    """Keep the keys and values of all tokens so far.

    A new cache is empty, and each cache keeps its own tokens. len(cache) is
    how many tokens it holds. Gradients flow through what is kept.
    """

    def __init__(self) -> None:
        ### BEGIN SOLUTION
        # TODO 2: nothing is kept yet.
        self.keys: Tensor | None = None
        self.values: Tensor | None = None
        ### END SOLUTION

    def append(
        self, keys: Float[Tensor, "b h t hd"], values: Float[Tensor, "b h t hd"]
    ) -> tuple[Float[Tensor, "b h all hd"], Float[Tensor, "b h all hd"]]:
        """Add the keys and values of t new tokens, and return those of all.

        keys, values: grouped by head; the first call decides b, h and hd.
        Returns all keys and all values in the order in which they came.
        """
        ### BEGIN SOLUTION
        # TODO 2: append the new ones to the old ones, along the tokens.
        if self.keys is not None and self.values is not None:
            keys = torch.cat([self.keys, keys], dim=2)
            values = torch.cat([self.values, values], dim=2)
        self.keys, self.values = keys, values
        return keys, values
        ### END SOLUTION

    def __len__(self) -> int:
        """Return how many tokens the cache holds."""
        ### BEGIN SOLUTION
        # TODO 2: the number of tokens, not of sentences or heads.
        return 0 if self.keys is None else self.keys.shape[2]
        ### END SOLUTION


def attend_with_cache(
    queries: Float[Tensor, "b h t hd"],
    keys: Float[Tensor, "b h t hd"],
    values: Float[Tensor, "b h t hd"],
    cache: KVCache,
) -> Float[Tensor, "b h t hd"]:
    """Let new tokens attend to everything that is kept, and to each other.

    queries, keys, values: of the t new tokens, grouped by head.
    cache: holds the keys and values of the tokens before; has `append` and
    `len` as in step 2, and afterwards holds the new tokens too.
    Returns the context of the new tokens: causal attention, scaled by the
    square root of hd. The result is the same if the tokens come one by one, in
    chunks, or all at once. torch's own attention is not allowed.
    """
    ### BEGIN SOLUTION
    # TODO 3: find out how long the past is, append, then compute the attention
    # that you know, with the mask of step 1.
    num_past = len(cache)
    all_keys, all_values = cache.append(keys, values)
    hidden = causal_mask_with_past(queries.shape[2], num_past)
    scores = queries @ all_keys.transpose(2, 3)
    masked = scores.masked_fill(hidden, float("-inf"))
    weights = torch.softmax(masked / queries.shape[3] ** 0.5, dim=-1)
    return weights @ all_values
    ### END SOLUTION


def repeat_kv(
    x: Float[Tensor, "b kv t hd"], groups: int
) -> Float[Tensor, "b kv*groups t hd"]:
    """Give every query head its own copy of the keys (or values) of its group.

    x: keys or values of kv heads. groups: how many query heads share each of
    these heads.
    Returns kv · groups heads: head i is head i // groups of x.
    """
    ### BEGIN SOLUTION
    # TODO 4: repeat each head several times in a row: 0 0 1 1, not 0 1 0 1.
    return x.repeat_interleave(groups, dim=1)
    ### END SOLUTION


def grouped_query_attention(
    queries: Float[Tensor, "b h t hd"],
    keys: Float[Tensor, "b kv t hd"],
    values: Float[Tensor, "b kv t hd"],
) -> Float[Tensor, "b h t hd"]:
    """Causal attention in which groups of query heads share keys and values.

    queries: h heads. keys, values: kv heads; h is a multiple of kv. With
    kv = h every head has its own keys and values, with kv = 1 all heads share
    them (multi-query attention).
    Returns the context of each query head, scaled by the square root of hd.
    Query head i attends to the keys of head i // (h / kv). torch's own attention
    is not allowed.
    Source: Ainslie et al. (2023), section 2.2.
    """
    ### BEGIN SOLUTION
    # TODO 5: how many query heads share a head of keys? Repeat keys and
    # values with step 4, then causal attention.
    groups = queries.shape[1] // keys.shape[1]
    keys, values = repeat_kv(keys, groups), repeat_kv(values, groups)
    scores = queries @ keys.transpose(2, 3)
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
    masked = scores.masked_fill(hidden, float("-inf"))
    weights = torch.softmax(masked / queries.shape[3] ** 0.5, dim=-1)
    return weights @ values
    ### END SOLUTION


def rotate(
    x: Float[Tensor, "... t hd"],
    positions: Int[Tensor, " t"],
    base: float = 10000.0,
) -> Float[Tensor, "... t hd"]:
    """Rotate queries or keys by angles that grow with their positions.

    x: rows of hd numbers, hd even. positions: the position of each row; they
    need not begin at 0 or be consecutive.
    Returns rows of the same lengths. The numbers 2i and 2i + 1 of a row are
    pair i, a point in the plane. At position p, pair i is rotated
    counterclockwise by the angle p · base ** (−2i / hd).
    Source: Su et al. (2021), "RoFormer", equation 34.
    """
    ### BEGIN SOLUTION
    # TODO 6: an angle for each position and pair, its cosine and sine; rotate
    # the first and second numbers of all pairs, and interleave them again.
    hd = x.shape[-1]
    speeds = base ** (-torch.arange(0, hd, 2, dtype=x.dtype) / hd)
    angles = positions[:, None] * speeds
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., 0::2], x[..., 1::2]
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2)
    ### END SOLUTION


def latent_attention(
    x: Float[Tensor, "b t d"],
    W_query: Float[Tensor, "d d_out"],
    W_down: Float[Tensor, "d r"],
    W_up_key: Float[Tensor, "r d_out"],
    W_up_value: Float[Tensor, "r d_out"],
    num_heads: int,
) -> Float[Tensor, "b t d_out"]:
    """Causal multi-head attention with keys and values from latent vectors.

    x: a batch of sentences. The latent vectors are x W_down, r numbers per
    token: a cache would keep only these. W_up_key and W_up_value make the keys
    and values of all heads from them; d_out is num_heads · hd.
    Returns the context of all heads side by side, scaled by the square root of
    hd.
    A num_heads that does not divide d_out is refused with an exception of any
    kind, be it torch's own. torch's own attention is not allowed.
    Source: DeepSeek-AI (2024), "DeepSeek-V2", section 2.1, without the rotary
    part and the compressed queries.
    """
    ### BEGIN SOLUTION
    # TODO 7: latent vectors, then queries, keys and values by head, then causal
    # attention, then the heads side by side.
    b, t, _ = x.shape
    latent = x @ W_down
    queries, keys, values = (
        projected.view(b, t, num_heads, -1).transpose(1, 2)
        for projected in (x @ W_query, latent @ W_up_key, latent @ W_up_value)
    )
    scores = queries @ keys.transpose(2, 3)
    hidden = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
    masked = scores.masked_fill(hidden, float("-inf"))
    weights = torch.softmax(masked / queries.shape[3] ** 0.5, dim=-1)
    return (weights @ values).transpose(1, 2).flatten(2)
    ### END SOLUTION


def absorbed_scores(
    queries: Float[Tensor, "b h t hd"],
    latent: Float[Tensor, "b t r"],
    W_up_key: Float[Tensor, "r d_out"],
) -> Float[Tensor, "b h t t"]:
    """Return the scores of latent attention without ever building the keys.

    queries: grouped by head. latent: the latent vectors. W_up_key: the matrix
    that would make the keys of all heads, with the first head's numbers first;
    d_out is h · hd.
    Returns the scores of every query with every key, neither scaled nor
    masked. You must not make a tensor that holds the keys.
    """
    ### BEGIN SOLUTION
    # TODO 8: a product of three matrices can be grouped the other way. Each
    # head's part of W_up_key turns its queries into queries of r numbers. Then
    # multiply these by the latent vectors.
    by_head = W_up_key.view(len(W_up_key), queries.shape[1], -1)
    absorbed = queries @ by_head.permute(1, 2, 0)
    return absorbed @ latent[:, None].transpose(2, 3)
    ### END SOLUTION


def online_softmax_stats(
    scores: Float[Tensor, "... t"], block_size: int
) -> tuple[Float[Tensor, " ..."], Float[Tensor, " ..."]]:
    """Return what a softmax must know of each row, reading block by block.

    scores: any leading dimensions, then t scores; some may be −inf, even a
    whole block, but never a whole row. block_size: how many scores of each row
    are looked at together; the last block may be shorter. torch's own softmax,
    log_softmax, softmin, logsumexp and logcumsumexp are not allowed in this
    step, neither as functions nor as modules.
    Returns (max, sum): each row's largest score, and the sum of the
    exponentials of all its scores minus that maximum. Each block is read once,
    and not again later.
    Source: Milakov and Gimelshein (2018), algorithm 3.
    """
    ### BEGIN SOLUTION
    # TODO 9: keep a maximum so far and a sum so far. When a block raises the
    # maximum, the sum is still relative to the old maximum: correct it.
    smallest = torch.finfo(scores.dtype).min  # −inf minus −inf would be nan
    maximum = scores.new_full(scores.shape[:-1], smallest)
    total = torch.zeros_like(maximum)
    for block in torch.split(scores, block_size, dim=-1):
        higher = torch.maximum(maximum, block.amax(dim=-1))
        correction = (maximum - higher).exp()
        shifted = block - higher[..., None]
        total = total * correction + shifted.exp().sum(dim=-1)
        maximum = higher
    return maximum, total
    ### END SOLUTION


def flash_attention(
    queries: Float[Tensor, "... tq d"],
    keys: Float[Tensor, "... tk d"],
    values: Float[Tensor, "... tk d_v"],
    block_size: int,
    causal: bool,
) -> Float[Tensor, "... tq d_v"]:
    """Attention tile by tile: exact, and the scores never exist all at once.

    queries, keys, values: any leading dimensions, the same for all three.
    block_size: how many keys are in one tile; the last tile may be smaller.
    causal: whether later keys are hidden; then tq = tk.
    Returns the context, scaled by the square root of d. With block_size < tk
    no tensor of tq × tk numbers may ever exist, not even a mask, and no query
    may meet all keys at once. torch's own attention is not allowed.
    Source: Dao et al. (2022), "FlashAttention", algorithm 1.
    """
    ### BEGIN SOLUTION
    # TODO 10: as step 9, for each tile of keys, with one more running value:
    # the context so far, corrected in the same way as the sum.
    tq, smallest = queries.shape[-2], torch.finfo(queries.dtype).min
    maximum = queries.new_full((*queries.shape[:-1], 1), smallest)
    total = torch.zeros_like(maximum)
    context = queries.new_zeros((*queries.shape[:-1], values.shape[-1]))
    for start in range(0, keys.shape[-2], block_size):
        tile = slice(start, start + block_size)
        scores = queries @ keys[..., tile, :].transpose(-2, -1)
        scores = scores / queries.shape[-1] ** 0.5
        if causal:
            places = torch.arange(start, start + scores.shape[-1])
            hidden = places > torch.arange(tq)[:, None]
            scores = scores.masked_fill(hidden, float("-inf"))
        higher = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        correction = (maximum - higher).exp()
        weights = (scores - higher).exp()
        total = total * correction + weights.sum(dim=-1, keepdim=True)
        context = context * correction + weights @ values[..., tile, :]
        maximum = higher
    return context / total
    ### END SOLUTION


def sliding_window_mask(
    num_tokens: int, window: int
) -> Bool[Tensor, "num_tokens num_tokens"]:
    """Return the mask of tokens that see only the last few, including
    themselves.

    num_tokens: how many tokens there are. window: how many tokens each token
    may see at most; at least 1, and it may be larger than num_tokens.
    Returns one row per query, one column per key. True means hidden: of the
    tokens up to the query itself, only the last `window` are visible; later
    tokens are hidden.
    Source: Beltagy et al. (2020), "Longformer", section 3.1, its causal half.
    """
    ### BEGIN SOLUTION
    # TODO 11: hide what comes later, and what came too long ago.
    everything = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    return everything.triu(diagonal=1) | everything.tril(diagonal=-window)
    ### END SOLUTION


def cross_attention(
    x: Float[Tensor, "b tq d_in"],
    memory: Float[Tensor, "b tk d_mem"],
    W_query: Float[Tensor, "d_in d_k"],
    W_key: Float[Tensor, "d_mem d_k"],
    W_value: Float[Tensor, "d_mem d_v"],
) -> Float[Tensor, "b tq d_v"]:
    """Let one sequence attend to another.

    x: the tokens that attend. memory: the tokens that x attends to; tk may
    differ from tq, and d_mem from d_in.
    Returns the context of each token of x: queries come from x, keys and
    values from memory, scaled by the square root of d_k. Nothing is hidden.
    torch's own attention is not allowed.
    Source: Vaswani et al. (2017), section 3.2.3.
    """
    ### BEGIN SOLUTION
    # TODO 12: attention without a mask. Which input does each projection take?
    queries, keys, values = x @ W_query, memory @ W_key, memory @ W_value
    scores = queries @ keys.transpose(1, 2)
    weights = torch.softmax(scores / keys.shape[2] ** 0.5, dim=-1)
    return weights @ values
    ### END SOLUTION
