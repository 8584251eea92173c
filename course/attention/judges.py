"""What whoever marks finds in numbers that depend on how an implementation draws, so that they are compared with each other.

Of dropout: how much was dropped, how it was scaled, where it differs. Of a variance: whether it was measured. Nothing here imports torch.
"""

from collections.abc import Mapping
from math import isfinite, nan
from typing import Any

import numpy as np

from autograder.course.answer import Array, PlainValue, TensorValue, Value

USUAL, USUAL_AGAIN = "context in eval mode", "context in eval mode, again"
TRAINED, TRAINED_AGAIN = "context in training", "context in training, again"
GRADIENT = "gradient of {} in training"
PROJECTIONS = ("W_query", "W_key", "W_value")

CHANGED = "in training, the output differs from that in eval mode"
KEPT_OR_DROPPED = "in training, each weight is dropped or scaled by 1 / (1 - p)"
SHARE_DROPPED = "in training, about p of the weights are dropped"
BY_ITSELF = "in training, each weight is dropped independently, and differently at each call"
GRADIENTS = "in training, gradients reach x, W_query, W_key and W_value"
NOT_IN_EVAL = "in eval mode, nothing is dropped"
FINDINGS = (CHANGED, KEPT_OR_DROPPED, SHARE_DROPPED, BY_ITSELF, GRADIENTS, NOT_IN_EVAL)

ROOM = 0.2
"""How far the share of dropped weights may be from p: of 168 weights or more it never is by chance."""


