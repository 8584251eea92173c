"""Known mistakes of part 4."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from autograder.course.model import MistakeBank

BANK = MistakeBank()

Heads = list[Callable[[Tensor], Tensor]]

HIDDEN = float("-inf")

TOO_SMALL_TO_HIDE = "Something like −10 000 is added to later scores. It hides no score that is larger than that: put −∞ in their place."
OVERFLOW = "Right for moderate scores, but exp overflows for large ones. Use `torch.softmax`, or subtract each row's largest score."

SCRAMBLED = (
    "Right shape, scrambled numbers: the numbers stay in memory order, as `view` and `reshape` leave them; tokens and"
    " heads must change places (`transpose(1, 2)`)."
)


def masked(scores: Tensor) -> Tensor:
    """What the mistakes below have in common where they are right: scores with the future hidden."""
    t = scores.shape[-1]
    return scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(diagonal=1), HIDDEN)


# concat_heads


@BANK.of(
    "concat_heads",
    "Your heads are in a dimension of their own, the first, as `torch.stack` makes it. Side by side in the last "
    "dimension is `torch.cat(..., dim=-1)`.",
)
def heads_stacked(heads: Heads, x: Tensor) -> Tensor:
    return torch.stack([head(x) for head in heads])


@BANK.of(
    "concat_heads",
    "Your heads are in a last dimension of their own. Join them: `torch.cat(..., dim=-1)`.",
)
def heads_stacked_last(heads: Heads, x: Tensor) -> Tensor:
    return torch.stack([head(x) for head in heads], dim=-1)


@BANK.of("concat_heads", "You add the heads up. Each keeps its own numbers: put them side by side with `torch.cat`.")
def heads_summed(heads: Heads, x: Tensor) -> Tensor:
    return torch.stack([head(x) for head in heads]).sum(dim=0)


@BANK.of(
    "concat_heads",
    "You take the mean of the heads. Each keeps its own numbers: put them side by side with `torch.cat`.",
)
def heads_averaged(heads: Heads, x: Tensor) -> Tensor:
    return torch.stack([head(x) for head in heads]).mean(dim=0)


@BANK.of(
    "concat_heads",
    "You join the heads along the tokens, one head below the other. Join in the last dimension: `dim=-1`.",
)
def heads_along_tokens(heads: Heads, x: Tensor) -> Tensor:
    return torch.cat([head(x) for head in heads], dim=-2)


@BANK.of(
    "concat_heads",
    "Right for one sentence, but the heads of a batch are joined along the tokens. Count from the end: `dim=-1`.",
)
def heads_joined_in_dimension_1(heads: Heads, x: Tensor) -> Tensor:
    return torch.cat([head(x) for head in heads], dim=1)


@BANK.of(
    "concat_heads",
    "You join along the first dimension, as `torch.cat` does without `dim`: one head below the other. Use `dim=-1`.",
)
def heads_joined_in_dimension_0(heads: Heads, x: Tensor) -> Tensor:
    return torch.cat([head(x) for head in heads])


@BANK.of("concat_heads", "You use the first head only. Call every head and join what they return.")
def first_head_only(heads: Heads, x: Tensor) -> Tensor:
    return heads[0](x)


@BANK.of("concat_heads", "Right heads in the wrong order: the first head's numbers come first.")
def heads_in_reverse(heads: Heads, x: Tensor) -> Tensor:
    return torch.cat([head(x) for head in reversed(heads)], dim=-1)


@BANK.of(
    "concat_heads",
    "The numbers of the heads are interleaved, as when you stack them last and flatten. Join them: `torch.cat(..., "
    "dim=-1)`.",
)
def heads_stacked_last_and_flattened(heads: Heads, x: Tensor) -> Tensor:
    return torch.stack([head(x) for head in heads], dim=-1).flatten(-2)


@BANK.of(
    "concat_heads",
    "Each head gets what the head before it returned, as after `x = head(x)`. All heads look at the same x: give the "
    "result another name.",
)
def heads_chained(heads: Heads, x: Tensor) -> Tensor:
    outputs = []
    for head in heads:
        x = head(x)
        outputs.append(x)
    return torch.cat(outputs, dim=-1)


# head_dim


@BANK.of(
    "head_dim",
    "Nothing is raised for 7 numbers and 2 heads, where one number would be lost. `raise` a ValueError (to return one is not enough) "
    "when there is a remainder.",
)
def floor_division(d_out: int, num_heads: int) -> int:
    return d_out // num_heads


@BANK.of("head_dim", "`/` gives a float, 3.0 instead of 3, which cannot be the size of a tensor. Use `//`.")
def true_division(d_out: int, num_heads: int) -> float:
    if d_out % num_heads:
        raise ValueError("something is left over")
    return d_out / num_heads


@BANK.of(
    "head_dim",
    "`/` gives a float, 3.0 instead of 3, which cannot be the size of a tensor: use `//`. And `raise` a ValueError when "
    "there is a remainder.",
)
def true_division_unchecked(d_out: int, num_heads: int) -> float:
    return d_out / num_heads


@BANK.of("head_dim", "The division is the wrong way round: d_out numbers are shared by num_heads heads.")
def division_inverted(d_out: int, num_heads: int) -> int:
    if d_out < 1 or num_heads % d_out:
        raise ValueError("something is left over")
    return num_heads // d_out


@BANK.of(
    "head_dim",
    "You raise an AssertionError: `assert` is for mistakes of your own, and `python -O` leaves it out. Write `raise ValueError(...)`.",
)
def asserted(d_out: int, num_heads: int) -> int:
    if d_out % num_heads:
        raise AssertionError
    return d_out // num_heads


# split_heads


@BANK.of(
    "split_heads",
    "h and hd are swapped: one head's numbers lie next to each other, so the shape ends in (num_heads, head_dim). "
    "`torch.split` takes the size of a piece, not how many there are.",
)
def head_dim_before_heads(x: Tensor, num_heads: int) -> Tensor:
    b, t, _ = x.shape
    return x.reshape(b, t, x.shape[-1] // num_heads, num_heads)


@BANK.of(
    "split_heads",
    "Right shape, but each head gets every h-th number, as when you cut into (hd, h) and transpose. One head's "
    "numbers lie next to each other: cut into (h, hd).",
)
def every_other_number(x: Tensor, num_heads: int) -> Tensor:
    b, t, _ = x.shape
    return x.reshape(b, t, x.shape[-1] // num_heads, num_heads).transpose(2, 3)


@BANK.of(
    "split_heads", "You bring the heads before the tokens already, scrambled: here only the last dimension is cut."
)
def heads_before_tokens(x: Tensor, num_heads: int) -> Tensor:
    b, t, _ = x.shape
    return x.reshape(b, num_heads, t, x.shape[-1] // num_heads)


@BANK.of("split_heads", "You group by head already. That is the next step: here the tokens stay before the heads.")
def grouped_already(x: Tensor, num_heads: int) -> Tensor:
    b, t, _ = x.shape
    return x.reshape(b, t, num_heads, x.shape[-1] // num_heads).transpose(1, 2)


@BANK.of(
    "split_heads", "You return a list of heads. Cut the last dimension in two: `x.view(b, t, num_heads, head_dim)`."
)
def list_of_heads(x: Tensor, num_heads: int) -> list[Tensor]:
    return list(torch.split(x, x.shape[-1] // num_heads, dim=-1))


@BANK.of(
    "split_heads",
    "Right shape, scrambled numbers: a head has numbers of other tokens, as after `view(b, num_heads, t, head_dim)` and a "
    "transpose. View as (b, t, num_heads, head_dim) at once.",
)
def cut_through_the_tokens(x: Tensor, num_heads: int) -> Tensor:
    b, t, _ = x.shape
    return x.reshape(b, num_heads, t, x.shape[-1] // num_heads).transpose(1, 2)


# group_by_head


@BANK.of("group_by_head", SCRAMBLED)
def viewed_instead_of_transposed(x: Tensor) -> Tensor:
    b, t, h, hd = x.shape
    return x.reshape(b, h, t, hd)


@BANK.of("group_by_head", "You swap the last two dimensions. Swap the heads (2) and the tokens (1).")
def last_two_exchanged(x: Tensor) -> Tensor:
    return x.transpose(2, 3)


@BANK.of(
    "group_by_head",
    "You move the batch: dimension 0 stays where it is. Swap the heads (2) and the tokens (1).",
)
def batch_moved(x: Tensor) -> Tensor:
    return x.transpose(0, 2)


@BANK.of("group_by_head", "Nothing has moved: the tokens still come before the heads.")
def not_grouped(x: Tensor) -> Tensor:
    return x.clone()


@BANK.of(
    "group_by_head",
    "Your tokens come last, (b, h, hd, t). Swap only the heads and the tokens: (b, h, t, hd).",
)
def tokens_last(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1)


@BANK.of("group_by_head", "The heads come before the batch: keep the batch in front, (b, h, t, hd).")
def heads_before_the_batch(x: Tensor) -> Tensor:
    return x.permute(2, 0, 1, 3)


# head_scores


@BANK.of(
    "head_scores",
    "Your transpose of the keys moves the batch and the heads too, as `.T` does. Swap only the last two dimensions: "
    "`keys.transpose(-2, -1)`.",
)
def all_dimensions_turned(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ keys.permute(3, 2, 1, 0)


@BANK.of(
    "head_scores",
    "The heads are contracted together: each score adds up all heads. Every head has scores of its own, (b, h, t, t).",
)
def heads_contracted(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("bhqd,bhkd->bqk", queries, keys)


@BANK.of("head_scores", "All heads have the same scores: the sum over all heads. Every head has scores of its own.")
def heads_contracted_and_repeated(queries: Tensor, keys: Tensor) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bqk", queries, keys)
    return scores[:, None].expand(-1, queries.shape[1], -1, -1)


@BANK.of(
    "head_scores",
    "These are scores of heads with heads, token by token. `transpose(1, 2)` belongs to the grouping: here you swap "
    "the last two dimensions of the keys.",
)
def heads_with_heads(queries: Tensor, keys: Tensor) -> Tensor:
    return queries.transpose(1, 2) @ keys.transpose(1, 2).transpose(2, 3)


@BANK.of("head_scores", "Rows and columns are swapped: rows are queries, columns are keys. Queries come on the left.")
def keys_on_the_left(queries: Tensor, keys: Tensor) -> Tensor:
    return keys @ queries.transpose(-2, -1)


@BANK.of("head_scores", "The queries meet queries: the keys are never used.")
def queries_with_queries(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ queries.transpose(-2, -1)


@BANK.of("head_scores", "These are scaled scores. Here the scores stay as they are: scaling is the next step.")
def scaled_already(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5


@BANK.of("head_scores", "You swap the wrong dimensions: tokens and numbers are the last two, `transpose(-2, -1)`.")
def wrong_two_exchanged(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ keys.transpose(1, 2)


@BANK.of(
    "head_scores",
    "Your keys are not transposed: their numbers stay in memory order, as they are, or as `reshape` and `view` cut them. "
    "`transpose(-2, -1)` turns rows into columns.",
)
def head_scores_of_keys_cut_anew(queries: Tensor, keys: Tensor) -> Tensor:
    b, h, t, hd = keys.shape
    return queries @ keys.reshape(b, h, hd, t)


# head_weights


@BANK.of(
    "head_weights",
    "You scale by the root of d_out, all heads together. A key of one head has head_dim numbers: scale by its root.",
)
def scaled_by_root_of_d_out(scores: Tensor, head_dim: int) -> Tensor:
    return torch.softmax(masked(scores) / (scores.shape[1] * head_dim) ** 0.5, dim=-1)


@BANK.of(
    "head_weights",
    "Nothing is hidden: each token sees later ones. Put −∞ above the diagonal first, and use what `masked_fill` "
    "returns.",
)
def mask_missing(scores: Tensor, head_dim: int) -> Tensor:
    return torch.softmax(scores / head_dim**0.5, dim=-1)


@BANK.of("head_weights", "The scores are not scaled: divide them by √head_dim before the softmax.")
def head_scores_unscaled(scores: Tensor, head_dim: int) -> Tensor:
    return torch.softmax(masked(scores), dim=-1)


@BANK.of("head_weights", "You scale by head_dim: scale by its square root.")
def scaled_by_head_dim(scores: Tensor, head_dim: int) -> Tensor:
    return torch.softmax(masked(scores) / head_dim, dim=-1)


@BANK.of("head_weights", "You scale by the root of the number of tokens. It is the root of head_dim.")
def head_scores_scaled_by_root_of_tokens(scores: Tensor, head_dim: int) -> Tensor:
    return torch.softmax(masked(scores) / scores.shape[-1] ** 0.5, dim=-1)


@BANK.of("head_weights", "Your softmax runs over the heads: dimension 1. The keys are the last dimension, `dim=-1`.")
def softmax_over_heads(scores: Tensor, head_dim: int) -> Tensor:
    return torch.softmax(masked(scores) / head_dim**0.5, dim=1)


@BANK.of("head_weights", "Your softmax runs over the queries. Each row must add up to 1: `dim=-1`, the keys.")
def head_softmax_over_queries(scores: Tensor, head_dim: int) -> Tensor:
    return torch.softmax(masked(scores) / head_dim**0.5, dim=-2)


@BANK.of(
    "head_weights",
    "Future tokens take their share in the softmax before they are hidden, so the rows no longer add up to 1. Mask "
    "the scores first, with −∞.",
)
def head_masked_after_softmax(scores: Tensor, head_dim: int) -> Tensor:
    return torch.softmax(scores / head_dim**0.5, dim=-1).tril()


@BANK.of(
    "head_weights",
    "Right for moderate scores, but beside a much larger future score the visible weights underflow to 0, and 0 / 0 "
    "is nan. Mask the scores before the softmax.",
)
def head_masked_and_renormalized(scores: Tensor, head_dim: int) -> Tensor:
    visible = torch.softmax(scores / head_dim**0.5, dim=-1).tril()
    return visible / visible.sum(dim=-1, keepdim=True)


FILLED_AFTER_SOFTMAX = (
    "You put −∞ into the weights, after the softmax. Put it into the scores, before the softmax, which turns it into 0."
)


@BANK.of("head_weights", TOO_SMALL_TO_HIDE)
def head_weights_hidden_by_ten_thousand(scores: Tensor, head_dim: int) -> Tensor:
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(diagonal=1)
    return torch.softmax((scores - 1e4 * hidden) / head_dim**0.5, dim=-1)


@BANK.of("head_weights", FILLED_AFTER_SOFTMAX)
def head_weights_filled_with_infinity(scores: Tensor, head_dim: int) -> Tensor:
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
    return torch.softmax(scores / head_dim**0.5, dim=-1).masked_fill(hidden, HIDDEN)


@BANK.of("head_weights", OVERFLOW)
def head_weights_overflow(scores: Tensor, head_dim: int) -> Tensor:
    exponentials = (masked(scores) / head_dim**0.5).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@BANK.of(
    "head_weights",
    "Your mask is the wrong way round: only the future is seen, and the last token sees nothing. True hides.",
)
def head_mask_inverted(scores: Tensor, head_dim: int) -> Tensor:
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).tril()
    return torch.softmax(scores.masked_fill(hidden, HIDDEN) / head_dim**0.5, dim=-1)


@BANK.of(
    "head_weights", "You hide the diagonal too: no token sees itself, and the first sees nothing. Use `diagonal=1`."
)
def head_diagonal_hidden(scores: Tensor, head_dim: int) -> Tensor:
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).triu()
    return torch.softmax(scores.masked_fill(hidden, HIDDEN) / head_dim**0.5, dim=-1)


# head_context


@BANK.of(
    "head_context",
    "Your weights are used transposed. Rows of weights belong to queries, and mix the values as they are: `weights @ "
    "values`.",
)
def head_weights_transposed(weights: Tensor, values: Tensor) -> Tensor:
    return weights.transpose(-2, -1) @ values


@BANK.of("head_context", "You return the values as they came: each token must take a weighted sum of them.")
def values_returned(weights: Tensor, values: Tensor) -> Tensor:
    return values.clone()


@BANK.of("head_context", "The heads are added up. Every head keeps a context of its own, (b, h, t, hd).")
def head_contexts_summed(weights: Tensor, values: Tensor) -> Tensor:
    return (weights @ values).sum(dim=1)


@BANK.of("head_context", "All heads use the values of the first head. Each head has values of its own.")
def values_of_the_first_head(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values[:, :1]


@BANK.of(
    "head_context",
    "`*` multiplies number by number, where it fits at all. A context is a weighted sum over the tokens: a matrix product.",
)
def weights_times_values(weights: Tensor, values: Tensor) -> Tensor:
    return weights * values


@BANK.of("head_context", "You merge the heads already: that is the next step.")
def merged_already(weights: Tensor, values: Tensor) -> Tensor:
    return (weights @ values).transpose(1, 2).flatten(2)


@BANK.of(
    "head_context",
    "The sums of the weights are divided out. Use the weights as they come: they may add up to anything here.",
)
def weights_renormalized_first(weights: Tensor, values: Tensor) -> Tensor:
    return weights / weights.sum(dim=-1, keepdim=True) @ values


@BANK.of(
    "head_context",
    "You add up the values up to the token itself. Take all of them: what is hidden has a weight of 0 already.",
)
def later_values_left_out(weights: Tensor, values: Tensor) -> Tensor:
    return weights.tril() @ values


@BANK.of("head_context", "All heads get the mean of their contexts. Every head keeps a context of its own.")
def head_contexts_averaged(weights: Tensor, values: Tensor) -> Tensor:
    contexts = weights @ values
    return contexts.mean(dim=1, keepdim=True).expand_as(contexts)


@BANK.of("head_context", "All heads get the sum of their contexts. Every head keeps a context of its own.")
def head_contexts_summed_for_all(weights: Tensor, values: Tensor) -> Tensor:
    contexts = weights @ values
    return contexts.sum(dim=1, keepdim=True).expand_as(contexts)


@BANK.of("head_context", "The weights are averaged over the heads. Every head uses weights of its own.")
def weights_averaged_over_heads(weights: Tensor, values: Tensor) -> Tensor:
    return weights.mean(dim=1, keepdim=True) @ values


@BANK.of(
    "head_context",
    "The values of all heads are added up, as with another letter for their heads in `einsum`. Every head mixes its own.",
)
def values_of_all_heads_summed(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values.sum(dim=1, keepdim=True)


# merge_heads


@BANK.of(
    "merge_heads",
    "Right shape, scrambled numbers: each row mixes tokens. Bring the tokens before the heads first, `transpose(1, 2)`.",
)
def viewed_without_transpose(context: Tensor) -> Tensor:
    b, h, t, hd = context.shape
    return context.reshape(b, t, h * hd)


@BANK.of(
    "merge_heads",
    "After `transpose` the numbers are in another order in memory, and `view` fails. Use `reshape`, or `.contiguous()` before `view`.",
)
def viewed_without_contiguous(context: Tensor) -> Tensor:
    b, h, t, hd = context.shape
    return context.transpose(1, 2).view(b, t, h * hd)


@BANK.of("merge_heads", "The numbers of the heads are interleaved: the first head's come together, then the second's.")
def heads_interleaved(context: Tensor) -> Tensor:
    b, h, t, hd = context.shape
    return context.permute(0, 2, 3, 1).reshape(b, t, h * hd)


@BANK.of("merge_heads", "You add the heads up. Put them side by side: a token has h · hd numbers.")
def merged_by_sum(context: Tensor) -> Tensor:
    return context.sum(dim=1)


@BANK.of("merge_heads", "The tokens come before the heads now, but the last two dimensions are still two: join them.")
def not_joined(context: Tensor) -> Tensor:
    return context.transpose(1, 2)


@BANK.of("merge_heads", "You join tokens and numbers: the heads should be joined with the numbers, token by token.")
def tokens_joined(context: Tensor) -> Tensor:
    return context.flatten(2)


@BANK.of(
    "merge_heads",
    "Your shape has hd numbers for a token, those of one head. All heads side by side have h · hd numbers.",
)
def numbers_of_one_head(context: Tensor) -> Tensor:
    b, _, t, hd = context.shape
    return context.transpose(1, 2).reshape(b, t, hd)


@BANK.of(
    "merge_heads",
    "Your shape is (b, h, t · hd), as if the context came as (b, t, h, hd). Here the heads come before the tokens: "
    "(b, h, t, hd).",
)
def read_as_grouped_by_token(context: Tensor) -> Tensor:
    b, t, h, hd = context.shape
    return context.transpose(1, 2).reshape(b, t, h * hd)


@BANK.of(
    "merge_heads",
    "You join heads and tokens, dimensions 1 and 2. Bring the tokens forward, then join heads and numbers.",
)
def heads_and_tokens_joined(context: Tensor) -> Tensor:
    return context.flatten(1, 2)


@BANK.of(
    "merge_heads",
    "You join the sentences, dimension 0, along which a loop over a tensor runs. The heads are dimension 1.",
)
def sentences_joined(context: Tensor) -> Tensor:
    return torch.cat([*context], dim=-1)


# MultiHeadAttention


class _MultiHead(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        if d_out % num_heads:
            raise ValueError("something is left over")
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(diagonal=1))

    def split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)

    def hide(self, scores: Tensor) -> Tensor:
        t = scores.shape[-1]
        return scores.masked_fill(self.mask[:t, :t], HIDDEN)

    def scale(self, x: Tensor) -> float:
        return float(self.head_dim**0.5)

    def weights(self, x: Tensor) -> Tensor:
        queries, keys = self.split(self.W_query(x)), self.split(self.W_key(x))
        return torch.softmax(self.hide(queries @ keys.transpose(2, 3)) / self.scale(x), dim=-1)

    def context(self, x: Tensor) -> Tensor:
        return self.dropout(self.weights(x)) @ self.split(self.W_value(x))

    def merge(self, context: Tensor) -> Tensor:
        return context.transpose(1, 2).flatten(2)

    def forward(self, x: Tensor) -> Tensor:
        merged: Tensor = self.out_proj(self.merge(self.context(x)))
        return merged


@BANK.of("MultiHeadAttention", "`out_proj` is never used: the merged context goes through it last.")
class OutProjUnused(_MultiHead):
    def forward(self, x: Tensor) -> Tensor:
        return self.merge(self.context(x))


@BANK.of(
    "MultiHeadAttention", "You scale by the root of d_out. A key of one head has head_dim numbers: scale by its root."
)
class ScaledByRootOfDOut(_MultiHead):
    def scale(self, x: Tensor) -> float:
        return float((self.num_heads * self.head_dim) ** 0.5)


@BANK.of(
    "MultiHeadAttention", "You scale by the root of d_in. A key of one head has head_dim numbers: scale by its root."
)
class ScaledByRootOfDIn(_MultiHead):
    def scale(self, x: Tensor) -> float:
        return float(x.shape[-1] ** 0.5)


@BANK.of(
    "MultiHeadAttention",
    "You scale by the root of the number of heads: once they come before the tokens, that is `shape[1]`. A key of one head has "
    "head_dim numbers: scale by its root.",
)
class ScaledByRootOfHeads(_MultiHead):
    def scale(self, x: Tensor) -> float:
        return float(self.num_heads**0.5)


@BANK.of("MultiHeadAttention", "The scores are not scaled: divide them by √head_dim before the softmax.")
class MultiHeadUnscaled(_MultiHead):
    def scale(self, x: Tensor) -> float:
        return 1.0


@BANK.of(
    "MultiHeadAttention",
    "The heads are scrambled: each mixes numbers of several tokens, as after `view(b, num_heads, t, head_dim)`. View "
    "as (b, t, num_heads, head_dim), then `transpose(1, 2)`.",
)
class HeadsScrambled(_MultiHead):
    def split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, self.num_heads, t, self.head_dim)


@BANK.of(
    "MultiHeadAttention",
    "When the heads are merged, each row mixes tokens. Bring the tokens before the heads again first: `transpose(1, "
    "2)`.",
)
class ContextNotTransposedBack(_MultiHead):
    def merge(self, context: Tensor) -> Tensor:
        b, h, t, hd = context.shape
        return context.reshape(b, t, h * hd)


@BANK.of(
    "MultiHeadAttention",
    "Each head has a piece of the sentence, and all numbers of its tokens: `view(b, num_heads, t, head_dim)`, and a view "
    "back, leave them in memory order. View as (b, t, num_heads, head_dim), then `transpose(1, 2)`, and back.",
)
class SentenceCutIntoPieces(_MultiHead):
    def split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, self.num_heads, t, self.head_dim)

    def merge(self, context: Tensor) -> Tensor:
        b, h, t, hd = context.shape
        return context.reshape(b, t, h * hd)


@BANK.of(
    "MultiHeadAttention",
    "The heads overlap, as with slices `i:i + head_dim`, and the last numbers are never used. Head i begins at i · head_dim.",
)
class HeadsOverlap(_MultiHead):
    def split(self, x: Tensor) -> Tensor:
        return x.unfold(-1, self.head_dim, 1)[:, :, : self.num_heads].transpose(1, 2)


@BANK.of(
    "MultiHeadAttention",
    "Each head gets every h-th number, as after `view(b, t, head_dim, num_heads)`. One head's numbers lie next to "
    "each other: view as (b, t, num_heads, head_dim).",
)
class HeadDimBeforeHeads(_MultiHead):
    def split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, t, self.head_dim, self.num_heads).permute(0, 3, 1, 2)


@BANK.of(
    "MultiHeadAttention",
    "The heads are never brought before the tokens, so each token attends to its own heads. `transpose(1, 2)` after the view.",
)
class NeverGroupedByHead(_MultiHead):
    def split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, t, self.num_heads, self.head_dim)

    def hide(self, scores: Tensor) -> Tensor:
        h = scores.shape[-1]
        return scores.masked_fill(torch.ones(h, h, dtype=torch.bool).triu(diagonal=1), HIDDEN)

    def merge(self, context: Tensor) -> Tensor:
        return context.flatten(2)


@BANK.of("MultiHeadAttention", "There is only one head: split the projections into num_heads before the scores.")
class OneHeadOnly(_MultiHead):
    def split(self, x: Tensor) -> Tensor:
        return x[:, None]

    def scale(self, x: Tensor) -> float:
        return float((self.num_heads * self.head_dim) ** 0.5)


@BANK.of(
    "MultiHeadAttention",
    "You scale for heads of head_dim numbers, but there is only one head: split the projections into num_heads before the scores.",
)
class OneHeadScaledByHeadDim(OneHeadOnly):
    def scale(self, x: Tensor) -> float:
        return float(self.head_dim**0.5)


@BANK.of(
    "MultiHeadAttention",
    "Your head_dim is made of d_in, the length of a token. The heads share the d_out numbers of a projection.",
)
class HeadDimOfDIn(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.head_dim = d_in // num_heads


@BANK.of(
    "MultiHeadAttention",
    "Your transpose of the keys moves the sentences and the heads too, as `.T` does. Swap only the last two "
    "dimensions of the keys: `transpose(-2, -1)`.",
)
class MultiHeadAllDimensionsTurned(_MultiHead):
    def weights(self, x: Tensor) -> Tensor:
        queries, keys = self.split(self.W_query(x)), self.split(self.W_key(x))
        return torch.softmax(self.hide(queries @ keys.permute(3, 2, 1, 0)) / self.scale(x), dim=-1)


@BANK.of(
    "MultiHeadAttention",
    "Your mask fits sentences of context_length tokens only. Cut it to the t tokens that are there: `self.mask[:t, :t]`.",
)
class MultiHeadMaskNotCut(_MultiHead):
    def hide(self, scores: Tensor) -> Tensor:
        return scores.masked_fill(self.mask, HIDDEN)


@BANK.of(
    "MultiHeadAttention",
    "Nothing is hidden: each token sees later ones. Fill the masked scores with −∞, and use the result: what you gave stays as it is.",
)
class MultiHeadMaskForgotten(_MultiHead):
    def hide(self, scores: Tensor) -> Tensor:
        return scores


@BANK.of(
    "MultiHeadAttention",
    "Your mask is a plain attribute, so `.to('cuda')` does not move it. `self.register_buffer('mask', ...)` makes it move too.",
)
class MultiHeadMaskNotABuffer(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        mask = self.mask
        del self.mask
        self.mask = mask


@BANK.of(
    "MultiHeadAttention",
    "There is no buffer `mask`: yours has another name, such as `bias` or `tril`, or is made in `forward`. Register it in "
    "`__init__` as `mask`, True where a position is hidden.",
)
class MultiHeadNoBufferOfThatName(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        del self.mask

    def hide(self, scores: Tensor) -> Tensor:
        return masked(scores)


@BANK.of(
    "MultiHeadAttention",
    "Queries, keys and values come from one layer, such as GPT-2's `c_attn`. Make three, W_query, W_key and W_value: "
    "other code finds them by these names.",
)
class MultiHeadInOneLayer(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        if d_out % num_heads:
            raise ValueError("something is left over")
        nn.Module.__init__(self)
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.c_attn = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(diagonal=1))

    def forward(self, x: Tensor) -> Tensor:
        queries, keys, values = (self.split(one) for one in self.c_attn(x).chunk(3, dim=-1))
        weights = torch.softmax(self.hide(queries @ keys.transpose(2, 3)) / self.scale(x), dim=-1)
        merged: Tensor = self.out_proj(self.merge(self.dropout(weights) @ values))
        return merged


@BANK.of("MultiHeadAttention", "`out_proj` has no bias in your code. It must have one: `nn.Linear(d_out, d_out)`.")
class OutProjWithoutBias(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        self.out_proj.register_parameter("bias", None)


@BANK.of("MultiHeadAttention", "Your layers always have a bias. `nn.Linear` adds one by default: pass `bias=qkv_bias`.")
class MultiHeadBiasLeftOn(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias=True)


@BANK.of(
    "MultiHeadAttention",
    "W_query always has a bias, W_key and W_value do not. `nn.Linear` adds one by default: pass `bias=qkv_bias`.",
)
class MultiHeadQueryBiasLeftOn(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        if d_out % num_heads:
            raise ValueError("something is left over")
        nn.Module.__init__(self)
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(diagonal=1))


@BANK.of(
    "MultiHeadAttention", "`qkv_bias` makes no difference: your layers never have a bias. Pass it on: `bias=qkv_bias`."
)
class MultiHeadBiasIgnored(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias=False)


@BANK.of(
    "MultiHeadAttention",
    "4 heads cannot share 6 numbers, and nothing is raised. Calling your `head_dim` in `__init__` does that.",
)
class IndivisibleAccepted(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, 1, qkv_bias)
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads


@BANK.of(
    "MultiHeadAttention",
    "Weights are dropped in eval mode too. `nn.Dropout`, made in `__init__`, knows the mode; `F.dropout` needs `training=self.training`.",
)
class MultiHeadDropoutInEval(_MultiHead):
    def context(self, x: Tensor) -> Tensor:
        return nn.functional.dropout(self.weights(x), self.dropout.p) @ self.split(self.W_value(x))


@BANK.of(
    "MultiHeadAttention",
    "You drop something other than the weights, or do not scale the kept ones by 1 / (1 − p). `nn.Dropout` on the "
    "weights, after the softmax and before they meet the values, does both.",
)
class MultiHeadDropoutOnContext(_MultiHead):
    def context(self, x: Tensor) -> Tensor:
        context: Tensor = self.dropout(self.weights(x) @ self.split(self.W_value(x)))
        return context


@BANK.of(
    "MultiHeadAttention",
    "You drop numbers of the values, or of the tokens that they are made from. Dropout belongs on the weights, after the softmax.",
)
class MultiHeadDropoutOnValues(_MultiHead):
    def context(self, x: Tensor) -> Tensor:
        return self.weights(x) @ self.dropout(self.split(self.W_value(x)))


@BANK.of(
    "MultiHeadAttention",
    "You apply dropout to the scores: a score of 0 still gets a weight. It belongs after the softmax.",
)
class MultiHeadDropoutOnScores(_MultiHead):
    def weights(self, x: Tensor) -> Tensor:
        queries, keys = self.split(self.W_query(x)), self.split(self.W_key(x))
        scores = self.dropout(self.hide(queries @ keys.transpose(2, 3)) / self.scale(x))
        return torch.softmax(scores, dim=-1)

    def context(self, x: Tensor) -> Tensor:
        return self.weights(x) @ self.split(self.W_value(x))


@BANK.of("MultiHeadAttention", "Nothing is dropped in training: apply `self.dropout` to the weights.")
class MultiHeadDropoutForgotten(_MultiHead):
    def context(self, x: Tensor) -> Tensor:
        return self.weights(x) @ self.split(self.W_value(x))


@BANK.of(
    "MultiHeadAttention",
    "Your softmax runs over the queries: for each key, the weights of all queries add up to 1. It runs over the keys,"
    " dim=-1 where rows are queries.",
)
class MultiHeadOverQueries(_MultiHead):
    def weights(self, x: Tensor) -> Tensor:
        queries, keys = self.split(self.W_query(x)), self.split(self.W_key(x))
        return torch.softmax(self.hide(queries @ keys.transpose(2, 3)) / self.scale(x), dim=-2)


@BANK.of(
    "MultiHeadAttention",
    "Right for moderate scores, but beside a much larger future score the visible weights underflow to 0, and 0 / 0 "
    "is nan. Mask the scores before the softmax.",
)
class MultiHeadMaskedAndRenormalized(_MultiHead):
    def weights(self, x: Tensor) -> Tensor:
        queries, keys = self.split(self.W_query(x)), self.split(self.W_key(x))
        visible = torch.softmax(queries @ keys.transpose(2, 3) / self.scale(x), dim=-1).tril()
        return visible / visible.sum(dim=-1, keepdim=True)


@BANK.of(
    "MultiHeadAttention",
    "Future tokens take their share in the softmax before they are hidden, so the rows no longer add up to 1. Mask "
    "the scores first, with −∞.",
)
class MultiHeadMaskedAfterSoftmax(_MultiHead):
    def weights(self, x: Tensor) -> Tensor:
        queries, keys = self.split(self.W_query(x)), self.split(self.W_key(x))
        return torch.softmax(queries @ keys.transpose(2, 3) / self.scale(x), dim=-1).tril()


@BANK.of("MultiHeadAttention", FILLED_AFTER_SOFTMAX)
class MultiHeadWeightsFilledWithInfinity(_MultiHead):
    def weights(self, x: Tensor) -> Tensor:
        queries, keys = self.split(self.W_query(x)), self.split(self.W_key(x))
        return self.hide(torch.softmax(queries @ keys.transpose(2, 3) / self.scale(x), dim=-1))


@BANK.of("MultiHeadAttention", "The rate of your dropout is not `dropout`: pass it on as it is, `nn.Dropout(dropout)`.")
class MultiHeadDropoutRateIgnored(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, 0.5, num_heads, qkv_bias)


@BANK.of("MultiHeadAttention", "The layers are made in another order. Make W_query, W_key, W_value and then out_proj.")
class OutProjMadeFirst(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        if d_out % num_heads:
            raise ValueError("something is left over")
        nn.Module.__init__(self)
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.out_proj = nn.Linear(d_out, d_out)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(diagonal=1))


@BANK.of(
    "MultiHeadAttention",
    "You scale by the root of the number of tokens. It is the root of head_dim, the length of a key.",
)
class MultiHeadScaledByRootOfTokens(_MultiHead):
    def scale(self, x: Tensor) -> float:
        return float(x.shape[1] ** 0.5)


@BANK.of("MultiHeadAttention", "You scale by head_dim: scale by its square root.")
class MultiHeadScaledByHeadDim(_MultiHead):
    def scale(self, x: Tensor) -> float:
        return float(self.head_dim)


@BANK.of(
    "MultiHeadAttention",
    "The mask of a shorter sentence is kept, so it is too small for the next longer one. Cut it in each call without "
    "storing it.",
)
class MultiHeadMaskCutForGood(_MultiHead):
    def hide(self, scores: Tensor) -> Tensor:
        t = scores.shape[-1]
        self.mask = self.mask[:t, :t]
        return scores.masked_fill(self.mask, HIDDEN)


@BANK.of(
    "MultiHeadAttention",
    "`out_proj` has a bias only with qkv_bias in your code. It always has one: `nn.Linear(d_out, d_out)`.",
)
class OutProjFollowsQkvBias(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        if not qkv_bias:
            self.out_proj.register_parameter("bias", None)


@BANK.of(
    "MultiHeadAttention",
    "The number of heads is kept under another name than `num_heads`, by which part 6 finds attention modules.",
)
class NumHeadsNotKept(_MultiHead):
    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        del self.num_heads
        self.h = num_heads

    def split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, t, self.h, self.head_dim).transpose(1, 2)
