"""Known mistakes of part 3."""

import torch
from torch import Tensor, nn

from autograder.course.model import Mistakes

HIDDEN = float("-inf")


def future(t: int) -> Tensor:
    """What the mistakes below have in common where they are right: the mask."""
    return torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)


def masked(scores: Tensor) -> Tensor:
    """Scores with the future hidden."""
    return scores.masked_fill(future(scores.shape[-1]), HIDDEN)


class causal_mask(Mistakes):
    def mask_inverted(num_tokens: int) -> Tensor:
        """Your mask is the wrong way round: True hides. The future is above the diagonal."""
        return ~future(num_tokens)

    def diagonal_hidden(num_tokens: int) -> Tensor:
        """You hide the diagonal: no token may see itself. Start above it: `triu(diagonal=1)`."""
        return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu()

    def lower_triangle(num_tokens: int) -> Tensor:
        """You hide the past and show the future. Later keys stand above the diagonal, `triu`."""
        return future(num_tokens).T.contiguous()

    def one_token_too_late(num_tokens: int) -> Tensor:
        """Your mask starts too late: each token still sees its successor. Use `diagonal=1`."""
        return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal=2)

    def numbers_instead_of_booleans(num_tokens: int) -> Tensor:
        """Right places, but numbers instead of booleans. Use `dtype=torch.bool`, or compare."""
        return torch.ones(num_tokens, num_tokens).triu(diagonal=1)

    def numbers_where_seen(num_tokens: int) -> Tensor:
        """These are numbers, for what may be seen. The mask is boolean, and True hides."""
        return torch.ones(num_tokens, num_tokens).tril()

    def numbers_with_the_diagonal(num_tokens: int) -> Tensor:
        """These are numbers instead of booleans, and the diagonal is hidden. Start above it."""
        return torch.ones(num_tokens, num_tokens).triu()

    def nothing_hidden(num_tokens: int) -> Tensor:
        """Nothing is hidden: every entry is False. Above the diagonal it should be True."""
        return torch.zeros(num_tokens, num_tokens, dtype=torch.bool)

    def additive_mask(num_tokens: int) -> Tensor:
        """Right places, but as 0 and −∞. This step asks for booleans: True where it hides."""
        return torch.zeros(num_tokens, num_tokens).masked_fill(future(num_tokens), HIDDEN)


class mask_scores(Mistakes):
    def zeros_instead_of_infinity(scores: Tensor) -> Tensor:
        """Hidden scores are 0 in your result, and still get a weight, exp(0) = 1. Use −∞."""
        return scores.tril()

    def minus_one_instead_of_infinity(scores: Tensor) -> Tensor:
        """Hidden scores are −1 in your result, and still get a weight. Use −∞."""
        return scores.masked_fill(future(scores.shape[-1]), -1.0)

    def large_negative_number(scores: Tensor) -> Tensor:
        """Hidden scores are −1e9 in your result: usually enough, but not −∞. If all scores are that
        small, it hides nothing. Use `float('-inf')`."""
        return scores.masked_fill(future(scores.shape[-1]), -1e9)

    def written_in_place(scores: Tensor) -> Tensor:
        """Right numbers, but you write them into `scores` itself (`masked_fill_`, or an assignment
        to a part of it). Make a new tensor: `scores.masked_fill(...)`."""
        return scores.masked_fill_(future(scores.shape[-1]), HIDDEN)

    def past_hidden(scores: Tensor) -> Tensor:
        """Your future is the past: what is hidden are earlier keys. Hide above the diagonal."""
        return scores.masked_fill(future(scores.shape[-1]).T, HIDDEN)

    def own_score_hidden(scores: Tensor) -> Tensor:
        """You hide the diagonal too, so no token may see itself, and the first row is all −∞."""
        t = scores.shape[-1]
        return scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(), HIDDEN)

    def plus_infinity(scores: Tensor) -> Tensor:
        """Hidden scores are +∞ in your result, and take all the weight. It is −∞ that hides."""
        return scores.masked_fill(future(scores.shape[-1]), float("inf"))

    def result_thrown_away(scores: Tensor) -> Tensor:
        """Nothing is hidden: the scores come out as they came in. Either the mask marks nothing, or
        the result of `masked_fill`, a new tensor, is not used."""
        scores.masked_fill(future(scores.shape[-1]), HIDDEN)
        return scores.clone()

    def infinity_multiplied(scores: Tensor) -> Tensor:
        """You multiply −∞ with the mask: −∞ times 0 is nan. Use `masked_fill`."""
        return scores + future(scores.shape[-1]) * HIDDEN

    def multiplied_by_mask(scores: Tensor) -> Tensor:
        """The future stays as it is, and everything else becomes 0, as if multiplied by the mask.
        Put −∞ where the mask is True, and leave the rest: `masked_fill`."""
        return scores * future(scores.shape[-1])

    def visible_ones_hidden(scores: Tensor) -> Tensor:
        """Your mask is the wrong way round: all but the future is hidden. True hides."""
        return scores.masked_fill(~future(scores.shape[-1]), HIDDEN)

    def smallest_number(scores: Tensor) -> Tensor:
        """Hidden scores are the smallest number of their type in your result. It is finite: if all
        scores are that small, it hides nothing. Use `float('-inf')`."""
        return scores.masked_fill(future(scores.shape[-1]), torch.finfo(scores.dtype).min)

    def zeros_taken_for_hidden(scores: Tensor) -> Tensor:
        """You hide every score that is 0, visible or not. Take the positions from the mask."""
        visible = scores.tril()
        return visible.masked_fill(visible == 0, HIDDEN)


