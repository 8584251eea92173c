"""General relations between a wrong answer and the right one: the transpose, a constant factor, another order ...

A relation looks at one wrong output of one case. It holds, with a sentence for the student; it does not; or it has nothing
to say about tensors of this kind. A diagnosis is a relation that holds wherever it has something to say.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from autograder.course.answer import Array, close
from autograder.course.model import Tolerance


@dataclass(frozen=True)
class Wrong:
    """One wrong output of one case: its numbers and the right ones, the named sizes, and the input tensors.

    title: what the output is called; empty where it is the only one.
    """

    yours: Array
    expected: Array
    dims: tuple[str, ...]
    sizes: Mapping[str, int]
    inputs: Mapping[str, Array]
    tolerance: Tolerance
    title: str = ""

    def same(self, one: Array, other: Array) -> bool:
        """Tell whether two arrays agree within the case's tolerance."""
        return close(one, other, self.tolerance.rtol, self.tolerance.atol)

    @property
    def same_shape(self) -> bool:
        """Whether the shape, at least, is right."""
        return self.yours.shape == self.expected.shape

    @property
    def telling(self) -> bool:
        """Whether the right answer has enough different numbers for a coincidence to be unlikely."""
        return self.expected.size > 1 and float(np.ptp(self.expected[np.isfinite(self.expected)], axis=None)) > 0


Outcome = frozenset[str] | None
"""The sentences that would explain the case; empty when the relation does not hold; None when it has nothing to say."""

Relation = Callable[[Wrong], Outcome]

NO: Outcome = frozenset()


def says(sentence: str) -> Outcome:
    """Return the outcome of a relation that holds with one sentence."""
    return frozenset({sentence})


def all_zero(wrong: Wrong) -> Outcome:
    """All numbers are zero."""
    if wrong.yours.size and not np.any(wrong.yours) and np.any(wrong.expected):
        return says("All your numbers are zero. Is a result computed but never stored or returned?")
    return NO


def returns_an_input(wrong: Wrong) -> Outcome:
    """The answer is one of the inputs."""
    for name, array in wrong.inputs.items():
        if wrong.same(wrong.yours, array):
            return says(
                f"Your {wrong.title} is `{name}` as it came in."
                if wrong.title
                else f"You return `{name}` as it came in."
            )
    return NO


def transposed(wrong: Wrong) -> Outcome:
    """The last two dimensions have changed places."""
    if wrong.expected.ndim < 2:
        return None
    turned = np.swapaxes(wrong.expected, -1, -2)
    if not wrong.telling or (wrong.same_shape and wrong.same(turned, wrong.expected)):
        return None
    if wrong.same(wrong.yours, turned):
        rows, columns = wrong.dims[-2:]
        said = f" (rows {rows}, columns {columns})" if rows and columns else ""
        return says(f"This is the transpose of the right answer{said}: the last two dimensions have changed places.")
    return NO


def other_dimensions_swapped(wrong: Wrong) -> Outcome:
    """The right numbers with their dimensions in another order."""
    if wrong.expected.ndim < 3 or not wrong.telling:
        return None
    for order in permutations(range(wrong.expected.ndim)):
        if order != tuple(sorted(order)) and wrong.same(wrong.yours, wrong.expected.transpose(order)):
            return says("Right numbers, but the dimensions stand in another order. Look at your transposes.")
    return NO


def constant_factor(wrong: Wrong) -> Outcome:
    """The right answer times a constant; its likely meanings are the sentences."""
    if not wrong.same_shape or not wrong.telling:
        return None
    flat = wrong.expected.ravel().astype(float)
    largest = int(np.abs(flat).argmax())
    factor = float(wrong.yours.ravel()[largest]) / flat[largest]
    if not np.isfinite(factor) or factor == 0 or not wrong.same(wrong.yours, wrong.expected * factor):
        return NO
    found = {
        _factor_sentence(meaning)
        for meaning, value in _meanings(wrong.sizes)
        if math.isclose(factor, value, rel_tol=1e-3)
    }
    return frozenset(found | {f"Your numbers are the right ones times {factor:.4g}, everywhere."})