def dropout(inputs: Mapping[str, Any], came: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return what there is to see of dropout, where a case has any: each head's context is its weights, twice."""
    p, heads = inputs["dropout"], inputs.get("num_heads", 1)
    if not p:
        return came
    usual, trained = _numbers(came, USUAL), _numbers(came, TRAINED)
    fits = usual is not None and usual.ndim == 3 and usual.shape[-1] == 2 * heads * usual.shape[1] and usual.size
    if usual is None or trained is None or not fits or trained.shape != usual.shape:
        return dict.fromkeys(FINDINGS, PlainValue("bool", False))
    by_head = (*usual.shape[:2], heads, 2, usual.shape[1])
    with np.errstate(all="ignore"):
        seen = _seen(usual.reshape(by_head), trained.reshape(by_head), p) | {
            CHANGED: not _same(usual, trained),
            GRADIENTS: _gradients_arrive(came, trained),
        }
        again = _numbers(came, TRAINED_AGAIN)
        seen[BY_ITSELF] &= again is not None and again.shape == trained.shape and not _same(trained, again)
        seen[NOT_IN_EVAL] &= _same(usual, _numbers(came, USUAL_AGAIN))
    return {name: PlainValue("bool", seen[name]) for name in FINDINGS}


def _seen(weights: Array, dropped: Array, p: float) -> dict[str, bool]:
    """Return what weights (b, t, h, 2, t), each twice, and those in training tell together."""
    zero, kept = dropped == 0, np.isclose(dropped, weights / (1 - p), rtol=1e-3, atol=1e-6)
    twice_the_same = np.array_equal(dropped[..., 0, :], dropped[..., 1, :])
    there = zero[weights > 0]
    return {
        KEPT_OR_DROPPED: twice_the_same and bool((kept | zero).all()),
        SHARE_DROPPED: there.size > 0 and bool(abs(there.mean() - p) < ROOM),
        BY_ITSELF: _drawn_one_by_one(zero[..., 0, :]),
        NOT_IN_EVAL: np.allclose(weights.sum(axis=-1), 1, rtol=1e-4, atol=1e-5),
    }


def _numbers(came: Mapping[str, Value], name: str) -> Array | None:
    """Return the numbers of a tensor of floats, None of anything else."""
    value = came.get(name)
    array = value.array if isinstance(value, TensorValue) else None
    return array.astype(np.float64) if array is not None and array.dtype.kind == "f" else None


def _same(one: Array, other: Array | None) -> bool:
    return other is not None and np.array_equal(one, other, equal_nan=True)


def _drawn_one_by_one(zero: Array) -> bool:
    """Tell whether drops (b, t, h, t) differ between sentences, heads, the keys of a query and the queries of a key."""
    visible = np.tril(np.ones((zero.shape[1], zero.shape[3]), dtype=bool))[:, None, :]
    seen = zero & visible
    sentences = not bool((seen == seen[:1]).all())
    heads = zero.shape[2] == 1 or not bool((seen == seen[:, :, :1]).all())
    rows, columns = seen.sum(axis=-1), seen.sum(axis=1)
    whole_rows = (rows == 0) | (rows == visible.sum(axis=-1))
    whole_columns = (columns == 0) | (columns == visible.sum(axis=0))
    return sentences and heads and not bool(whole_rows[:, 1:].all()) and not bool(whole_columns[..., :-1].all())


def _gradients_arrive(came: Mapping[str, Value], output: Array) -> bool:
    """Tell whether gradients of a mixture of the output have reached the tokens and all projections.

    The output is linear in W_value, which holds ones: what its gradient is where they stand adds up to the mixture, so it is of this output.
    """
    found = {name: _numbers(came, GRADIENT.format(name)) for name in ("x", *PROJECTIONS)}
    of_values = found["W_value"]
    if of_values is None or of_values.ndim != 2 or not of_values.size or of_values.shape[0] % of_values.shape[1]:
        return False
    ones = np.tile(np.eye(of_values.shape[1]), (of_values.shape[0] // of_values.shape[1], 1))
    mixture = (np.cos(np.arange(output.size)) * output.ravel()).sum()
    arrived = all(one is not None and bool(one.any()) for one in found.values())
    return arrived and bool(np.isclose((of_values * ones).sum(), mixture, rtol=1e-3, atol=1e-3, equal_nan=True))


VARIANCE = "variance"
VARIANCE_AGAIN, VARIANCE_OF_OTHERS = "variance, again", "variance, of another generator"
UNSCALED, SCALED = "variance, not scaled", "variance, scaled"
OF_FEW, OF_OTHER_FEW = "variance of a few pairs", "variance of a few other pairs"

RATIO = "variance unscaled, divided by the variance scaled"
SAME, DIFFERENT = "the same from the same generator", "different from another generator"
EXACT = "the same draws, scaled, vary d_k times less"
MEASURED = "other pairs have another variance"


def variance(inputs: Mapping[str, Any], came: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return what measurements of a variance tell together, where a case is a single one."""
    if inputs["calls"] > 1:
        return came
    names = (VARIANCE, VARIANCE_AGAIN, VARIANCE_OF_OTHERS, UNSCALED, SCALED, OF_FEW, OF_OTHER_FEW)
    one, again, other, unscaled, scaled, *few = (_number(came.get(name)) for name in names)
    d_k = inputs["d_k"]
    findings = {MEASURED: len({number for number in (one, *few) if isfinite(number)}) > 1}
    if inputs["repeat"]:
        findings[SAME], findings[DIFFERENT] = one == again, isfinite(other) and one != other
        findings[EXACT] = abs(unscaled - d_k * scaled) <= 1e-4 * abs(d_k * scaled)
    kept = {name: value for name, value in came.items() if name not in names[1:]}
    return {**kept, **{name: PlainValue("bool", found) for name, found in findings.items()}}


def _number(value: Value | None) -> float:
    """Return the number that an output is; nan for anything else."""
    if isinstance(value, TensorValue):
        return float(value.array.item()) if value.array is not None and value.array.size == 1 else nan
    return float(value.value) if value is not None and isinstance(value.value, int | float) else nan


JUDGES = {
    "part2_trainable.dot_product_variance": variance,
    "part3_causal.CausalAttention": dropout,
    "part4_multihead.MultiHeadAttention": dropout,
}
