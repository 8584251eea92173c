"""Part 4, several perspectives: its cases, probes, points and hints."""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.draw import Draw
from autograder.course.model import IDEA, SINGLE, Case, Criterion, Part, Step
from autograder.course.modules import construct
from autograder.course.probing import Observation
from course.attention.example_inputs import journey, lecture_weights
from course.attention.modules import (
    FIRST_TOKENS,
    HAS_BIAS,
    LAYER_NAMES,
    MASK,
    REVERSED,
    WEIGHT,
    WEIGHT_NAMES,
    observe_attention,
    observe_dropout,
)
from course.attention.pointing import FOUND, causal_pointing_scores
from course.attention.tolerances import EXACT, LARGE_SCORES
from course.part3_causal.steps import (
    DROPPED,
    LARGE,
    LARGE_FUTURE,
    WITH_BIAS,
    rows_of_10_000,
    with_large_future,
    with_zero_token,
    with_zeros,
)

HEADS_LEFT = "heads left in the list"
RAISED = "what is raised"
REFUSALS = "what is refused"
NUM_HEADS = "`num_heads`"

BY_HAND, SMALLEST = "by hand", "smallest input"
"""Every size is 1: what squeezes or counts on more fails."""

BATCHES = ("batch", "heads of other widths")
"""Those of concat_heads with leading dimensions."""

UNEVEN = "more heads than fit"
SOME_REFUSED = "heads that divide and heads that do not"


# Probes


def run_heads(function: Callable[..., Any], x: Tensor, **W_heads: Tensor) -> Observation:
    """Join heads, each with its own matrix; look at the list of heads afterwards."""
    weights = list(W_heads.values())
    heads = [_Head(weights[0]), *(functools.partial(torch.matmul, other=weight) for weight in weights[1:])]
    return Observation({SINGLE: function(heads, x), HEADS_LEFT: len(heads)})


class _Head(nn.Module):
    """A head without parameters of its own: its matrix belongs to the case."""

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self._weight = weight

    def forward(self, x: Tensor) -> Tensor:
        return x @ self._weight


def what_it_raises(call: Callable[[], Any]) -> str:
    """Call and return the type of what is raised; a stub's NotImplementedError passes through."""
    try:
        call()
    except NotImplementedError:
        raise
    except ValueError:
        return "ValueError"
    except Exception as error:
        return type(error).__name__
    return "nothing"


def refusals(make: Callable[[int], Any], d_out: int) -> str:
    """Say which numbers of heads are refused, of those from 2 to 6."""
    refused = [n for n in range(2, 7) if what_it_raises(functools.partial(make, n)) != "nothing"]
    return f"{d_out} numbers for {_listed(refused)} heads" if refused else "nothing"


def divide(function: Callable[..., Any], d_out: int, num_heads: int, up_to: int) -> Any:
    """Ask for the length of a head; or, up to another number of heads, which are refused and how.

    Of a function that raises for one head too nothing is seen.
    """
    if not up_to:
        return function(d_out, num_heads)
    function(d_out, 1)
    heads: dict[str, list[int]] = {}
    for n in range(num_heads, up_to + 1):
        heads.setdefault(what_it_raises(functools.partial(function, d_out, n)), []).append(n)
    heads.pop("nothing", None)
    errors = "; ".join(f"{error} for {_listed(numbers)} heads" for error, numbers in heads.items())
    refused = sorted(itertools.chain(*heads.values()))
    return Observation(
        {
            REFUSALS: f"{d_out} numbers for {_listed(refused)} heads" if refused else "nothing",
            RAISED: errors or "nothing",
        }
    )


