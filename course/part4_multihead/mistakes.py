"""Known mistakes of part 4."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.model import Mistakes

Heads = list[Callable[[Tensor], Tensor]]
HIDDEN = float("-inf")


def masked(scores: Tensor) -> Tensor:
    """What the mistakes below have in common where they are right: scores with the future hidden."""
    t = scores.shape[-1]
    return scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(diagonal=1), HIDDEN)


class concat_heads(Mistakes):
    def heads_stacked(heads: Heads, x: Tensor) -> Tensor:
        """Your heads are in a dimension of their own, the first, as `torch.stack` makes it. Side by
        side in the last dimension is `torch.cat(..., dim=-1)`."""
        return torch.stack([head(x) for head in heads])

    def heads_stacked_last(heads: Heads, x: Tensor) -> Tensor:
        """Your heads are in a last dimension of their own. Join them: `torch.cat(..., dim=-1)`."""
        return torch.stack([head(x) for head in heads], dim=-1)

    def heads_summed(heads: Heads, x: Tensor) -> Tensor:
        """You add the heads up. Put their numbers side by side with `torch.cat`."""
        return torch.stack([head(x) for head in heads]).sum(dim=0)

    def heads_averaged(heads: Heads, x: Tensor) -> Tensor:
        """You take the mean of the heads. Put their numbers side by side with `torch.cat`."""
        return torch.stack([head(x) for head in heads]).mean(dim=0)

    def heads_along_tokens(heads: Heads, x: Tensor) -> Tensor:
        """You join the heads along the tokens, one below the other. Join along `dim=-1`."""
        return torch.cat([head(x) for head in heads], dim=-2)

    def heads_joined_in_dimension_1(heads: Heads, x: Tensor) -> Tensor:
        """Right for one sentence, but in a batch you join along tokens: count back, `dim=-1`."""
        return torch.cat([head(x) for head in heads], dim=1)

    def heads_joined_in_dimension_0(heads: Heads, x: Tensor) -> Tensor:
        """You join along the first dimension, as `torch.cat` does by itself. Use `dim=-1`."""
        return torch.cat([head(x) for head in heads])

    def first_head_only(heads: Heads, x: Tensor) -> Tensor:
        """You use the first head only. Call every head and join what they return."""
        return heads[0](x)

    def heads_in_reverse(heads: Heads, x: Tensor) -> Tensor:
        """Right heads in the wrong order: the first head's numbers come first."""
        return torch.cat([head(x) for head in reversed(heads)], dim=-1)

    def heads_stacked_last_and_flattened(heads: Heads, x: Tensor) -> Tensor:
        """The heads' numbers are interleaved. Join them: `torch.cat(..., dim=-1)`."""
        return torch.stack([head(x) for head in heads], dim=-1).flatten(-2)

    def heads_chained(heads: Heads, x: Tensor) -> Tensor:
        """Each head gets what the head before it returned, as after `x = head(x)`. All heads look
        at the same x: give the result another name."""
        outputs = []
        for head in heads:
            x = head(x)
            outputs.append(x)
        return torch.cat(outputs, dim=-1)


class head_dim(Mistakes):
    def floor_division(d_out: int, num_heads: int) -> int:
        """Nothing is raised for 7 numbers and 2 heads, where one number would be lost. `raise` a
        ValueError (to return one is not enough) when there is a remainder."""
        return d_out // num_heads

    def true_division(d_out: int, num_heads: int) -> float:
        """`/` gives a float, 3.0 instead of 3, which cannot be the size of a tensor. Use `//`."""
        if d_out % num_heads:
            raise ValueError("something is left over")
        return d_out / num_heads

    def true_division_unchecked(d_out: int, num_heads: int) -> float:
        """`/` gives a float, 3.0 instead of 3, which cannot be the size of a tensor: use `//`. And
        `raise` a ValueError when there is a remainder."""
        return d_out / num_heads

    def division_inverted(d_out: int, num_heads: int) -> int:
        """The division is the wrong way round: d_out numbers are shared by num_heads heads."""
        if d_out < 1 or num_heads % d_out:
            raise ValueError("something is left over")
        return num_heads // d_out

    def asserted(d_out: int, num_heads: int) -> int:
        """You raise an AssertionError: `assert` is for mistakes of your own, and `python -O` leaves
        it out. Write `raise ValueError(...)`."""
        if d_out % num_heads:
            raise AssertionError
        return d_out // num_heads


