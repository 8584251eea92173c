"""Part 1: attention with nothing to learn.

A sentence is a matrix `inputs` with one row per token. Attention gives every
token a new vector, its context vector: a weighted sum of all rows, in which
the most similar tokens have the largest weights. No parameter is trained in
this part.

torch's own attention, such as scaled_dot_product_attention, is not allowed in
any step.

In a signature, Float[Tensor, "t d"] is a tensor of floats with the dimensions
t and d. In "... t d", any number of dimensions may come first, such as a batch.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def dot_product(
    a: Float[Tensor, " d"], b: Float[Tensor, " d"]
) -> Float[Tensor, ""]:
    """Return the dot product of two vectors: large if they point the same way.

    a, b: vectors of d numbers.
    Returns a tensor without dimensions (a single number that is still a
    tensor).
    """
    # TODO 1: multiply the two vectors number by number, then add the products
    # up.
    raise NotImplementedError("step 1: dot_product")


def attention_scores(
    query: Float[Tensor, " d"], inputs: Float[Tensor, "t d"]
) -> Float[Tensor, " t"]:
    """Return the score of every token for one query: the dot product of the
    query with each row of `inputs`.

    query: the vector of the token that is looking, d numbers.
    inputs: all t tokens of the sentence, one per row.
    Returns t scores, in the order of the tokens.
    """
    # TODO 2: the dot product of `query` with every row of `inputs`. One matrix
    # product computes them all.
    raise NotImplementedError("step 2: attention_scores")


def softmax(scores: Float[Tensor, "... t"]) -> Float[Tensor, "... t"]:
    """Turn scores into weights: positive, adding up to 1 along the last
    dimension, larger for larger scores.

    scores: any leading dimensions, then t scores. A score may be as large as
    10 000 or as small as -10 000 without overflow, and a score of -inf gets a
    weight of exactly 0.
    Returns weights of the same shape. torch's own softmax, log_softmax and
    softmin are not allowed in this step, neither as functions nor as modules.
    """
    # TODO 3: exponentials, divided by their sum along the last dimension.
    # exp(10 000) is infinite: subtracting the same number from all the scores
    # of a row changes no weight. Which one helps?
    raise NotImplementedError("step 3: softmax")


def context_vector(
    weights: Float[Tensor, " t"], inputs: Float[Tensor, "t d"]
) -> Float[Tensor, " d"]:
    """Return the weighted sum of the rows of `inputs`.

    weights: one number per token; they need not add up to 1.
    inputs: t tokens, one per row.
    Returns one vector of d numbers: the context vector.
    """
    # TODO 4: multiply each row of `inputs` by its weight and add the rows up.
    raise NotImplementedError("step 4: context_vector")


def simplified_self_attention(
    inputs: Float[Tensor, "t d"],
) -> Float[Tensor, "t d"]:
    """Return the context vectors of all tokens at once: scores, softmax,
    weighted sums.

    inputs: t tokens, one per row; every token is the query once. Nothing is
    scaled in this part. Returns t context vectors, one per row.
    """
    # TODO 5: score every token against every token (t x t), turn each row into
    # weights, then form the weighted sums.
    raise NotImplementedError("step 5: simplified_self_attention")
