"""Part 3: no looking ahead.

A model that writes text must not see the tokens that it is about to write.
Everything after a token is hidden from it: the scores of later keys become −∞
before the softmax, so that their weights are exactly zero. In training,
dropout then sets a few of the remaining weights to zero at random.

A mask is True where a position is hidden. PyTorch's own
scaled_dot_product_attention does the opposite.

torch's own attention, such as scaled_dot_product_attention, is not allowed in
any step.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3;
Srivastava et al., "Dropout" (2014).
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def causal_mask(num_tokens: int) -> Bool[Tensor, "t t"]:
    """Return the mask that hides every key which comes after the query.

    num_tokens: how many tokens there are, t.
    Returns a matrix of booleans: row i belongs to query i, column j to key j.
    True means hidden: j is greater than i. A token sees itself.
    """
    ### BEGIN SOLUTION
    # TODO 1: True above the diagonal, False on it and below.
    positions = torch.arange(num_tokens)
    return positions[None, :] > positions[:, None]
    ### END SOLUTION


def mask_scores(scores: Float[Tensor, "... t t"]) -> Float[Tensor, "... t t"]:
    """Hide the future in scores: every score with a later key becomes −∞.

    scores: row i holds query i's score with every key, after any leading
    dimensions. Returns scores of the same shape, in which the scores that the
    query may see are unchanged. `scores` itself is not changed.
    """
    ### BEGIN SOLUTION
    # TODO 2: put −∞ where the mask of step 1 is True, into a new tensor.
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
    return scores.masked_fill(hidden, float("-inf"))
    ### END SOLUTION


def causal_attention_weights(
    scores: Float[Tensor, "... t t"], d_k: int
) -> Float[Tensor, "... t t"]:
    """Turn raw scores into weights that never look ahead.

    scores: row i holds query i's score with every key. d_k: how many numbers a
    key has.
    Returns weights: every row adds up to 1, and the weights of later keys are
    exactly zero, however large their scores are.
    """
    ### BEGIN SOLUTION
    # TODO 3: mask, scale by the root of d_k, softmax over the keys.
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
    masked = scores.masked_fill(hidden, float("-inf"))
    return torch.softmax(masked / d_k**0.5, dim=-1)
    ### END SOLUTION


def renormalized_weights(
    weights: Float[Tensor, "... t t"],
) -> Float[Tensor, "... t t"]:
    """Hide the future in another way: in the weights, after the softmax.

    weights: row i holds query i's weight for every key; all are positive.
    Returns weights in which those of later keys are zero, and each row is
    divided by the sum of what is left in it. The result is that of step 3, as
    long as no visible weight is so small that it has become zero.
    """
    ### BEGIN SOLUTION
    # TODO 4: set what lies above the diagonal to zero, then divide each row by
    # its sum.
    visible = weights.tril()
    return visible / visible.sum(dim=-1, keepdim=True)
    ### END SOLUTION


def apply_dropout(
    weights: Float[Tensor, ...], keep: Bool[Tensor, ...], p: float
) -> Float[Tensor, ...]:
    """Drop some weights, and scale up the others to keep the average sum.

    weights: of any shape. keep: of the same shape, True where a weight is
    kept. p: the probability with which `keep` was drawn False, below 1.
    Returns weights of the same shape: zero where they are dropped, multiplied
    by 1 / (1 − p) where they are kept, so that their sum stays the same on
    average.
    Source: Srivastava et al. (2014), section 10 ("inverted dropout").
    """
    ### BEGIN SOLUTION
    # TODO 5: set what is not kept to zero; divide the rest by 1 − p.
    return weights * keep / (1 - p)
    ### END SOLUTION


class CausalAttention(nn.Module):
    """Self-attention that never looks ahead, for batches, with dropout.

    d_in, d_out, qkv_bias: as in SelfAttentionV2. context_length: how many
    tokens a sentence may have at most. dropout: the probability with which a
    weight is dropped, only in training.
    Layers W_query, W_key and W_value, made in this order; a buffer `mask`,
    which moves with the module (`.to`) and is not trained.
    """

    mask: Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        # TODO 6: three `nn.Linear` layers, W_query, W_key and W_value, in this
        # order, an `nn.Dropout`, and the mask for `context_length` tokens as a
        # buffer (`self.register_buffer`).
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
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
        # TODO 6: project `x`, scores, mask (cut to t tokens), scale, softmax,
        # dropout on the weights, context.
        t = x.shape[1]
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.transpose(1, 2)
        masked = scores.masked_fill(self.mask[:t, :t], float("-inf"))
        weights = torch.softmax(masked / keys.shape[-1] ** 0.5, dim=-1)
        return self.dropout(weights) @ values
        ### END SOLUTION
