"""Known mistakes of part 1."""

import torch
from torch import Tensor

from autograder.course.model import Mistakes


class dot_product(Mistakes):
    def products_not_summed(a: Tensor, b: Tensor) -> Tensor:
        """You return the products number by number. A dot product is one number: add them up."""
        return a * b

    def mean_of_products(a: Tensor, b: Tensor) -> Tensor:
        """You take the mean of the products. The dot product is their sum, divided by nothing."""
        return (a * b).mean()

    def sum_of_both(a: Tensor, b: Tensor) -> Tensor:
        """This is the sum of all numbers. Multiply number by number first, then add up."""
        return (a + b).sum()

    def cosine(a: Tensor, b: Tensor) -> Tensor:
        """This is the cosine of the angle between the vectors: their lengths are divided out. The
        dot product keeps the lengths."""
        return (a * b).sum() / (a.norm() * b.norm())

    def python_number(a: Tensor, b: Tensor) -> float:
        """You return a plain number of Python, as `.item()`, `float` and `tolist` give: a gradient
        passes through tensors alone. `(a * b).sum()` is a tensor already, of shape (): return
        that."""
        return (a * b).sum().item()

    def every_number_with_every_other(a: Tensor, b: Tensor) -> Tensor:
        """This is the sum of a times the sum of b: every number of a meets every number of b, as in
        `einsum('i,j->', a, b)`. Each meets only the one at its own place."""
        return a.sum() * b.sum()


class attention_scores(Mistakes):
    def own_score_only(query: Tensor, inputs: Tensor) -> Tensor:
        """You score the query against itself only. It meets each row of `inputs`, every token."""
        return (query * query).sum()

    def cosine_scores(query: Tensor, inputs: Tensor) -> Tensor:
        """These are cosine similarities: the lengths of the vectors are divided out. Attention
        scores are plain dot products."""
        return inputs @ query / (inputs.norm(dim=-1) * query.norm())

    def score_products_not_summed(query: Tensor, inputs: Tensor) -> Tensor:
        """You return the products before they are added up. Sum over the last dimension."""
        return inputs * query

    def summed_over_tokens(query: Tensor, inputs: Tensor) -> Tensor:
        """You summed over the tokens instead of over the numbers of a token. A score belongs to one
        token: sum over dim=-1."""
        return (inputs * query).sum(dim=0)

    def query_on_the_left(query: Tensor, inputs: Tensor) -> Tensor:
        """Your query meets the columns of `inputs`, as in `query @ inputs` and `inputs.T @ query`.
        The tokens are the rows: `inputs @ query`."""
        return query @ inputs

    def weights_for_scores(query: Tensor, inputs: Tensor) -> Tensor:
        """These are weights already. Return the raw scores; the softmax is the next step."""
        return torch.softmax(inputs @ query, dim=-1)

    def scaled_too_early(query: Tensor, inputs: Tensor) -> Tensor:
        """You divide by √d. Nothing is scaled in this part; scaling comes in part 2."""
        return inputs @ query / query.shape[-1] ** 0.5

    def as_many_scores_as_numbers(query: Tensor, inputs: Tensor) -> Tensor:
        """You make a score for each number of the query. Make one a token: `inputs.shape[0]`."""
        return torch.stack([inputs[i] @ query for i in range(len(query))])