def _listed(numbers: Sequence[int]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


def run_multi_head(
    cls: type[nn.Module],
    x: Tensor,
    d_out: int,
    context_length: int,
    dropout: float,
    num_heads: int,
    qkv_bias: bool | None,
    training: bool,
    mixed: bool = True,
) -> Observation:
    """Make the module (`qkv_bias` None: left to its default) and observe it, or its dropout if it has any, or its refusal.

    mixed: whether `out_proj` changes anything.
    """
    required = {
        "d_in": x.shape[-1],
        "d_out": d_out,
        "context_length": context_length,
        "dropout": dropout,
        "num_heads": num_heads,
    }
    options = {} if qkv_bias is None else {"qkv_bias": qkv_bias}
    if d_out % num_heads != 0:
        construct(cls, required | {"num_heads": 1})(x)
        return Observation({REFUSALS: refusals(lambda n: construct(cls, required | {"num_heads": n}), d_out)})
    module = construct(cls, required, **options).to(x.dtype)
    if dropout:
        return observe_dropout(module, x.shape[-1], num_heads)
    kept = getattr(module, "num_heads", None)
    others = x.shape[1] < context_length and not training
    seen = observe_attention(module.train(training), x, bool(qkv_bias), others, LAYER_NAMES, mixed)
    return Observation({NUM_HEADS: kept, **seen.outputs}, seen.parameters)


# Cases


def hand_example() -> Tensor:
    """Return the lecture's example of three tokens with six numbers each, (1, 3, 6)."""
    return journey().reshape(1, 3, 6)


def _heads(draw: Draw, *widths: int, d_in: int = 3) -> dict[str, Tensor]:
    return {f"W_{number}": draw.normal(d_in, width) for number, width in enumerate(widths, start=1)}


def uneven(draw: Draw) -> int:
    """Return a d_out that 4 heads do not divide, and some other numbers of heads maybe do."""
    return (6, 7, 9, 10, 14, 15, 18, 21, 22, 25, 26, 27)[draw.integer(0, 12)]


def _concat_heads(draw: Draw) -> Iterator[Case]:
    W_query, W_key, _ = lecture_weights()
    yield Case("journey", {"x": journey(), "W_1": W_query, "W_2": W_key})
    yield Case("three heads", {"x": draw.normal(4, 3)} | _heads(draw, 2, 2, 2))
    yield Case(BATCHES[0], {"x": draw.normal(2, 4, 3)} | _heads(draw, 4, 4))
    yield Case(SMALLEST, {"x": draw.normal(1, 1, 1)} | _heads(draw, 1, d_in=1))
    yield Case(BATCHES[1], {"x": draw.normal(2, 6, 5, 3)} | _heads(draw, 1, 4, 2))


def _head_dim(draw: Draw) -> Iterator[Case]:
    def divided(d_out: int, num_heads: int, up_to: int = 0) -> dict[str, int]:
        return {"d_out": d_out, "num_heads": num_heads, "up_to": up_to}

    heads, width, few = draw.integer(2, 9), draw.integer(5, 99), draw.integer(2, 15)
    yield Case("random", divided(heads * draw.integer(2, 99), heads))
    yield Case("two heads", divided(2 * draw.integer(2, 99), 2))
    yield Case("one head", divided(width, 1))
    yield Case(SOME_REFUSED, divided(draw.integer(7, 41), 2, 6))
    yield Case("more heads than numbers", divided(few, few, few + 4))


def _split_heads(draw: Draw) -> Iterator[Case]:
    yield Case("by hand", {"x": hand_example(), "num_heads": 2})
    yield Case("random", {"x": draw.normal(2, 4, 15), "num_heads": 3})
    yield Case("as many heads as numbers a head", {"x": draw.normal(2, 3, 16), "num_heads": 4})
    yield Case("one head", {"x": draw.normal(2, 3, 4), "num_heads": 1})
    yield Case(SMALLEST, {"x": draw.normal(1, 1, 1), "num_heads": 1})


def _group_by_head(draw: Draw) -> Iterator[Case]:
    yield Case("by hand", {"x": hand_example().reshape(1, 3, 2, 3)})
    yield Case("random", {"x": draw.normal(2, 4, 3, 5)})
    yield Case("as many heads as tokens", {"x": draw.normal(2, 3, 3, 4)})
    yield Case(SMALLEST, {"x": draw.normal(1, 1, 1, 1)})


def _head_scores(draw: Draw) -> Iterator[Case]:
    x = hand_example().reshape(1, 3, 2, 3).transpose(1, 2).contiguous()
    yield Case("by hand", {"queries": x, "keys": x.flip(-1).contiguous()})
    yield Case("random", {"queries": draw.normal(2, 3, 4, 5), "keys": draw.normal(2, 3, 4, 5)})
    yield Case("all sizes alike", {"queries": draw.normal(3, 3, 3, 3), "keys": draw.normal(3, 3, 3, 3)})
    yield Case(SMALLEST, {"queries": draw.normal(1, 1, 1, 1), "keys": draw.normal(1, 1, 1, 1)})


def _head_weights(draw: Draw) -> Iterator[Case]:
    yield Case(BY_HAND, {"scores": with_zeros(2 * draw.normal(1, 2, 3, 3)), "head_dim": 3})
    yield Case("random", {"scores": 2 * draw.normal(2, 3, 5, 5), "head_dim": 7}, tolerance=EXACT)
    yield Case(FOUND, {"scores": causal_pointing_scores(draw, 5, 2, 3), "head_dim": 4})
    yield Case("as many heads as tokens", {"scores": causal_pointing_scores(draw, 4, 2, 4), "head_dim": 2})
    yield Case(SMALLEST, {"scores": draw.normal(1, 1, 1, 1), "head_dim": 1})
    large = 2 * rows_of_10_000(causal_pointing_scores(draw, 4, 1, 2))
    yield Case(LARGE, {"scores": large, "head_dim": 3}, tolerance=LARGE_SCORES)
    future = with_large_future(causal_pointing_scores(draw, 4, 1, 2))
    yield Case(LARGE_FUTURE, {"scores": future, "head_dim": 3}, tolerance=LARGE_SCORES)


def _head_context(draw: Draw) -> Iterator[Case]:
    yield Case("by hand", {"weights": draw.uniform(1, 2, 3, 3), "values": draw.normal(1, 2, 3, 3)})
    yield Case("random", {"weights": draw.uniform(2, 3, 4, 4), "values": draw.normal(2, 3, 4, 5)})
    yield Case("as many heads as tokens", {"weights": draw.uniform(2, 4, 4, 4), "values": draw.normal(2, 4, 4, 4)})
    yield Case(SMALLEST, {"weights": draw.uniform(1, 1, 1, 1), "values": draw.normal(1, 1, 1, 1)})


def _merge_heads(draw: Draw) -> Iterator[Case]:
    yield Case("by hand", {"context": hand_example().reshape(1, 3, 2, 3).transpose(1, 2).contiguous()})
    yield Case("random", {"context": draw.normal(2, 3, 4, 5)})
    yield Case("one token", {"context": draw.normal(2, 3, 1, 4)})
    yield Case("one token of two heads", {"context": draw.normal(1, 2, 1, 3)})
    yield Case("as many heads as tokens", {"context": draw.normal(2, 3, 3, 4)})
    yield Case(SMALLEST, {"context": draw.normal(1, 1, 1, 1)})


def _multi_head_attention(draw: Draw) -> Iterator[Case]:
    usual: dict[str, Any] = {
        "d_out": 6,
        "context_length": 4,
        "dropout": 0.0,
        "num_heads": 3,
        "qkv_bias": None,
        "training": False,
        "mixed": True,
    }
    yield Case(BY_HAND, {"x": hand_example(), **usual, "context_length": 3, "num_heads": 2, "qkv_bias": False})
    yield Case("batch", {"x": with_zero_token(draw.normal(2, 4, 5)), **usual})
    yield Case(UNEVEN, {"x": draw.normal(1, 4, 3), **usual, "d_out": uneven(draw), "num_heads": 4})
    given = {"d_out": 28, "context_length": 7, "num_heads": 2, "dropout": 0.2}
    yield Case(DROPPED, {"x": draw.normal(1, 1, 7), **usual, "training": True} | given)
    single = {"d_out": 1, "context_length": 1, "num_heads": 1}
    yield Case(SMALLEST, {"x": draw.normal(1, 1, 1), **usual} | single)
    yield Case("shorter than the context", {"x": draw.normal(2, 7, 4), **usual, "context_length": 9, "mixed": False})
    yield Case(WITH_BIAS, {"x": draw.normal(3, 4, 5), **usual, "d_out": 8, "num_heads": 2, "qkv_bias": True})
    in_training = {"num_heads": 6, "context_length": 6, "training": True, "mixed": False}
    yield Case("in training, without dropout", {"x": draw.normal(2, 4, 5), **usual} | in_training)
    yield Case("scores of hundreds", {"x": 50 * draw.normal(2, 4, 5), **usual, "mixed": False}, tolerance=LARGE_SCORES)


_MODULE_RETURNS = {WEIGHT.format(name): "d_out d_in" for name in WEIGHT_NAMES} | {"out_proj.weight": "d_out d_out"}
_MODULE_RETURNS |= dict.fromkeys(("context", FIRST_TOKENS, REVERSED), "b t d_out")

_PARAMETERS = tuple(form.format(name) for form in (WEIGHT, HAS_BIAS) for name in LAYER_NAMES)

PART = Part(
    name="part4_multihead",
    title="Several perspectives",
    steps=(
        Step(
            name="concat_heads",
            lecture="docs/lectures/several_heads.md",
            points=2,
            effort="one line",
            cases=_concat_heads,
            probe=run_heads,
            returns={SINGLE: "... t d_out"},
            criteria=(
                Criterion("batch", cases=BATCHES),
                Criterion("form", outputs=(HEADS_LEFT,)),
            ),
            hints=(
                "Each head is called like a function, `head(x)`, and there may be any number of them.",
                "Side by side means: along the last dimension. `torch.cat` joins, `torch.stack` makes a new dimension.",
            ),
        ),
        Step(
            name="head_dim",
            lecture="docs/lectures/several_heads.md",
            points=2,
            effort="three lines",
            cases=_head_dim,
            probe=divide,
            returns={SINGLE: ""},
            gradients=False,
            criteria=(Criterion("errors", IDEA, outputs=(REFUSALS, RAISED)),),
            hints=(
                "What is the remainder when d_out is divided by num_heads? `%` gives it.",
                "`raise ValueError('...')`, and otherwise `d_out // num_heads`.",
            ),
        ),
        Step(
            name="split_heads",
            lecture="docs/lectures/heads_at_once.md",
            points=3,
            effort="two lines",
            cases=_split_heads,
            hints=(
                "Only the last dimension is cut: b and t stay as they are.",
                "The numbers of one head lie next to each other, so the heads come first: (b, t, num_heads, head_dim).",
                "`x.view(b, t, num_heads, head_dim(d_out, num_heads))` uses step 2.",
            ),
        ),
        Step(
            name="group_by_head",
            lecture="docs/lectures/heads_at_once.md",
            points=2,
            effort="one line",
            cases=_group_by_head,
            hints=(
                "Two dimensions are swapped, but every number stays in its token and in its head.",
                "`transpose` takes the two dimensions to swap. Here they are 1 and 2.",
            ),
        ),
        Step(
            name="head_scores",
            lecture="docs/lectures/heads_at_once.md",
            points=2,
            effort="one line",
            cases=_head_scores,
            hints=(
                "Grouped by head, every head is a matrix of tokens by itself. `@` multiplies the last two dimensions.",
                "The keys must be transposed: swap only their last two dimensions.",
            ),
        ),
        Step(
            name="head_weights",
            lecture="docs/lectures/heads_at_once.md",
            points=3,
            effort="three lines",
            cases=_head_weights,
            criteria=(
                Criterion("scaling", cases=(BY_HAND,)),
                Criterion("large scores", cases=(LARGE, LARGE_FUTURE)),
            ),
            hints=(
                "This is causal_attention_weights of part 3: a mask of (t, t) fits any leading dimensions.",
                "A key of one head has head_dim numbers, so divide by the square root of head_dim.",
            ),
        ),
        Step(
            name="head_context",
            lecture="docs/lectures/heads_at_once.md",
            points=2,
            effort="one line",
            cases=_head_context,
            hints=(
                "The weights of each head are multiplied by the values of that head: (t x t) times (t x hd).",
                "`@` does this for all batches and heads at once.",
            ),
        ),
        Step(
            name="merge_heads",
            lecture="docs/lectures/heads_at_once.md",
            points=3,
            effort="two lines",
            cases=_merge_heads,
            hints=(
                "Undo the grouping first: the tokens come before the heads again.",
                "Then the last two dimensions become one of h · hd numbers.",
                "After `transpose` the tensor is not contiguous: `view` raises an error, `reshape` copies the numbers.",
            ),
        ),
        Step(
            name="MultiHeadAttention",
            lecture="docs/lectures/batches.md",
            points=6,
            effort="twenty lines",
            cases=_multi_head_attention,
            probe=run_multi_head,
            returns=_MODULE_RETURNS,
            criteria=(
                Criterion("parameters", outputs=_PARAMETERS),
                Criterion("attributes", 0.1, outputs=(MASK, NUM_HEADS)),
                Criterion("dropout", 0.1, cases=(DROPPED,)),
                Criterion("errors", 0.1, cases=(UNEVEN,)),
                Criterion("form", 0.1),
            ),
            hints=(
                "`__init__` is that of CausalAttention, with `self.num_heads`, the length of a head (step 2 refuses what does "
                "not divide) and one more linear layer, `out_proj`, from d_out to d_out.",
                "`forward` is this part in order: project, split, group, scores, weights, context, merge. You may call your "
                "own functions.",
                "Apply dropout to the weights, before they are multiplied by the values; `out_proj` comes last.",
            ),
        ),
    ),
)