class causal_attention_weights(Mistakes):
    def masked_after_softmax(scores: Tensor, d_k: int) -> Tensor:
        """Future tokens take their share in the softmax before they are hidden, so the rows no
        longer add up to 1. Mask the scores first, with −∞."""
        return torch.softmax(scores / d_k**0.5, dim=-1).tril()

    def masked_after_softmax_and_renormalized(scores: Tensor, d_k: int) -> Tensor:
        """Right for moderate scores, but beside a much larger future score the visible weights
        underflow to 0, and 0 / 0 is nan. Mask the scores before the softmax."""
        visible = torch.softmax(scores / d_k**0.5, dim=-1).tril()
        return visible / visible.sum(dim=-1, keepdim=True)

    def weights_filled_with_infinity(scores: Tensor, d_k: int) -> Tensor:
        """You put −∞ into the weights. Put it into the scores: the softmax makes it 0."""
        weights = torch.softmax(scores / d_k**0.5, dim=-1)
        return weights.masked_fill(future(scores.shape[-1]), HIDDEN)

    def unscaled(scores: Tensor, d_k: int) -> Tensor:
        """The scores are not scaled: divide them by √d_k before the softmax."""
        return torch.softmax(masked(scores), dim=-1)

    def scaled_by_d_k(scores: Tensor, d_k: int) -> Tensor:
        """You scale by d_k: scale by its square root, `d_k ** 0.5`."""
        return torch.softmax(masked(scores) / d_k, dim=-1)

    def multiplied_by_root(scores: Tensor, d_k: int) -> Tensor:
        """You multiply by √d_k: divide by it."""
        return torch.softmax(masked(scores) * d_k**0.5, dim=-1)

    def scaled_by_root_of_tokens(scores: Tensor, d_k: int) -> Tensor:
        """You scale by the root of the number of tokens. It is the root of d_k."""
        return torch.softmax(masked(scores) / scores.shape[-1] ** 0.5, dim=-1)

    def mask_forgotten(scores: Tensor, d_k: int) -> Tensor:
        """Nothing is hidden: each token still sees later ones. Fill the masked scores with −∞ (step
        2), and use the result: what you gave stays as it is."""
        return torch.softmax(scores / d_k**0.5, dim=-1)

    def softmax_over_queries(scores: Tensor, d_k: int) -> Tensor:
        """Your softmax runs over the queries: columns add up to 1. Use dim=-1, the keys."""
        return torch.softmax(masked(scores) / d_k**0.5, dim=-2)

    def hidden_by_zeros(scores: Tensor, d_k: int) -> Tensor:
        """Hidden scores are 0 instead of −∞, and exp(0) = 1: they still get a weight."""
        return torch.softmax(scores.tril() / d_k**0.5, dim=-1)

    def hidden_by_ten_thousand(scores: Tensor, d_k: int) -> Tensor:
        """You add about −10 000 to later scores. Larger ones are not hidden: put −∞ there."""
        return torch.softmax((scores - 1e4 * future(scores.shape[-1])) / d_k**0.5, dim=-1)

    def weights_of_the_future(scores: Tensor, d_k: int) -> Tensor:
        """You hide the past instead of the future: look at which triangle your mask is."""
        return torch.softmax(scores.masked_fill(future(scores.shape[-1]).T, HIDDEN) / d_k**0.5, dim=-1)

    def scaled_after_softmax(scores: Tensor, d_k: int) -> Tensor:
        """You scale the weights, after the softmax. Scale the scores, before it."""
        return torch.softmax(masked(scores), dim=-1) / d_k**0.5

    def weights_overflow(scores: Tensor, d_k: int) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        exponentials = (masked(scores) / d_k**0.5).exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=True)

    def mask_of_weights_inverted(scores: Tensor, d_k: int) -> Tensor:
        """Your mask is the wrong way round: only the future is seen. True hides."""
        return torch.softmax(scores.masked_fill(~future(scores.shape[-1]), HIDDEN) / d_k**0.5, dim=-1)

    def own_weight_hidden(scores: Tensor, d_k: int) -> Tensor:
        """You hide the diagonal too: the first token sees nothing. Use `diagonal=1`."""
        t = scores.shape[-1]
        hidden = torch.ones(t, t, dtype=torch.bool).triu()
        return torch.softmax(scores.masked_fill(hidden, HIDDEN) / d_k**0.5, dim=-1)

    def zero_scores_hidden(scores: Tensor, d_k: int) -> Tensor:
        """You hide every score that is 0, visible or not. Take the positions from the mask."""
        visible = scores.tril()
        return torch.softmax(visible.masked_fill(visible == 0, HIDDEN) / d_k**0.5, dim=-1)


