"""How wrong attention weights are related to the right ones: rows that should add up to 1, scores, a visible future.

The grader tries these among its general relations, in the order of `RELATIONS`. Nothing here imports torch, like the judge.
"""

import math

import numpy as np

from autograder.course.answer import Array
from autograder.course.tolerances import Tolerance
from autograder.grading.compare import (
    NO,
    Outcome,
    Relation,
    Wrong,
    all_zero,
    constant_factor,
    extra_dimension,
    meanings,
    returns_an_input,
    same_values_reordered,
    says,
    transposed,
)


def softmax_over_wrong_dimension(wrong: Wrong) -> Outcome:
    """Rows should add up to 1 and do not, but the columns do, or another dimension, or everything together. A single row has no columns."""
    if not wrong.same_shape or not wrong.expected.ndim or not _adds_up(wrong.expected, -1, wrong.tolerance):
        return None
    if wrong.expected.ndim < 2:
        return None if _adds_up(wrong.yours, -1, wrong.tolerance) else NO
    if _adds_up(wrong.yours, -1, wrong.tolerance):
        return NO
    query, key = wrong.dims[-2:]
    if not query or not key or query == key:
        query, key = "each column", "each row"
    over = [
        f"Your weights add up to 1 over dimension {axis}; they should over the last one: dim=-1."
        for axis in range(wrong.yours.ndim - 1)
        if _adds_up(wrong.yours, axis, wrong.tolerance)
    ]
    if _adds_up(wrong.yours, -2, wrong.tolerance):
        over.append(f"Your weights add up to 1 over {query}; they should over {key}: dim=-1, the last one.")
    if over:
        return frozenset(over)
    if any(_adds_up(wrong.yours, axis, wrong.tolerance) for axis in (None, (-2, -1))):
        return says("All your weights together add up to 1; each row should by itself: dim=-1, the last one.")
    return NO


def rows_do_not_add_up(wrong: Wrong) -> Outcome:
    """Rows should add up to 1, and most do not."""
    if not wrong.same_shape or not wrong.expected.ndim or not _adds_up(wrong.expected, -1, wrong.tolerance):
        return None
    rows = wrong.yours.reshape(-1, wrong.yours.shape[-1])
    right = sum(_adds_up(row, -1, wrong.tolerance) for row in rows)
    if not np.all(np.isfinite(rows)) or 2 * right > len(rows):
        return NO
    return says(
        "Each row of weights should add up to 1; yours do not. By what is a row divided, and what happens to it after that?"
    )


def double_softmax(wrong: Wrong) -> Outcome:
    """A softmax of the right weights."""
    if not wrong.same_shape or not wrong.expected.ndim or not _adds_up(wrong.expected, -1, wrong.tolerance):
        return None
    exponentials = np.exp(wrong.expected)
    if wrong.same(wrong.yours, exponentials / exponentials.sum(axis=-1, keepdims=True)):
        return says("You apply the softmax twice: the second one flattens the weights.")
    return NO


def scores_scaled_otherwise(wrong: Wrong) -> Outcome:
    """A softmax of the right scores times a constant; its likely meanings are the sentences."""
    if not wrong.same_shape or not wrong.telling or not _adds_up(wrong.expected, -1, wrong.tolerance):
        return None
    if not _adds_up(wrong.yours, -1, wrong.tolerance):
        return NO
    yours, expected = _spread_of_scores(wrong.yours), _spread_of_scores(wrong.expected)
    if not yours.size or yours.size != expected.size or not np.abs(expected).max() > 0:
        return NO
    largest = int(np.abs(expected).argmax())
    factor = float(yours[largest] / expected[largest])
    if np.isclose(factor, 1.0, rtol=2e-2) or not np.allclose(yours, expected * factor, rtol=1e-2, atol=1e-3):
        return NO
    found = {
        f"Your weights are those of scores {meaning} times as large as they should be before the softmax. Look at the scaling."
        for meaning, value in meanings(wrong.sizes)
        if math.isclose(factor, value, rel_tol=1e-2)
    }
    return frozenset(
        found | {f"Your weights are those of scores {factor:.3g} times as large before the softmax, everywhere."}
    )


def _spread_of_scores(weights: Array) -> Array:
    """Return by how much the logarithm of each visible weight differs from its row's largest."""
    visible = weights > 0
    logarithms = np.log(np.where(visible, weights, 1.0))
    largest = np.where(visible, logarithms, -np.inf).max(axis=-1, keepdims=True)
    differences: Array = (logarithms - largest)[visible]
    return differences


def right_until_the_future(wrong: Wrong) -> Outcome:
    """Queries against keys: right up to the query itself, wrong for later keys."""
    if not wrong.same_shape or wrong.expected.ndim < 2 or wrong.expected.shape[-1] != wrong.expected.shape[-2]:
        return None
    past = np.tril(np.ones(wrong.expected.shape[-2:], dtype=bool))
    right = np.isclose(
        wrong.yours, wrong.expected, rtol=wrong.tolerance.rtol, atol=wrong.tolerance.atol, equal_nan=True
    )
    if np.all(right[..., past]) and not np.any(right[..., ~past]):
        return says("Right up to the first future token: only keys after the query are wrong. Look at your mask.")
    return NO


def _adds_up(array: Array, axis: int | tuple[int, int] | None, tolerance: Tolerance) -> bool:
    axes = (axis,) if isinstance(axis, int) else axis or ()
    if array.dtype.kind != "f" or any(array.ndim < -one for one in axes):
        return False
    sums = array.sum(axis=axis)
    return bool(np.all(np.abs(sums - 1.0) <= 10 * tolerance.atol + 1.1e-4)) and bool(np.all(array >= 0))


RELATIONS: tuple[Relation, ...] = (
    all_zero,
    returns_an_input,
    transposed,
    extra_dimension,
    double_softmax,
    softmax_over_wrong_dimension,
    scores_scaled_otherwise,
    constant_factor,
    right_until_the_future,
    same_values_reordered,
    rows_do_not_add_up,
)
"""All relations, the most specific first."""
