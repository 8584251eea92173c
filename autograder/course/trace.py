"""A trace: the operations on tensors of some code in one case, as plain data."""

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from autograder.course.answer import Array, Size
from autograder.course.shapes import Shape
from autograder.course.tolerances import NOISE, SAME

HUGE = 1e7
"""Larger numbers count as infinity, such as −1e9, with which some hide scores, even scaled."""

MOST_PLACES, MOST_KEPT = 300, 1_000_000
"""The most operations that are noted, and numbers that are kept of them."""


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
"""In place of an operation's number, for a tensor that came from outside the code."""


@dataclass(frozen=True, eq=False)
class Made:
    """The tensors that an operation made in one call of the code, however often it ran.

    name: of the operation, or of the attribute that a module is given. takes: the numbers of the
    operations that made its operands, in order, or OUTSIDE. shapes: the different ones, in order.
    times: how many tensors there were. numbers: of the last one, and of several together; none if
    there were too many.
    """

    name: str
    takes: tuple[int, ...]
    shapes: Annotated[tuple[tuple[Size, ...], ...], msgspec.Meta(min_length=1)]
    times: int
    numbers: tuple[Numbers, ...]

    @property
    def last(self) -> Array | None:
        """The last tensor, if its numbers are known."""
        return self.numbers[0].flat.reshape(self.shapes[-1]) if self.numbers else None

    def has_numbers_of(self, other: "Made", in_order: bool = False) -> bool:
        """Return whether both have the same numbers, in any shape. in_order: in one order."""
        return any(one.are(another, in_order) for one in self.numbers for another in other.numbers)

    def is_same(self, other: "Made") -> bool:
        """Return whether both have the same shapes, and the same numbers if they are known."""
        unknown = not self.numbers and not other.numbers
        return self.shapes == other.shapes and (unknown or self.has_numbers_of(other, in_order=True))


@dataclass(frozen=True)
class Operation:
    """An operation at one place in the code.

    call: the number of the call in which it ran. span: the first and the last line of the
    expression, its first column and its last. function: what encloses it.
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
    """A call of the code from outside. given: by name, a tensor's shape or a number as written."""

    function: str
    given: tuple[tuple[str, Shape | str], ...]


@dataclass(frozen=True)
class Stop:
    """The place where the code raised.

    lines: the path, line and name of each own function that was running, from the outside in.
    operands: the name, or nothing, and the shape of each tensor that a failed operation took;
    takes: the numbers of the operations that made them.
    """

    call: int
    lines: Annotated[tuple[tuple[str, int, str], ...], msgspec.Meta(min_length=1)]
    operands: tuple[tuple[str, Shape], ...] = ()
    takes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Trace:
    """The run of some code in one case.

    stop: where the code raised, if it did. ends: the numbers of the operations whose tensors were
    taken from outside the code.
    """

    calls: tuple[Call, ...] = ()
    operations: Annotated[tuple[Operation, ...], msgspec.Meta(max_length=MOST_PLACES)] = ()
    stop: Stop | None = None
    ends: tuple[int, ...] = ()


def check(trace: Trace) -> None:
    """Raise ValueError for a trace that nothing has done."""
    if sum(len(one.flat) for operation in trace.operations for one in operation.made.numbers) > MOST_KEPT:
        raise ValueError("it is longer than a trace may be")
    for made in (operation.made for operation in trace.operations):
        if any(one.flat.dtype != np.float32 or one.flat.ndim != 1 for one in made.numbers):
            raise ValueError("it names numbers of another form")
        if made.numbers and len(made.numbers[0].flat) != math.prod(made.shapes[-1]):
            raise ValueError("it names numbers that have another shape")
    calls, operations = {*range(len(trace.calls))}, {*range(len(trace.operations))}
    named: list[Operation | Stop] = [*trace.operations, *([trace.stop] if trace.stop else [])]
    for one in named:
        if one.call not in calls or not {*one.takes} <= operations:
            raise ValueError("it names a call or an operation that is not in it")
    if not {*trace.ends} <= operations:
        raise ValueError("it names an end that is not in it")
