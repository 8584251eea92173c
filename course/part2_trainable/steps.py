"""Part 2, queries, keys and values: its cases, probes, points and hints."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from autograder.course.draw import Draw
from autograder.course.model import IDEA, Case, Criterion, Part, Step
from autograder.course.modules import attribute, construct, parameters, write
from autograder.course.probing import Observation, Unmet
from autograder.course.tolerances import Tolerance
from course.attention.example_inputs import JOURNEY_TOKENS, WARS_TOKENS, journey, lecture_weights, wars
from course.attention.judges import (
    DIFFERENT,
    EXACT,
    OF_FEW,
    OF_OTHER_FEW,
    RATIO,
    SAME,
    SCALED,
    UNSCALED,
    VARIANCE,
    VARIANCE_AGAIN,
    VARIANCE_OF_OTHERS,
)
from course.attention.modules import HAS_BIAS, REVERSED, WEIGHT, WEIGHT_NAMES, drawn_then_written
from course.attention.pointing import FOUND, pointing_queries
from course.attention.tolerances import LARGE_SCORES

STATISTICAL = Tolerance(rtol=0.4, atol=0.0)
"""Two correct measurements of the variances below differ by more than this about once in a million."""

FEW = 20
"""Pairs of a measurement that is not compared with the right one."""

SPREAD = Tolerance(rtol=0.3, atol=0.0)
"""The same for the spread of 300 short measurements."""

LARGE = "scores of hundreds"
"""Too large for exp in float32, and small enough that rounding does not show."""

RANDOM, FOUND_IN_SQUARE = "random", "every query finds one key, as many as numbers"
EXTREME = "scores of 10 000 and -10 000"
TEN_THOUSAND = "scores of 10 000"
BATCH, HEADS_OF_ONE_QUERY = "batch", "heads of one query"
SMALLEST = "smallest input"
WITH_BIAS = "with bias"

MET = "every query met every key"
NOTHING_DONE = "nothing was computed"
"""Stands for what can be right of code that does nothing."""

PARAMETERS, PARAMETERS_OF_SOURCE = "parameters", "parameters of the source"
AFTER_CHANGE = "{} after the source has changed"
SQUARE = "a t x t matrix was built"
UNKNOWN = "not to be seen while all rows are alike"


# Probes


def measure_variance(
    function: Callable[..., Any], d_k: int, num_trials: int, scaled: bool, seed: int, repeat: bool
) -> Observation:
    """Measure the variance, and that of a few pairs; if asked, again, scaled and not, with generators of the same seed and of another."""

    def measure(seed: int, scaled: bool = scaled, num_trials: int = num_trials) -> Any:
        return _as_float(function(d_k, num_trials, scaled, torch.Generator().manual_seed(seed)))

    with _SquareWatch(num_trials) as watch:
        variance = measure(seed)
    outputs = {VARIANCE: variance, MET: watch.seen if watch.numbers >= num_trials else NOTHING_DONE}
    if repeat:
        outputs |= {VARIANCE_AGAIN: measure(seed), VARIANCE_OF_OTHERS: measure(seed + 1)}
        outputs |= {UNSCALED: measure(seed, scaled=False), SCALED: measure(seed, scaled=True)}
        outputs[RATIO] = _as_float(outputs[UNSCALED] / outputs[SCALED])
    few = {OF_FEW: measure(seed, num_trials=FEW), OF_OTHER_FEW: measure(seed + 1, num_trials=FEW)}
    return Observation(outputs | few)


def measure_often(function: Callable[..., Any], num_trials: int, calls: int, seed: int) -> Observation:
    """Measure the variance of a few products of single numbers again and again, and see how much the measurements differ.

    Short measurements of products of two normal numbers differ twice as much as those of normal numbers themselves.
    """
    generator = torch.Generator().manual_seed(seed)
    variances = [_as_float(function(1, num_trials, False, generator)) for _ in range(calls)]
    if not all(isinstance(variance, Tensor) and variance.shape == () for variance in variances):
        return Observation({"mean of many short measurements": variances[0], "their spread": variances[0]})
    many = torch.stack(variances)
    return Observation({"mean of many short measurements": many.mean(), "their spread": many.log().std()})


def run_variance(function: Callable[..., Any], calls: int, **inputs: Any) -> Observation:
    """Measure once, or again and again."""
    if calls == 1:
        return measure_variance(function, **inputs)
    return measure_often(function, inputs["num_trials"], calls, inputs["seed"])


def _as_float(variance: Any) -> Any:
    """No tensor goes in, so the result may have any type."""
    return variance.float() if isinstance(variance, Tensor) else variance


def run_v1(cls: type[nn.Module], x: Tensor, d_out: int) -> Observation:
    """Make the module; observe its three matrices as they were drawn, and its output with other numbers written into them.

    For a batch the output alone: one that fails there has drawn its matrices all the same.
    """
    module = construct(cls, {"d_in": x.shape[-1], "d_out": d_out})
    if all(one.dtype == torch.get_default_dtype() for one in module.parameters()):
        module.to(x.dtype)
    trained = {name: one for name, one in parameters(module).items() if name in WEIGHT_NAMES}
    outputs: dict[str, Any] = {
        name: trained[name].detach().clone() if name in trained else _no_parameter(getattr(module, name, None))
        for name in WEIGHT_NAMES
    }
    generator = torch.Generator().manual_seed(0)
    for name in WEIGHT_NAMES:
        numbers = torch.randn(x.shape[-1], d_out, generator=generator) / x.shape[-1] ** 0.5
        turned = getattr(attribute(module, name), "shape", None) == numbers.T.shape != numbers.shape
        write(module, name, numbers.T if turned else numbers)  # made as (d_out, d_in), it may be used so, too
    return Observation((outputs if x.dim() == 2 else {}) | _contexts(module, x), trained)


def _no_parameter(kept: Any) -> Unmet | None:
    """Say what stands where a parameter should; None for nothing."""
    if kept is None:
        return None
    what = "one with `requires_grad=False`" if isinstance(kept, nn.Parameter) else "a plain tensor"
    return Unmet(f"expected an `nn.Parameter`, which training changes; yours is {what}")


def run_v2(cls: type[nn.Module], x: Tensor, d_out: int, qkv_bias: bool | None) -> Observation:
    """Make the module (`qkv_bias` None: left to its default); observe it as a SelfAttentionV1, its layers in place of its matrices."""
    options = {} if qkv_bias is None else {"qkv_bias": qkv_bias}
    module = construct(cls, {"d_in": x.shape[-1], "d_out": d_out}, **options).to(x.dtype)
    outputs, trained = drawn_then_written(module, bool(qkv_bias))
    return Observation((outputs if x.dim() == 2 else {}) | _contexts(module, x), trained)


def _contexts(module: nn.Module, x: Tensor) -> dict[str, Any]:
    """Return the output for a sentence or a batch; for a batch also for other tokens of the same shape."""
    turned = x.flip(-2)  # before a module may write into x
    context = module(x)
    return {"context": context} | ({REVERSED: module(turned)} if x.dim() > 2 else {})


class LinearProjections(nn.Module):
    """What `copy_weights` copies from: has what the docstring promises of a SelfAttentionV2."""

    def __init__(self, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> None:
        super().__init__()
        for name, weight in zip(WEIGHT_NAMES, (W_query, W_key, W_value), strict=True):
            layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False, dtype=weight.dtype)
            layer.weight = nn.Parameter(weight.clone())
            setattr(self, name, layer)


class ParameterProjections(nn.Module):
    """What `copy_weights` copies to: has what the docstring promises of a SelfAttentionV1."""

    def __init__(self, d_in: int, d_out: int, dtype: torch.dtype) -> None:
        super().__init__()
        for name in WEIGHT_NAMES:
            setattr(self, name, nn.Parameter(torch.rand(d_in, d_out, dtype=dtype)))


def run_copy(function: Callable[..., Any], W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Observation:
    """Copy, look at the target, wipe the source, and look at the target again."""
    source = LinearProjections(W_query, W_key, W_value)
    target = ParameterProjections(W_query.shape[1], W_query.shape[0], W_query.dtype)
    function(source, target)
    copied = {name: attribute(target, name) for name in WEIGHT_NAMES}
    outputs: dict[str, Any] = {
        name: weight.detach().clone() if isinstance(weight, Tensor) else weight for name, weight in copied.items()
    }
    outputs[PARAMETERS] = ", ".join(name for name in WEIGHT_NAMES if name in parameters(target))
    outputs[PARAMETERS_OF_SOURCE] = ", ".join(name for name in parameters(source))
    outputs |= {f"{name} of the source": getattr(source, name).weight.detach().clone() for name in WEIGHT_NAMES}
    with torch.no_grad():
        for weight in source.parameters():
            weight.zero_()
    outputs |= {AFTER_CHANGE.format(name): weight for name, weight in copied.items()}
    return Observation(outputs)


class _SquareWatch(TorchFunctionMode):
    """Notices any tensor that a torch function returns with two dimensions of size t, and how many numbers they return in all."""

    def __init__(self, t: int) -> None:
        super().__init__()
        self.t = t
        self.seen = False
        self.numbers = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(result, Tensor):
            self.numbers += result.numel()
            self.seen = self.seen or list(result.shape).count(self.t) > 1
        return result


def run_watching_for_squares(
    function: Callable[..., Any], x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Observation:
    """Call the function and notice whether a t x t matrix was ever built; of one token, every matrix may be one.

    Projections that are made together have as many columns as all of them: if these are as many as tokens, nothing can be noticed.
    """
    with _SquareWatch(len(x)) as watch:
        context = function(x, W_query, W_key, W_value)
    widths = [matrix.shape[1] for matrix in (W_query, W_key, W_value)]
    together = {sum(some) for several in (2, 3) for some in itertools.combinations(widths, several)}
    if len(x) == 1 or len(x) in together:
        return Observation({"context": context})
    if not isinstance(context, Tensor) or bool((context == context[:1]).all()):  # may have looked at no other token
        return Observation({"context": context, SQUARE: UNKNOWN})
    return Observation({"context": context, SQUARE: watch.seen})


# Cases


def _projection(draw: Draw, *leading: int, d_in: int, d_k: int, d_v: int) -> dict[str, Tensor]:
    weights = zip(WEIGHT_NAMES, (d_k, d_k, d_v), strict=True)
    return {"x": draw.normal(*leading, d_in)} | {name: draw.normal(d_in, size) / d_in**0.5 for name, size in weights}


def _projected_to_point(draw: Draw, t: int, d_v: int) -> dict[str, Tensor]:
    """Return tokens whose projections are rows of the weight matrices: each has a one in a place of its own; two places have none."""
    of = pointing_queries(draw, tq=t, tk=t, d_k=t + 1)
    weights = (torch.cat([rows, draw.normal(2, t + 1)]) for rows in (of["queries"], of["keys"]))
    return {"x": torch.eye(t, t + 2)} | dict(zip(WEIGHT_NAMES, (*weights, draw.normal(t + 2, d_v)), strict=True))


def _lecture_projection(x: Tensor) -> dict[str, Tensor]:
    return {"x": x} | dict(zip(WEIGHT_NAMES, lecture_weights(), strict=True))


def _all_alike(x: Tensor, weight: Tensor) -> dict[str, Tensor]:
    """Return tokens and three times the same matrix: which one is taken for what shows elsewhere."""
    return {"x": x} | {name: weight.clone() for name in WEIGHT_NAMES}


def _project_qkv(draw: Draw) -> Iterator[Case]:
    yield Case("journey", _lecture_projection(journey()), labels={"token": JOURNEY_TOKENS})
    yield Case(RANDOM, _projection(draw, 4, d_in=3, d_k=5, d_v=6))
    yield Case("one token, one matrix", _all_alike(draw.normal(3), draw.normal(3, 4)))
    yield Case("one square matrix", _all_alike(draw.normal(5, 3), draw.normal(3, 3)))
    yield Case(BATCH, _all_alike(draw.normal(2, 4, 3), draw.normal(3, 5)))
    yield Case(SMALLEST, _projection(draw, 1, d_in=1, d_k=1, d_v=1))


def _scores_for_query(draw: Draw) -> Iterator[Case]:
    W_query, W_key, _ = lecture_weights()
    query = journey()[1] @ W_query
    yield Case("journey", {"query": query, "keys": journey() @ W_key}, labels={"token": JOURNEY_TOKENS})
    yield Case("random", {"query": draw.normal(3), "keys": draw.normal(5, 3)})
    yield Case("as many keys as numbers", {"query": draw.normal(4), "keys": draw.normal(4, 4)})
    yield Case(SMALLEST, {"query": draw.normal(1), "keys": draw.normal(1, 1)})


def _queries_and_keys(draw: Draw, *leading: int, tq: int, tk: int, d_k: int) -> dict[str, Tensor]:
    return {"queries": draw.normal(*leading, tq, d_k), "keys": draw.normal(*leading, tk, d_k)}


def _attention_scores(draw: Draw) -> Iterator[Case]:
    W_query, W_key, _ = lecture_weights()
    yield Case("journey", {"queries": journey() @ W_query, "keys": journey() @ W_key}, labels={"token": JOURNEY_TOKENS})
    yield Case("random", _queries_and_keys(draw, tq=4, tk=5, d_k=3))
    yield Case(BATCH, _queries_and_keys(draw, 2, tq=4, tk=5, d_k=3))
    yield Case(HEADS_OF_ONE_QUERY, _queries_and_keys(draw, 1, 3, tq=1, tk=5, d_k=6))
    yield Case(SMALLEST, _queries_and_keys(draw, tq=1, tk=1, d_k=1))


def _scale_scores(draw: Draw) -> Iterator[Case]:
    W_query, W_key, _ = lecture_weights()
    scores = (journey() @ W_query) @ (journey() @ W_key).T
    yield Case("journey", {"scores": scores, "d_k": 2}, labels={"token": JOURNEY_TOKENS})
    yield Case("random", {"scores": draw.normal(4, 5), "d_k": 3})
    yield Case(BATCH, {"scores": draw.normal(2, 3, 5), "d_k": 50})
    yield Case("one query", {"scores": draw.normal(6), "d_k": draw.integer(7, 12)})


def _attention_weights(draw: Draw) -> Iterator[Case]:
    W_query, W_key, _ = lecture_weights()
    scaled = (journey() @ W_query) @ (journey() @ W_key).T / 2**0.5
    yield Case("journey", {"scaled_scores": scaled}, labels={"token": JOURNEY_TOKENS})
    yield Case("random", {"scaled_scores": draw.normal(4, 5)})
    yield Case(BATCH, {"scaled_scores": draw.normal(2, 3, 5)})
    yield Case(HEADS_OF_ONE_QUERY, {"scaled_scores": draw.normal(1, 3, 1, 5)})
    yield Case(SMALLEST, {"scaled_scores": draw.normal(1, 1)})
    far = 10_000 * torch.tensor([[1.0, 1, 1, 1], [-1, -1, -1, -1], [-1, 1, 0, -1]])
    yield Case(EXTREME, {"scaled_scores": draw.normal(3, 4) + far}, tolerance=LARGE_SCORES)


def _context_vectors(draw: Draw) -> Iterator[Case]:
    W_query, W_key, W_value = lecture_weights()
    weights = torch.softmax((journey() @ W_query) @ (journey() @ W_key).T / 2**0.5, dim=-1)
    yield Case("journey", {"weights": weights, "values": journey() @ W_value}, labels={"token": JOURNEY_TOKENS})
    yield Case("random", {"weights": draw.uniform(4, 5), "values": draw.normal(5, 6)})
    yield Case(BATCH, {"weights": draw.uniform(2, 4, 5), "values": draw.normal(2, 5, 6)})
    yield Case(HEADS_OF_ONE_QUERY, {"weights": draw.uniform(1, 3, 1, 5), "values": draw.normal(1, 3, 5, 6)})
    yield Case(SMALLEST, {"weights": draw.uniform(1, 1), "values": draw.normal(1, 1)})


def _attention(draw: Draw, *leading: int, tq: int, tk: int, d_k: int, d_v: int) -> dict[str, Tensor]:
    return _queries_and_keys(draw, *leading, tq=tq, tk=tk, d_k=d_k) | {"values": draw.normal(*leading, tk, d_v)}


def _pointing(draw: Draw, *leading: int, tq: int, tk: int, d_k: int, d_v: int) -> dict[str, Tensor]:
    return pointing_queries(draw, *leading, tq=tq, tk=tk, d_k=d_k) | {"values": draw.normal(*leading, tk, d_v)}


def _scaled_dot_product_attention(draw: Draw) -> Iterator[Case]:
    projected = (wars() @ weight for weight in lecture_weights())
    yield Case("wars", dict(zip(("queries", "keys", "values"), projected, strict=True)), labels={"token": WARS_TOKENS})
    yield Case(RANDOM, _attention(draw, tq=4, tk=5, d_k=3, d_v=6))
    yield Case(FOUND, _pointing(draw, tq=4, tk=3, d_k=5, d_v=6))
    yield Case(FOUND_IN_SQUARE, _pointing(draw, tq=4, tk=4, d_k=4, d_v=4))
    yield Case(BATCH, _pointing(draw, 2, tq=4, tk=5, d_k=6, d_v=3))
    yield Case(HEADS_OF_ONE_QUERY, _attention(draw, 1, 3, tq=1, tk=4, d_k=6, d_v=7))
    yield Case(SMALLEST, _attention(draw, tq=1, tk=1, d_k=1, d_v=1))
    large = _attention(draw, tq=4, tk=5, d_k=3, d_v=6)
    yield Case(TEN_THOUSAND, large | {"keys": 5_000 * large["keys"]}, tolerance=LARGE_SCORES)


def _dot_product_variance(draw: Draw) -> Iterator[Case]:
    small, large = draw.integer(4, 30), draw.integer(31, 120)
    for name, d_k, num_trials, scaled in (
        ("not scaled", small, 1000, False),
        ("scaled", small, 1000, True),
        ("more numbers, not scaled", large, 1000, False),
        ("more numbers, scaled", large, 700, True),
    ):
        inputs = {
            "d_k": d_k,
            "num_trials": num_trials,
            "scaled": scaled,
            "seed": draw.integer(0, 2**31),
            "repeat": d_k == small,
            "calls": 1,
        }
        yield Case(name, inputs, tolerance=STATISTICAL)
    often = {"d_k": 1, "num_trials": 20, "scaled": False, "seed": draw.integer(0, 2**31), "repeat": False, "calls": 300}
    yield Case("300 short measurements", often, tolerance=SPREAD)


def _self_attention_v1(draw: Draw) -> Iterator[Case]:
    yield Case("journey", {"x": journey(), "d_out": 2}, labels={"token": JOURNEY_TOKENS})
    yield Case("one number a query", {"x": draw.normal(4, 3), "d_out": 1})
    yield Case(BATCH, {"x": draw.normal(2, 4, 3), "d_out": 5})
    yield Case(SMALLEST, {"x": draw.normal(1, 1), "d_out": 1})
    yield Case(LARGE, {"x": 30 * draw.normal(4, 3), "d_out": 5}, tolerance=LARGE_SCORES)


def _self_attention_v2(draw: Draw) -> Iterator[Case]:
    plain: dict[str, Any] = {"d_out": 2, "qkv_bias": None}
    yield Case("journey", {"x": journey(), **plain, "qkv_bias": False}, labels={"token": JOURNEY_TOKENS})
    yield Case("one number a query", {"x": draw.normal(4, 3), **plain, "d_out": 1})
    yield Case(BATCH, {"x": draw.normal(2, 4, 3), **plain, "d_out": 5})
    yield Case(WITH_BIAS, {"x": draw.normal(5, 3), **plain, "d_out": 6, "qkv_bias": True})
    yield Case(SMALLEST, {"x": draw.normal(1, 1), **plain, "d_out": 1})
    yield Case(LARGE, {"x": 30 * draw.normal(4, 3), **plain, "d_out": 5}, tolerance=LARGE_SCORES)


def _copy_weights(draw: Draw) -> Iterator[Case]:
    yield Case("random", {name: draw.normal(2, 3) for name in WEIGHT_NAMES})
    yield Case("square weights", {name: draw.normal(3, 3) for name in WEIGHT_NAMES})


def _self_attention_loops(draw: Draw) -> Iterator[Case]:
    yield Case("journey", _lecture_projection(journey()), labels={"token": JOURNEY_TOKENS})
    yield Case(RANDOM, _projection(draw, 4, d_in=3, d_k=5, d_v=6))
    yield Case(FOUND, _projected_to_point(draw, 5, d_v=6))
    yield Case(SMALLEST, _projection(draw, 1, d_in=1, d_k=1, d_v=1))
    large = _projection(draw, 5, d_in=3, d_k=4, d_v=6)
    yield Case(LARGE, large | {"W_key": 1_500 * large["W_key"]}, tolerance=LARGE_SCORES)


def _self_attention_columns(draw: Draw) -> Iterator[Case]:
    names = ("H", *WEIGHT_NAMES)
    lecture = _lecture_projection(journey()).values()
    yield Case("journey", {name: tensor.T.contiguous() for name, tensor in zip(names, lecture, strict=True)})
    drawn_ones = {
        RANDOM: _projection(draw, 4, d_in=3, d_k=5, d_v=6),
        FOUND: _projected_to_point(draw, 5, d_v=2),
        FOUND_IN_SQUARE: _projected_to_point(draw, 4, d_v=4),
        SMALLEST: _projection(draw, 1, d_in=1, d_k=1, d_v=1),
    }
    for name, one in drawn_ones.items():
        drawn = one.values()
        yield Case(name, {name: tensor.T.contiguous() for name, tensor in zip(names, drawn, strict=True)})
    large = _projection(draw, 5, d_in=3, d_k=4, d_v=6)
    turned = (large | {"W_key": 1_500 * large["W_key"]}).values()
    inputs = {name: tensor.T.contiguous() for name, tensor in zip(names, turned, strict=True)}
    yield Case(LARGE, inputs, tolerance=LARGE_SCORES)


_V1_RETURNS = dict.fromkeys(WEIGHT_NAMES, "d_in d_out") | dict.fromkeys(("context", REVERSED), "... t d_out")
_V2_RETURNS = {WEIGHT.format(name): "d_out d_in" for name in WEIGHT_NAMES}
_V2_RETURNS |= dict.fromkeys(("context", REVERSED), "... t d_out")
_COPIED = dict.fromkeys(WEIGHT_NAMES, "d_in d_out")
_COPIED |= {f"{name} of the source": "d_out d_in" for name in WEIGHT_NAMES}
_COPIED |= {AFTER_CHANGE.format(name): "d_in d_out" for name in WEIGHT_NAMES}

_BATCH = Criterion("batch", cases=(BATCH,))
_BATCHES = Criterion("batch", cases=(BATCH, HEADS_OF_ONE_QUERY))
_DRAWN = tuple(map(WEIGHT.format, WEIGHT_NAMES))
_BIASES = tuple(map(HAS_BIAS.format, WEIGHT_NAMES))

PART = Part(
    name="part2_trainable",
    title="Queries, keys and values",
    steps=(
        Step(
            name="project_qkv",
            lecture="docs/lectures/queries_keys_values.md",
            points=2,
            effort="one line",
            cases=_project_qkv,
            criteria=(_BATCH,),
            returns={"queries": "... d_k", "keys": "... d_k", "values": "... d_v"},
            hints=(
                "Each of the three results is `x` multiplied by one of the three matrices.",
                "`x @ W` multiplies along the last dimension of `x`, whether `x` is one token, a sentence or a batch.",
            ),
        ),
        Step(
            name="scores_for_query",
            lecture="docs/lectures/scores.md",
            points=1,
            effort="one line",
            cases=_scores_for_query,
            hints=(
                "This is step 2 of part 1 with keys in place of inputs.",
                "A matrix times a vector: the dot product of the vector with every row.",
            ),
        ),
        Step(
            name="attention_scores",
            lecture="docs/lectures/scores.md",
            points=2,
            effort="one line",
            cases=_attention_scores,
            criteria=(_BATCHES,),
            hints=(
                "Each score is a row of queries times a row of keys. For a matrix product, transpose the keys: (d_k, tk).",
                "With a batch in front, `.T` reverses all dimensions. `transpose(-2, -1)` swaps just the last two.",
            ),
        ),
        Step(
            name="scale_scores",
            lecture="docs/lectures/scaling.md",
            points=1,
            effort="one line",
            cases=_scale_scores,
            criteria=(_BATCH,),
            hints=(
                "The variance of a dot product of d_k products is d_k. Which number brings the spread back to 1?",
                "A square root is a power: `d_k ** 0.5`.",
            ),
        ),
        Step(
            name="attention_weights",
            lecture="docs/lectures/weights_and_context.md",
            points=1,
            effort="one line",
            cases=_attention_weights,
            criteria=(_BATCHES,),
            hints=(
                "Row i belongs to query i. Its weights, one per key, add up to 1.",
                "`torch.softmax` takes the dimension to sum over. The keys are always the last dimension.",
            ),
        ),
        Step(
            name="context_vectors",
            lecture="docs/lectures/weights_and_context.md",
            points=1,
            effort="one line",
            cases=_context_vectors,
            criteria=(_BATCHES,),
            hints=(
                "(tq x tk) times (tk x d_v) is (tq x d_v): the shapes show which product it is.",
                "No transpose is needed: each row of weights mixes the rows of values.",
            ),
        ),
        Step(
            name="scaled_dot_product_attention",
            lecture="docs/lectures/weights_and_context.md",
            points=3,
            effort="four lines",
            cases=_scaled_dot_product_attention,
            criteria=(Criterion("scaling", IDEA, cases=(RANDOM,)),),
            hints=(
                "It is steps 3, 4, 5 and 6, one after the other. You may call your own functions.",
                "d_k is the length of a key, `keys.shape[-1]`; the values may have another length.",
                "First scale, then softmax, then multiply with the values.",
            ),
        ),
        Step(
            name="dot_product_variance",
            lecture="docs/lectures/scaling.md",
            points=2,
            effort="five lines",
            cases=_dot_product_variance,
            criteria=(
                Criterion("pairs alone", IDEA, outputs=(MET,)),
                Criterion("form", outputs=(SAME, DIFFERENT, EXACT)),
            ),
            probe=run_variance,
            returns={VARIANCE: "", RATIO: "", "mean of many short measurements": "", "their spread": ""},
            gradients=False,
            hints=(
                "Draw two matrices of shape (num_trials, d_k); row i of both is pair i.",
                "`torch.randn(num_trials, d_k, generator=generator)` draws standard normal numbers.",
                "The dot products of pairs are `(queries * keys).sum(dim=-1)`. Scale them before `.var()`.",
            ),
        ),
        Step(
            name="SelfAttentionV1",
            lecture="docs/lectures/the_class_twice.md",
            points=3,
            effort="six lines",
            cases=_self_attention_v1,
            criteria=(
                Criterion("parameters", outputs=WEIGHT_NAMES),
                _BATCH,
            ),
            probe=run_v1,
            returns=_V1_RETURNS,
            hints=(
                "A tensor becomes trainable when it is wrapped: `nn.Parameter(torch.rand(d_in, d_out))`.",
                "`forward` is project_qkv with `self.W_query`, `self.W_key`, `self.W_value`, then step 7.",
                "A batch has three dimensions: transpose the last two of the keys, not all.",
            ),
        ),
        Step(
            name="SelfAttentionV2",
            lecture="docs/lectures/the_class_twice.md",
            points=2,
            effort="six lines",
            cases=_self_attention_v2,
            criteria=(Criterion("parameters", outputs=(*_DRAWN, *_BIASES)),),
            probe=run_v2,
            returns=_V2_RETURNS,
            hints=(
                "`nn.Linear(d_in, d_out, bias=qkv_bias)` holds a weight and initialises it well. Make three, in order.",
                "A layer is called like a function: `self.W_query(x)`.",
            ),
        ),
        Step(
            name="copy_weights",
            lecture="docs/lectures/the_class_twice.md",
            points=2,
            effort="four lines",
            cases=_copy_weights,
            criteria=(Criterion("a copy", IDEA, outputs=tuple(map(AFTER_CHANGE.format, WEIGHT_NAMES))),),
            probe=run_copy,
            returns=_COPIED,
            gradients=False,
            hints=(
                "Print both shapes: the layer's weight is (d_out, d_in), the parameter (d_in, d_out).",
                "Inside `with torch.no_grad():`, `parameter.copy_(numbers)` writes numbers into a parameter.",
                "Each parameter of `target` gets the weight of the layer with the same name, transposed.",
            ),
        ),
        Step(
            name="self_attention_loops",
            lecture="docs/lectures/columns_and_loops.md",
            points=2,
            effort="six lines",
            cases=_self_attention_loops,
            criteria=(Criterion("no t × t matrix", IDEA, outputs=(SQUARE,)),),
            probe=run_watching_for_squares,
            returns={"context": "t d_v"},
            forbids=("vmap",),
            hints=(
                "Keys and values of all tokens can be made before the loop; the query belongs inside.",
                "Inside the loop everything is as in part 1: scores (t), weights (t), one context vector (d_v).",
                "Append each context vector to a list and return `torch.stack(list)`.",
            ),
        ),
        Step(
            name="self_attention_columns",
            lecture="docs/lectures/columns_and_loops.md",
            points=3,
            effort="four lines",
            cases=_self_attention_columns,
            criteria=(
                Criterion("scaling", cases=(RANDOM,)),
                Criterion("large scores", cases=(LARGE,)),
            ),
            hints=(
                "Weights multiply from the left: Q = W_query H has shape (d_k, t), one query per column.",
                "Kᵀ Q has keys as rows and queries as columns. Each column must add up to 1.",
                "So the softmax has `dim=0`, d_k is `K.shape[0]`, and the context is V times the weights.",
            ),
        ),
    ),
)