class softmax(Mistakes):
    def overflow(scores: Tensor) -> Tensor:
        """Right for small scores, but exp overflows for large ones: inf / inf is nan. Subtract each
        row's largest score before exp; the weights stay the same."""
        exponentials = scores.exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=True)

    def shifted_by_the_global_maximum(scores: Tensor) -> Tensor:
        """A row far below 0 or below the largest score of all underflows to 0 / 0 = nan: subtract
        each row's own largest score, `amax(dim=-1, keepdim=True)`."""
        exponentials = (scores - scores.max()).exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=True)

    def cut_off_on_both_sides(scores: Tensor) -> Tensor:
        """Large scores are cut off, as by `clamp`, so that those above the limit get equal weights.
        Subtract each row's largest score: exp of that cannot overflow."""
        exponentials = scores.clamp(-80, 80).exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=True)

    def cut_off_above(scores: Tensor) -> Tensor:
        """Large scores are cut off, as by `clamp`, so that those above the limit get equal weights.
        And a row of very small scores is 0 / 0. Subtract each row's largest score: that mends
        both."""
        exponentials = scores.clamp(max=80).exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=True)

    def over_all_elements(scores: Tensor) -> Tensor:
        """All weights together add up to 1; each row should: `sum(dim=-1, keepdim=True)`."""
        exponentials = (scores - scores.max()).exp()
        return exponentials / exponentials.sum()

    def piece_by_piece(scores: Tensor) -> Tensor:
        """Each piece along the first dimension adds up to 1. The pieces of a single row are
        numbers, each of weight 1; those of a batch are whole matrices. `dim=-1, keepdim=True`
        handles each row, without a loop."""
        exponentials = [(piece - piece.max()).exp() for piece in scores]
        return torch.stack([one / one.sum() for one in exponentials])

    def over_the_first_dimension(scores: Tensor) -> Tensor:
        """Your columns add up to 1 instead of your rows: the sum runs over the first dimension. Use
        the last one, `dim=-1`."""
        exponentials = (scores - scores.amax(dim=0, keepdim=True)).exp()
        return exponentials / exponentials.sum(dim=0, keepdim=True)

    def no_exponential(scores: Tensor) -> Tensor:
        """You divide the scores by their sum. Take exponentials first: weights are positive."""
        return scores / scores.sum(dim=-1, keepdim=True)

    def not_divided(scores: Tensor) -> Tensor:
        """These are the exponentials. They must add up to 1: divide each row by its own sum."""
        return (scores - scores.amax(dim=-1, keepdim=True)).exp()

    def sums_without_keepdim(scores: Tensor) -> Tensor:
        """The sums have lost a dimension and miss their rows: `sum(dim=-1, keepdim=True)`."""
        exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        return exponentials / exponentials.sum(dim=-1)

    def max_returns_two_things(scores: Tensor) -> Tensor:
        """`max(dim=...)` returns values and their indices. Use `amax(dim=-1, keepdim=True)`."""
        return (scores - scores.max(dim=-1, keepdim=True)).exp()  # type: ignore[operator]

    def logarithm(scores: Tensor) -> Tensor:
        """You return the logarithm of the weights (log-softmax). Return the weights themselves."""
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def powers_of_two(scores: Tensor) -> Tensor:
        """You take powers of 2. A softmax takes powers of e: use `exp`."""
        exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp2()
        return exponentials / exponentials.sum(dim=-1, keepdim=True)


class context_vector(Mistakes):
    def unweighted_mean(weights: Tensor, inputs: Tensor) -> Tensor:
        """This is the plain mean of the rows. Multiply each row by its weight."""
        return inputs.mean(dim=0)

    def unweighted_sum(weights: Tensor, inputs: Tensor) -> Tensor:
        """This is the plain sum of the rows. Multiply each row by its weight."""
        return inputs.sum(dim=0)

    def weighted_rows_not_summed(weights: Tensor, inputs: Tensor) -> Tensor:
        """Each row is multiplied by its weight. Now add the rows up: sum over the tokens."""
        return weights[:, None] * inputs

    def weights_along_the_wrong_dimension(weights: Tensor, inputs: Tensor) -> Tensor:
        """`weights * inputs` lines the weights up with the numbers of a token, not with the tokens.
        `weights @ inputs` multiplies each row by its weight and adds the rows up."""
        return (weights * inputs).sum(dim=0)

    def weights_times_inputs(weights: Tensor, inputs: Tensor) -> Tensor:
        """`*` lines the weights up with the numbers of a token, not with the tokens, and adds
        nothing up. Each row times its own weight, all rows added up: that is a matrix product."""
        return weights * inputs

    def weighted_mean(weights: Tensor, inputs: Tensor) -> Tensor:
        """This is the weighted mean: the sum of the weights is divided out. The context vector is
        the weighted sum, whatever the weights add up to."""
        return weights @ inputs / weights.sum()

    def softmax_of_weights(weights: Tensor, inputs: Tensor) -> Tensor:
        """You apply a softmax to the weights. They are weights already: use them as they come."""
        return torch.softmax(weights, dim=-1) @ inputs

    def weights_on_the_right(weights: Tensor, inputs: Tensor) -> Tensor:
        """Your weights meet the numbers of each token, as in `inputs @ weights` and `weights @
        inputs.T`. They must meet the tokens: `weights @ inputs`."""
        return inputs @ weights

    def summed_within_tokens(weights: Tensor, inputs: Tensor) -> Tensor:
        """You add up the numbers within each token, which gives one number per token. Add up the
        weighted tokens: `sum(dim=0)`."""
        return weights * inputs.sum(dim=-1)

    def mean_of_weighted_rows(weights: Tensor, inputs: Tensor) -> Tensor:
        """You take the mean of the weighted rows, and divide by the number of tokens with it. The
        context vector is their sum."""
        return weights @ inputs / len(inputs)


