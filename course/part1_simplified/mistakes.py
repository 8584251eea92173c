"""Known mistakes of part 1."""

import torch
from torch import Tensor

from autograder.course.model import MistakeBank

BANK = MistakeBank()


@BANK.of("dot_product", "You return the products number by number. A dot product is one number: add the products up.")
def products_not_summed(a: Tensor, b: Tensor) -> Tensor:
    return a * b


@BANK.of(
    "dot_product", "You take the mean of the products. The dot product is their sum, not divided by how many there are."
)
def mean_of_products(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).mean()


@BANK.of(
    "dot_product",
    "This is the sum of all numbers of both vectors. Multiply them number by number first, then add the products up.",
)
def sum_of_both(a: Tensor, b: Tensor) -> Tensor:
    return (a + b).sum()


@BANK.of(
    "dot_product",
    "This is the cosine of the angle between the vectors: their lengths are divided out. The dot product keeps the "
    "lengths.",
)
def cosine(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).sum() / (a.norm() * b.norm())


@BANK.of(
    "dot_product",
    "You return a plain number of Python, as `.item()`, `float` and `tolist` give: a gradient passes through tensors "
    "alone. `(a * b).sum()` is a tensor already, of shape (): return that.",
)
def python_number(a: Tensor, b: Tensor) -> float:
    return (a * b).sum().item()


@BANK.of(
    "dot_product",
    "This is the sum of a times the sum of b: every number of a meets every number of b, as in `einsum('i,j->', a, b)`. "
    "Each meets only the one at its own place.",
)
def every_number_with_every_other(a: Tensor, b: Tensor) -> Tensor:
    return a.sum() * b.sum()


@BANK.of(
    "attention_scores",
    "You score the query against itself only. It meets every token: one dot product with each row of `inputs`.",
)
def own_score_only(query: Tensor, inputs: Tensor) -> Tensor:
    return (query * query).sum()


@BANK.of(
    "attention_scores",
    "These are cosine similarities: the lengths of the vectors are divided out. Attention scores are plain dot "
    "products.",
)
def cosine_scores(query: Tensor, inputs: Tensor) -> Tensor:
    return inputs @ query / (inputs.norm(dim=-1) * query.norm())


@BANK.of(
    "attention_scores",
    "You return the products before they are added up: one row of d numbers per token. Sum over the last dimension.",
)
def score_products_not_summed(query: Tensor, inputs: Tensor) -> Tensor:
    return inputs * query


@BANK.of(
    "attention_scores",
    "You summed over the tokens instead of over the numbers of a token. A score belongs to one token: sum over dim=-1.",
)
def summed_over_tokens(query: Tensor, inputs: Tensor) -> Tensor:
    return (inputs * query).sum(dim=0)


@BANK.of(
    "attention_scores",
    "Your query meets the columns of `inputs`, as in `query @ inputs` and `inputs.T @ query`. The tokens are the "
    "rows: `inputs @ query`.",
)
def query_on_the_left(query: Tensor, inputs: Tensor) -> Tensor:
    return query @ inputs


@BANK.of("attention_scores", "These are weights already. Return the raw scores; the softmax is the next step.")
def weights_for_scores(query: Tensor, inputs: Tensor) -> Tensor:
    return torch.softmax(inputs @ query, dim=-1)


@BANK.of(
    "attention_scores", "You divide by the square root of d. Nothing is scaled in this part; scaling comes in part 2."
)
def scaled_too_early(query: Tensor, inputs: Tensor) -> Tensor:
    return inputs @ query / query.shape[-1] ** 0.5


@BANK.of(
    "attention_scores",
    "You count the numbers of the query, and make that many scores. There is one for each token: `inputs.shape[0]`.",
)
def as_many_scores_as_numbers(query: Tensor, inputs: Tensor) -> Tensor:
    return torch.stack([inputs[i] @ query for i in range(len(query))])