class renormalized_weights(Mistakes):
    def not_renormalized(weights: Tensor) -> Tensor:
        """The rows no longer add up to 1: after zeroing the future, divide each row by its sum."""
        return weights.tril()

    def columns_renormalized(weights: Tensor) -> Tensor:
        """You divide by the sums of the columns. Divide by rows: `sum(dim=-1, keepdim=True)`."""
        visible = weights.tril()
        return visible / visible.sum(dim=-2, keepdim=True)

    def sums_without_keepdim(weights: Tensor) -> Tensor:
        """The sums have lost a dimension, and meet the columns. Use `keepdim=True`."""
        visible = weights.tril()
        return visible / visible.sum(dim=-1)

    def divided_by_old_sums(weights: Tensor) -> Tensor:
        """You divide by the sums of the whole rows, the future included. Sum what is left."""
        return weights.tril() / weights.sum(dim=-1, keepdim=True)

    def softmax_again(weights: Tensor) -> Tensor:
        """A softmax does not renormalise: it turns zeros into exp(0) = 1. Divide by the sum."""
        return torch.softmax(weights.tril(), dim=-1)

    def masked_softmax_again(weights: Tensor) -> Tensor:
        """You apply a softmax to masked weights, which are no scores. Divide by each row's sum."""
        return torch.softmax(masked(weights), dim=-1)

    def past_zeroed(weights: Tensor) -> Tensor:
        """You zero the past instead of the future: keep the lower triangle, `tril`."""
        visible = weights.triu()
        return visible / visible.sum(dim=-1, keepdim=True)

    def nothing_zeroed(weights: Tensor) -> Tensor:
        """Nothing is hidden: the rows are only divided by their sums. Zero the future first."""
        return weights / weights.sum(dim=-1, keepdim=True)

    def divided_by_total(weights: Tensor) -> Tensor:
        """You divide by the sum of everything. Each row is divided by its own sum."""
        visible = weights.tril()
        return visible / visible.sum(dim=(-2, -1), keepdim=True)

    def own_weight_zeroed(weights: Tensor) -> Tensor:
        """You zero the diagonal too, so that the first row is 0 / 0. Keep it: `tril()`."""
        visible = weights.tril(diagonal=-1)
        return visible / visible.sum(dim=-1, keepdim=True)


