"""Known mistakes of part 3."""

import torch
from torch import Tensor, nn

from autograder.course.model import MistakeBank

BANK = MistakeBank()

HIDDEN = float("-inf")

TOO_SMALL_TO_HIDE = "Something like −10 000 is added to later scores. It hides no score that is larger than that: put −∞ in their place."
OVERFLOW = "Right for moderate scores, but exp overflows for large ones. Use `torch.softmax`, or subtract each row's largest score."


def future(t: int) -> Tensor:
    """What the mistakes below have in common where they are right: the mask."""
    return torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)


def masked(scores: Tensor) -> Tensor:
    """Scores with the future hidden."""
    return scores.masked_fill(future(scores.shape[-1]), HIDDEN)


# causal_mask


@BANK.of(
    "causal_mask", "Your mask is the wrong way round: in this course True hides. The future is above the diagonal."
)
def mask_inverted(num_tokens: int) -> Tensor:
    return ~future(num_tokens)


@BANK.of(
    "causal_mask", "You hide the diagonal too, so no token may see itself. Start one above it: `triu(diagonal=1)`."
)
def diagonal_hidden(num_tokens: int) -> Tensor:
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu()


@BANK.of(
    "causal_mask",
    "You hide the past and show the future. Rows are queries: later keys stand above the diagonal, `triu`.",
)
def lower_triangle(num_tokens: int) -> Tensor:
    return future(num_tokens).T.contiguous()


@BANK.of("causal_mask", "Your mask starts one token too late: each token still sees its successor. Use `diagonal=1`.")
def one_token_too_late(num_tokens: int) -> Tensor:
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal=2)


@BANK.of(
    "causal_mask", "Right places, but numbers instead of booleans. Make the mask with `dtype=torch.bool`, or compare."
)
def numbers_instead_of_booleans(num_tokens: int) -> Tensor:
    return torch.ones(num_tokens, num_tokens).triu(diagonal=1)


@BANK.of(
    "causal_mask",
    "These are numbers, and they mark what may be seen. The mask is boolean, and True hides: the future, above the diagonal.",
)
def numbers_where_seen(num_tokens: int) -> Tensor:
    return torch.ones(num_tokens, num_tokens).tril()


@BANK.of(
    "causal_mask",
    "These are numbers instead of booleans, and they hide the diagonal too: no token may see itself. Start one above it.",
)
def numbers_with_the_diagonal(num_tokens: int) -> Tensor:
    return torch.ones(num_tokens, num_tokens).triu()


@BANK.of("causal_mask", "Nothing is hidden: every entry is False. Above the diagonal it should be True.")
def nothing_hidden(num_tokens: int) -> Tensor:
    return torch.zeros(num_tokens, num_tokens, dtype=torch.bool)


@BANK.of(
    "causal_mask",
    "Right places, but as 0 and −∞, to be added to scores. This step asks for booleans: True where a position is hidden.",
)
def additive_mask(num_tokens: int) -> Tensor:
    return torch.zeros(num_tokens, num_tokens).masked_fill(future(num_tokens), HIDDEN)


# mask_scores


@BANK.of(
    "mask_scores",
    "Hidden scores are 0 in your result. A score of 0 still gets a weight from the softmax, exp(0) = 1. Use −∞.",
)
def zeros_instead_of_infinity(scores: Tensor) -> Tensor:
    return scores.tril()


@BANK.of("mask_scores", "Hidden scores are −1 in your result, which still gets a weight from the softmax. Use −∞.")
def minus_one_instead_of_infinity(scores: Tensor) -> Tensor:
    return scores.masked_fill(future(scores.shape[-1]), -1.0)


@BANK.of(
    "mask_scores",
    "Hidden scores are −1e9 in your result: usually enough, but not −∞. If all scores are that small, it hides nothing. "
    "Use `float('-inf')`.",
)
def large_negative_number(scores: Tensor) -> Tensor:
    return scores.masked_fill(future(scores.shape[-1]), -1e9)


