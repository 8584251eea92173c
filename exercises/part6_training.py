"""Part 6: until the weights mean something.

So far all weights were random, and so attention looked at random tokens. Here
it gets the other parts of a language model: normalisation, a small network for
each token, and residual connections around both. Then the model is trained to
guess the next token, it writes text, and you look into its heads.

torch's own attention, such as scaled_dot_product_attention, is not allowed in
any step.

Sources: Vaswani et al. (2017), "Attention Is All You Need"; Ba et al. (2016),
"Layer Normalization"; Hendrycks and Gimpel (2016), "Gaussian Error Linear
Units"; Radford et al. (2019), "Language Models are Unsupervised Multitask
Learners", on GPT-2; Olsson et al. (2022), "In-context Learning and Induction
Heads".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional


class LayerNorm(nn.Module):
    """Normalise each token to mean 0 and variance 1.

    emb_dim: how many numbers a token has. Parameters `scale` (ones at first)
    and `shift` (zeros at first), emb_dim numbers each.
    torch's own norms are not allowed in this step: neither layer_norm nor
    group_norm, instance_norm, batch_norm and rms_norm, as functions or modules.
    Source: Ba et al. (2016), equation 4.
    """

    def __init__(self, emb_dim: int) -> None:
        super().__init__()
        # TODO 1: two parameters, `scale` and `shift`.
        raise NotImplementedError("step 1: LayerNorm")

    def forward(
        self, x: Float[Tensor, "... emb_dim"]
    ) -> Float[Tensor, "... emb_dim"]:
        """Return each token normalised, times `scale`, plus `shift`.

        The variance is the biased one, divided by emb_dim; 1e-5 is added to it
        before the square root.
        """
        # TODO 1: mean and variance of the last dimension, kept with size 1.
        raise NotImplementedError("step 1: LayerNorm")


class FeedForward(nn.Module):
    """Transform each token by itself: widen it, apply GELU, narrow it again.

    emb_dim: how many numbers a token has. Two linear layers with biases, made
    in the order in which they are used, and left as torch draws them: to
    4 · emb_dim numbers, and back. Between them the exact GELU, not an
    approximation.
    Source: Vaswani et al. (2017), section 3.3; GELU by Hendrycks and Gimpel.
    """

    def __init__(self, emb_dim: int) -> None:
        super().__init__()
        # TODO 2: the layers. torch has a module for each of them.
        raise NotImplementedError("step 2: FeedForward")

    def forward(
        self, x: Float[Tensor, "... emb_dim"]
    ) -> Float[Tensor, "... emb_dim"]:
        """Return emb_dim new numbers for each token."""
        # TODO 2: one layer after the other.
        raise NotImplementedError("step 2: FeedForward")


class TransformerBlock(nn.Module):
    """Attention, then a feed forward: norm before each, residual around each.

    attention: a module that takes and returns (b, t, emb_dim); it is ready to
    use.
    emb_dim: how many numbers a token has. dropout: the probability with which
    each number is dropped before it is added. The feed forward is that of
    step 2 and is made here; the norms are those of step 1.
    Source: Radford et al. (2019), section 2.3: the norm comes first.
    """

    def __init__(
        self, attention: nn.Module, emb_dim: int, dropout: float
    ) -> None:
        super().__init__()
        # TODO 3: keep the attention; a norm for each of the two paths, a feed
        # forward, and the dropout.
        raise NotImplementedError("step 3: TransformerBlock")

    def forward(
        self, x: Float[Tensor, "b t emb_dim"]
    ) -> Float[Tensor, "b t emb_dim"]:
        """Return x with what the attention and the feed forward add to it."""
        # TODO 3: norm, attention, dropout, and add to x; then norm, feed
        # forward, dropout, and add to that.
        raise NotImplementedError("step 3: TransformerBlock")


class TinyGPT(nn.Module):
    """A language model: tokens in, scores for the next token out.

    vocab_size: how many tokens there are. context_length: how many tokens it
    can see at most; kept as an attribute. emb_dim, num_heads, dropout: as
    before. num_layers: how many blocks. attention_class: makes the attention
    of each block; its arguments are d_in and d_out (both are emb_dim),
    context_length, dropout and num_heads, in this order.
    Numbers are drawn as torch's layers draw them, in this order: token
    embedding, position embedding, the blocks one by one (first its attention,
    then its feed forward), and the head, a linear layer to vocab_size numbers
    without a bias. The head is not tied to the embedding.
    Source: Radford et al. (2019), section 2.3.
    """

    def __init__(
        self,
        vocab_size: int,
        context_length: int,
        emb_dim: int,
        num_heads: int,
        num_layers: int,
        dropout: float,
        attention_class: Callable[..., nn.Module],
    ) -> None:
        super().__init__()
        # TODO 4: two embeddings, dropout, blocks in an `nn.ModuleList`, a last
        # norm, the head. Keep `context_length`.
        raise NotImplementedError("step 4: TinyGPT")

    def forward(
        self, tokens: Int[Tensor, "b t"]
    ) -> Float[Tensor, "b t vocab_size"]:
        """Return, for each token, one logit for each token that may follow.

        tokens: numbers below vocab_size; t is at most context_length. The
        embeddings of tokens and positions are added, with dropout after that;
        then come the blocks of step 3, a last norm and the head.
        """
        # TODO 4: token plus position, dropout, all blocks, norm, head.
        raise NotImplementedError("step 4: TinyGPT")


def next_token_loss(
    logits: Float[Tensor, "b t v"], tokens: Int[Tensor, "b t"]
) -> Float[Tensor, ""]:
    """Return how far the guesses are from the tokens that really came next.

    logits: at position i, one number for each token that may come at position
    i + 1. tokens: the texts themselves, with the tokens that really came.
    Returns the cross entropy, the mean of all b · (t − 1) guesses. For the
    guess at the last position, there is nothing to compare it with.
    """
    # TODO 5: which guesses belong to which tokens? Then use torch's own cross
    # entropy, which takes rows of logits and one token number for each row.
    raise NotImplementedError("step 5: next_token_loss")


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    tokens: Int[Tensor, "b t"],
) -> float:
    """Let the model learn from one batch, and return how wrong it was.

    model: takes tokens, returns logits; you may put it into training mode, but
    it must not read in eval mode if it was in training mode.
    optimizer: updates the model's parameters; old gradients may still be there.
    tokens: the batch. Returns the loss before the update, as a float.
    """
    # TODO 6: loss, zero the gradients, backward, update.
    raise NotImplementedError("step 6: train_step")


def generate(
    model: TinyGPT, tokens: Int[Tensor, "b t"], max_new_tokens: int
) -> Int[Tensor, "b t+max_new_tokens"]:
    """Let the model continue texts, at each step with the most likely token.

    model: takes at most model.context_length tokens. tokens: the beginnings of
    the texts, at least one token each. max_new_tokens: how many tokens to add
    to each text.
    Returns the beginnings, followed by what the model wrote. Gradients are
    switched on afterwards, as they were before.
    """
    # TODO 7: repeat: pass in the last tokens, take the logits of the last
    # position, append the token with the largest logit.
    raise NotImplementedError("step 7: generate")


def attention_maps(
    model: nn.Module, tokens: Int[Tensor, "b t"]
) -> Float[Tensor, "num_layers b h t t"]:
    """Return where every head of every layer looks.

    model: its attention modules have `W_query`, `W_key` and `num_heads`, like
    MultiHeadAttention of part 4; they are causal.
    tokens: what the model reads.
    Returns the weights before dropout, layer by layer: row i of a map is what
    token i looks at. Dropout is off while the model reads. Afterwards all is as
    before: the model in the same mode and without hooks, gradients switched on.
    """
    # TODO 8: find the attention modules, keep the input of each one while the
    # model reads the tokens (a forward pre-hook), and compute the weights.
    raise NotImplementedError("step 8: attention_maps")