def _meanings(sizes: Mapping[str, int]) -> list[tuple[str, float]]:
    found = [("-1", -1.0)]
    for name, size in sizes.items():
        if size > 1:
            found += [(f"√{name}", size**0.5), (f"1/√{name}", size**-0.5), (name, float(size)), (f"1/{name}", 1 / size)]
    return found


def _factor_sentence(meaning: str) -> str:
    if meaning == "-1":
        return "Your numbers are the right ones with the sign turned round."
    advice = "a division too many" if meaning.startswith("1/") else "a division is missing, or a factor too many"
    return f"Your numbers are the right ones times {meaning}: {advice}."


def constant_offset(wrong: Wrong) -> Outcome:
    """The right answer plus a constant."""
    if not wrong.same_shape or not wrong.telling:
        return None
    offset = float(np.mean(wrong.yours - wrong.expected))
    if np.isfinite(offset) and wrong.same(wrong.yours, wrong.expected + offset):
        return says("Your numbers are the right ones plus a constant. What is added that should not be?")
    return NO


def input_added(wrong: Wrong) -> Outcome:
    """The right answer plus one of the inputs."""
    if not wrong.same_shape or not wrong.telling:
        return None
    for name, array in wrong.inputs.items():
        if array.shape == wrong.expected.shape and np.any(array) and wrong.same(wrong.yours, wrong.expected + array):
            return says(
                f"Your numbers are the right ones plus `{name}`: a residual connection, which is not asked for here."
            )
    return NO


def same_values_reordered(wrong: Wrong) -> Outcome:
    """The right numbers in another order."""
    if wrong.yours.size != wrong.expected.size:
        return NO
    if not wrong.telling:
        return None
    if wrong.same(np.sort(wrong.yours, axis=None), np.sort(wrong.expected, axis=None)):
        return says(
            "These are the right numbers in another order. Look for a `view` or `reshape` where a `transpose` is needed, and for the "
            "dimension along which you join, repeat or step."
        )
    return NO


def softmax_over_wrong_dimension(wrong: Wrong) -> Outcome:
    """Rows should add up to 1, but the columns do, or everything together does. A single row has no columns: it adds up, or not."""
    if not wrong.same_shape or not wrong.expected.ndim or not _adds_up(wrong.expected, -1, wrong.tolerance):
        return None
    if wrong.expected.ndim < 2:
        return None if _adds_up(wrong.yours, -1, wrong.tolerance) else NO
    query, key = wrong.dims[-2:]
    if not query or not key or query == key:
        query, key = "each column", "each row"
    if _adds_up(wrong.yours, -2, wrong.tolerance):
        return says(f"Your weights add up to 1 over {query}; they should over {key}: dim=-1, the last one.")
    if any(_adds_up(wrong.yours, axis, wrong.tolerance) for axis in (None, (-2, -1))):
        return says("All your weights together add up to 1; each row should by itself: dim=-1, the last one.")
    return NO