@BANK.of(
    "mask_scores",
    "Right numbers, but you write them into `scores` itself (`masked_fill_`, or an assignment to a part of it). Make a new tensor: "
    "`scores.masked_fill(...)`.",
)
def written_in_place(scores: Tensor) -> Tensor:
    return scores.masked_fill_(future(scores.shape[-1]), HIDDEN)


@BANK.of("mask_scores", "Your future is the past: what is hidden are earlier keys. Hide above the diagonal.")
def past_hidden(scores: Tensor) -> Tensor:
    return scores.masked_fill(future(scores.shape[-1]).T, HIDDEN)


@BANK.of("mask_scores", "You hide the diagonal too, so no token may see itself, and the first row is all −∞.")
def own_score_hidden(scores: Tensor) -> Tensor:
    t = scores.shape[-1]
    return scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(), HIDDEN)


@BANK.of("mask_scores", "Hidden scores are +∞ in your result: they would take all the weight. It is −∞ that hides.")
def plus_infinity(scores: Tensor) -> Tensor:
    return scores.masked_fill(future(scores.shape[-1]), float("inf"))


@BANK.of(
    "mask_scores",
    "Nothing is hidden: the scores come out as they came in. Either the mask marks nothing, or the result of "
    "`masked_fill`, a new tensor, is not used.",
)
def result_thrown_away(scores: Tensor) -> Tensor:
    scores.masked_fill(future(scores.shape[-1]), HIDDEN)
    return scores.clone()


@BANK.of(
    "mask_scores",
    "You multiply −∞ with the mask: −∞ times 0 is nan. Use `masked_fill`, or add a matrix that is 0 where nothing is hidden.",
)
def infinity_multiplied(scores: Tensor) -> Tensor:
    return scores + future(scores.shape[-1]) * HIDDEN


@BANK.of(
    "mask_scores",
    "The future stays as it is, and everything else becomes 0, as if multiplied by the mask. Put −∞ where the mask is"
    " True, and leave the rest: `masked_fill`.",
)
def multiplied_by_mask(scores: Tensor) -> Tensor:
    return scores * future(scores.shape[-1])


@BANK.of(
    "mask_scores", "Your mask is the wrong way round: what should stay is hidden, and the future stays. True hides."
)
def visible_ones_hidden(scores: Tensor) -> Tensor:
    return scores.masked_fill(~future(scores.shape[-1]), HIDDEN)


@BANK.of(
    "mask_scores",
    "Hidden scores are the smallest number of their type in your result. It is finite: if all scores are that small, "
    "it hides nothing. Use `float('-inf')`.",
)
def smallest_number(scores: Tensor) -> Tensor:
    return scores.masked_fill(future(scores.shape[-1]), torch.finfo(scores.dtype).min)


@BANK.of(
    "mask_scores",
    "You hide every score that is 0. A visible score may be 0 too: take the positions from the mask, not from the numbers.",
)
def zeros_taken_for_hidden(scores: Tensor) -> Tensor:
    visible = scores.tril()
    return visible.masked_fill(visible == 0, HIDDEN)


# causal_attention_weights


