"""Known mistakes of part 2."""

import math

import torch
from torch import Generator, Tensor, nn

from autograder.course.model import Mistakes

Triple = tuple[Tensor, Tensor, Tensor]


def attend(queries: Tensor, keys: Tensor, values: Tensor, scale: float | None = None) -> Tensor:
    """What the mistakes below have in common, as far as they are right."""
    scores = queries @ keys.transpose(-2, -1)
    scores = scores / (keys.shape[-1] ** 0.5 if scale is None else scale)
    return torch.softmax(scores, dim=-1) @ values


def attend_with_plain_exp(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention whose softmax overflows."""
    exponentials = (queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ values


class project_qkv(Mistakes):
    def keys_before_queries(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
        """Your queries are the keys, and your keys the queries. W_query makes the queries, W_key
        the keys, and the order is (queries, keys, values)."""
        return x @ W_key, x @ W_query, x @ W_value

    def values_before_keys(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
        """Your keys are the values, and your values the keys. W_key makes the keys, W_value the
        values, and the order is (queries, keys, values)."""
        return x @ W_query, x @ W_value, x @ W_key

    def weights_transposed(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
        """The weights are transposed, as by `W_query.T` or `F.linear`, or stand on the left of the
        tokens. A weight is (d_in x d_k) and a token is a row of d_in numbers, so `x @ W_query` fits
        as it is."""
        return x @ W_query.T, x @ W_key.T, x @ W_value.T

    def keys_from_query_weight(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
        """Your keys are the queries once more. The keys are made with W_key."""
        return x @ W_query, x @ W_query, x @ W_value

    def values_from_key_weight(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
        """Your values are the keys once more. The values are made with W_value."""
        return x @ W_query, x @ W_key, x @ W_key

    def values_not_projected(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
        """Your values are the tokens themselves. Project them too: multiply `x` by W_value."""
        return x @ W_query, x @ W_key, x

    def cut_into_three_equal_pieces(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
        """The joint product is cut into three equal pieces. Values may be longer or shorter than
        keys: give `split` the sizes [d_k, d_k, d_v], or multiply three times."""
        queries, keys, values = (x @ torch.cat([W_query, W_key, W_value], dim=-1)).chunk(3, dim=-1)
        return queries, keys, values


class scores_for_query(Mistakes):
    def query_products_not_summed(query: Tensor, keys: Tensor) -> Tensor:
        """You return the products before they are added up. Sum over the last dimension."""
        return keys * query

    def query_cosine(query: Tensor, keys: Tensor) -> Tensor:
        """These are cosine similarities: lengths are divided out. Scores are dot products."""
        return keys @ query / (keys.norm(dim=-1) * query.norm())

    def query_scaled_too_early(query: Tensor, keys: Tensor) -> Tensor:
        """You scale already. This step asks for the raw scores; scaling is step 4."""
        return keys @ query / query.shape[-1] ** 0.5

    def query_weights_for_scores(query: Tensor, keys: Tensor) -> Tensor:
        """These are weights already. This step asks for the raw scores; the softmax is step 5."""
        return torch.softmax(keys @ query, dim=-1)

    def query_mixes_keys(query: Tensor, keys: Tensor) -> Tensor:
        """Your query meets the columns of `keys`, as in `query @ keys` and `keys.T @ query`. The
        keys are the rows: `keys @ query`."""
        return query @ keys

    def query_meets_keys_cut_anew(query: Tensor, keys: Tensor) -> Tensor:
        """Your keys are cut anew to (d_k, t), as by `reshape` and `view`, which leave the numbers
        in memory order: its columns mix keys. `keys.T` turns rows into columns."""
        return query @ keys.reshape(keys.shape[1], keys.shape[0])

    def query_scores_counted_by_numbers(query: Tensor, keys: Tensor) -> Tensor:
        """You make a score for each number of the query. Make one a key: `keys.shape[0]`."""
        return torch.stack([keys[i] @ query for i in range(len(query))])


class attention_scores(Mistakes):
    def scores_transposed(queries: Tensor, keys: Tensor) -> Tensor:
        """Transposed: your rows belong to keys and your columns to queries. Queries come first:
        `queries @ keys.transpose(-2, -1)`."""
        return keys @ queries.transpose(-2, -1)

    def scores_with_T_on_a_batch(queries: Tensor, keys: Tensor) -> Tensor:
        """Right for one sentence, but not for a batch: `.T` and `transpose(0, 1)` move the batch
        dimension too. Swap only the last two dimensions of the keys: `keys.transpose(-2, -1)`."""
        return queries @ keys.permute(*reversed(range(keys.dim())))

    def scores_for_batches_only(queries: Tensor, keys: Tensor) -> Tensor:
        """Right for a batch, but `transpose(1, 2)` needs three dimensions. Count from the end:
        `keys.transpose(-2, -1)`."""
        return queries @ keys.transpose(1, 2)

    def queries_with_queries(queries: Tensor, keys: Tensor) -> Tensor:
        """You score queries against queries. The second factor must be the keys."""
        return queries @ queries.transpose(-2, -1)

    def scores_keys_not_transposed(queries: Tensor, keys: Tensor) -> Tensor:
        """Rows do not meet rows. Transpose the keys: `queries @ keys.transpose(-2, -1)`."""
        return queries @ keys

    def scores_scaled_too_early(queries: Tensor, keys: Tensor) -> Tensor:
        """You scale already. This step asks for the raw scores; scaling is step 4."""
        return queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5

    def scores_through_softmax(queries: Tensor, keys: Tensor) -> Tensor:
        """These are weights already. This step asks for the raw scores; the softmax is step 5."""
        return torch.softmax(queries @ keys.transpose(-2, -1), dim=-1)

    def scores_of_keys_cut_anew(queries: Tensor, keys: Tensor) -> Tensor:
        """Right shape, scrambled keys: their numbers stay in memory order, as `reshape` and `view`
        leave them. `transpose(-2, -1)` turns rows into columns."""
        return queries @ keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])

    def scores_between_sentences(queries: Tensor, keys: Tensor) -> Tensor:
        """Every sentence's queries meet every sentence's keys, as with `tensordot`: (b, tq, b, tk).
        `@` takes sentence by sentence: `queries @ keys.transpose(-2, -1)`."""
        return torch.tensordot(queries, keys, dims=([-1], [-1]))


class scale_scores(Mistakes):
    def divided_by_d_k(scores: Tensor, d_k: int) -> Tensor:
        """You divide by d_k. Their variance grows with d_k, so the spread with √d_k: use that."""
        return scores / d_k

    def multiplied(scores: Tensor, d_k: int) -> Tensor:
        """Your scores come out multiplied by √d_k, which makes large ones larger. Divide by it."""
        return scores * d_k**0.5

    def divided_by_root_of_keys(scores: Tensor, d_k: int) -> Tensor:
        """You divide by the root of the number of keys. What counts is a key's length: `d_k`."""
        return scores / scores.shape[-1] ** 0.5

    def not_scaled(scores: Tensor, d_k: int) -> Tensor:
        """The scores come out as they came in: nothing is scaled. Divide them by √d_k."""
        return scores.clone()

    def divided_by_square(scores: Tensor, d_k: int) -> Tensor:
        """You divide by d_k squared. The square root is `d_k ** 0.5`."""
        return scores / d_k**2

    def caret_for_power(scores: Tensor, d_k: int) -> Tensor:
        """`^` is not a power in Python. Write `d_k ** 0.5`."""
        return scores / d_k ^ 0.5

    def power_before_division(scores: Tensor, d_k: int) -> Tensor:
        """Your scores are divided by 2 · d_k, as by `/ d_k ** 1/2`, where the power comes first.
        Write `d_k ** 0.5` or `d_k ** (1 / 2)`."""
        return scores / d_k**1 / 2

    def scaled_in_place(scores: Tensor, d_k: int) -> Tensor:
        """You scale in place (`/=`, `div_`, or an assignment to a part), so the caller's scores
        change too. Return new ones: `scores / d_k ** 0.5`."""
        scores /= d_k**0.5
        return scores

    def root_rounded_down(scores: Tensor, d_k: int) -> Tensor:
        """The root of d_k is rounded down to a whole number, as by `math.isqrt` and `int`. Divide
        by the root as it is: `d_k ** 0.5`."""
        return scores / math.isqrt(d_k)


class attention_weights(Mistakes):
    def over_queries(scaled_scores: Tensor) -> Tensor:
        """Your softmax runs over the queries: columns add up to 1. Use dim=-1, the keys."""
        return torch.softmax(scaled_scores, dim=-2)

    def over_dimension_one(scaled_scores: Tensor) -> Tensor:
        """Right for one sentence, but with a batch in front your softmax no longer runs over the
        keys. They are the last dimension, counted from the end: dim=-1."""
        return torch.softmax(scaled_scores, dim=1)

    def over_dimension_zero(scaled_scores: Tensor) -> Tensor:
        """Your softmax runs over the first dimension (`dim=0`). The keys are the last: dim=-1."""
        return torch.softmax(scaled_scores, dim=0)

    def over_everything(scaled_scores: Tensor) -> Tensor:
        """All weights together add up to 1; each row should by itself: dim=-1."""
        return torch.softmax(scaled_scores.flatten(), dim=0).reshape(scaled_scores.shape)

    def plain_division(scaled_scores: Tensor) -> Tensor:
        """You divide the scores by their sum. A softmax takes the exponentials first."""
        return scaled_scores / scaled_scores.sum(dim=-1, keepdim=True)

    def weights_overflow(scaled_scores: Tensor) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        return scaled_scores.exp() / scaled_scores.exp().sum(dim=-1, keepdim=True)

    def scaled_again(scaled_scores: Tensor) -> Tensor:
        """You scale once more. These scores are scaled already: only the softmax is left to do."""
        return torch.softmax(scaled_scores / scaled_scores.shape[-1] ** 0.5, dim=-1)

    def sums_stand_as_a_row(scaled_scores: Tensor) -> Tensor:
        """You divide by the sums of the rows, but as a row they are matched with the columns. Keep
        them as a column: `sum(dim=-1, keepdim=True)`."""
        exponentials = (scaled_scores - scaled_scores.amax(dim=-1, keepdim=True)).exp()
        return exponentials / exponentials.sum(dim=-1)

    def sums_of_plain_exp_stand_as_a_row(scaled_scores: Tensor) -> Tensor:
        """You divide by the sums of the rows, but as a row they are matched with the columns. Keep
        them as a column: `sum(dim=-1, keepdim=True)`. Large scores also overflow; `torch.softmax`
        handles both."""
        return scaled_scores.exp() / scaled_scores.exp().sum(dim=-1)


class context_vectors(Mistakes):
    def context_with_weights_transposed(weights: Tensor, values: Tensor) -> Tensor:
        """Your weights are used transposed. Each row of weights belongs to a query and mixes the
        values as it is: `weights @ values`."""
        return weights.transpose(-2, -1) @ values

    def mean_of_values(weights: Tensor, values: Tensor) -> Tensor:
        """Every query gets the plain mean of the values: the weights are not used."""
        mean = values.mean(dim=-2, keepdim=True)
        return mean.expand(*weights.shape[:-1], values.shape[-1])

    def context_softmax_again(weights: Tensor, values: Tensor) -> Tensor:
        """You apply a softmax to the weights. They are weights already: use them as they come."""
        return torch.softmax(weights, dim=-1) @ values

    def weights_times_values(weights: Tensor, values: Tensor) -> Tensor:
        """`*` multiplies number by number, where it fits at all. A context is a weighted sum over
        the tokens: a matrix product."""
        return weights * values

    def values_returned(weights: Tensor, values: Tensor) -> Tensor:
        """You return the values themselves. Mix them: multiply the weights with the values."""
        return values.clone()

    def last_product_kept(weights: Tensor, values: Tensor) -> Tensor:
        """Only the last value counts, times its weight. In a loop, add each product to those before
        it (`+=`) instead of replacing them."""
        return weights[..., -1:] * values[..., -1:, :]

    def summed_over_queries(weights: Tensor, values: Tensor) -> Tensor:
        """You add up over the queries, so that each value is multiplied by all the weight it gets.
        A context is the sum over the keys, one for each query."""
        return weights.sum(dim=-2)[..., None] * values

    def weights_and_values_summed_apart(weights: Tensor, values: Tensor) -> Tensor:
        """Weights and values are summed apart, as in `einsum('...ij,...km->...im', ...)`: every
        weight meets every value. The keys need the same letter in both."""
        return weights.sum(dim=-1, keepdim=True) * values.sum(dim=-2, keepdim=True)

    def contexts_between_sentences(weights: Tensor, values: Tensor) -> Tensor:
        """Every sentence's weights meet every sentence's values, as with `tensordot`. `@` takes
        sentence by sentence: `weights @ values`."""
        return torch.tensordot(weights, values, dims=([-1], [-2]))

    def all_contexts_in_one(weights: Tensor, values: Tensor) -> Tensor:
        """Each of your rows is the sum of all context vectors, as when `[zeros] * tq` holds one
        tensor tq times, and `+=` changes it in place. Begin with a new tensor for each query."""
        contexts = weights @ values
        return contexts.sum(dim=-2, keepdim=True).expand_as(contexts)


class scaled_dot_product_attention(Mistakes):
    def attention_scaled_by_root_d_v(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You scale by the root of d_v, a value's length. It is the root of d_k, a key's."""
        return attend(queries, keys, values, values.shape[-1] ** 0.5)

    def attention_scaled_after_softmax(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You scale after the softmax, the weights or the context. Scale the scores, before it."""
        return attend(queries, keys, values, 1.0) / keys.shape[-1] ** 0.5

    def attention_unscaled(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The scores are not scaled: divide them by √d_k before the softmax."""
        return attend(queries, keys, values, 1.0)

    def attention_scaled_by_d_k(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You divide the scores by d_k. Divide by its square root."""
        return attend(queries, keys, values, keys.shape[-1])

    def attention_scaled_by_root_of_keys(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You scale by the root of the number of keys. What counts is a key's length, d_k."""
        return attend(queries, keys, values, keys.shape[-2] ** 0.5)

    def attention_multiplied(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You multiply the scores by √d_k. Divide by it."""
        return attend(queries, keys, values, keys.shape[-1] ** -0.5)

    def attention_over_queries(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Your softmax runs over the queries: for each key, the weights of all queries add up to 1.
        It runs over the keys, dim=-1 where rows are queries."""
        scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
        return torch.softmax(scores, dim=-2) @ values

    def attention_returns_weights(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You return the weights. The last product is missing: weights times values."""
        return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)

    def keys_and_values_exchanged(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Keys and values are swapped: queries meet the keys, and the weights meet the values."""
        scores = queries @ values.transpose(-2, -1) / keys.shape[-1] ** 0.5
        return torch.softmax(scores, dim=-1) @ keys

    def keys_used_as_values(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The weights meet the keys once more. They must meet the values."""
        return attend(queries, keys, keys)

    def attention_returns_values(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You return the values unchanged: your result does not depend on queries and keys."""
        return values.clone()

    def attention_without_softmax(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The softmax is missing: scaled scores are used as weights."""
        return queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5 @ values

    def attention_with_T_on_a_batch(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Right for one sentence, but not for a batch: `.T` and `transpose(0, 1)` move the batch
        dimension too. Swap only the last two dimensions of the keys: `keys.transpose(-2, -1)`."""
        scores = queries @ keys.permute(*reversed(range(keys.dim()))) / keys.shape[-1] ** 0.5
        return torch.softmax(scores, dim=-1) @ values

    def attention_overflow(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        return attend_with_plain_exp(queries, keys, values)

    def attention_causal(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Queries do not see the keys after their own place: there is a causal mask. Nothing is
        hidden in this part; the mask comes in part 3."""
        scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(diagonal=1)
        return torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1) @ values

    def attention_sums_stand_as_a_row(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """You divide by the sums of the rows, but as a row they are matched with the columns. Keep
        them as a column: `sum(dim=-1, keepdim=True)`."""
        scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
        exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        return exponentials / exponentials.sum(dim=-1) @ values


def _products(d_k: int, num_trials: int, generator: Generator | None) -> Tensor:
    queries = torch.randn(num_trials, d_k, generator=generator)
    keys = torch.randn(num_trials, d_k, generator=generator)
    return (queries * keys).sum(dim=-1)


class dot_product_variance(Mistakes):
    def variance_scaled_by_d_k(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """Scaled, your variance is about 1 / d_k, as if each product were divided by d_k. Dividing
        by √d_k makes it 1."""
        products = _products(d_k, num_trials, generator)
        return (products / d_k if scaled else products).var()

    def standard_deviation(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """This is the standard deviation, the root of the variance. Use `.var()`."""
        products = _products(d_k, num_trials, generator)
        return (products / d_k**0.5 if scaled else products).std()

    def uniform_draws(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """You draw uniform numbers (`torch.rand`). Draw standard normal numbers: `torch.randn`."""
        queries = torch.rand(num_trials, d_k, generator=generator)
        keys = torch.rand(num_trials, d_k, generator=generator)
        products = (queries * keys).sum(dim=-1)
        return (products / d_k**0.5 if scaled else products).var()

    def never_scaled(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """`scaled` makes no difference: divide the products by √d_k when it is true."""
        return _products(d_k, num_trials, generator).var()

    def always_scaled(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """You scale always: only divide by √d_k when `scaled` is true."""
        return (_products(d_k, num_trials, generator) / d_k**0.5).var()

    def variance_itself_scaled(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """Scaled, your variance is about √d_k, as if the variance itself were divided by √d_k.
        Divide each product, before `.var()`."""
        variance = _products(d_k, num_trials, generator).var()
        return variance / d_k**0.5 if scaled else variance

    def generator_not_used(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """The variance is right, but it changes from call to call although the generator is the
        same: pass it to both draws, `torch.randn(..., generator=generator)`."""
        products = _products(d_k, num_trials, None)
        return (products / d_k**0.5 if scaled else products).var()

    def all_pairs(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """You multiply every query with every key. A trial is one pair: query i with key i,
        `(queries * keys).sum(dim=-1)`."""
        queries = torch.randn(num_trials, d_k, generator=generator)
        keys = torch.randn(num_trials, d_k, generator=generator)
        products = queries @ keys.T
        return (products / d_k**0.5 if scaled else products).var()

    def one_query_for_all(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """All trials share one query, so that a measurement depends on its length. A trial is a
        pair of its own: draw as many queries as keys."""
        query = torch.randn(d_k, generator=generator)
        products = torch.randn(num_trials, d_k, generator=generator) @ query
        return (products / d_k**0.5 if scaled else products).var()

    def queries_met_themselves(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """Your keys are the queries once more: no product is below zero. Draw the keys, too."""
        products = torch.randn(num_trials, d_k, generator=generator).square().sum(dim=-1)
        return (products / d_k**0.5 if scaled else products).var()

    def keys_never_drawn(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """You add up the numbers of the queries alone. Draw keys, too, and multiply."""
        sums = torch.randn(num_trials, d_k, generator=generator).sum(dim=-1)
        return (sums / d_k**0.5 if scaled else sums).var()

    def variance_not_measured(d_k: int, num_trials: int, scaled: bool, generator: Generator) -> Tensor:
        """This is the expected variance, not a measurement: draw queries and keys, and measure."""
        return torch.tensor(1.0 if scaled else float(d_k))


class _V1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Parameter(torch.rand(d_in, d_out)) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        return attend(x @ self.W_query, x @ self.W_key, x @ self.W_value)


class SelfAttentionV1(Mistakes):
    class PlainTensors(nn.Module):
        """No optimiser finds your matrices. Wrap each in `nn.Parameter(torch.rand(...))`."""

        def __init__(self, d_in: int, d_out: int) -> None:
            super().__init__()
            self.W_query, self.W_key, self.W_value = (torch.rand(d_in, d_out) for _ in range(3))

        def forward(self, x: Tensor) -> Tensor:
            return attend(x @ self.W_query, x @ self.W_key, x @ self.W_value)

    class ShapeSwapped(_V1):
        """Your tokens meet matrices of (d_out, d_in). A token is a row of d_in numbers: make the
        matrices (d_in, d_out), and multiply by them as they are."""

        def __init__(self, d_in: int, d_out: int) -> None:
            super().__init__(d_out, d_in)

    class ShapeSwappedAndTurned(_V1):
        """Your matrices are (d_out, d_in). Make them (d_in, d_out) from the start: then `x` is
        multiplied by them as they are."""

        def __init__(self, d_in: int, d_out: int) -> None:
            super().__init__(d_out, d_in)

        def forward(self, x: Tensor) -> Tensor:
            return attend(x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T)

    class TransposeOfABatch(_V1):
        """Right for one sentence, but not for a batch: `.T` and `transpose(0, 1)` move the batch
        dimension too. Swap only the last two dimensions of the keys: `keys.transpose(-2, -1)`."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
            scores = queries @ keys.permute(*reversed(range(keys.dim()))) / keys.shape[-1] ** 0.5
            return torch.softmax(scores, dim=-1) @ values

    class NormalWeights(_V1):
        """The weights are drawn from a normal distribution. Use `torch.rand`, from 0 to 1."""

        def __init__(self, d_in: int, d_out: int) -> None:
            nn.Module.__init__(self)
            self.W_query, self.W_key, self.W_value = (nn.Parameter(torch.randn(d_in, d_out)) for _ in range(3))

    class DrawnAtOnce(_V1):
        """All numbers are drawn at once, as one matrix of (d_in, 3 · d_out), and cut apart: other
        numbers than of three draws. Draw `torch.rand(d_in, d_out)` for W_query, then for W_key,
        then for W_value."""

        def __init__(self, d_in: int, d_out: int) -> None:
            nn.Module.__init__(self)
            pieces = torch.rand(d_in, 3 * d_out).chunk(3, dim=1)
            self.W_query, self.W_key, self.W_value = (nn.Parameter(one.clone()) for one in pieces)

    class KeyDrawnFirst(_V1):
        """The matrices are drawn in another order. Draw W_query first, then W_key, then W_value."""

        def __init__(self, d_in: int, d_out: int) -> None:
            nn.Module.__init__(self)
            self.W_key, self.W_query, self.W_value = (nn.Parameter(torch.rand(d_in, d_out)) for _ in range(3))

    class V1Unscaled(_V1):
        """The scores are not scaled: divide them by √d_out, the root of a key's length."""

        def forward(self, x: Tensor) -> Tensor:
            return attend(x @ self.W_query, x @ self.W_key, x @ self.W_value, 1.0)

    class V1ScaledByDIn(_V1):
        """You scale by the root of d_in. The length of a key is d_out: `keys.shape[-1]`."""

        def forward(self, x: Tensor) -> Tensor:
            return attend(x @ self.W_query, x @ self.W_key, x @ self.W_value, x.shape[-1] ** 0.5)

    class V1Overflow(_V1):
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""

        def forward(self, x: Tensor) -> Tensor:
            return attend_with_plain_exp(x @ self.W_query, x @ self.W_key, x @ self.W_value)


class _V2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        return attend(self.W_query(x), self.W_key(x), self.W_value(x))


class SelfAttentionV2(Mistakes):
    class BiasLeftOn(_V2):
        """Your layers always have a bias. `nn.Linear` adds one by default: pass `bias=qkv_bias`."""

        def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
            super().__init__(d_in, d_out, qkv_bias=True)

    class QueryBiasLeftOn(_V2):
        """W_query always has a bias: `nn.Linear` adds one by itself. Pass `bias=qkv_bias`."""

        def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
            nn.Module.__init__(self)
            self.W_query = nn.Linear(d_in, d_out)
            self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(2))

    class ValueBiasLeftOn(_V2):
        """W_value always has a bias: `nn.Linear` adds one by itself. Pass `bias=qkv_bias`."""

        def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
            super().__init__(d_in, d_out, qkv_bias)
            if not qkv_bias:
                self.W_value.bias = nn.Linear(d_in, d_out).bias

    class BiasByDefault(_V2):
        """Your layers have a bias by default: the default must be `qkv_bias=False`."""

        def __init__(self, d_in: int, d_out: int, qkv_bias: bool = True) -> None:
            super().__init__(d_in, d_out, qkv_bias)

    class BiasIgnored(_V2):
        """`qkv_bias` makes no difference: no layer has a bias. Pass it on: `bias=qkv_bias`."""

        def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
            super().__init__(d_in, d_out, qkv_bias=False)

    class BiasesLeftOut(_V2):
        """The biases are never added. Call the layer, `self.W_query(x)`: it adds its bias."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = (x @ layer.weight.T for layer in (self.W_query, self.W_key, self.W_value))
            return attend(queries, keys, values, self.W_query.out_features**0.5)

    class LayersTransposeOfABatch(_V2):
        """Right for one sentence, but not for a batch: `.T` and `transpose(0, 1)` move the batch
        dimension too. Swap only the last two dimensions of the keys: `keys.transpose(-2, -1)`."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
            scores = queries @ keys.permute(*reversed(range(keys.dim()))) / keys.shape[-1] ** 0.5
            return torch.softmax(scores, dim=-1) @ values

    class V2Unscaled(_V2):
        """The scores are not scaled: divide them by √d_out, the root of a key's length."""

        def forward(self, x: Tensor) -> Tensor:
            return attend(self.W_query(x), self.W_key(x), self.W_value(x), 1.0)

    class KeyMadeFirst(_V2):
        """The layers are made in another order. Make W_query first, then W_key, then W_value."""

        def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
            nn.Module.__init__(self)
            self.W_key, self.W_query, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))

    class V2OverQueries(_V2):
        """Your softmax runs over the queries: for each key, the weights of all queries add up to 1.
        It runs over the keys, dim=-1 where rows are queries."""

        def forward(self, x: Tensor) -> Tensor:
            queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
            return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-2) @ values

    class V2Overflow(_V2):
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""

        def forward(self, x: Tensor) -> Tensor:
            return attend_with_plain_exp(self.W_query(x), self.W_key(x), self.W_value(x))

    class V2ScaledByDIn(_V2):
        """You scale by the root of d_in. The length of a key is d_out: `keys.shape[-1]`."""

        def forward(self, x: Tensor) -> Tensor:
            return attend(self.W_query(x), self.W_key(x), self.W_value(x), x.shape[-1] ** 0.5)

    class WeightsAsTheyAreKept(_V2):
        """You multiply by `weight` as `nn.Linear` keeps it, (d_out, d_in), and leave the bias out.
        Call the layer, `self.W_query(x)`: it transposes and adds by itself."""

        def forward(self, x: Tensor) -> Tensor:
            return attend(x @ self.W_query.weight, x @ self.W_key.weight, x @ self.W_value.weight)

    class InOneLayer(nn.Module):
        """Queries, keys and values come from one layer, such as GPT-2's `c_attn`. Make three,
        W_query, W_key and W_value: other code finds them by these names."""

        def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
            super().__init__()
            self.c_attn = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)

        def forward(self, x: Tensor) -> Tensor:
            return attend(*self.c_attn(x).chunk(3, dim=-1))

    class LayersDrawnAgain(_V2):
        """The numbers drawn are overwritten, as in GPT-2. Leave them as `nn.Linear` draws them."""

        def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
            super().__init__(d_in, d_out, qkv_bias)
            for layer in (self.W_query, self.W_key, self.W_value):
                nn.init.normal_(layer.weight, std=0.02)
                if qkv_bias:
                    nn.init.zeros_(layer.bias)


class copy_weights(Mistakes):
    def copied_without_transpose(source: nn.Module, target: nn.Module) -> None:
        """The weight is not transposed. `nn.Linear` keeps it as (d_out, d_in), the parameter is
        (d_in, d_out): copy `weight.T`."""
        with torch.no_grad():
            for name in ("W_query", "W_key", "W_value"):
                getattr(target, name).copy_(getattr(source, name).weight)

    def replaced_without_transpose(source: nn.Module, target: nn.Module) -> None:
        """The weight is not transposed: a new parameter, or a new `.data`, takes any shape.
        `nn.Linear` keeps it as (d_out, d_in), the parameter is (d_in, d_out): copy `weight.T`."""
        for name in ("W_query", "W_key", "W_value"):
            getattr(target, name).data = getattr(source, name).weight.detach().clone()

    def shared_without_transpose(source: nn.Module, target: nn.Module) -> None:
        """The weight is not transposed: a new parameter, or a new `.data`, takes any shape.
        `nn.Linear` keeps it as (d_out, d_in), the parameter is (d_in, d_out). And it is still
        shared with the source: copy the numbers of `weight.T`."""
        for name in ("W_query", "W_key", "W_value"):
            getattr(target, name).data = getattr(source, name).weight.data

    def storage_shared(source: nn.Module, target: nn.Module) -> None:
        """The target shares its numbers with the source: when the source is trained on, the target
        changes. Copy the numbers (`copy_` or `.clone()`)."""
        for name in ("W_query", "W_key", "W_value"):
            setattr(target, name, nn.Parameter(getattr(source, name).weight.T))

    def key_over_value(source: nn.Module, target: nn.Module) -> None:
        """W_key is copied twice, and W_value never."""
        with torch.no_grad():
            for name, kept in (("W_query", "W_query"), ("W_key", "W_key"), ("W_key", "W_value")):
                getattr(target, name).copy_(getattr(source, kept).weight.T)

    def query_for_key(source: nn.Module, target: nn.Module) -> None:
        """W_key gets the weight of W_query, too: copy to the parameter of the same name."""
        with torch.no_grad():
            for name, kept in (("W_query", "W_query"), ("W_key", "W_query"), ("W_value", "W_value")):
                getattr(target, name).copy_(getattr(source, kept).weight.T)

    def nothing_copied(source: nn.Module, target: nn.Module) -> None:
        """Nothing has been copied: the target's parameters are what they were before."""
        return None

    def copied_crosswise(source: nn.Module, target: nn.Module) -> None:
        """W_query and W_key are swapped: copy each weight to the parameter of the same name."""
        with torch.no_grad():
            for to, name in (("W_query", "W_key"), ("W_key", "W_query"), ("W_value", "W_value")):
                getattr(target, to).copy_(getattr(source, name).weight.T)

    def copied_backwards(source: nn.Module, target: nn.Module) -> None:
        """You copied in the other direction, to the source. Copy from `source` to `target`."""
        with torch.no_grad():
            for name in ("W_query", "W_key", "W_value"):
                getattr(source, name).weight.copy_(getattr(target, name).T)


class self_attention_loops(Mistakes):
    def whole_matrix_at_once(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """The numbers are right, but you built the whole t x t matrix of scores. Here each token's
        scores are made, used and forgotten before the next token's turn: loop over the tokens."""
        return attend(x @ W_query, x @ W_key, x @ W_value)

    def loops_unscaled(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """The scores are not scaled: divide them by √d_k before the softmax."""
        keys, values = x @ W_key, x @ W_value
        return torch.stack([torch.softmax(keys @ (token @ W_query), dim=-1) @ values for token in x])

    def last_token_only(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """You return the last token's context vector only. Collect one per token, and stack."""
        return attend(x[-1:] @ W_query, x @ W_key, x @ W_value)[0]

    def loops_values_not_projected(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """In your loop the tokens themselves are the values. Project them first: `x @ W_value`."""
        keys = x @ W_key
        return torch.stack([torch.softmax(keys @ (token @ W_query) / keys.shape[-1] ** 0.5, dim=-1) @ x for token in x])

    def loops_with_one_key(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """All your rows are the plain mean of the values: every weight is 1 / t. Inside the loops
        the query is that of one token, and the keys are those of all tokens, one after the
        other."""
        return (x @ W_value).mean(dim=0).expand(len(x), -1)

    def loops_looking_back_only(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Each token meets only itself and the tokens before it. Nothing is hidden in this part."""
        keys, values = x @ W_key, x @ W_value
        contexts = []
        for i, token in enumerate(x):
            scores = keys[: i + 1] @ (token @ W_query) / keys.shape[-1] ** 0.5
            contexts.append(torch.softmax(scores, dim=-1) @ values[: i + 1])
        return torch.stack(contexts)

    def loops_overflow(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        keys, values = x @ W_key, x @ W_value
        return torch.stack([attend_with_plain_exp((token @ W_query)[None], keys, values)[0] for token in x])

    def loops_scaled_by_root_of_d_in(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """You scale by the root of d_in, a token's length. It is the root of d_k, a key's."""
        keys, scale = x @ W_key, x.shape[-1] ** 0.5
        return torch.stack([torch.softmax(keys @ (token @ W_query) / scale, dim=-1) @ (x @ W_value) for token in x])

    def loops_joined_to_one_vector(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Your context vectors are one long vector. `torch.stack` makes each a row."""
        return torch.cat([attend((token @ W_query)[None], x @ W_key, x @ W_value)[0] for token in x])

    def first_token_only(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """You return the context vector of the first token only, as when `return` stands inside the
        loop. Collect one per token, and return after the loop."""
        return attend(x[:1] @ W_query, x @ W_key, x @ W_value)[0]

    def sums_of_tokens_before(x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Each context vector has those before it added: the sum is set to zero once, before the
        loop over the tokens. Set it to zero for each token."""
        return torch.stack([attend((token @ W_query)[None], x @ W_key, x @ W_value)[0] for token in x]).cumsum(dim=0)


def _columns(H: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    return W_query @ H, W_key @ H, W_value @ H


class self_attention_columns(Mistakes):
    def columns_over_queries(H: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Your softmax runs over the queries: for each key, the weights of all queries add up to 1.
        It runs over the keys, the rows of KᵀQ: dim=0."""
        Q, K, V = _columns(H, W_query, W_key, W_value)
        return V @ torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=-1)

    def columns_scores_of_rows(H: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Your softmax runs over the queries, and the weights are transposed where V meets them.
        The scores are KᵀQ, one column per query: softmax over dim=0, then V on the left."""
        Q, K, V = _columns(H, W_query, W_key, W_value)
        return V @ torch.softmax(Q.T @ K / K.shape[0] ** 0.5, dim=0)

    def columns_weights_not_turned(H: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Your weights are right, but transposed where V meets them. Each column must belong to one
        query, as in the softmax of KᵀQ over dim=0."""
        Q, K, V = _columns(H, W_query, W_key, W_value)
        return V @ torch.softmax(Q.T @ K / K.shape[0] ** 0.5, dim=-1)

    def columns_unscaled(H: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """The scores are not scaled: divide them by √d_k before the softmax."""
        Q, K, V = _columns(H, W_query, W_key, W_value)
        return V @ torch.softmax(K.T @ Q, dim=0)

    def columns_scaled_by_root_of_d_in(H: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """You scale by the root of d_in, a token's length. A key's is `W_key.shape[0]`."""
        Q, K, V = _columns(H, W_query, W_key, W_value)
        return V @ torch.softmax(K.T @ Q / H.shape[0] ** 0.5, dim=0)

    def columns_scaled_by_root_of_tokens(H: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """You scale by the root of the number of tokens. The length of a key is `K.shape[0]`."""
        Q, K, V = _columns(H, W_query, W_key, W_value)
        return V @ torch.softmax(K.T @ Q / K.shape[-1] ** 0.5, dim=0)

    def columns_returned_as_rows(H: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Right numbers, but tokens are rows in your result. Return them as columns, (d_v, t)."""
        Q, K, V = _columns(H, W_query, W_key, W_value)
        return (V @ torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0)).T

    def columns_overflow(H: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        """Large scores overflow in exp. Use `torch.softmax`, or subtract each row's largest."""
        Q, K, V = _columns(H, W_query, W_key, W_value)
        return attend_with_plain_exp(Q.T, K.T, V.T).T