def rows_do_not_add_up(wrong: Wrong) -> Outcome:
    """Rows should add up to 1 and do not."""
    if not wrong.same_shape or not wrong.expected.ndim or not _adds_up(wrong.expected, -1, wrong.tolerance):
        return None
    if _adds_up(wrong.yours, -1, wrong.tolerance) or not np.all(np.isfinite(wrong.yours)):
        return NO
    return says(
        "Each row of weights should add up to 1; yours do not. What happens to them after, or instead of, the softmax?"
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
        for meaning, value in _meanings(wrong.sizes)
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
    """Queries against keys: right where the key is not after the query, wrong behind it."""
    if not wrong.same_shape or wrong.expected.ndim < 2 or wrong.expected.shape[-1] != wrong.expected.shape[-2]:
        return None
    past = np.tril(np.ones(wrong.expected.shape[-2:], dtype=bool))
    right = np.isclose(
        wrong.yours, wrong.expected, rtol=wrong.tolerance.rtol, atol=wrong.tolerance.atol, equal_nan=True
    )
    if np.all(right[..., past]) and not np.any(right[..., ~past]):
        return says("Right up to the first future token: only keys after the query are wrong. Look at your mask.")
    return NO


def first_of_batch_only(wrong: Wrong) -> Outcome:
    """Right for the first sentence of a batch only."""
    if wrong.expected.ndim < 3 or len(wrong.expected) < 2:
        return None
    if wrong.same(wrong.yours, wrong.expected[0]) or wrong.same(wrong.yours, wrong.expected[:1]):
        return says("You return the first sentence of the batch only.")
    if wrong.same_shape and wrong.same(wrong.yours[0], wrong.expected[0]):
        return says("Only the first sentence of the batch is right.")
    return NO


def one_row_only(wrong: Wrong) -> Outcome:
    """Only the first or the last row is returned."""
    if wrong.expected.ndim < 1 or wrong.expected.shape[0] < 2:
        return None
    for index, name in ((0, "first"), (-1, "last")):
        if wrong.same(wrong.yours, wrong.expected[index]):
            return says(f"You return the {name} row only. Is there a `return` inside the loop, or an index too many?")
    return NO


def extra_dimension(wrong: Wrong) -> Outcome:
    """The right numbers with a dimension of size 1 too many or too few."""
    if wrong.yours.ndim == wrong.expected.ndim:
        return None
    if wrong.yours.size == wrong.expected.size and wrong.same(wrong.yours.ravel(), wrong.expected.ravel()):
        if wrong.yours.ndim > wrong.expected.ndim:
            return says("Right numbers with a dimension too many: `squeeze` it, or leave out `keepdim=True`.")
        return says("Right numbers with a dimension too few: some shape is lost on the way.")
    return NO


def not_added_up(wrong: Wrong) -> Outcome:
    """Adding up one dimension would give the right answer."""
    if wrong.yours.ndim <= wrong.expected.ndim:
        return None
    for axis in range(wrong.yours.ndim):
        if wrong.same(wrong.yours.sum(axis=axis), wrong.expected):
            return says(f"Nearly: add up over dimension {axis - wrong.yours.ndim} and the answer is right.")
    return NO


def _adds_up(array: Array, axis: int | tuple[int, int] | None, tolerance: Tolerance) -> bool:
    axes = (axis,) if isinstance(axis, int) else axis or ()
    if array.dtype.kind != "f" or any(array.ndim < -one for one in axes):
        return False
    sums = array.sum(axis=axis)
    return bool(np.all(np.abs(sums - 1.0) <= 10 * tolerance.atol + 1.1e-4)) and bool(np.all(array >= 0))


RELATIONS: Mapping[str, Relation] = {
    relation.__name__: relation
    for relation in (
        all_zero,
        returns_an_input,
        transposed,
        first_of_batch_only,
        one_row_only,
        extra_dimension,
        not_added_up,
        double_softmax,
        softmax_over_wrong_dimension,
        scores_scaled_otherwise,
        constant_factor,
        constant_offset,
        input_added,
        right_until_the_future,
        other_dimensions_swapped,
        same_values_reordered,
        rows_do_not_add_up,
    )
}
"""All relations by name, the most telling first."""


def find_relation(cases: list[Wrong]) -> tuple[str, str] | None:
    """Return the name and the sentence of the first relation that holds in all cases it has something to say about."""
    for name, relation in RELATIONS.items():
        with np.errstate(all="ignore"):  # nan and infinity among the numbers make no relation hold
            outcomes = [outcome for outcome in map(relation, cases) if outcome is not None]
        if outcomes and (common := frozenset.intersection(*outcomes)):
            return name, min(common, key=lambda sentence: ("everywhere" in sentence, len(sentence)))
    return None