class split_heads(Mistakes):
    def head_dim_before_heads(x: Tensor, num_heads: int) -> Tensor:
        """h and hd are swapped: one head's numbers lie next to each other, so the shape ends in
        (num_heads, head_dim). `torch.split` takes the size of a piece, not how many there are."""
        b, t, _ = x.shape
        return x.reshape(b, t, x.shape[-1] // num_heads, num_heads)

    def every_other_number(x: Tensor, num_heads: int) -> Tensor:
        """Right shape, but each head gets every h-th number, as when you cut into (hd, h) and
        transpose. One head's numbers lie next to each other: cut into (h, hd)."""
        b, t, _ = x.shape
        return x.reshape(b, t, x.shape[-1] // num_heads, num_heads).transpose(2, 3)

    def heads_before_tokens(x: Tensor, num_heads: int) -> Tensor:
        """Your heads come before the tokens already, scrambled: cut only the last dimension."""
        b, t, _ = x.shape
        return x.reshape(b, num_heads, t, x.shape[-1] // num_heads)

    def grouped_already(x: Tensor, num_heads: int) -> Tensor:
        """You group by head already. That is the next step: tokens stay before heads here."""
        b, t, _ = x.shape
        return x.reshape(b, t, num_heads, x.shape[-1] // num_heads).transpose(1, 2)

    def list_of_heads(x: Tensor, num_heads: int) -> list[Tensor]:
        """You return a list of heads. Cut the last dimension: `x.view(b, t, num_heads, hd)`."""
        return list(torch.split(x, x.shape[-1] // num_heads, dim=-1))

    def cut_through_the_tokens(x: Tensor, num_heads: int) -> Tensor:
        """Right shape, scrambled numbers: a head has numbers of other tokens, as after `view(b,
        num_heads, t, head_dim)` and a transpose. View as (b, t, num_heads, head_dim) at once."""
        b, t, _ = x.shape
        return x.reshape(b, num_heads, t, x.shape[-1] // num_heads).transpose(1, 2)


class group_by_head(Mistakes):
    def viewed_instead_of_transposed(x: Tensor) -> Tensor:
        """Right shape, scrambled numbers: the numbers stay in memory order, as `view` and `reshape`
        leave them; tokens and heads must change places (`transpose(1, 2)`)."""
        b, t, h, hd = x.shape
        return x.reshape(b, h, t, hd)

    def last_two_exchanged(x: Tensor) -> Tensor:
        """You swap the last two dimensions. Swap the heads (2) and the tokens (1)."""
        return x.transpose(2, 3)

    def batch_moved(x: Tensor) -> Tensor:
        """You move the batch. It stays dimension 0: swap heads (2) and tokens (1)."""
        return x.transpose(0, 2)

    def not_grouped(x: Tensor) -> Tensor:
        """Nothing has moved: the tokens still come before the heads."""
        return x.clone()

    def tokens_last(x: Tensor) -> Tensor:
        """Your tokens come last, (b, h, hd, t). Swap only heads and tokens: (b, h, t, hd)."""
        return x.permute(0, 2, 3, 1)

    def heads_before_the_batch(x: Tensor) -> Tensor:
        """The heads come before the batch: keep the batch in front, (b, h, t, hd)."""
        return x.permute(2, 0, 1, 3)


class head_scores(Mistakes):
    def all_dimensions_turned(queries: Tensor, keys: Tensor) -> Tensor:
        """Your transpose of the keys moves the batch and the heads too, as `.T` does. Swap only the
        last two dimensions: `keys.transpose(-2, -1)`."""
        return queries @ keys.permute(3, 2, 1, 0)

    def heads_contracted(queries: Tensor, keys: Tensor) -> Tensor:
        """Each score adds up all heads. Every head has scores of its own, (b, h, t, t)."""
        return torch.einsum("bhqd,bhkd->bqk", queries, keys)

    def heads_contracted_and_repeated(queries: Tensor, keys: Tensor) -> Tensor:
        """All heads have the same scores, their sum. Every head has scores of its own."""
        scores = torch.einsum("bhqd,bhkd->bqk", queries, keys)
        return scores[:, None].expand(-1, queries.shape[1], -1, -1)

    def heads_with_heads(queries: Tensor, keys: Tensor) -> Tensor:
        """These are scores of heads with heads, token by token. `transpose(1, 2)` belongs to the
        grouping: here you swap the last two dimensions of the keys."""
        return queries.transpose(1, 2) @ keys.transpose(1, 2).transpose(2, 3)

    def keys_on_the_left(queries: Tensor, keys: Tensor) -> Tensor:
        """Rows and columns are swapped: rows are queries. Queries come on the left."""
        return keys @ queries.transpose(-2, -1)

    def queries_with_queries(queries: Tensor, keys: Tensor) -> Tensor:
        """The queries meet queries: the keys are never used."""
        return queries @ queries.transpose(-2, -1)

    def scaled_already(queries: Tensor, keys: Tensor) -> Tensor:
        """These are scaled scores. Here the scores stay as they are: scaling is the next step."""
        return queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5

    def wrong_two_exchanged(queries: Tensor, keys: Tensor) -> Tensor:
        """You swap the wrong dimensions: tokens and numbers are the last, `transpose(-2, -1)`."""
        return queries @ keys.transpose(1, 2)

    def head_scores_of_keys_cut_anew(queries: Tensor, keys: Tensor) -> Tensor:
        """Your keys are not transposed: their numbers stay in memory order, as they are, or as
        `reshape` and `view` cut them. `transpose(-2, -1)` turns rows into columns."""
        b, h, t, hd = keys.shape
        return queries @ keys.reshape(b, h, hd, t)


class head_weights(Mistakes):
    def scaled_by_root_of_d_out(scores: Tensor, head_dim: int) -> Tensor:
        """You scale by the root of d_out, of all heads. A key has head_dim numbers: use that."""
        return torch.softmax(masked(scores) / (scores.shape[1] * head_dim) ** 0.5, dim=-1)

    def mask_missing(scores: Tensor, head_dim: int) -> Tensor:
        """Nothing is hidden. Put −∞ above the diagonal, and use what `masked_fill` returns."""
        return torch.softmax(scores / head_dim**0.5, dim=-1)

    def head_scores_unscaled(scores: Tensor, head_dim: int) -> Tensor:
        """The scores are not scaled: divide them by √head_dim before the softmax."""
        return torch.softmax(masked(scores), dim=-1)

    def scaled_by_head_dim(scores: Tensor, head_dim: int) -> Tensor:
        """You scale by head_dim: scale by its square root."""
        return torch.softmax(masked(scores) / head_dim, dim=-1)

    def head_scores_scaled_by_root_of_tokens(scores: Tensor, head_dim: int) -> Tensor:
        """You scale by the root of the number of tokens. It is the root of head_dim."""
        return torch.softmax(masked(scores) / scores.shape[-1] ** 0.5, dim=-1)

    def softmax_over_heads(scores: Tensor, head_dim: int) -> Tensor:
        """Your softmax runs over the heads, dimension 1. The keys are the last, `dim=-1`."""
        return torch.softmax(masked(scores) / head_dim**0.5, dim=1)

    def head_softmax_over_queries(scores: Tensor, head_dim: int) -> Tensor:
        """Your softmax runs over the queries. Each row must add up to 1: `dim=-1`, the keys."""
        return torch.softmax(masked(scores) / head_dim**0.5, dim=-2)

    def head_masked_after_softmax(scores: Tensor, head_dim: int) -> Tensor:
        """Future tokens take their share in the softmax before they are hidden, so the rows no
        longer add up to 1. Mask the scores first, with −∞."""
        return torch.softmax(scores / head_dim**0.5, dim=-1).tril()

    def head_masked_and_renormalized(scores: Tensor, head_dim: int) -> Tensor:
        """Right for moderate scores, but beside a much larger future score the visible weights
        underflow to 0, and 0 / 0 is nan. Mask the scores before the softmax."""
        visible = torch.softmax(scores / head_dim**0.5, dim=-1).tril()
        return visible / visible.sum(dim=-1, keepdim=True)

    def head_weights_hidden_by_ten_thousand(scores: Tensor, head_dim: int) -> Tensor:
        """You add about −10 000 to later scores. Larger ones are not hidden: put −∞ there."""
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(diagonal=1)
        return torch.softmax((scores - 1e4 * hidden) / head_dim**0.5, dim=-1)

    def head_weights_filled_with_infinity(scores: Tensor, head_dim: int) -> Tensor:
        """You put −∞ into the weights. Put it into the scores: the softmax makes it 0."""
        t = scores.shape[-1]
        hidden = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
        return torch.softmax(scores / head_dim**0.5, dim=-1).masked_fill(hidden, HIDDEN)

    def head_weights_overflow(scores: Tensor, head_dim: int) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        exponentials = (masked(scores) / head_dim**0.5).exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=True)

    def head_mask_inverted(scores: Tensor, head_dim: int) -> Tensor:
        """Your mask is the wrong way round: only the future is seen. True hides."""
        t = scores.shape[-1]
        hidden = torch.ones(t, t, dtype=torch.bool).tril()
        return torch.softmax(scores.masked_fill(hidden, HIDDEN) / head_dim**0.5, dim=-1)

    def head_diagonal_hidden(scores: Tensor, head_dim: int) -> Tensor:
        """You hide the diagonal too: the first token sees nothing. Use `diagonal=1`."""
        t = scores.shape[-1]
        hidden = torch.ones(t, t, dtype=torch.bool).triu()
        return torch.softmax(scores.masked_fill(hidden, HIDDEN) / head_dim**0.5, dim=-1)


class head_context(Mistakes):
    def head_weights_transposed(weights: Tensor, values: Tensor) -> Tensor:
        """Your weights are transposed. Their rows belong to queries: `weights @ values`."""
        return weights.transpose(-2, -1) @ values

    def values_returned(weights: Tensor, values: Tensor) -> Tensor:
        """You return the values as they came: each token must take a weighted sum of them."""
        return values.clone()

    def head_contexts_summed(weights: Tensor, values: Tensor) -> Tensor:
        """The heads are added up. Every head keeps a context of its own, (b, h, t, hd)."""
        return (weights @ values).sum(dim=1)

    def values_of_the_first_head(weights: Tensor, values: Tensor) -> Tensor:
        """All heads use the values of the first head. Each head has values of its own."""
        return weights @ values[:, :1]

    def weights_times_values(weights: Tensor, values: Tensor) -> Tensor:
        """`*` multiplies number by number, where it fits at all. A context is a weighted sum over
        the tokens: a matrix product."""
        return weights * values

    def merged_already(weights: Tensor, values: Tensor) -> Tensor:
        """You merge the heads already: that is the next step."""
        return (weights @ values).transpose(1, 2).flatten(2)

    def weights_renormalized_first(weights: Tensor, values: Tensor) -> Tensor:
        """The sums of the weights are divided out. Use the weights as they come."""
        return weights / weights.sum(dim=-1, keepdim=True) @ values

    def later_values_left_out(weights: Tensor, values: Tensor) -> Tensor:
        """You add up values up to the token itself. Hidden ones have weight 0: take them all."""
        return weights.tril() @ values

    def head_contexts_averaged(weights: Tensor, values: Tensor) -> Tensor:
        """All heads get the mean of their contexts. Every head keeps a context of its own."""
        contexts = weights @ values
        return contexts.mean(dim=1, keepdim=True).expand_as(contexts)

    def head_contexts_summed_for_all(weights: Tensor, values: Tensor) -> Tensor:
        """All heads get the sum of their contexts. Every head keeps a context of its own."""
        contexts = weights @ values
        return contexts.sum(dim=1, keepdim=True).expand_as(contexts)

    def weights_averaged_over_heads(weights: Tensor, values: Tensor) -> Tensor:
        """The weights are averaged over the heads. Every head uses weights of its own."""
        return weights.mean(dim=1, keepdim=True) @ values

    def values_of_all_heads_summed(weights: Tensor, values: Tensor) -> Tensor:
        """The values of all heads are added up. Every head mixes its own."""
        return weights @ values.sum(dim=1, keepdim=True)


class merge_heads(Mistakes):
    def viewed_without_transpose(context: Tensor) -> Tensor:
        """Right shape, but each row mixes tokens. First bring them forward, `transpose(1, 2)`."""
        b, h, t, hd = context.shape
        return context.reshape(b, t, h * hd)

    def viewed_without_contiguous(context: Tensor) -> Tensor:
        """After `transpose` the numbers are in another order in memory, and `view` fails. Use
        `reshape`, or `.contiguous()` before `view`."""
        b, h, t, hd = context.shape
        return context.transpose(1, 2).view(b, t, h * hd)

    def heads_interleaved(context: Tensor) -> Tensor:
        """The heads are interleaved: the first head's numbers come first, then the second's."""
        b, h, t, hd = context.shape
        return context.permute(0, 2, 3, 1).reshape(b, t, h * hd)

    def merged_by_sum(context: Tensor) -> Tensor:
        """You add the heads up. Put them side by side: a token has h · hd numbers."""
        return context.sum(dim=1)

    def not_joined(context: Tensor) -> Tensor:
        """The tokens come before the heads now. Join the last two dimensions."""
        return context.transpose(1, 2)

    def tokens_joined(context: Tensor) -> Tensor:
        """You join tokens and numbers. Join heads and numbers, token by token."""
        return context.flatten(2)

    def numbers_of_one_head(context: Tensor) -> Tensor:
        """Your tokens have hd numbers, those of one head. All heads together have h · hd."""
        b, _, t, hd = context.shape
        return context.transpose(1, 2).reshape(b, t, hd)

    def read_as_grouped_by_token(context: Tensor) -> Tensor:
        """Your shape is (b, h, t · hd), as if the context came as (b, t, h, hd). Here the heads
        come before the tokens: (b, h, t, hd)."""
        b, t, h, hd = context.shape
        return context.transpose(1, 2).reshape(b, t, h * hd)

    def heads_and_tokens_joined(context: Tensor) -> Tensor:
        """You join heads and tokens. Bring the tokens forward, then join heads and numbers."""
        return context.flatten(1, 2)

    def sentences_joined(context: Tensor) -> Tensor:
        """You join the sentences, over which a loop over a tensor runs. Heads are dimension 1."""
        return torch.cat([*context], dim=-1)


class _MultiHead(nn.Module):
    mask: Tensor

    def __init__(self, *sizes: Any, qkv_bias: bool = False) -> None:
        super().__init__()
        d_in, d_out, context_length, dropout, num_heads = sizes
        if d_out % num_heads:
            raise ValueError("something is left over")
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.make_layers(d_in, d_out, qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(diagonal=1))

    def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=bias) for _ in range(3))
        self.out_proj = nn.Linear(d_out, d_out)

    def split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)

    def hide(self, scores: Tensor) -> Tensor:
        t = scores.shape[-1]
        return scores.masked_fill(self.mask[:t, :t], HIDDEN)

    def scale(self, x: Tensor) -> float:
        return float(self.head_dim**0.5)

    def scores(self, x: Tensor) -> Tensor:
        return self.split(self.W_query(x)) @ self.split(self.W_key(x)).transpose(2, 3) / self.scale(x)

    def weights(self, x: Tensor) -> Tensor:
        return torch.softmax(self.hide(self.scores(x)), dim=-1)

    def context(self, x: Tensor) -> Tensor:
        return self.dropout(self.weights(x)) @ self.split(self.W_value(x))

    def merge(self, context: Tensor) -> Tensor:
        return context.transpose(1, 2).flatten(2)

    def forward(self, x: Tensor) -> Tensor:
        return self.out_proj(self.merge(self.context(x)))


class MultiHeadAttention(Mistakes):
    class OutProjUnused(_MultiHead):
        """`out_proj` is never used: the merged context goes through it last."""

        def forward(self, x: Tensor) -> Tensor:
            return self.merge(self.context(x))

    class ScaledByRootOfDOut(_MultiHead):
        """You scale by the root of d_out. A key of one head has head_dim numbers: use its root."""

        def scale(self, x: Tensor) -> float:
            return float((self.num_heads * self.head_dim) ** 0.5)

    class ScaledByRootOfDIn(_MultiHead):
        """You scale by the root of d_in. A key of one head has head_dim numbers: use its root."""

        def scale(self, x: Tensor) -> float:
            return float(x.shape[-1] ** 0.5)

    class ScaledByRootOfHeads(_MultiHead):
        """You scale by the root of the number of heads: once they come before the tokens, that is
        `shape[1]`. A key of one head has head_dim numbers: scale by its root."""

        def scale(self, x: Tensor) -> float:
            return float(self.num_heads**0.5)

    class MultiHeadUnscaled(_MultiHead):
        """The scores are not scaled: divide them by √head_dim before the softmax."""

        def scale(self, x: Tensor) -> float:
            return 1.0

    class HeadsScrambled(_MultiHead):
        """The heads are scrambled: each mixes numbers of several tokens, as after `view(b,
        num_heads, t, head_dim)`. View as (b, t, num_heads, head_dim), then `transpose(1, 2)`."""

        def split(self, x: Tensor) -> Tensor:
            b, t, _ = x.shape
            return x.view(b, self.num_heads, t, self.head_dim)

    class ContextNotTransposedBack(_MultiHead):
        """Merged, each row mixes tokens. Bring them before the heads first: `transpose(1, 2)`."""

        def merge(self, context: Tensor) -> Tensor:
            b, h, t, hd = context.shape
            return context.reshape(b, t, h * hd)

    class SentenceCutIntoPieces(_MultiHead):
        """Each head has a piece of the sentence, and all numbers of its tokens: `view(b, num_heads,
        t, head_dim)`, and a view back, leave them in memory order. View as (b, t, num_heads,
        head_dim), then `transpose(1, 2)`, and back."""

        def split(self, x: Tensor) -> Tensor:
            b, t, _ = x.shape
            return x.view(b, self.num_heads, t, self.head_dim)

        def merge(self, context: Tensor) -> Tensor:
            b, h, t, hd = context.shape
            return context.reshape(b, t, h * hd)

    class HeadsOverlap(_MultiHead):
        """The heads overlap, as with slices `i:i + head_dim`. Head i begins at i · head_dim."""

        def split(self, x: Tensor) -> Tensor:
            return x.unfold(-1, self.head_dim, 1)[:, :, : self.num_heads].transpose(1, 2)

    class HeadDimBeforeHeads(_MultiHead):
        """Each head gets every h-th number, as after `view(b, t, head_dim, num_heads)`. One head's
        numbers lie next to each other: view as (b, t, num_heads, head_dim)."""

        def split(self, x: Tensor) -> Tensor:
            b, t, _ = x.shape
            return x.view(b, t, self.head_dim, self.num_heads).permute(0, 3, 1, 2)

    class NeverGroupedByHead(_MultiHead):
        """Each token attends to its own heads. Bring heads before tokens: `transpose(1, 2)`."""

        def split(self, x: Tensor) -> Tensor:
            b, t, _ = x.shape
            return x.view(b, t, self.num_heads, self.head_dim)

        def hide(self, scores: Tensor) -> Tensor:
            h = scores.shape[-1]
            return scores.masked_fill(torch.ones(h, h, dtype=torch.bool).triu(diagonal=1), HIDDEN)

        def merge(self, context: Tensor) -> Tensor:
            return context.flatten(2)

    class OneHeadOnly(_MultiHead):
        """There is only one head: split the projections into num_heads before the scores."""

        def split(self, x: Tensor) -> Tensor:
            return x[:, None]

        def scale(self, x: Tensor) -> float:
            return float((self.num_heads * self.head_dim) ** 0.5)

    class OneHeadScaledByHeadDim(OneHeadOnly):
        """There is only one head, scaled as one of many: split the projections into num_heads."""

        def scale(self, x: Tensor) -> float:
            return float(self.head_dim**0.5)

    class HeadDimOfDIn(_MultiHead):
        """Your head_dim is made of d_in, a token's length. The heads share d_out numbers."""

        def __init__(self, *sizes: Any, **options: Any) -> None:
            super().__init__(*sizes, **options)
            self.head_dim = sizes[0] // self.num_heads

    class MultiHeadAllDimensionsTurned(_MultiHead):
        """Your transpose of the keys moves the sentences and the heads too, as `.T` does. Swap only
        the last two dimensions of the keys: `transpose(-2, -1)`."""

        def scores(self, x: Tensor) -> Tensor:
            return self.split(self.W_query(x)) @ self.split(self.W_key(x)).permute(3, 2, 1, 0) / self.scale(x)

    class MultiHeadMaskNotCut(_MultiHead):
        """Your mask fits context_length tokens only. Cut it to those here: `self.mask[:t, :t]`."""

        def hide(self, scores: Tensor) -> Tensor:
            return scores.masked_fill(self.mask, HIDDEN)

    class MultiHeadMaskForgotten(_MultiHead):
        """Nothing is hidden: each token sees later ones. Fill the masked scores with −∞, and use
        the result: what you gave stays as it is."""

        def hide(self, scores: Tensor) -> Tensor:
            return scores

    class MultiHeadMaskNotABuffer(_MultiHead):
        """Your mask is a plain attribute, which `.to('cuda')` leaves behind. Register a buffer."""

        def __init__(self, *sizes: Any, **options: Any) -> None:
            super().__init__(*sizes, **options)
            mask = self.mask
            del self.mask
            self.mask = mask

    class MultiHeadNoBufferOfThatName(_MultiHead):
        """There is no buffer `mask`: yours has another name, such as `bias` or `tril`, or is made
        in `forward`. Register it in `__init__` as `mask`, True where a position is hidden."""

        def __init__(self, *sizes: Any, **options: Any) -> None:
            super().__init__(*sizes, **options)
            del self.mask

        def hide(self, scores: Tensor) -> Tensor:
            return masked(scores)

    class MultiHeadInOneLayer(_MultiHead):
        """Queries, keys and values come from one layer, such as GPT-2's `c_attn`. Make three,
        W_query, W_key and W_value: other code finds them by these names."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            self.c_attn = nn.Linear(d_in, 3 * d_out, bias=bias)
            self.out_proj = nn.Linear(d_out, d_out)

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = (self.split(one) for one in self.c_attn(x).chunk(3, dim=-1))
            weights = torch.softmax(self.hide(queries @ keys.transpose(2, 3)) / self.scale(x), dim=-1)
            return self.out_proj(self.merge(self.dropout(weights) @ values))

    class OutProjWithoutBias(_MultiHead):
        """`out_proj` has no bias in your code. It must have one: `nn.Linear(d_out, d_out)`."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            super().make_layers(d_in, d_out, bias)
            self.out_proj.register_parameter("bias", None)

    class MultiHeadBiasLeftOn(_MultiHead):
        """Your layers always have a bias. `nn.Linear` adds one by default: pass `bias=qkv_bias`."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            super().make_layers(d_in, d_out, bias=True)

    class MultiHeadQueryBiasLeftOn(_MultiHead):
        """W_query always has a bias: `nn.Linear` adds one by itself. Pass `bias=qkv_bias`."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            self.W_query = nn.Linear(d_in, d_out)
            self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=bias) for _ in range(2))
            self.out_proj = nn.Linear(d_out, d_out)

    class MultiHeadBiasIgnored(_MultiHead):
        """`qkv_bias` makes no difference: no layer has a bias. Pass it on: `bias=qkv_bias`."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            super().make_layers(d_in, d_out, bias=False)

    class IndivisibleAccepted(_MultiHead):
        """4 heads cannot share 6 numbers: raise a ValueError. Your `head_dim` does that."""

        def __init__(self, *sizes: Any, **options: Any) -> None:
            super().__init__(*sizes[:4], 1, **options)
            self.num_heads, self.head_dim = sizes[4], sizes[1] // sizes[4]

    class MultiHeadDropoutInEval(_MultiHead):
        """Weights are dropped in eval mode too. `nn.Dropout`, made in `__init__`, knows the mode;
        `F.dropout` needs `training=self.training`."""

        def context(self, x: Tensor) -> Tensor:
            return nn.functional.dropout(self.weights(x), self.dropout.p) @ self.split(self.W_value(x))

    class MultiHeadDropoutOnContext(_MultiHead):
        """You drop something other than the weights, or do not scale the kept ones by 1 / (1 − p).
        `nn.Dropout` on the weights, after the softmax and before they meet the values, does
        both."""

        def context(self, x: Tensor) -> Tensor:
            return self.dropout(self.weights(x) @ self.split(self.W_value(x)))

    class MultiHeadDropoutOnValues(_MultiHead):
        """You drop numbers of the values, or of the tokens that they are made from. Dropout belongs
        on the weights, after the softmax."""

        def context(self, x: Tensor) -> Tensor:
            return self.weights(x) @ self.dropout(self.split(self.W_value(x)))

    class MultiHeadDropoutOnScores(_MultiHead):
        """You apply dropout to the scores: 0 still gets a weight. Apply it after the softmax."""

        def weights(self, x: Tensor) -> Tensor:
            return torch.softmax(self.dropout(self.hide(self.scores(x))), dim=-1)

        def context(self, x: Tensor) -> Tensor:
            return self.weights(x) @ self.split(self.W_value(x))

    class MultiHeadDropoutForgotten(_MultiHead):
        """Nothing is dropped in training: apply `self.dropout` to the weights."""

        def context(self, x: Tensor) -> Tensor:
            return self.weights(x) @ self.split(self.W_value(x))

    class MultiHeadOverQueries(_MultiHead):
        """Your softmax runs over the queries: for each key, the weights of all queries add up to 1.
        It runs over the keys, dim=-1 where rows are queries."""

        def weights(self, x: Tensor) -> Tensor:
            return torch.softmax(self.hide(self.scores(x)), dim=-2)

    class MultiHeadMaskedAndRenormalized(_MultiHead):
        """Right for moderate scores, but beside a much larger future score the visible weights
        underflow to 0, and 0 / 0 is nan. Mask the scores before the softmax."""

        def weights(self, x: Tensor) -> Tensor:
            visible = torch.softmax(self.scores(x), dim=-1).tril()
            return visible / visible.sum(dim=-1, keepdim=True)

    class MultiHeadMaskedAfterSoftmax(_MultiHead):
        """Future tokens take their share in the softmax before they are hidden, so the rows no
        longer add up to 1. Mask the scores first, with −∞."""

        def weights(self, x: Tensor) -> Tensor:
            return torch.softmax(self.scores(x), dim=-1).tril()

    class MultiHeadWeightsFilledWithInfinity(_MultiHead):
        """You put −∞ into the weights. Put it into the scores: the softmax makes it 0."""

        def weights(self, x: Tensor) -> Tensor:
            return self.hide(torch.softmax(self.scores(x), dim=-1))

    class MultiHeadDropoutRateIgnored(_MultiHead):
        """The rate of your dropout is not `dropout`: pass it on as it is, `nn.Dropout(dropout)`."""

        def __init__(self, *sizes: Any, **options: Any) -> None:
            super().__init__(*sizes, **options)
            self.dropout = nn.Dropout(0.5)

    class OutProjMadeFirst(_MultiHead):
        """The layers are made in another order. Make W_query, W_key, W_value and then out_proj."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            self.out_proj = nn.Linear(d_out, d_out)
            self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=bias) for _ in range(3))

    class MultiHeadScaledByRootOfTokens(_MultiHead):
        """You scale by the root of the number of tokens. It is the root of head_dim."""

        def scale(self, x: Tensor) -> float:
            return float(x.shape[1] ** 0.5)

    class MultiHeadScaledByHeadDim(_MultiHead):
        """You scale by head_dim: scale by its square root."""

        def scale(self, x: Tensor) -> float:
            return float(self.head_dim)

    class MultiHeadMaskCutForGood(_MultiHead):
        """You keep the mask of a shorter sentence, too small for longer ones. Do not store it."""

        def hide(self, scores: Tensor) -> Tensor:
            t = scores.shape[-1]
            self.mask = self.mask[:t, :t]
            return scores.masked_fill(self.mask, HIDDEN)

    class OutProjFollowsQkvBias(_MultiHead):
        """`out_proj` has a bias only with qkv_bias. It always has: `nn.Linear(d_out, d_out)`."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            super().make_layers(d_in, d_out, bias)
            if not bias:
                self.out_proj.register_parameter("bias", None)

    class NumHeadsNotKept(_MultiHead):
        """There is no attribute `num_heads`, by which part 6 finds attention modules."""

        def __init__(self, *sizes: Any, **options: Any) -> None:
            super().__init__(*sizes, **options)
            self.h = self.num_heads
            del self.num_heads

        def split(self, x: Tensor) -> Tensor:
            b, t, _ = x.shape
            return x.view(b, t, self.h, self.head_dim).transpose(1, 2)
