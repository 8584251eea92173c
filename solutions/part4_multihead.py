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
    ### BEGIN SOLUTION
    # TODO 1: call each head on x; join the results along the last dimension.
    return torch.cat([head(x) for head in heads], dim=-1)
    ### END SOLUTION


def head_dim(d_out: int, num_heads: int) -> int:
    """Return how many numbers of d_out each head gets.

    d_out: how many numbers all heads have together. num_heads: how many heads
    share them, 1 or more.
    Raises ValueError when num_heads does not divide d_out.
    """
    ### BEGIN SOLUTION
    # TODO 2: raise a ValueError unless the division has no remainder; return
    # the whole number.
    if d_out % num_heads:
        raise ValueError(f"{num_heads} heads cannot share {d_out} numbers")
    return d_out // num_heads
    ### END SOLUTION


def split_heads(
    x: Float[Tensor, "b t d_out"], num_heads: int
) -> Float[Tensor, "b t h hd"]:
    """Split the last dimension in two: one row per head, within each token.

    x: a batch of sentences; the first head's numbers come first in each token,
    the second head's next ... num_heads: h, which divides d_out.
    Returns the same numbers as (b, t, h, hd), where hd is head_dim(d_out, h).
    """
    ### BEGIN SOLUTION
    # TODO 3: the length of a head with step 2, then `view` or `reshape`.
    b, t, d_out = x.shape
    return x.reshape(b, t, num_heads, head_dim(d_out, num_heads))
    ### END SOLUTION


def group_by_head(x: Float[Tensor, "b t h hd"]) -> Float[Tensor, "b h t hd"]:
    """Move the heads before the tokens: each head gets its own sentence.

    x: grouped by token, with the heads within each token.
    Returns the same numbers grouped by head, with the tokens within each head.
    """
    ### BEGIN SOLUTION
    # TODO 4: swap two dimensions. A `view` cannot do that.
    return x.transpose(1, 2)
    ### END SOLUTION


def head_scores(
    queries: Float[Tensor, "b h t hd"], keys: Float[Tensor, "b h t hd"]
) -> Float[Tensor, "b h t t"]:
    """Return the scores of every query with every key, head by head.

    queries, keys: grouped by head. Returns, for each head by itself, one row
    per query and one column per key.
    """
    ### BEGIN SOLUTION
    # TODO 5: the matrix product of part 2. It works on the last two dimensions
    # only.
    return queries @ keys.transpose(-2, -1)
    ### END SOLUTION


def head_weights(
    scores: Float[Tensor, "b h t t"], head_dim: int
) -> Float[Tensor, "b h t t"]:
    """Turn each head's scores into weights that never look ahead.

    scores: of every head. head_dim: how many numbers a head's key has; here
    the name means that number, not the function of step 2.
    Returns weights: causal mask, scaled by the square root of head_dim,
    softmax over the keys. Every row of every head adds up to 1.
    """
    ### BEGIN SOLUTION
    # TODO 6: as step 3 of part 3. All heads use the same mask.
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
    masked = scores.masked_fill(hidden, float("-inf"))
    return torch.softmax(masked / head_dim**0.5, dim=-1)
    ### END SOLUTION


def head_context(
    weights: Float[Tensor, "b h t t"], values: Float[Tensor, "b h t hd"]
) -> Float[Tensor, "b h t hd"]:
    """Return the context vectors of each head: weighted sums of its values.

    weights: row i holds query i's weight for every key, head by head.
    values: one row per key, head by head.
    """
    ### BEGIN SOLUTION
    # TODO 7: one matrix product is enough for all heads.
    return weights @ values
    ### END SOLUTION


def merge_heads(
    context: Float[Tensor, "b h t hd"],
) -> Float[Tensor, "b t d_out"]:
    """Go back to tokens: the context vectors of all heads side by side.

    context: grouped by head.
    Returns one row per token: the first head's numbers, then the second's ...
    d_out is h times hd. This undoes steps 3 and 4.
    """
    ### BEGIN SOLUTION
    # TODO 8: move the tokens before the heads again, then join the last two
    # dimensions.
    b, h, t, hd = context.shape
    return context.transpose(1, 2).reshape(b, t, h * hd)
    ### END SOLUTION


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
        ### BEGIN SOLUTION
        # TODO 9: the length of a head with step 2, four layers in the order
        # W_query, W_key, W_value, out_proj, the dropout and the mask.
        self.num_heads = num_heads
        self.head_dim = head_dim(d_out, num_heads)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        mask = torch.ones(context_length, context_length, dtype=torch.bool)
        self.register_buffer("mask", mask.triu(diagonal=1))
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "b t d_in"]
    ) -> Float[Tensor, "b t d_out"]:
        """Return the context vectors of a batch of sentences.

        t may be anything up to context_length.
        """
        ### BEGIN SOLUTION
        # TODO 9: project, split, group by head; each head's scores, mask (cut
        # to t tokens), scaling, softmax, dropout and context; merge; out_proj.
        b, t, _ = x.shape
        queries, keys, values = (
            layer(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        scores = queries @ keys.transpose(2, 3)
        masked = scores.masked_fill(self.mask[:t, :t], float("-inf"))
        weights = torch.softmax(masked / self.head_dim**0.5, dim=-1)
        context = self.dropout(weights) @ values
        return self.out_proj(context.transpose(1, 2).flatten(2))
        ### END SOLUTION
