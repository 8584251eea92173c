"""Find the relation of wrong values to expected values, such as scaled or transposed."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from autograder.course.answer import Array, close
from autograder.course.shapes import Shape
from autograder.course.tolerances import NEARLY, NOISE, SAME, Tolerance
from autograder.course.trace import Numbers, alike, numbers_in


class Kind(IntEnum):
    """The relation of the values of two tensors, from OTHER (unrelated) to EQUAL."""

    OTHER = 0
    SCALED = 1
    """The values of the other tensor times a constant."""
    PART = 2
    """Some values of the other tensor, or its values repeated."""
    PERMUTED = 3
    """The same values in another order."""
    RESHAPED = 4
    """The same values in the same order, in another shape or in several tensors."""
    EQUAL = 5


@dataclass(frozen=True)
class Related:
    """The relation of two tensors. by: the factor if SCALED. same_shape: set only if PERMUTED."""

    kind: Kind
    by: float | None = None
    same_shape: bool = False

    @property
    def is_misplaced(self) -> bool:
        """True if the values are permuted within the same shape."""
        return self.kind == Kind.PERMUTED and self.same_shape

    @property
    def rank(self) -> tuple[bool, bool, Kind]:
        """The sort key: highest for EQUAL, then for misplaced values, then in the order of Kind."""
        return self.kind == Kind.EQUAL, self.is_misplaced, self.kind


OTHER = Related(Kind.OTHER)
Shapes = tuple[Shape | None, Shape | None]


def compare(yours: Numbers, theirs: Numbers, shapes: Shapes = (None, None), repeats: bool = False) -> Related:
    """Return how `yours` relates to `theirs`: equal, reshaped, permuted, a part, scaled, or other.

    shapes: the shapes of both; None for values of several tensors. repeats: True if `yours` may
    contain a value of `theirs` more than once.
    """
    one, other = (shape and tuple(size for size in shape if size != 1) for shape in shapes)
    same_shape = None not in shapes and one == other
    telling = tells(yours)
    if yours.are(theirs, in_order=True):
        return Related(Kind.EQUAL) if same_shape else Related(Kind.RESHAPED) if telling else OTHER
    if not telling or len(theirs.flat) < 2 or not tells(theirs):
        return OTHER
    if yours.are(theirs):
        return Related(Kind.PERMUTED, same_shape=same_shape)
    if len(yours.flat) == len(theirs.flat):
        by = factor(yours, theirs)
        return Related(Kind.SCALED, by) if by is not None else OTHER
    may_be_part = repeats or len(yours.flat) < len(theirs.flat)
    return Related(Kind.PART) if may_be_part and is_part(yours, theirs) else OTHER


def numbers_of(array: Array) -> Numbers:
    """Return the values of a tensor as the Numbers that `compare` takes."""
    return Numbers(numbers_in([array]))


def tells(numbers: Numbers) -> bool:
    """Return whether values can identify a tensor. Those of masks and constant tensors cannot."""
    finite = numbers.ordered[np.isfinite(numbers.ordered)]
    return (
        len(finite) > 0 and not np.isin(finite, (0, 1)).all() and (len(finite) == 1 or finite[-1] - finite[0] > NOISE)
    )


def factor(numbers: Numbers, known: Numbers) -> float | None:
    """Return the constant that turns `known` into `numbers`, in any order; None if there is none."""
    if not numbers.size or not known.size or not 3 <= len(numbers.flat) == len(known.flat):
        return None
    by = numbers.size / known.size
    room = 2 * SAME * numbers.size + NOISE
    with np.errstate(invalid="ignore"):
        if alike(numbers.ordered, known.ordered * np.float32(by), room):
            return by
        if alike(numbers.ordered, known.ordered[::-1] * np.float32(-by), room):
            return -by
    return None


def is_part(numbers: Numbers, known: Numbers) -> bool:
    """Return whether there are several numbers, and each occurs in `known`, up to rounding."""
    mine, theirs = numbers.ordered, known.ordered
    if len(mine) < 2:
        return False
    right = np.searchsorted(theirs, mine).clip(0, len(theirs) - 1)
    left = (right - 1).clip(0)
    room = 0.1 * SAME * known.size + NOISE
    with np.errstate(invalid="ignore"):
        near = (np.abs(theirs[left] - mine) <= room) | (np.abs(theirs[right] - mine) <= room) | (theirs[right] == mine)
    return bool(near.all())


@dataclass(frozen=True)
class Wrong:
    """A wrong output of a case, with the data that relations need.

    dims: names of the output's dimensions. sizes: sizes of dimensions and integer inputs, by name.
    title: the output's title; empty for the only output. right_elsewhere: True if the step's answer
    to another case is right.
    """

    yours: Array
    expected: Array
    dims: tuple[str, ...]
    sizes: Mapping[str, int]
    inputs: Mapping[str, Array]
    tolerance: Tolerance
    title: str = ""
    right_elsewhere: bool = False

    def same(self, one: Array, other: Array) -> bool:
        """Return whether two arrays have the same shape and agree within the case's tolerance."""
        return close(one, other, self.tolerance)

    @property
    def same_shape(self) -> bool:
        """True if the output has the expected shape."""
        return self.yours.shape == self.expected.shape

    @property
    def telling(self) -> bool:
        """True if the expected output has several elements that are not all equal."""
        return self.expected.size > 1 and float(np.ptp(self.expected[np.isfinite(self.expected)], axis=None)) > 0


