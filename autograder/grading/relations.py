"""General relations between a wrong answer and the right one: the transpose, a constant factor, another order ...

A relation looks at one wrong output of one case. It holds, with a sentence for the student; it does not; or it has nothing
to say about tensors of this kind. A diagnosis is a relation that holds wherever it has something to say.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from autograder.course.answer import Array, close
from autograder.course.model import NO_WORDS, Words
from autograder.course.tolerances import NEARLY, Tolerance
from autograder.grading.compare import Kind, Related, compare, numbers_of

MOST_ORDERED = 6
"""Of as many dimensions the orders are too many to be tried."""


@dataclass(frozen=True)
class Wrong:
    """One wrong output of one case: its numbers and the right ones, the named sizes, and the input tensors.

    words: what slices along dimensions are called. title: what the output is called; empty if it is the only one. right_elsewhere: whether
    another case with such an output is right.
    """

    yours: Array
    expected: Array
    dims: tuple[str, ...]
    sizes: Mapping[str, int]
    inputs: Mapping[str, Array]
    tolerance: Tolerance
    words: Words = NO_WORDS
    title: str = ""
    right_elsewhere: bool = False

    def same(self, one: Array, other: Array) -> bool:
        """Return whether two arrays agree within the case's tolerance."""
        return close(one, other, self.tolerance)

    @property
    def same_shape(self) -> bool:
        """Whether the shape, at least, is right."""
        return self.yours.shape == self.expected.shape

    @property
    def related(self) -> Related:
        """The relation of its numbers to the right ones."""
        return compare(numbers_of(self.yours), numbers_of(self.expected), (self.yours.shape, self.expected.shape))

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
    """All numbers are zero, in every case: where others are right, these have become too small for a float."""
    if not wrong.right_elsewhere and wrong.yours.size and not np.any(wrong.yours) and np.any(wrong.expected):
        return says("All your numbers are zero. Is a result computed but never stored or returned?")
    return NO


def returns_an_input(wrong: Wrong) -> Outcome:
    """The answer is one of the inputs."""
    for name, array in wrong.inputs.items():
        if wrong.same(wrong.yours, array):
            return says(
                f"Your {wrong.title} is `{name}` unchanged." if wrong.title else f"You return `{name}` unchanged."
            )
    return NO


def transposed(wrong: Wrong) -> Outcome:
    """The last two dimensions have changed places."""
    if wrong.expected.ndim < 2:
        return None
    turned = np.swapaxes(wrong.expected, -1, -2)
    if not wrong.telling or (wrong.same_shape and wrong.same(turned, wrong.expected)):
        return None
    if not wrong.same(wrong.yours, turned):
        return NO
    rows, columns = wrong.dims[-2:]
    said = f" (rows {rows}, columns {columns})" if rows and columns else ""
    return says(f"This is the transpose of the right answer{said}: the last two dimensions are swapped.")


def constant_factor(wrong: Wrong) -> Outcome:
    """The right answer times a constant; its likely meanings are the sentences."""
    if not wrong.same_shape or not wrong.telling:
        return None
    largest = np.unravel_index(int(np.abs(wrong.expected).argmax()), wrong.expected.shape)
    by = float(wrong.yours[largest]) / float(wrong.expected[largest])
    if not np.isfinite(by) or by == 0 or not wrong.same(wrong.yours, wrong.expected.astype(float) * by):
        return NO
    found = {_factor_sentence(name) for name, value in meanings(wrong.sizes) if math.isclose(by, value, rel_tol=NEARLY)}
    return frozenset(found | {f"Your numbers are the right ones times {by:.4g}, everywhere."})


def meanings(sizes: Mapping[str, int]) -> list[tuple[str, float]]:
    """Return what a constant factor may stand for, and its value."""
    found = [("-1", -1.0)]
    for name, size in sizes.items():
        if size > 1:
            found += [(f"√{name}", size**0.5), (f"1/√{name}", size**-0.5), (name, float(size)), (f"1/{name}", 1 / size)]
    return found


def _factor_sentence(meaning: str) -> str:
    if meaning == "-1":
        return "Your numbers are the right ones with the wrong sign."
    advice = "a division too many" if meaning.startswith("1/") else "a division is missing, or a factor too many"
    return f"Your numbers are the right ones times {meaning}: {advice}."


REORDERED = (
    "Right numbers, but the dimensions are in another order. Look at your transposes.",
    "These are the right numbers in another order. Look for a `view` or `reshape` where a `transpose` is needed, and for the "
    "dimension along which you join, repeat or step.",
)


def same_values_reordered(wrong: Wrong) -> Outcome:
    """The right numbers in another order."""
    if wrong.yours.size != wrong.expected.size:
        return NO
    if not wrong.telling:
        return None
    if wrong.related.kind not in (Kind.PERMUTED, Kind.RESHAPED):
        return NO
    orders = permutations(range(wrong.expected.ndim)) if wrong.expected.ndim < MOST_ORDERED else ()
    of_dimensions = any(wrong.same(wrong.yours, wrong.expected.transpose(order)) for order in orders)
    return frozenset(REORDERED if of_dimensions else REORDERED[1:])


def first_of_batch_only(wrong: Wrong) -> Outcome:
    """Right for the first slice along the first dimension only, by its word if there is one."""
    if wrong.expected.ndim < 3 or len(wrong.expected) < 2:
        return None
    word = wrong.words.along(wrong.dims)[0]
    slices = {"slice along the first dimension", word or "slice along the first dimension"}
    if wrong.same(wrong.yours, wrong.expected[0]) or wrong.same(wrong.yours, wrong.expected[:1]):
        return frozenset(f"You return the first {one} only." for one in slices)
    if wrong.same_shape and wrong.same(wrong.yours[0], wrong.expected[0]):
        return frozenset(f"Only the first {one} is right." for one in slices)
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
    if wrong.yours.size != wrong.expected.size or not wrong.same(wrong.yours.ravel(), wrong.expected.ravel()):
        return NO
    if wrong.yours.ndim < wrong.expected.ndim:
        return says("Right numbers with a dimension too few: one is lost on the way.")
    return says(
        "Right numbers with a dimension of size 1 too many. Look for what has it, such as `unsqueeze`, `keepdim=True` or a slice of one."
    )


GENERAL: tuple[Relation, ...] = (
    all_zero,
    returns_an_input,
    transposed,
    first_of_batch_only,
    one_row_only,
    extra_dimension,
    constant_factor,
    same_values_reordered,
)
"""What holds in any course, the most specific first."""


def find_relation(cases: list[Wrong], relations: Sequence[Relation]) -> tuple[str, str] | None:
    """Return the name and the sentence of the first relation that holds in all cases it has something to say about."""
    for relation in relations:
        with np.errstate(all="ignore"):  # nan and infinity among the numbers make no relation hold
            common = _in_common(relation, cases)
        if common:
            return relation.__name__, min(common, key=lambda sentence: ("everywhere" in sentence, len(sentence)))
    return None


def _in_common(relation: Relation, cases: Sequence[Wrong]) -> Outcome:
    """Return what a relation says of all cases it has something to say about. Where nothing is left, no other is looked at."""
    common: Outcome = None
    for outcome in map(relation, cases):
        if outcome is not None:
            common = outcome if common is None else common & outcome
        if common == NO:
            break
    return common