@BANK.of(
    "causal_attention_weights",
    "Future tokens take their share in the softmax before they are hidden, so the rows no longer add up to 1. Mask "
    "the scores first, with −∞.",
)
def masked_after_softmax(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(scores / d_k**0.5, dim=-1).tril()


@BANK.of(
    "causal_attention_weights",
    "Right for moderate scores, but beside a much larger future score the visible weights underflow to 0, and 0 / 0 "
    "is nan. Mask the scores before the softmax.",
)
def masked_after_softmax_and_renormalized(scores: Tensor, d_k: int) -> Tensor:
    visible = torch.softmax(scores / d_k**0.5, dim=-1).tril()
    return visible / visible.sum(dim=-1, keepdim=True)


FILLED_AFTER_SOFTMAX = (
    "You put −∞ into the weights, after the softmax. Put it into the scores, before the softmax, which turns it into 0."
)


@BANK.of("causal_attention_weights", FILLED_AFTER_SOFTMAX)
def weights_filled_with_infinity(scores: Tensor, d_k: int) -> Tensor:
    weights = torch.softmax(scores / d_k**0.5, dim=-1)
    return weights.masked_fill(future(scores.shape[-1]), HIDDEN)


@BANK.of("causal_attention_weights", "The scores are not scaled: divide them by √d_k before the softmax.")
def unscaled(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(masked(scores), dim=-1)


@BANK.of("causal_attention_weights", "You scale by d_k: scale by its square root, `d_k ** 0.5`.")
def scaled_by_d_k(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(masked(scores) / d_k, dim=-1)


@BANK.of("causal_attention_weights", "You multiply by √d_k: divide by it.")
def multiplied_by_root(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(masked(scores) * d_k**0.5, dim=-1)


@BANK.of("causal_attention_weights", "You scale by the root of the number of tokens. It is the root of d_k.")
def scaled_by_root_of_tokens(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(masked(scores) / scores.shape[-1] ** 0.5, dim=-1)


@BANK.of(
    "causal_attention_weights",
    "Nothing is hidden: each token still sees later ones. Fill the masked scores with −∞ (step 2), and use "
    "the result: what you gave stays as it is.",
)
def mask_forgotten(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(scores / d_k**0.5, dim=-1)


@BANK.of(
    "causal_attention_weights",
    "Your softmax runs over the queries: the columns of the weights add up to 1. Use dim=-1, the keys.",
)
def softmax_over_queries(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(masked(scores) / d_k**0.5, dim=-2)


@BANK.of("causal_attention_weights", "Hidden scores are 0 instead of −∞, and exp(0) = 1: they still get a weight.")
def hidden_by_zeros(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(scores.tril() / d_k**0.5, dim=-1)


@BANK.of("causal_attention_weights", TOO_SMALL_TO_HIDE)
def hidden_by_ten_thousand(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax((scores - 1e4 * future(scores.shape[-1])) / d_k**0.5, dim=-1)


@BANK.of("causal_attention_weights", "You hide the past instead of the future: look at which triangle your mask is.")
def weights_of_the_future(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(scores.masked_fill(future(scores.shape[-1]).T, HIDDEN) / d_k**0.5, dim=-1)


@BANK.of("causal_attention_weights", "You scale the weights, after the softmax. Scale the scores, before it.")
def scaled_after_softmax(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(masked(scores), dim=-1) / d_k**0.5


@BANK.of("causal_attention_weights", OVERFLOW)
def weights_overflow(scores: Tensor, d_k: int) -> Tensor:
    exponentials = (masked(scores) / d_k**0.5).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@BANK.of(
    "causal_attention_weights",
    "Your mask is the wrong way round: only the future is seen, and the last token sees nothing. True hides.",
)
def mask_of_weights_inverted(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(scores.masked_fill(~future(scores.shape[-1]), HIDDEN) / d_k**0.5, dim=-1)


@BANK.of(
    "causal_attention_weights",
    "You hide the diagonal too: no token sees itself, and the first sees nothing. Use `diagonal=1`.",
)
def own_weight_hidden(scores: Tensor, d_k: int) -> Tensor:
    t = scores.shape[-1]
    hidden = torch.ones(t, t, dtype=torch.bool).triu()
    return torch.softmax(scores.masked_fill(hidden, HIDDEN) / d_k**0.5, dim=-1)


@BANK.of(
    "causal_attention_weights",
    "You hide every score that is 0. A visible score may be 0 too: take the positions from the mask, not from the numbers.",
)
def zero_scores_hidden(scores: Tensor, d_k: int) -> Tensor:
    visible = scores.tril()
    return torch.softmax(visible.masked_fill(visible == 0, HIDDEN) / d_k**0.5, dim=-1)


# renormalized_weights


@BANK.of(
    "renormalized_weights", "The rows no longer add up to 1: after zeroing the future, divide each row by its sum."
)
def not_renormalized(weights: Tensor) -> Tensor:
    return weights.tril()


@BANK.of(
    "renormalized_weights",
    "You divide by the sums of the columns. Each row must add up to 1: `sum(dim=-1, keepdim=True)`.",
)
def columns_renormalized(weights: Tensor) -> Tensor:
    visible = weights.tril()
    return visible / visible.sum(dim=-2, keepdim=True)


@BANK.of(
    "renormalized_weights",
    "The sums have lost their dimension, so they are matched with columns instead of rows, or with nothing. Use `keepdim=True`.",
)
def sums_without_keepdim(weights: Tensor) -> Tensor:
    visible = weights.tril()
    return visible / visible.sum(dim=-1)


@BANK.of("renormalized_weights", "You divide by the sums of the whole rows, the future included. Sum what is left.")
def divided_by_old_sums(weights: Tensor) -> Tensor:
    return weights.tril() / weights.sum(dim=-1, keepdim=True)


@BANK.of(
    "renormalized_weights",
    "A softmax does not renormalise weights: it takes exponentials again, and zeros become exp(0) = 1. Divide by the sum.",
)
def softmax_again(weights: Tensor) -> Tensor:
    return torch.softmax(weights.tril(), dim=-1)


@BANK.of(
    "renormalized_weights",
    "You apply a softmax to masked weights: they are not scores. They only need a division by each row's sum.",
)
def masked_softmax_again(weights: Tensor) -> Tensor:
    return torch.softmax(masked(weights), dim=-1)


@BANK.of("renormalized_weights", "You zero the past instead of the future: keep the lower triangle, `tril`.")
def past_zeroed(weights: Tensor) -> Tensor:
    visible = weights.triu()
    return visible / visible.sum(dim=-1, keepdim=True)


@BANK.of("renormalized_weights", "Nothing is hidden: the rows are only divided by their sums. Zero the future first.")
def nothing_zeroed(weights: Tensor) -> Tensor:
    return weights / weights.sum(dim=-1, keepdim=True)


@BANK.of("renormalized_weights", "You divide by the sum of everything. Each row is divided by its own sum.")
def divided_by_total(weights: Tensor) -> Tensor:
    visible = weights.tril()
    return visible / visible.sum(dim=(-2, -1), keepdim=True)


@BANK.of(
    "renormalized_weights",
    "You zero the diagonal too, so that no token sees itself, and the first row is 0 / 0. Keep it: `tril()`.",
)
def own_weight_zeroed(weights: Tensor) -> Tensor:
    visible = weights.tril(diagonal=-1)
    return visible / visible.sum(dim=-1, keepdim=True)


# apply_dropout


@BANK.of(
    "apply_dropout", "What is kept is not scaled: multiply it by 1 / (1 − p), to make up for what has been dropped."
)
def not_rescaled(weights: Tensor, keep: Tensor, p: float) -> Tensor:
    return weights * keep


@BANK.of("apply_dropout", "You multiply by 1 − p: what is kept must grow, so divide by it.")
def multiplied_by_share_kept(weights: Tensor, keep: Tensor, p: float) -> Tensor:
    return weights * keep * (1 - p)


@BANK.of("apply_dropout", "`keep` is the wrong way round: True keeps a weight, False drops it.")
def keep_inverted(weights: Tensor, keep: Tensor, p: float) -> Tensor:
    return weights * ~keep / (1 - p)


@BANK.of("apply_dropout", "You divide by p, the probability of being dropped. Divide by 1 − p, that of being kept.")
def divided_by_p(weights: Tensor, keep: Tensor, p: float) -> Tensor:
    return weights * keep / p


@BANK.of("apply_dropout", "You draw again which weights are dropped. `keep` says which: use it.")
def drawn_anew(weights: Tensor, keep: Tensor, p: float) -> Tensor:
    return nn.functional.dropout(weights, p)


@BANK.of("apply_dropout", "Nothing is dropped: weights that are not kept must become zero.")
def scaled_without_dropping(weights: Tensor, keep: Tensor, p: float) -> Tensor:
    return weights / (1 - p)


@BANK.of(
    "apply_dropout",
    "You scale by the share that happens to be kept here. The factor is 1 / (1 − p), whatever was drawn.",
)
def scaled_by_the_share_drawn(weights: Tensor, keep: Tensor, p: float) -> Tensor:
    return torch.where(keep, weights / keep.to(weights.dtype).mean(), 0.0)


@BANK.of(
    "apply_dropout",
    "You make the rows add up to what they were. Dropout does that on average only: scale by 1 / (1 − p).",
)
def rows_renormalized(weights: Tensor, keep: Tensor, p: float) -> Tensor:
    kept = weights * keep
    return kept / kept.sum(dim=-1, keepdim=True) * weights.sum(dim=-1, keepdim=True)


@BANK.of("apply_dropout", "You return only the kept weights, in a row. Keep the shape: what is dropped becomes zero.")
def kept_ones_only(weights: Tensor, keep: Tensor, p: float) -> Tensor:
    return weights[keep] / (1 - p)


# CausalAttention


class _Causal(nn.Module):
    mask: Tensor

    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", future(context_length))

    def scores(self, x: Tensor) -> Tensor:
        return self.W_query(x) @ self.W_key(x).transpose(1, 2)

    def hide(self, scores: Tensor) -> Tensor:
        t = scores.shape[-1]
        return scores.masked_fill(self.mask[:t, :t], HIDDEN)

    def weights(self, x: Tensor) -> Tensor:
        return torch.softmax(self.hide(self.scores(x)) / self.W_key.out_features**0.5, dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.weights(x)) @ self.W_value(x)


@BANK.of(
    "CausalAttention",
    "Your mask is a plain attribute, so `.to('cuda')` does not move it. `self.register_buffer('mask', ...)` makes it move too.",
)
class MaskNotABuffer(_Causal):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        del self.mask
        self.mask = future(context_length)


@BANK.of(
    "CausalAttention",
    "Your mask fits sentences of context_length tokens only. Cut it to the t tokens that are there: `self.mask[:t, :t]`.",
)
class MaskNotCut(_Causal):
    def hide(self, scores: Tensor) -> Tensor:
        return scores.masked_fill(self.mask, HIDDEN)


@BANK.of(
    "CausalAttention",
    "Weights are dropped in eval mode too. `nn.Dropout`, made in `__init__`, knows the mode; `F.dropout` needs `training=self.training`.",
)
class DropoutInEval(_Causal):
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.dropout(self.weights(x), self.dropout.p) @ self.W_value(x)


@BANK.of(
    "CausalAttention",
    "You drop something other than the weights, or do not scale the kept ones by 1 / (1 − p). `nn.Dropout` on the "
    "weights, after the softmax and before they meet the values, does both.",
)
class DropoutOnContext(_Causal):
    def forward(self, x: Tensor) -> Tensor:
        context: Tensor = self.dropout(self.weights(x) @ self.W_value(x))
        return context


@BANK.of(
    "CausalAttention",
    "You drop numbers of the values, or of the tokens that they are made from. Dropout belongs on the weights, after the softmax.",
)
class DropoutOnValues(_Causal):
    def forward(self, x: Tensor) -> Tensor:
        return self.weights(x) @ self.dropout(self.W_value(x))


@BANK.of("CausalAttention", "Nothing is dropped in training: apply `self.dropout` to the weights.")
class DropoutForgotten(_Causal):
    def forward(self, x: Tensor) -> Tensor:
        return self.weights(x) @ self.W_value(x)


@BANK.of(
    "CausalAttention", "You apply dropout to the scores: a score of 0 still gets a weight. Apply it after the softmax."
)
class DropoutOnScores(_Causal):
    def forward(self, x: Tensor) -> Tensor:
        scores = self.dropout(self.hide(self.scores(x)) / self.W_key.out_features**0.5)
        return torch.softmax(scores, dim=-1) @ self.W_value(x)


@BANK.of(
    "CausalAttention",
    "Nothing is hidden: each token sees later ones. Fill the masked scores with −∞, and use the result: what you gave stays as it is.",
)
class MaskForgotten(_Causal):
    def hide(self, scores: Tensor) -> Tensor:
        return scores


@BANK.of(
    "CausalAttention",
    "Future tokens take their share in the softmax before they are hidden, so the rows no longer add up to 1. Mask "
    "the scores first, with −∞.",
)
class MaskedAfterSoftmax(_Causal):
    def weights(self, x: Tensor) -> Tensor:
        return torch.softmax(self.scores(x) / self.W_key.out_features**0.5, dim=-1).tril()


@BANK.of("CausalAttention", FILLED_AFTER_SOFTMAX)
class WeightsFilledWithInfinity(_Causal):
    def weights(self, x: Tensor) -> Tensor:
        return self.hide(torch.softmax(self.scores(x) / self.W_key.out_features**0.5, dim=-1))


@BANK.of(
    "CausalAttention",
    "Your transpose of the keys moves the sentences too, as `.T` does. Swap only the last two dimensions of the keys:"
    " `transpose(-2, -1)`.",
)
class AllDimensionsTurned(_Causal):
    def scores(self, x: Tensor) -> Tensor:
        return self.W_query(x) @ self.W_key(x).permute(2, 1, 0)


@BANK.of(
    "CausalAttention", "Your mask is the wrong way round: tokens see only the future, and the last one sees nothing."
)
class MaskInverted(_Causal):
    def hide(self, scores: Tensor) -> Tensor:
        t = scores.shape[-1]
        return scores.masked_fill(~self.mask[:t, :t], HIDDEN)


@BANK.of(
    "CausalAttention", "The scores are not scaled: divide them by √d_out, the length of a key, before the softmax."
)
class CausalUnscaled(_Causal):
    def weights(self, x: Tensor) -> Tensor:
        return torch.softmax(self.hide(self.scores(x)), dim=-1)


@BANK.of("CausalAttention", "You scale by the root of d_in. The length of a key is d_out: `keys.shape[-1]`.")
class CausalScaledByDIn(_Causal):
    def weights(self, x: Tensor) -> Tensor:
        return torch.softmax(self.hide(self.scores(x)) / x.shape[-1] ** 0.5, dim=-1)


@BANK.of(
    "CausalAttention",
    "Your softmax runs over the queries, dimension 1 of a batch of scores. Each query's weights must add up to 1: "
    "dim=-1, the keys.",
)
class CausalOverQueries(_Causal):
    def weights(self, x: Tensor) -> Tensor:
        return torch.softmax(self.hide(self.scores(x)) / self.W_key.out_features**0.5, dim=1)


@BANK.of("CausalAttention", "Your layers always have a bias. `nn.Linear` adds one by default: pass `bias=qkv_bias`.")
class CausalBiasLeftOn(_Causal):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias=True)


@BANK.of(
    "CausalAttention",
    "W_query always has a bias, the other two do not. `nn.Linear` adds one by default: pass `bias=qkv_bias`.",
)
class CausalQueryBiasLeftOn(_Causal):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        nn.Module.__init__(self)
        self.W_query = nn.Linear(d_in, d_out)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", future(context_length))


@BANK.of(
    "CausalAttention", "`qkv_bias` makes no difference: your layers never have a bias. Pass it on: `bias=qkv_bias`."
)
class CausalBiasIgnored(_Causal):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias=False)


@BANK.of(
    "CausalAttention",
    "Your weights meet the keys instead of the values. They mix values: `self.W_value(x)`.",
)
class CausalKeysForValues(_Causal):
    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.weights(x)) @ self.W_key(x)


@BANK.of(
    "CausalAttention",
    "There is no buffer `mask`: yours has another name, such as `bias` or `tril`, or is made in `forward`. Register it in "
    "`__init__` as `mask`, True where a position is hidden.",
)
class NoBufferOfThatName(_Causal):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        del self.mask

    def hide(self, scores: Tensor) -> Tensor:
        return masked(scores)


@BANK.of("CausalAttention", "Your mask is a parameter: an optimiser would train it. Register it as a buffer.")
class MaskIsAParameter(_Causal):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        del self.mask
        self.mask = nn.Parameter(
            torch.zeros(context_length, context_length).masked_fill(future(context_length), HIDDEN)
        )

    def hide(self, scores: Tensor) -> Tensor:
        t = scores.shape[-1]
        return scores + self.mask[:t, :t]


@BANK.of(
    "CausalAttention",
    "Right for moderate scores, but beside a much larger future score the visible weights underflow to 0, and 0 / 0 "
    "is nan. Mask the scores before the softmax.",
)
class MaskedAfterSoftmaxAndRenormalized(_Causal):
    def weights(self, x: Tensor) -> Tensor:
        visible = torch.softmax(self.scores(x) / self.W_key.out_features**0.5, dim=-1).tril()
        return visible / visible.sum(dim=-1, keepdim=True)


@BANK.of("CausalAttention", "The rate of your dropout is not `dropout`: pass it on as it is, `nn.Dropout(dropout)`.")
class DropoutRateIgnored(_Causal):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        super().__init__(d_in, d_out, context_length, 0.5, qkv_bias)


@BANK.of("CausalAttention", "The layers are made in another order. Make W_query first, then W_key, then W_value.")
class CausalKeyMadeFirst(_Causal):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        nn.Module.__init__(self)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", future(context_length))


@BANK.of(
    "CausalAttention", "You scale by the root of the number of tokens. It is the root of d_out, the length of a key."
)
class CausalScaledByRootOfTokens(_Causal):
    def weights(self, x: Tensor) -> Tensor:
        return torch.softmax(self.hide(self.scores(x)) / x.shape[1] ** 0.5, dim=-1)


@BANK.of("CausalAttention", "You scale by d_out: scale by its square root.")
class CausalScaledByDOut(_Causal):
    def weights(self, x: Tensor) -> Tensor:
        return torch.softmax(self.hide(self.scores(x)) / self.W_key.out_features, dim=-1)


@BANK.of(
    "CausalAttention",
    "The mask of a shorter sentence is kept, so it is too small for the next longer one. Cut it in each call without "
    "storing it.",
)
class MaskCutForGood(_Causal):
    def hide(self, scores: Tensor) -> Tensor:
        t = scores.shape[-1]
        self.mask = self.mask[:t, :t]
        return scores.masked_fill(self.mask, HIDDEN)


@BANK.of(
    "CausalAttention",
    "You cut the mask to the number of sentences: in (b, t, d_in) the tokens are dimension 1, `x.shape[1]`.",
)
class MaskCutToTheBatch(_Causal):
    def weights(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        scores = self.scores(x).masked_fill(self.mask[:b, :b], HIDDEN)
        return torch.softmax(scores / self.W_key.out_features**0.5, dim=-1)


@BANK.of(
    "CausalAttention", "You hide every score that is 0. A visible score may be 0 too: take the positions from the mask."
)
class ZeroScoresHidden(_Causal):
    def hide(self, scores: Tensor) -> Tensor:
        visible = scores.tril()
        return visible.masked_fill(visible == 0, HIDDEN)