Outcome = frozenset[str] | None
"""A relation's result: sentences if the relation holds, empty if not, None if inapplicable."""

Relation = Callable[[Wrong], Outcome]
"""A function that checks whether a wrong output relates to the expected one in a certain way."""

NO: Outcome = frozenset()


def says(sentence: str) -> Outcome:
    """Return the outcome of a relation that holds, with one sentence about it."""
    return frozenset({sentence})


def all_zero(wrong: Wrong) -> Outcome:
    """Check whether all values are zero, some expected values are not, and no case is right."""
    if not wrong.right_elsewhere and wrong.yours.size and not np.any(wrong.yours) and np.any(wrong.expected):
        return says("All your numbers are zero. Is a result computed but never stored or returned?")
    return NO


def returns_an_input(wrong: Wrong) -> Outcome:
    """Check whether the output equals one of the inputs."""
    yours = f"Your {wrong.title} is" if wrong.title else "You return"
    names = (name for name, array in wrong.inputs.items() if wrong.same(wrong.yours, array))
    return next((says(f"{yours} `{name}` unchanged.") for name in names), NO)


def transposed(wrong: Wrong) -> Outcome:
    """Check whether the output is the right answer with its last two dimensions swapped."""
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
    """Check whether the output is the right answer times a constant, and name likely constants."""
    if not wrong.same_shape or not wrong.telling:
        return None
    largest = np.unravel_index(int(np.abs(wrong.expected).argmax()), wrong.expected.shape)
    by = float(wrong.yours[largest]) / float(wrong.expected[largest])
    if not np.isfinite(by) or by == 0 or not wrong.same(wrong.yours, wrong.expected.astype(float) * by):
        return NO
    found = {_factor_sentence(name) for name, value in meanings(wrong.sizes) if math.isclose(by, value, rel_tol=NEARLY)}
    return frozenset(found | {f"Your numbers are the right ones times {by:.4g}, everywhere."})


def meanings(sizes: Mapping[str, int]) -> list[tuple[str, float]]:
    """Return likely factors with names: -1, each size, the root of each, and the inverses of both."""
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


def same_values_reordered(wrong: Wrong) -> Outcome:
    """Check whether the output has the expected values in another order."""
    if wrong.yours.size != wrong.expected.size:
        return NO
    if not wrong.telling:
        return None
    shapes = wrong.yours.shape, wrong.expected.shape
    if compare(numbers_of(wrong.yours), numbers_of(wrong.expected), shapes).kind not in (Kind.PERMUTED, Kind.RESHAPED):
        return NO
    return says(
        "These are the right numbers in another order. Look at your transposes, for a `view` or `reshape` in place of one, and for the "
        "dimension along which you join, repeat or step."
    )


def extra_dimension(wrong: Wrong) -> Outcome:
    """Check whether the output has the expected values in too few or too many dimensions."""
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
    extra_dimension,
    constant_factor,
    same_values_reordered,
)
"""The relations for a course that defines none. The first relation that holds is reported."""


def find_relation(cases: Sequence[Wrong], relations: Sequence[Relation]) -> tuple[str, str] | None:
    """Return the name and a sentence of the first relation that holds in all applicable cases."""
    for relation in relations:
        with np.errstate(all="ignore"):  # values may be nan or infinite
            outcomes = [outcome for case in cases if (outcome := relation(case)) is not None]
        if outcomes and (common := frozenset.intersection(*outcomes)):
            return relation.__name__, min(common, key=lambda sentence: ("everywhere" in sentence, len(sentence)))
    return None