class apply_dropout(Mistakes):
    def not_rescaled(weights: Tensor, keep: Tensor, p: float) -> Tensor:
        """Kept numbers are not scaled: 1 / (1 − p) makes up for those that are dropped."""
        return weights * keep

    def multiplied_by_share_kept(weights: Tensor, keep: Tensor, p: float) -> Tensor:
        """You multiply by 1 − p: what is kept must grow, so divide by it."""
        return weights * keep * (1 - p)

    def keep_inverted(weights: Tensor, keep: Tensor, p: float) -> Tensor:
        """`keep` is the wrong way round: True keeps a weight, False drops it."""
        return weights * ~keep / (1 - p)

    def divided_by_p(weights: Tensor, keep: Tensor, p: float) -> Tensor:
        """You divide by p, the probability of a drop. Divide by 1 − p, that of being kept."""
        return weights * keep / p

    def drawn_anew(weights: Tensor, keep: Tensor, p: float) -> Tensor:
        """You draw again which weights are dropped. `keep` says which: use it."""
        return nn.functional.dropout(weights, p)

    def scaled_without_dropping(weights: Tensor, keep: Tensor, p: float) -> Tensor:
        """Nothing is dropped: weights that are not kept must become zero."""
        return weights / (1 - p)

    def scaled_by_the_share_drawn(weights: Tensor, keep: Tensor, p: float) -> Tensor:
        """You scale by the share that is kept here. The factor is always 1 / (1 − p)."""
        return torch.where(keep, weights / keep.to(weights.dtype).mean(), 0.0)

    def rows_renormalized(weights: Tensor, keep: Tensor, p: float) -> Tensor:
        """You keep the sums of the rows. Dropout does so on average only: scale by 1 / (1 − p)."""
        kept = weights * keep
        return kept / kept.sum(dim=-1, keepdim=True) * weights.sum(dim=-1, keepdim=True)

    def kept_ones_only(weights: Tensor, keep: Tensor, p: float) -> Tensor:
        """You return only the kept weights, in a row. Keep the shape: the others become zero."""
        return weights[keep] / (1 - p)


class _Causal(nn.Module):
    mask: Tensor

    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
        super().__init__()
        self.make_layers(d_in, d_out, qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", future(context_length))

    def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=bias) for _ in range(3))

    def scores(self, x: Tensor) -> Tensor:
        return self.W_query(x) @ self.W_key(x).transpose(1, 2)

    def hide(self, scores: Tensor) -> Tensor:
        t = scores.shape[-1]
        return scores.masked_fill(self.mask[:t, :t], HIDDEN)

    def weights(self, x: Tensor) -> Tensor:
        return torch.softmax(self.hide(self.scores(x)) / self.W_key.out_features**0.5, dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.weights(x)) @ self.W_value(x)


