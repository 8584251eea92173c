"""Part 4: several perspectives.

One head gives one answer to "which tokens matter here?". Several heads, each
with its own queries, keys and values, give several. One matrix product makes
them for all heads together. The last dimension of its result is cut into
heads, every head attends by itself, and the outputs of the heads are put side
by side again.

torch's own attention, such as scaled_dot_product_attention, is not allowed in
any step.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn


def concat_heads(
    heads: list[Callable[[Tensor], Tensor]], x: Float[Tensor, "... t d_in"]
) -> Float[Tensor, "... t d_out"]:
    """Run every head on the same tokens and put the results side by side.

    heads: functions or modules; each turns x into its own context vectors.
    x: t tokens, after any leading dimensions.
    Returns the outputs of all heads, joined along the last dimension, with the
    first head on the left: d_out is the sum of the lengths that the heads
    return.
    """
    # TODO 1: call each head on x; join the results along the last dimension.
    raise NotImplementedError("step 1: concat_heads")


def head_dim(d_out: int, num_heads: int) -> int:
    """Return how many numbers of d_out each head gets.

    d_out: how many numbers all heads have together. num_heads: how many heads
    share them, 1 or more.
    Raises ValueError when num_heads does not divide d_out.
    """
    # TODO 2: raise a ValueError unless the division has no remainder; return
    # the whole number.
    raise NotImplementedError("step 2: head_dim")


def split_heads(
    x: Float[Tensor, "b t d_out"], num_heads: int
) -> Float[Tensor, "b t h hd"]:
    """Split the last dimension in two: one row per head, within each token.

    x: a batch of sentences; the first head's numbers come first in each token,
    the second head's next ... num_heads: h, which divides d_out.
    Returns the same numbers as (b, t, h, hd), where hd is head_dim(d_out, h).
    """
    # TODO 3: the length of a head with step 2, then `view` or `reshape`.
    raise NotImplementedError("step 3: split_heads")


def group_by_head(x: Float[Tensor, "b t h hd"]) -> Float[Tensor, "b h t hd"]:
    """Move the heads before the tokens: each head gets its own sentence.

    x: grouped by token, with the heads within each token.
    Returns the same numbers grouped by head, with the tokens within each head.
    """
    # TODO 4: swap two dimensions. A `view` cannot do that.
    raise NotImplementedError("step 4: group_by_head")


def head_scores(
    queries: Float[Tensor, "b h t hd"], keys: Float[Tensor, "b h t hd"]
) -> Float[Tensor, "b h t t"]:
    """Return the scores of every query with every key, head by head.

    queries, keys: grouped by head. Returns, for each head by itself, one row
    per query and one column per key.
    """
    # TODO 5: the matrix product of part 2. It works on the last two dimensions
    # only.
    raise NotImplementedError("step 5: head_scores")


def head_weights(
    scores: Float[Tensor, "b h t t"], head_dim: int
) -> Float[Tensor, "b h t t"]:
    """Turn each head's scores into weights that never look ahead.

    scores: of every head. head_dim: how many numbers a head's key has; here
    the name means that number, not the function of step 2.
    Returns weights: causal mask, scaled by the square root of head_dim,
    softmax over the keys. Every row of every head adds up to 1.
    """
    # TODO 6: as step 3 of part 3. All heads use the same mask.
    raise NotImplementedError("step 6: head_weights")


def head_context(
    weights: Float[Tensor, "b h t t"], values: Float[Tensor, "b h t hd"]
) -> Float[Tensor, "b h t hd"]:
    """Return the context vectors of each head: weighted sums of its values.

    weights: row i holds query i's weight for every key, head by head.
    values: one row per key, head by head.
    """
    # TODO 7: one matrix product is enough for all heads.
    raise NotImplementedError("step 7: head_context")


def merge_heads(
    context: Float[Tensor, "b h t hd"],
) -> Float[Tensor, "b t d_out"]:
    """Go back to tokens: the context vectors of all heads side by side.

    context: grouped by head.
    Returns one row per token: the first head's numbers, then the second's ...
    d_out is h times hd. This undoes steps 3 and 4.
    """
    # TODO 8: move the tokens before the heads again, then join the last two
    # dimensions.
    raise NotImplementedError("step 8: merge_heads")


class MultiHeadAttention(nn.Module):
    """Causal self-attention with several heads.

    d_in, context_length, dropout, qkv_bias: as in CausalAttention.
    d_out: how many numbers all heads have together. num_heads: how many heads
    share them; a number that does not divide d_out raises an exception.
    Layers W_query, W_key, W_value and out_proj (d_out to d_out, with a bias),
    made in this order; a buffer `mask` as in CausalAttention, and dropout on
    the weights, only in training. Keeps `num_heads` as an attribute: by it,
    W_query and W_key together part 6 finds attention modules.
    """

    mask: Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        # TODO 9: the length of a head with step 2, four layers in the order
        # W_query, W_key, W_value, out_proj, the dropout and the mask.
        raise NotImplementedError("step 9: MultiHeadAttention")

    def forward(
        self, x: Float[Tensor, "b t d_in"]
    ) -> Float[Tensor, "b t d_out"]:
        """Return the context vectors of a batch of sentences.

        t may be anything up to context_length.
        """
        # TODO 9: project, split, group by head; each head's scores, mask (cut
        # to t tokens), scaling, softmax, dropout and context; merge; out_proj.
        raise NotImplementedError("step 9: MultiHeadAttention")
