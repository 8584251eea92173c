"""Part 3, no looking ahead: its cases, probes, points and hints."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.draw import Draw
from autograder.course.model import SINGLE, Case, Criterion, Part, Step
from autograder.course.modules import construct
from autograder.course.probing import Observation
from course.attention.example_inputs import JOURNEY_TOKENS, journey, lecture_weights
from course.attention.modules import (
    FIRST_TOKENS,
    HAS_BIAS,
    MASK,
    REVERSED,
    WEIGHT,
    WEIGHT_NAMES,
    observe_attention,
    observe_dropout,
)
from course.attention.pointing import FOUND, causal_pointing_scores
from course.attention.tolerances import EXACT, LARGE_SCORES

LARGE_FUTURE = "a future score of a million"
"""If it is hidden after the softmax, it has already taken all the weight."""

LARGE = "scores of 10 000 and -10 000"

ONE_TOKEN, RANDOM = "one token", "random, with zeros"

BATCHES = ("batch", "batch of heads")

DROPPED = "dropout of 0.2"

WITH_BIAS = "with bias"

ALL_OR_NOTHING = ("nothing dropped", "everything dropped")

VISIBLE = "the scores that stay visible"
INFINITE = "masked scores, to the last digit"
NO_WEIGHT = "weights of the visible scores beside what you hide"
"""A softmax gives the future no weight, so that all of it is left to what is visible."""


# Probes


def mask_and_compare(function: Callable[..., Any], scores: Tensor) -> Observation:
    """Mask scores; gradients are compared only through the visible ones.

    An additive mask passes the gradient of hidden scores, a fill does not; both are right. The lowest of all numbers hides as well as −∞.
    """
    masked = function(scores)
    if not isinstance(masked, Tensor) or masked.shape != scores.shape:
        names = (SINGLE, VISIBLE, INFINITE, *([NO_WEIGHT] if scores.shape[-1] > 1 else []))
        return Observation(dict.fromkeys(names, masked))
    visible = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    exact = masked.detach()
    as_good = exact.masked_fill(exact <= torch.finfo(scores.dtype).min, -torch.inf)
    outputs: dict[str, Any] = {SINGLE: as_good, VISIBLE: masked[..., visible], INFINITE: exact}
    if scores.shape[-1] > 1:
        outputs[NO_WEIGHT] = torch.softmax(torch.where(visible, scores, masked).detach(), dim=-1)
    return Observation(outputs)


def run_causal(
    cls: type[nn.Module],
    x: Tensor,
    d_out: int,
    context_length: int,
    dropout: float,
    qkv_bias: bool | None,
    training: bool,
) -> Observation:
    """Make the module (`qkv_bias` None: left to its default) and observe it, or its dropout if it has any."""
    required = {"d_in": x.shape[-1], "d_out": d_out, "context_length": context_length, "dropout": dropout}
    options = {} if qkv_bias is None else {"qkv_bias": qkv_bias}
    module = construct(cls, required, **options).to(x.dtype)
    if dropout:
        return observe_dropout(module, x.shape[-1])
    others = x.shape[1] < context_length and not training
    return observe_attention(module.train(training), x, bool(qkv_bias), others)


# Cases


def journey_scores() -> Tensor:
    """Return the scores of the first sentence, unscaled, (6, 6)."""
    W_query, W_key, _ = lecture_weights()
    return (journey() @ W_query) @ (journey() @ W_key).T


def with_large_future(scores: Tensor) -> Tensor:
    """Return scores whose last column, but for its last entry, is a million larger: no query may see that."""
    last = torch.zeros(scores.shape[-2:])
    last[:-1, -1] = 1_000_000.0
    return scores + last


def with_zeros(scores: Tensor) -> Tensor:
    """Return scores of which some visible ones are zero: a zero is a score like any other."""
    zero = torch.zeros(scores.shape[-2:], dtype=torch.bool)
    zero[2, :2] = True
    return scores.masked_fill(zero, 0.0)


def rows_of_10_000(scores: Tensor) -> Tensor:
    """Return scores raised and lowered by 10 000, row by row."""
    signs = torch.tensor([1.0, -1.0]).repeat(scores.shape[-2])[: scores.shape[-2], None]
    return scores + 10_000 * signs


def _causal_mask(draw: Draw) -> Iterator[Case]:
    yield Case("journey", {"num_tokens": 6}, labels={"token": JOURNEY_TOKENS})
    yield Case(ONE_TOKEN, {"num_tokens": 1})
    yield Case("two tokens", {"num_tokens": 2})
    yield Case("some tokens", {"num_tokens": draw.integer(33, 49)})


def _mask_scores(draw: Draw) -> Iterator[Case]:
    yield Case("journey", {"scores": journey_scores()}, labels={"token": JOURNEY_TOKENS})
    yield Case(RANDOM, {"scores": with_zeros(draw.normal(4, 4))})
    yield Case(ONE_TOKEN, {"scores": draw.normal(1, 1, 1)})
    yield Case(BATCHES[0], {"scores": draw.normal(2, 5, 5)})
    yield Case(BATCHES[1], {"scores": draw.normal(2, 3, 4, 4)})


def _causal_attention_weights(draw: Draw) -> Iterator[Case]:
    yield Case("journey", {"scores": journey_scores(), "d_k": 2}, labels={"token": JOURNEY_TOKENS})
    yield Case(RANDOM, {"scores": with_zeros(2 * draw.normal(5, 5)), "d_k": 3})
    yield Case(FOUND, {"scores": causal_pointing_scores(draw, 5), "d_k": 4})
    yield Case("every query finds one key of many", {"scores": causal_pointing_scores(draw, 12), "d_k": 5})
    yield Case(ONE_TOKEN, {"scores": draw.normal(1, 1, 1), "d_k": 1})
    yield Case(BATCHES[0], {"scores": causal_pointing_scores(draw, 4, 2), "d_k": 6})
    yield Case(BATCHES[1], {"scores": 2 * draw.normal(2, 3, 5, 5), "d_k": 7}, tolerance=EXACT)
    large = 2 * rows_of_10_000(causal_pointing_scores(draw, 4))
    yield Case(LARGE, {"scores": large, "d_k": 3}, tolerance=LARGE_SCORES)
    yield Case(
        LARGE_FUTURE, {"scores": with_large_future(causal_pointing_scores(draw, 4)), "d_k": 3}, tolerance=LARGE_SCORES
    )


def _renormalized_weights(draw: Draw) -> Iterator[Case]:
    weights = torch.softmax(journey_scores() / 2**0.5, dim=-1)
    yield Case("journey", {"weights": weights}, labels={"token": JOURNEY_TOKENS})
    yield Case("random", {"weights": torch.softmax(draw.uniform(5, 5), dim=-1)})  # no sum so small that 1e-8 shows
    yield Case(BATCHES[0], {"weights": torch.softmax(draw.normal(2, 4, 4), dim=-1)})
    yield Case(BATCHES[1], {"weights": torch.softmax(draw.normal(2, 3, 5, 5), dim=-1)})
    yield Case(ONE_TOKEN, {"weights": draw.uniform(1, 1, 1)})
    yield Case("rows that do not add up to 1", {"weights": draw.uniform(4, 4)})


def _apply_dropout(draw: Draw) -> Iterator[Case]:
    for name, shape, p in (("random", (4, 5), 0.2), ("half", (5, 5), 0.5), ("batch", (2, 3, 4, 4), 0.1)):
        yield Case(name, {"weights": draw.uniform(*shape), "keep": draw.uniform(*shape) > p + 0.1, "p": p})
    yield Case("p = 0", {"weights": draw.uniform(3, 4), "keep": draw.uniform(3, 4) > 0.5, "p": 0.0})
    yield Case(ALL_OR_NOTHING[0], {"weights": draw.uniform(3, 4), "keep": torch.ones(3, 4).bool(), "p": 0.3})
    yield Case(ALL_OR_NOTHING[1], {"weights": draw.uniform(3, 4), "keep": torch.zeros(3, 4).bool(), "p": 0.4})


def _causal_attention(draw: Draw) -> Iterator[Case]:
    usual: dict[str, Any] = {"d_out": 5, "context_length": 4, "dropout": 0.0, "qkv_bias": None, "training": False}
    explicit = {"d_out": 2, "context_length": 6, "qkv_bias": False}
    yield Case("journey", {"x": journey()[None], **usual} | explicit, labels={"token": JOURNEY_TOKENS})
    yield Case("batch", {"x": with_zero_token(draw.normal(3, 4, 3)), **usual})
    given = {"d_out": 14, "context_length": 7, "dropout": 0.2}
    yield Case(DROPPED, {"x": draw.normal(1, 1, 7), **usual, "training": True} | given)
    yield Case("smallest input", {"x": draw.normal(1, 1, 1), **usual, "d_out": 1, "context_length": 1})
    yield Case("shorter than the context", {"x": draw.normal(2, 7, 3), **usual, "context_length": 9})
    yield Case(WITH_BIAS, {"x": draw.normal(2, 4, 3), **usual, "d_out": 1, "qkv_bias": True})
    in_training = {"d_out": 1, "context_length": 6, "training": True}
    yield Case("in training, without dropout", {"x": draw.normal(2, 4, 3), **usual} | in_training)
    yield Case("scores of hundreds", {"x": 50 * draw.normal(8, 4, 3), **usual}, tolerance=LARGE_SCORES)


def with_zero_token(x: Tensor) -> Tensor:
    """Return tokens of which the second is zero in every sentence: its scores are zero, not hidden."""
    return x.index_fill(1, torch.tensor(1), 0.0)


_MODULE_RETURNS = {WEIGHT.format(name): "d_out d_in" for name in WEIGHT_NAMES}
_MODULE_RETURNS |= dict.fromkeys(("context", FIRST_TOKENS, REVERSED), "b t d_out")

_DRAWN = tuple(map(WEIGHT.format, WEIGHT_NAMES))
_BIASES = tuple(map(HAS_BIAS.format, WEIGHT_NAMES))

PART = Part(
    name="part3_causal",
    title="No looking ahead",
    steps=(
        Step(
            name="causal_mask",
            lecture="docs/lectures/causal_mask.md",
            points=3,
            effort="one or two lines",
            cases=_causal_mask,
            gradients=False,
            criteria=(Criterion("form", 0.4),),
            hints=(
                "Row i is the query, column j the key. Which j lie in the future of token i, and is i itself one of them?",
                "`torch.ones(n, n).triu()` keeps what lies on the diagonal and above it; `triu(diagonal=1)` leaves the "
                "diagonal out.",
                "The result holds booleans: `torch.ones(n, n, dtype=torch.bool).triu(diagonal=1)`.",
            ),
        ),
        Step(
            name="mask_scores",
            lecture="docs/lectures/causal_mask.md",
            points=4,
            effort="two or three lines",
            cases=_mask_scores,
            probe=mask_and_compare,
            returns={SINGLE: "... t t", VISIBLE: "n", INFINITE: "... t t", NO_WEIGHT: "... t t"},
            criteria=(
                Criterion("no weight for the future", outputs=(NO_WEIGHT,)),
                Criterion("−∞ itself", 0.125, outputs=(INFINITE,)),
            ),
            hints=(
                "The mask of step 1 shows where to put −∞. It needs the number of tokens: `scores.shape[-1]`.",
                "`masked_fill(mask, value)` returns a new tensor; with an underscore at the end it writes into the old one.",
                "−∞ is `float('-inf')`.",
            ),
        ),
        Step(
            name="causal_attention_weights",
            lecture="docs/lectures/causal_mask.md",
            points=5,
            effort="three lines",
            cases=_causal_attention_weights,
            criteria=(
                Criterion("scaling", cases=(RANDOM,)),
                Criterion("large scores", cases=(LARGE, LARGE_FUTURE)),
            ),
            hints=(
                "Hide the future before the softmax: in the softmax, every score that is not −∞ gets some weight.",
                "It is step 2, then a division by the square root of d_k, then a softmax over the keys.",
            ),
        ),
        Step(
            name="renormalized_weights",
            lecture="docs/lectures/causal_mask.md",
            points=4,
            effort="two lines",
            cases=_renormalized_weights,
            criteria=(Criterion("batch", cases=BATCHES),),
            hints=(
                "Do two things: above the diagonal everything must be 0, and each row must add up to 1 again.",
                "`weights.tril()` keeps the diagonal and what lies below it, after any leading dimensions.",
                "`.sum(dim=-1, keepdim=True)` gives one sum per row, in a shape that can divide the rows.",
            ),
        ),
        Step(
            name="apply_dropout",
            lecture="docs/lectures/dropout.md",
            points=3,
            effort="one line",
            cases=_apply_dropout,
            criteria=(Criterion("nothing or everything dropped", cases=ALL_OR_NOTHING),),
            hints=(
                "True keeps a weight, False drops it. In a product, True is 1 and False is 0.",
                "On average, a share of 1 − p is left. Which factor for the kept weights brings the sum back to what it was?",
            ),
        ),
        Step(
            name="CausalAttention",
            lecture="docs/lectures/dropout.md",
            points=6,
            effort="twelve lines",
            cases=_causal_attention,
            probe=run_causal,
            returns=_MODULE_RETURNS,
            criteria=(
                Criterion("parameters", outputs=(*_DRAWN, *_BIASES)),
                Criterion("attributes", 0.1, outputs=(MASK,)),
                Criterion("dropout", 0.1, cases=(DROPPED,)),
            ),
            hints=(
                "`__init__` is that of SelfAttentionV2, plus `nn.Dropout(dropout)` and the mask: "
                "`self.register_buffer('mask', ...)`.",
                "A sentence may be shorter than the context: cut the mask to its t tokens, `self.mask[:t, :t]`.",
                "In `forward`: scores, mask, scale, softmax, dropout on the weights, then the values. `nn.Dropout` turns "
                "itself off in eval mode.",
            ),
        ),
    ),
)