class simplified_self_attention(Mistakes):
    def attention_scaled(inputs: Tensor) -> Tensor:
        """You divide the scores by √d. Nothing is scaled in this part; scaling comes in part 2."""
        return torch.softmax(inputs @ inputs.T / inputs.shape[-1] ** 0.5, dim=-1) @ inputs

    def attention_softmax_over_queries(inputs: Tensor) -> Tensor:
        """The sum for token i takes column i of the right weights. Row i belongs to query i: the
        softmax runs over dim=-1, and the weights are not transposed before they meet the tokens."""
        return torch.softmax(inputs @ inputs.T, dim=0) @ inputs

    def attention_keys_not_transposed(inputs: Tensor) -> Tensor:
        """You multiply the tokens with themselves as they are. For dot products of rows with rows
        the second one must be transposed: `inputs @ inputs.T`."""
        return torch.softmax(inputs @ inputs, dim=-1) @ inputs

    def attention_columns_compared(inputs: Tensor) -> Tensor:
        """Your scores compare columns with columns. Rows with rows is `inputs @ inputs.T`."""
        return torch.softmax(inputs.T @ inputs, dim=-1) @ inputs

    def attention_between_columns(inputs: Tensor) -> Tensor:
        """Your scores compare columns: each is for two of the d numbers, not for two tokens.
        Compare rows with rows, `inputs @ inputs.T`, and put the weights on the left of `inputs`."""
        return inputs @ torch.softmax(inputs.T @ inputs, dim=-1)

    def attention_without_softmax(inputs: Tensor) -> Tensor:
        """The softmax is missing: turn each row of scores into weights that add up to 1."""
        return inputs @ inputs.T @ inputs

    def attention_weights_returned(inputs: Tensor) -> Tensor:
        """These are the weights. Multiply them with `inputs` to get the context vectors."""
        return torch.softmax(inputs @ inputs.T, dim=-1)

    def attention_softmax_twice(inputs: Tensor) -> Tensor:
        """You apply the softmax twice. Once turns scores into weights; twice flattens them."""
        return torch.softmax(torch.softmax(inputs @ inputs.T, dim=-1), dim=-1) @ inputs

    def attention_overflow(inputs: Tensor) -> Tensor:
        """Right for small scores, but exp overflows for large ones: inf / inf is nan. Subtract each
        row's largest score before exp, as in step 3."""
        exponentials = (inputs @ inputs.T).exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=True) @ inputs

    def attention_causal(inputs: Tensor) -> Tensor:
        """Tokens do not see those after them: there is a causal mask. Nothing is hidden in this
        part; the mask comes in part 3."""
        future = torch.ones(len(inputs), len(inputs), dtype=torch.bool).triu(diagonal=1)
        return torch.softmax((inputs @ inputs.T).masked_fill(future, float("-inf")), dim=-1) @ inputs

    def attention_without_itself(inputs: Tensor) -> Tensor:
        """Each token is hidden from itself. It attends to itself, too: leave the diagonal."""
        own = torch.eye(len(inputs), dtype=torch.bool)
        return torch.softmax((inputs @ inputs.T).masked_fill(own, float("-inf")), dim=-1) @ inputs

    def attention_sums_stand_as_a_row(inputs: Tensor) -> Tensor:
        """You divide by the sums of the rows, but as a row they are matched with the columns. Keep
        them as a column: `sum(dim=-1, keepdim=True)`."""
        scores = inputs @ inputs.T
        exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        return exponentials / exponentials.sum(dim=-1) @ inputs

    def attention_all_rows_in_one(inputs: Tensor) -> Tensor:
        """Each of your rows is the sum of all context vectors, as when `[zeros] * t` holds one
        tensor t times, and `+=` changes it in place. Begin with a new tensor for each token."""
        return (torch.softmax(inputs @ inputs.T, dim=-1) @ inputs).sum(dim=0).expand_as(inputs)
