"""The relation of one tensor to another: equal, reshaped, permuted, scaled, a part of it, or another."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from autograder.course.answer import Array
from autograder.course.shapes import Shape
from autograder.course.tolerances import NOISE, SAME
from autograder.course.trace import Numbers, alike, numbers_in


class Kind(IntEnum):
    """A relation of two tensors, the closest last."""

    OTHER = 0
    SCALED = 1
    """Times a constant."""
    PART = 2
    """Some of the numbers, or of what is repeated all of them several times."""
    PERMUTED = 3
    """The same numbers in another order."""
    RESHAPED = 4
    """The same numbers one after the other, in another shape, or made piece by piece."""
    EQUAL = 5


@dataclass(frozen=True)
class Related:
    """The relation of a tensor to another. by: the factor, if it is scaled. same_shape: only the order of the numbers differs."""

    kind: Kind
    by: float | None = None
    same_shape: bool = False

    @property
    def is_misplaced(self) -> bool:
        """True if the numbers are in the right shape, but at other places."""
        return self.kind == Kind.PERMUTED and self.same_shape

    @property
    def rank(self) -> tuple[bool, bool, Kind]:
        """The order of relations: numbers at other places rank above the same ones in another shape."""
        return self.kind == Kind.EQUAL, self.is_misplaced, self.kind


OTHER = Related(Kind.OTHER)

Shapes = tuple[Shape | None, Shape | None]


def compare(yours: Numbers, theirs: Numbers, shapes: Shapes = (None, None), repeats: bool = False) -> Related:
    """Return how some numbers are related to others.

    shapes: of both, None for several tensors together. repeats: whether what made yours repeats numbers.
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
    """Return the numbers of a tensor, to be compared."""
    return Numbers(numbers_in([array]))


def tells(numbers: Numbers) -> bool:
    """Return whether numbers are so different that a coincidence is unlikely: a mask, or a tensor of ones, tells nothing."""
    finite = numbers.ordered[np.isfinite(numbers.ordered)]
    return (
        len(finite) > 0 and not np.isin(finite, (0, 1)).all() and (len(finite) == 1 or finite[-1] - finite[0] > NOISE)
    )


def factor(numbers: Numbers, known: Numbers) -> float | None:
    """Return by what constant something known was multiplied, if it was, in the same order or in another."""
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
    """Return whether all of some numbers are among those of something known."""
    mine, theirs = numbers.ordered, known.ordered
    if len(mine) < 2:
        return False
    right = np.searchsorted(theirs, mine).clip(0, len(theirs) - 1)
    left = (right - 1).clip(0)
    room = 0.1 * SAME * known.size + NOISE
    with np.errstate(invalid="ignore"):
        near = (np.abs(theirs[left] - mine) <= room) | (np.abs(theirs[right] - mine) <= room) | (theirs[right] == mine)
    return bool(near.all())