@BANK.of(
    "softmax",
    "Right for small scores, but exp overflows for large ones: inf / inf is nan. Subtract each row's largest score "
    "before exp; the weights stay the same.",
)
def overflow(scores: Tensor) -> Tensor:
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@BANK.of(
    "softmax",
    "A row far below 0 or below the largest score of all underflows to 0 / 0 = nan: subtract each row's own largest "
    "score, `amax(dim=-1, keepdim=True)`.",
)
def shifted_by_the_global_maximum(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


CUT_OFF = "Large scores are cut off, as by `clamp`, so that those above the limit get equal weights. "


@BANK.of("softmax", CUT_OFF + "Subtract each row's largest score: exp of that cannot overflow.")
def cut_off_on_both_sides(scores: Tensor) -> Tensor:
    exponentials = scores.clamp(-80, 80).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@BANK.of(
    "softmax",
    CUT_OFF + "And a row of very small scores is 0 / 0. Subtract each row's largest score: that mends both.",
)
def cut_off_above(scores: Tensor) -> Tensor:
    exponentials = scores.clamp(max=80).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@BANK.of(
    "softmax",
    "All weights together add up to 1; each row should. Sum over the last dimension only: `dim=-1, keepdim=True`.",
)
def over_all_elements(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum()


@BANK.of(
    "softmax",
    "Each piece along the first dimension adds up to 1. The pieces of a single row are numbers, each of weight 1; "
    "those of a batch are whole matrices. `dim=-1, keepdim=True` handles each row, without a loop.",
)
def piece_by_piece(scores: Tensor) -> Tensor:
    exponentials = [(piece - piece.max()).exp() for piece in scores]
    return torch.stack([one / one.sum() for one in exponentials])


@BANK.of(
    "softmax",
    "Your columns add up to 1 instead of your rows: the sum runs over the first dimension. Use the last one, `dim=-1`.",
)
def over_the_first_dimension(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=0, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=0, keepdim=True)


@BANK.of(
    "softmax",
    "You divide the scores themselves by their sum. A softmax takes exponentials first, so that every weight is positive.",
)
def no_exponential(scores: Tensor) -> Tensor:
    return scores / scores.sum(dim=-1, keepdim=True)


@BANK.of("softmax", "These are the exponentials, but they do not add up to 1 yet: divide each row by its own sum.")
def not_divided(scores: Tensor) -> Tensor:
    return (scores - scores.amax(dim=-1, keepdim=True)).exp()


@BANK.of(
    "softmax",
    "The sums have lost a dimension, so they do not line up with their rows: `sum(dim=-1, keepdim=True)`.",
)
def sums_without_keepdim(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1)


@BANK.of(
    "softmax",
    "`max(dim=...)` returns two things, the values and their indices. Use `amax(dim=-1, keepdim=True)`.",
)
def max_returns_two_things(scores: Tensor) -> Tensor:
    return (scores - scores.max(dim=-1, keepdim=True)).exp()  # type: ignore[operator]


@BANK.of("softmax", "You return the logarithm of the weights (log-softmax). Return the weights themselves.")
def logarithm(scores: Tensor) -> Tensor:
    return scores - scores.logsumexp(dim=-1, keepdim=True)


@BANK.of("softmax", "You take powers of 2. A softmax takes powers of e: use `exp`.")
def powers_of_two(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp2()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@BANK.of(
    "context_vector", "This is the plain mean of the rows: the weights are not used. Multiply each row by its weight."
)
def unweighted_mean(weights: Tensor, inputs: Tensor) -> Tensor:
    return inputs.mean(dim=0)


@BANK.of(
    "context_vector", "This is the plain sum of the rows: the weights are not used. Multiply each row by its weight."
)
def unweighted_sum(weights: Tensor, inputs: Tensor) -> Tensor:
    return inputs.sum(dim=0)


@BANK.of(
    "context_vector",
    "Each row is multiplied by its weight, as it should be, but the rows are not added up yet: sum over the tokens.",
)
def weighted_rows_not_summed(weights: Tensor, inputs: Tensor) -> Tensor:
    return weights[:, None] * inputs


@BANK.of(
    "context_vector",
    "`weights * inputs` lines the weights up with the numbers of a token, not with the tokens. `weights @ inputs` "
    "multiplies each row by its weight and adds the rows up.",
)
def weights_along_the_wrong_dimension(weights: Tensor, inputs: Tensor) -> Tensor:
    return (weights * inputs).sum(dim=0)


@BANK.of(
    "context_vector",
    "`*` lines the weights up with the numbers of a token, not with the tokens, and adds nothing up. Each row times its own weight, "
    "all rows added up: that is a matrix product.",
)
def weights_times_inputs(weights: Tensor, inputs: Tensor) -> Tensor:
    return weights * inputs


@BANK.of(
    "context_vector",
    "This is the weighted mean: the sum of the weights is divided out. The context vector is the weighted sum, "
    "whatever the weights add up to.",
)
def weighted_mean(weights: Tensor, inputs: Tensor) -> Tensor:
    return weights @ inputs / weights.sum()


@BANK.of("context_vector", "You apply a softmax to the weights. They are weights already: use them as they come.")
def softmax_of_weights(weights: Tensor, inputs: Tensor) -> Tensor:
    return torch.softmax(weights, dim=-1) @ inputs


@BANK.of(
    "context_vector",
    "Your weights meet the numbers of each token, as in `inputs @ weights` and `weights @ inputs.T`. They must meet "
    "the tokens: `weights @ inputs`.",
)
def weights_on_the_right(weights: Tensor, inputs: Tensor) -> Tensor:
    return inputs @ weights


@BANK.of(
    "context_vector",
    "You add up the numbers within each token, which gives one number per token. Add up the weighted tokens: "
    "`sum(dim=0)`.",
)
def summed_within_tokens(weights: Tensor, inputs: Tensor) -> Tensor:
    return weights * inputs.sum(dim=-1)


@BANK.of(
    "context_vector",
    "You take the mean of the weighted rows, and divide by the number of tokens with it. The context vector is their sum.",
)
def mean_of_weighted_rows(weights: Tensor, inputs: Tensor) -> Tensor:
    return weights @ inputs / len(inputs)


@BANK.of(
    "simplified_self_attention",
    "You divide the scores by the square root of d. Nothing is scaled in this part; scaling comes in part 2.",
)
def attention_scaled(inputs: Tensor) -> Tensor:
    return torch.softmax(inputs @ inputs.T / inputs.shape[-1] ** 0.5, dim=-1) @ inputs


@BANK.of(
    "simplified_self_attention",
    "The sum for token i takes column i of the right weights. Row i belongs to query i: the softmax runs over dim=-1, and the weights are not "
    "transposed before they meet the tokens.",
)
def attention_softmax_over_queries(inputs: Tensor) -> Tensor:
    return torch.softmax(inputs @ inputs.T, dim=0) @ inputs


@BANK.of(
    "simplified_self_attention",
    "You multiply the tokens with themselves as they are. For dot products of rows with rows the second one must be "
    "transposed: `inputs @ inputs.T`.",
)
def attention_keys_not_transposed(inputs: Tensor) -> Tensor:
    return torch.softmax(inputs @ inputs, dim=-1) @ inputs


@BANK.of(
    "simplified_self_attention",
    "Your scores compare columns with columns, as `inputs.T @ inputs` does. Rows with rows is `inputs @ inputs.T`.",
)
def attention_columns_compared(inputs: Tensor) -> Tensor:
    return torch.softmax(inputs.T @ inputs, dim=-1) @ inputs


@BANK.of(
    "simplified_self_attention",
    "Your scores compare columns: each is for two of the d numbers, not for two tokens. Compare rows with rows, "
    "`inputs @ inputs.T`, and put the weights on the left of `inputs`.",
)
def attention_between_columns(inputs: Tensor) -> Tensor:
    return inputs @ torch.softmax(inputs.T @ inputs, dim=-1)


@BANK.of(
    "simplified_self_attention",
    "The scores are used as weights: the softmax is missing. Turn each row of scores into weights that add up to 1.",
)
def attention_without_softmax(inputs: Tensor) -> Tensor:
    return inputs @ inputs.T @ inputs


@BANK.of(
    "simplified_self_attention",
    "These are the weights. One product is missing: multiply them with `inputs` to get the context vectors.",
)
def attention_weights_returned(inputs: Tensor) -> Tensor:
    return torch.softmax(inputs @ inputs.T, dim=-1)


@BANK.of(
    "simplified_self_attention", "You apply the softmax twice. Once turns scores into weights; twice flattens them."
)
def attention_softmax_twice(inputs: Tensor) -> Tensor:
    return torch.softmax(torch.softmax(inputs @ inputs.T, dim=-1), dim=-1) @ inputs


@BANK.of(
    "simplified_self_attention",
    "Right for small scores, but exp overflows for large ones: inf / inf is nan. Subtract each row's largest score "
    "before exp, as in step 3.",
)
def attention_overflow(inputs: Tensor) -> Tensor:
    exponentials = (inputs @ inputs.T).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ inputs


@BANK.of(
    "simplified_self_attention",
    "Tokens do not see those after them: there is a causal mask. Nothing is hidden in this part; the mask comes in part 3.",
)
def attention_causal(inputs: Tensor) -> Tensor:
    future = torch.ones(len(inputs), len(inputs), dtype=torch.bool).triu(diagonal=1)
    return torch.softmax((inputs @ inputs.T).masked_fill(future, float("-inf")), dim=-1) @ inputs


@BANK.of(
    "simplified_self_attention",
    "Each token is hidden from itself. Every token attends to all of them, itself included: leave the diagonal as it is.",
)
def attention_without_itself(inputs: Tensor) -> Tensor:
    own = torch.eye(len(inputs), dtype=torch.bool)
    return torch.softmax((inputs @ inputs.T).masked_fill(own, float("-inf")), dim=-1) @ inputs


@BANK.of(
    "simplified_self_attention",
    "You divide by the sums of the rows, but as a row they are matched with the columns. Keep them as a column: "
    "`sum(dim=-1, keepdim=True)`.",
)
def attention_sums_stand_as_a_row(inputs: Tensor) -> Tensor:
    scores = inputs @ inputs.T
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1) @ inputs


@BANK.of(
    "simplified_self_attention",
    "Each of your rows is the sum of all context vectors, as when `[zeros] * t` holds one tensor t times, and `+=` "
    "changes it in place. Begin with a new tensor for each token.",
)
def attention_all_rows_in_one(inputs: Tensor) -> Tensor:
    return (torch.softmax(inputs @ inputs.T, dim=-1) @ inputs).sum(dim=0).expand_as(inputs)
