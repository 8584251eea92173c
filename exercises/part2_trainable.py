"""Part 2: queries, keys and values.

Three trained matrices let a token play three roles: as a query it looks for
something, as a key it can be found, and as a value it has something to give.
Scores are queries against keys; the context is a weighted sum of values.

torch's own attention, such as scaled_dot_product_attention, is not allowed in
any step.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1 and
equation 1.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn


def project_qkv(
    x: Float[Tensor, "... d_in"],
    W_query: Float[Tensor, "d_in d_k"],
    W_key: Float[Tensor, "d_in d_k"],
    W_value: Float[Tensor, "d_in d_v"],
) -> tuple[
    Float[Tensor, "... d_k"], Float[Tensor, "... d_k"], Float[Tensor, "... d_v"]
]:
    """Project tokens to queries, keys and values.

    x: one token (d_in numbers), a sentence (t rows of them) or a batch of
    sentences: the same code works for all. W_query, W_key, W_value: the three
    weight matrices; in the product, the tokens stand on the left of the matrix.
    Returns (queries, keys, values), in this order.
    """
    # TODO 1: three matrix products, one per weight matrix.
    raise NotImplementedError("step 1: project_qkv")


def scores_for_query(
    query: Float[Tensor, " d_k"], keys: Float[Tensor, "t d_k"]
) -> Float[Tensor, " t"]:
    """Return the scores of one query with every key.

    query: the query of one token, d_k numbers.
    keys: the keys of all t tokens, one per row.
    Returns t scores: the dot product of the query with each key.
    """
    # TODO 2: the dot product of `query` with every row of `keys`.
    raise NotImplementedError("step 2: scores_for_query")


def attention_scores(
    queries: Float[Tensor, "... tq d_k"], keys: Float[Tensor, "... tk d_k"]
) -> Float[Tensor, "... tq tk"]:
    """Return the scores of every query with every key.

    queries: tq queries, one per row, after any leading dimensions (none, a
    batch, a batch of heads ...). keys: tk keys after the same leading
    dimensions. tq and tk may differ.
    Returns scores: row i holds query i's score with every key.
    """
    # TODO 3: one matrix product of queries with transposed keys. Only the last
    # two dimensions of `keys` swap places.
    raise NotImplementedError("step 3: attention_scores")


def scale_scores(scores: Float[Tensor, ...], d_k: int) -> Float[Tensor, ...]:
    """Divide scores by the square root of d_k, so that their spread does not
    grow with the length of the keys.

    scores: of any shape.
    d_k: how many numbers a key has.
    Returns scaled scores of the same shape. Source: Vaswani et al. (2017),
    section 3.2.1.
    """
    # TODO 4: divide by the square root of d_k.
    raise NotImplementedError("step 4: scale_scores")


def attention_weights(
    scaled_scores: Float[Tensor, "... tq tk"],
) -> Float[Tensor, "... tq tk"]:
    """Turn scaled scores into weights: for each query, over the keys.

    scaled_scores: row i holds query i's scaled score with every key.
    Returns weights of the same shape; every row adds up to 1. torch's own
    softmax is allowed from here on.
    """
    # TODO 5: a softmax. Over which dimension must the weights of one query add
    # up to 1?
    raise NotImplementedError("step 5: attention_weights")


def context_vectors(
    weights: Float[Tensor, "... tq tk"], values: Float[Tensor, "... tk d_v"]
) -> Float[Tensor, "... tq d_v"]:
    """Return one context vector per query: the sum of all values, each
    multiplied by the query's weight for it.

    weights: row i holds query i's weight for every key.
    values: one row per key.
    Returns tq context vectors.
    """
    # TODO 6: one matrix product computes all the weighted sums.
    raise NotImplementedError("step 6: context_vectors")


def scaled_dot_product_attention(
    queries: Float[Tensor, "... tq d_k"],
    keys: Float[Tensor, "... tk d_k"],
    values: Float[Tensor, "... tk d_v"],
) -> Float[Tensor, "... tq d_v"]:
    """Return softmax(Q Kᵀ / √d_k) V: scores, scaling, weights and context in
    one function.

    queries, keys, values: as above; d_v may differ from d_k, and tq from tk.
    Returns tq context vectors. torch's own scaled_dot_product_attention is not
    allowed.
    Source: Vaswani et al. (2017), equation 1.
    """
    # TODO 7: scores, scaled by the root of the length of a key, softmax over
    # the keys, weighted sums of the values.
    raise NotImplementedError("step 7: scaled_dot_product_attention")


def dot_product_variance(
    d_k: int, num_trials: int, scaled: bool, generator: Generator
) -> Float[Tensor, ""]:
    """Measure the variance of the dot products of random queries and keys.

    d_k: how many numbers a query and a key have.
    num_trials: how many pairs of a query and a key are drawn, each number from
    a standard normal distribution. scaled: whether each dot product is divided
    by the square root of d_k.
    generator: the source of randomness; the same seed must give the same
    answer.
    Returns the variance of the num_trials dot products: about d_k unscaled,
    about 1 scaled.
    """
    # TODO 8: draw queries and keys with torch.randn (pass it the generator),
    # take their dot products pair by pair, scale them if asked, and return
    # their variance.
    raise NotImplementedError("step 8: dot_product_variance")


class SelfAttentionV1(nn.Module):
    """Self-attention as a module whose three weight matrices are plain
    parameters.

    d_in: how many numbers a token has; d_out: how many a query, a key, a value
    and a context vector have. Parameters W_query, W_key and W_value of shape
    (d_in, d_out), drawn with torch.rand in this order.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        # TODO 9: three `nn.Parameter`s, W_query, W_key and W_value, each
        # holding `torch.rand(d_in, d_out)`, in this order.
        raise NotImplementedError("step 9: SelfAttentionV1")

    def forward(
        self, x: Float[Tensor, "... t d_in"]
    ) -> Float[Tensor, "... t d_out"]:
        """Return the context vectors of `x`: one sentence or a batch."""
        # TODO 9: project `x`, then scaled dot-product attention. You may call
        # your own functions.
        raise NotImplementedError("step 9: SelfAttentionV1")


