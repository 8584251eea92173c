"""A trace: which operations on tensors some code did in one case, in order, as plain data. Nothing here needs torch."""

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from autograder.course.answer import Array
from autograder.course.shapes import Shape

HUGE = 1e7
"""Larger numbers count as infinity, such as −1e9 and what is left of it once it is scaled, with which some hide scores."""

MOST_PLACES, MOST_KEPT = 300, 1_000_000
"""So many operations are noted at most, and so many of the numbers that the first of them made."""

SAME, NOISE = 1e-4, 1e-6
"""How far the same numbers may differ: as a share of their root mean square, and at least."""


def numbers_in(arrays: Iterable[Array]) -> Array:
    """Return the numbers of some arrays, one after the other, as they are compared."""
    with np.errstate(invalid="ignore", over="ignore"):  # uninitialised numbers may be anything
        numbers = np.concatenate([np.ravel(array).astype(np.float32) for array in arrays])
        return np.where(np.abs(numbers) >= HUGE, np.copysign(np.float32(np.inf), numbers), numbers)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers one after the other, whatever shape they had, to be recognised elsewhere."""

    flat: Array

    @functools.cached_property
    def ordered(self) -> Array:
        """The numbers from the least to the largest."""
        return np.sort(self.flat)

    @functools.cached_property
    def size(self) -> float:
        """The root of the mean square of those that are finite."""
        finite = self.flat[np.isfinite(self.flat)].astype(np.float64)
        return float(np.sqrt(np.square(finite).mean())) if len(finite) else 0.0

    def are(self, other: "Numbers", in_order: bool = False) -> bool:
        """Return whether they are the same as others; in_order: also one after the other."""
        if len(self.flat) != len(other.flat):
            return False
        one, another = (self.flat, other.flat) if in_order else (self.ordered, other.ordered)
        return alike(one, another, SAME * (self.size + other.size) + NOISE)


def alike(one: Array, other: Array, room: float) -> bool:
    """Return whether numbers in the same places differ by no more than there is room for."""
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) <= room
    return bool((near | (one == other) | (np.isnan(one) & np.isnan(other))).all())


OUTSIDE = -1
"""Stands for the operation that made a tensor, if none did: it came from outside the code."""


@dataclass(frozen=True, eq=False)
class Made:
    """What an operation made in one call of the code, however often it ran, and of what.

    name: of the operation, or of the attribute that a module is given. takes: the numbers of the operations that made what it
    took, in its order, or OUTSIDE. shapes: the different ones, in order. times: how many tensors there were. numbers: of the last one, and if there were
    several, of all of them together; none if there were too many.
    """

    name: str
    takes: tuple[int, ...]
    shapes: Annotated[tuple[Shape, ...], msgspec.Meta(min_length=1)]
    times: int
    numbers: tuple[Numbers, ...]

    @property
    def last(self) -> Array | None:
        """The last tensor, if its numbers are known."""
        return self.numbers[0].flat.reshape(self.shapes[-1]) if self.numbers else None

    def has_numbers_of(self, other: "Made", in_order: bool = False) -> bool:
        """Return whether this and another are the same numbers, in any shape; in_order: also one after the other."""
        return any(one.are(another, in_order) for one in self.numbers for another in other.numbers)

    def is_same(self, other: "Made") -> bool:
        """Return whether this and another are the same numbers, as far as they are known, one after the other in the same shapes."""
        unknown = not self.numbers and not other.numbers
        return self.shapes == other.shapes and (unknown or self.has_numbers_of(other, in_order=True))


@dataclass(frozen=True)
class Operation:
    """An operation at one place in the code.

    call: the number of the call in which it ran. span: the first and the last line of the expression, its first column and its last.
    function: what encloses it.
    """

    call: int
    path: str
    span: Annotated[tuple[int, ...], msgspec.Meta(min_length=4, max_length=4)]
    function: str
    made: Made

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.made.name

    @property
    def takes(self) -> tuple[int, ...]:
        """The numbers of the operations that made what it took, each once."""
        return tuple(dict.fromkeys(number for number in self.made.takes if number != OUTSIDE))


@dataclass(frozen=True)
class Call:
    """A call of the code from outside. given: the shape of each tensor, and each number as it is written, by name."""

    function: str
    given: tuple[tuple[str, Shape | str], ...]


@dataclass(frozen=True)
class Stop:
    """Where the code raised.

    lines: the path, line and name of each own function that was running, from the outside in. operands: the name, or nothing, and
    the shape of each tensor that a failed operation took; takes: the numbers of the operations that made them.
    """

    call: int
    lines: Annotated[tuple[tuple[str, int, str], ...], msgspec.Meta(min_length=1)]
    operands: tuple[tuple[str, Shape], ...] = ()
    takes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Trace:
    """What ran in one case.

    stop: where it raised, if the code did. ends: the numbers of the operations whose tensors something outside the code took.
    """

    calls: tuple[Call, ...] = ()
    operations: tuple[Operation, ...] = ()
    stop: Stop | None = None
    ends: tuple[int, ...] = ()


def check(trace: Trace) -> None:
    """Raise ValueError for a trace that nothing has done."""
    every_made = [one.made for one in trace.operations]
    kept = sum(len(numbers.flat) for made in every_made for numbers in made.numbers)
    if len(every_made) > MOST_PLACES or kept > MOST_KEPT:
        raise ValueError("it is longer than a trace may be")
    for made in every_made:
        if any(size < 0 for shape in made.shapes for size in shape):
            raise ValueError("it names a size below zero")
        if any(one.flat.dtype != np.float32 or one.flat.ndim != 1 for one in made.numbers):
            raise ValueError("it names numbers of another form")
        if made.numbers and len(made.numbers[0].flat) != math.prod(made.shapes[-1]):
            raise ValueError("it names numbers that have another shape")
    named: list[Operation | Stop] = [*trace.operations, *([trace.stop] if trace.stop else [])]
    every = {*range(len(trace.operations))}
    for one in named:
        if not 0 <= one.call < len(trace.calls) or not {*one.takes} <= every:
            raise ValueError("it names a call or an operation that is not in it")
    if not {*trace.ends} <= every:
        raise ValueError("it names an end that is not in it")