class CausalAttention(Mistakes):
    class MaskNotABuffer(_Causal):
        """Your mask is a plain attribute, which `.to('cuda')` leaves behind. Register a buffer."""

        def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
            super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
            del self.mask
            self.mask = future(context_length)

    class MaskNotCut(_Causal):
        """Your mask fits context_length tokens only. Cut it to those here: `self.mask[:t, :t]`."""

        def hide(self, scores: Tensor) -> Tensor:
            return scores.masked_fill(self.mask, HIDDEN)

    class DropoutInEval(_Causal):
        """Weights are dropped in eval mode too. `nn.Dropout`, made in `__init__`, knows the mode;
        `F.dropout` needs `training=self.training`."""

        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.dropout(self.weights(x), self.dropout.p) @ self.W_value(x)

    class DropoutOnContext(_Causal):
        """You drop something other than the weights, or do not scale the kept ones by 1 / (1 − p).
        `nn.Dropout` on the weights, after the softmax and before they meet the values, does
        both."""

        def forward(self, x: Tensor) -> Tensor:
            return self.dropout(self.weights(x) @ self.W_value(x))

    class DropoutOnValues(_Causal):
        """You drop numbers of the values, or of the tokens that they are made from. Dropout belongs
        on the weights, after the softmax."""

        def forward(self, x: Tensor) -> Tensor:
            return self.weights(x) @ self.dropout(self.W_value(x))

    class DropoutForgotten(_Causal):
        """Nothing is dropped in training: apply `self.dropout` to the weights."""

        def forward(self, x: Tensor) -> Tensor:
            return self.weights(x) @ self.W_value(x)

    class DropoutOnScores(_Causal):
        """You apply dropout to the scores: 0 still gets a weight. Apply it after the softmax."""

        def forward(self, x: Tensor) -> Tensor:
            scores = self.dropout(self.hide(self.scores(x)) / self.W_key.out_features**0.5)
            return torch.softmax(scores, dim=-1) @ self.W_value(x)

    class MaskForgotten(_Causal):
        """Nothing is hidden: each token sees later ones. Fill the masked scores with −∞, and use
        the result: what you gave stays as it is."""

        def hide(self, scores: Tensor) -> Tensor:
            return scores

    class MaskedAfterSoftmax(_Causal):
        """Future tokens take their share in the softmax before they are hidden, so the rows no
        longer add up to 1. Mask the scores first, with −∞."""

        def weights(self, x: Tensor) -> Tensor:
            return torch.softmax(self.scores(x) / self.W_key.out_features**0.5, dim=-1).tril()

    class WeightsFilledWithInfinity(_Causal):
        """You put −∞ into the weights. Put it into the scores: the softmax makes it 0."""

        def weights(self, x: Tensor) -> Tensor:
            return self.hide(torch.softmax(self.scores(x) / self.W_key.out_features**0.5, dim=-1))

    class AllDimensionsTurned(_Causal):
        """Your transpose of the keys moves the sentences too, as `.T` does. Swap only the last two
        dimensions of the keys: `transpose(-2, -1)`."""

        def scores(self, x: Tensor) -> Tensor:
            return self.W_query(x) @ self.W_key(x).permute(2, 1, 0)

    class MaskInverted(_Causal):
        """Your mask is the wrong way round: tokens see only the future, and the last nothing."""

        def hide(self, scores: Tensor) -> Tensor:
            t = scores.shape[-1]
            return scores.masked_fill(~self.mask[:t, :t], HIDDEN)

    class CausalUnscaled(_Causal):
        """The scores are not scaled: divide them by √d_out, the root of a key's length."""

        def weights(self, x: Tensor) -> Tensor:
            return torch.softmax(self.hide(self.scores(x)), dim=-1)

    class CausalScaledByDIn(_Causal):
        """You scale by the root of d_in. The length of a key is d_out: `keys.shape[-1]`."""

        def weights(self, x: Tensor) -> Tensor:
            return torch.softmax(self.hide(self.scores(x)) / x.shape[-1] ** 0.5, dim=-1)

    class CausalOverQueries(_Causal):
        """Your softmax runs over the queries, dimension 1 of a batch. Use dim=-1, the keys."""

        def weights(self, x: Tensor) -> Tensor:
            return torch.softmax(self.hide(self.scores(x)) / self.W_key.out_features**0.5, dim=1)

    class CausalBiasLeftOn(_Causal):
        """Your layers always have a bias. `nn.Linear` adds one by default: pass `bias=qkv_bias`."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            super().make_layers(d_in, d_out, bias=True)

    class CausalQueryBiasLeftOn(_Causal):
        """W_query always has a bias: `nn.Linear` adds one by itself. Pass `bias=qkv_bias`."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            self.W_query = nn.Linear(d_in, d_out)
            self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=bias) for _ in range(2))

    class CausalBiasIgnored(_Causal):
        """`qkv_bias` makes no difference: no layer has a bias. Pass it on: `bias=qkv_bias`."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            super().make_layers(d_in, d_out, bias=False)

    class CausalKeysForValues(_Causal):
        """Your weights meet the keys instead of the values. They mix values: `self.W_value(x)`."""

        def forward(self, x: Tensor) -> Tensor:
            return self.dropout(self.weights(x)) @ self.W_key(x)

    class NoBufferOfThatName(_Causal):
        """There is no buffer `mask`: yours has another name, such as `bias` or `tril`, or is made
        in `forward`. Register it in `__init__` as `mask`, True where a position is hidden."""

        def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
            super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
            del self.mask

        def hide(self, scores: Tensor) -> Tensor:
            return masked(scores)

    class MaskIsAParameter(_Causal):
        """Your mask is a parameter: an optimiser would train it. Register it as a buffer."""

        def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
            super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
            del self.mask
            self.mask = nn.Parameter(
                torch.zeros(context_length, context_length).masked_fill(future(context_length), HIDDEN)
            )

        def hide(self, scores: Tensor) -> Tensor:
            t = scores.shape[-1]
            return scores + self.mask[:t, :t]

    class MaskedAfterSoftmaxAndRenormalized(_Causal):
        """Right for moderate scores, but beside a much larger future score the visible weights
        underflow to 0, and 0 / 0 is nan. Mask the scores before the softmax."""

        def weights(self, x: Tensor) -> Tensor:
            visible = torch.softmax(self.scores(x) / self.W_key.out_features**0.5, dim=-1).tril()
            return visible / visible.sum(dim=-1, keepdim=True)

    class DropoutRateIgnored(_Causal):
        """The rate of your dropout is not `dropout`: pass it on as it is, `nn.Dropout(dropout)`."""

        def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False) -> None:
            super().__init__(d_in, d_out, context_length, 0.5, qkv_bias)

    class CausalKeyMadeFirst(_Causal):
        """The layers are made in another order. Make W_query first, then W_key, then W_value."""

        def make_layers(self, d_in: int, d_out: int, bias: bool) -> None:
            self.W_key, self.W_query, self.W_value = (nn.Linear(d_in, d_out, bias=bias) for _ in range(3))

    class CausalScaledByRootOfTokens(_Causal):
        """You scale by the root of the number of tokens. It is the root of d_out."""

        def weights(self, x: Tensor) -> Tensor:
            return torch.softmax(self.hide(self.scores(x)) / x.shape[1] ** 0.5, dim=-1)

    class CausalScaledByDOut(_Causal):
        """You scale by d_out: scale by its square root."""

        def weights(self, x: Tensor) -> Tensor:
            return torch.softmax(self.hide(self.scores(x)) / self.W_key.out_features, dim=-1)

    class MaskCutForGood(_Causal):
        """You keep the mask of a shorter sentence, too small for longer ones. Do not store it."""

        def hide(self, scores: Tensor) -> Tensor:
            t = scores.shape[-1]
            self.mask = self.mask[:t, :t]
            return scores.masked_fill(self.mask, HIDDEN)

    class MaskCutToTheBatch(_Causal):
        """You cut the mask to the number of sentences. Tokens are dimension 1: `x.shape[1]`."""

        def weights(self, x: Tensor) -> Tensor:
            b = x.shape[0]
            scores = self.scores(x).masked_fill(self.mask[:b, :b], HIDDEN)
            return torch.softmax(scores / self.W_key.out_features**0.5, dim=-1)

    class ZeroScoresHidden(_Causal):
        """You hide every score that is 0, visible or not. Take the positions from the mask."""

        def hide(self, scores: Tensor) -> Tensor:
            visible = scores.tril()
            return visible.masked_fill(visible == 0, HIDDEN)