class SelfAttentionV2(nn.Module):
    """Self-attention as a module whose three projections are linear layers.

    d_in, d_out: as in SelfAttentionV1. qkv_bias: whether the projections add a
    bias.
    Layers W_query, W_key and W_value, made in this order.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        # TODO 10: three `nn.Linear` layers, W_query, W_key and W_value, in
        # this order. Pass `qkv_bias` on.
        raise NotImplementedError("step 10: SelfAttentionV2")

    def forward(
        self, x: Float[Tensor, "... t d_in"]
    ) -> Float[Tensor, "... t d_out"]:
        """Return the context vectors of `x`: one sentence or a batch."""
        # TODO 10: as in SelfAttentionV1, but you call a layer instead of
        # multiplying by a matrix.
        raise NotImplementedError("step 10: SelfAttentionV2")


def copy_weights(source: SelfAttentionV2, target: SelfAttentionV1) -> None:
    """Copy the weights of `source` into `target`, so that both give the same
    output for the same input.

    source: has linear layers W_query, W_key, W_value without bias.
    `nn.Linear(d_in, d_out)` stores its weight as (d_out, d_in).
    target: has parameters W_query, W_key, W_value of shape (d_in, d_out). They
    stay parameters, and later changes to the source must not change them.
    """
    # TODO 11: for each of the three: copy the numbers of the layer's weight,
    # turned into the shape of the parameter. Copying is not a step of the
    # computation: it needs no gradient (`torch.no_grad`).
    raise NotImplementedError("step 11: copy_weights")


def self_attention_loops(
    x: Float[Tensor, "t d_in"],
    W_query: Float[Tensor, "d_in d_k"],
    W_key: Float[Tensor, "d_in d_k"],
    W_value: Float[Tensor, "d_in d_v"],
) -> Float[Tensor, "t d_v"]:
    """Return the context vectors of a sentence, one token after the other.

    x: t tokens, one per row. The weight matrices: as in project_qkv.
    Returns the same as scaled dot-product attention on the projections. But no
    matrix of scores (t x t) is ever built: the scores of one token are used
    and thrown away before the scores of the next token are computed. torch's
    vmap is not allowed in this step: the loop is yours.
    """
    # TODO 12: loop over the tokens. For each: its query, its scores with all
    # keys, its weights, its context vector. Collect the context vectors and
    # stack them at the end.
    raise NotImplementedError("step 12: self_attention_loops")


def self_attention_columns(
    H: Float[Tensor, "d_in t"],
    W_query: Float[Tensor, "d_k d_in"],
    W_key: Float[Tensor, "d_k d_in"],
    W_value: Float[Tensor, "d_v d_in"],
) -> Float[Tensor, "d_v t"]:
    """Return self-attention in the column convention, in which tokens are
    columns and weights multiply from the left.

    H: t tokens, one per column. W_query, W_key, W_value: Q = W_query H, K =
    W_key H, V = W_value H. Returns Z = V softmax(Kᵀ Q / √d_k): one context
    vector per column. Column j of the scores belongs to query j, so the
    softmax runs over the keys, which are the rows.
    """
    # TODO 13: Q, K and V with the weights on the left; scores Kᵀ Q; scale;
    # softmax over the keys; V times the weights.
    raise NotImplementedError("step 13: self_attention_columns")
