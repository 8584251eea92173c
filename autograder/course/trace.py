"""Traces as plain data: the torch operations that an implementation ran on one case."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from autograder.course.answer import Array
from autograder.course.shapes import Shape
from autograder.course.tolerances import NOISE, SAME

HUGE = 1e7
"""Values from this magnitude on count as infinity: masks may contain −1e9 in place of −inf."""


def numbers_in(arrays: Iterable[Array]) -> Array:
    """Return the elements of several arrays as one float32 vector, with HUGE values as infinity."""
    with np.errstate(invalid="ignore", over="ignore"):  # uninitialised tensors may contain any numbers
        numbers = np.concatenate([np.ravel(array).astype(np.float32) for array in arrays])
        return np.where(np.abs(numbers) >= HUGE, np.copysign(np.float32(np.inf), numbers), numbers)


@dataclass(frozen=True, eq=False)
class Numbers:
    """The elements of tensors as one vector, to compare tensors of different shapes."""

    flat: Array

    @functools.cached_property
    def ordered(self) -> Array:
        """The elements in ascending order."""
        return np.sort(self.flat)

    @functools.cached_property
    def size(self) -> float:
        """The root mean square of the finite elements; 0 if no element is finite."""
        finite = self.flat[np.isfinite(self.flat)].astype(np.float64)
        return float(np.sqrt(np.square(finite).mean())) if len(finite) else 0.0

    def are(self, other: "Numbers", in_order: bool = False) -> bool:
        """Return whether two vectors have the same elements. in_order: whether the order counts."""
        if len(self.flat) != len(other.flat):
            return False
        one, another = (self.flat, other.flat) if in_order else (self.ordered, other.ordered)
        return alike(one, another, SAME * (self.size + other.size) + NOISE)


def alike(one: Array, other: Array, room: float) -> bool:
    """Return whether two arrays differ by at most `room` at each index. nan equals nan."""
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) <= room
    return bool((near | (one == other) | (np.isnan(one) & np.isnan(other))).all())


OUTSIDE = -1
"""The entry of `Made.takes` for an operand that no operation of the trace made."""


@dataclass(frozen=True, eq=False)
class Made:
    """The tensors that an operation made in all its runs during one call of the implementation.

    name: the name of the operation, or of the module's attribute that was assigned.
    takes: for each operand, the index of the operation that made the operand, or OUTSIDE.
    shapes: the distinct shapes. The last tensor's shape comes last. times: the number of tensors.
    numbers: the elements of the last tensor, and, if there are several tensors, the elements of all
    in one vector; empty if the elements are too many or unknown.
    """

    name: str
    takes: tuple[int, ...]
    shapes: tuple[Shape, ...]
    times: int
    numbers: tuple[Numbers, ...]

    @property
    def last(self) -> Array | None:
        """The last tensor that the operation made; None if the trace lacks its elements."""
        return self.numbers[0].flat.reshape(self.shapes[-1]) if self.numbers else None

    def is_same(self, other: "Made") -> bool:
        """Return whether two operations made equal shapes, and equal elements if any are known."""
        if self.shapes != other.shapes or not (self.numbers or other.numbers):
            return self.shapes == other.shapes
        return any(one.are(another, in_order=True) for one in self.numbers for another in other.numbers)


@dataclass(frozen=True)
class Operation:
    """An operation at one location in the source, during one call of the implementation.

    call: the index of the call in the trace. path: the file of the source. span: the first line,
    the last line, the first column and the last column of the expression. function: the enclosing
    function. made: the tensors of all runs of the operation.
    """

    call: int
    path: str
    span: tuple[int, ...]
    function: str
    made: Made

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.made.name

    @property
    def takes(self) -> tuple[int, ...]:
        """The indices of the operations that made this operation's operands, each once."""
        return tuple(dict.fromkeys(number for number in self.made.takes if number != OUTSIDE))


@dataclass(frozen=True)
class Call:
    """A call of a submission's function by code outside the submission.

    function: the name of the function. given: the name of each argument, with the shape of a tensor
    or the text of a number.
    """

    function: str
    given: tuple[tuple[str, Shape | str], ...]


@dataclass(frozen=True)
class Stop:
    """The location in the source at which an exception was raised.

    call: the index of the call in the trace. lines: the path, line and function of each traceback
    frame in the submission, the outermost frame first. operands: the name (empty if unknown) and
    the shape of each operand of the failed operation. takes: the indices of the operations that
    made the operands.
    """

    call: int
    lines: tuple[tuple[str, int, str], ...]
    operands: tuple[tuple[str, Shape], ...] = ()
    takes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Trace:
    """The run of an implementation on one case.

    Operations are identified by their index in `operations`. stop: the location of the exception
    that ended the run; None if none was raised. ends: the indices of the operations whose results
    become operands of operations outside the submission, for example in the probe.
    """

    calls: tuple[Call, ...] = ()
    operations: tuple[Operation, ...] = ()
    stop: Stop | None = None
    ends: tuple[int, ...] = ()
