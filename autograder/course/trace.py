"""A trace: which operations on tensors some code did in one case, in order, as plain data. Nothing here needs torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import numpy as np

from autograder.course.answer import Array
from autograder.course.shapes import Shape

Digest = Annotated[tuple[float, ...], msgspec.Meta(min_length=7, max_length=7)]
"""Numbers in brief: how many, and how many of them are smaller than HUGE; of those the mean, the root of the mean square, the least and
the largest, and at the end a mean that depends on their order."""

HUGE = 1e30
"""Larger numbers count as infinity, such as those that some hide scores with."""

SAME, NOISE = 1e-4, 1e-6
"""How far two digests of the same numbers may differ: as a share of their root mean square, and at least."""


def digest_of(arrays: Sequence[Array]) -> Digest:
    """Return the digest of all numbers of some arrays, one array after the other."""
    with np.errstate(invalid="ignore"):  # uninitialised numbers may be nan
        numbers = np.concatenate([np.ravel(array).astype(np.float64) for array in arrays])
    is_finite = np.abs(numbers) < HUGE
    finite = numbers[is_finite] if is_finite.any() else np.zeros(1)
    in_order = np.where(is_finite, numbers, 0.0) @ np.cos(np.arange(1, len(numbers) + 1)) / len(finite)
    brief = (finite.mean(), np.sqrt(np.square(finite).mean()), finite.min(), finite.max(), in_order)
    return (float(len(numbers)), float(is_finite.sum()), *(float(f"{number:.6g}") for number in brief))


@dataclass(frozen=True)
class Made:
    """What an operation made in one call of the code, however often it ran.

    shapes: the different ones, in order. times: how many tensors there were. digests: of the last one, and if there were
    several, of all of them together; none if there were too many numbers.
    """

    shapes: Annotated[tuple[Shape, ...], msgspec.Meta(min_length=1)]
    times: int
    digests: tuple[Digest, ...]

    def has_numbers_of(self, other: "Made", in_order: bool = False) -> bool:
        """Return whether this and another are the same numbers, in any shape; in_order: also one after the other."""
        return any(_are_same(one, another, in_order) for one in self.digests for another in other.digests)

    def is_same(self, other: "Made") -> bool:
        """Return whether this and another are the same numbers, as far as they are known, one after the other in the same shapes."""
        unknown = not self.digests and not other.digests
        return self.shapes == other.shapes and (unknown or self.has_numbers_of(other, in_order=True))


def _are_same(one: Digest, other: Digest, in_order: bool) -> bool:
    if one[:2] != other[:2]:
        return False
    room, last = SAME * (one[3] + other[3]) + NOISE, None if in_order else -1
    return all(abs(mine - theirs) <= room for mine, theirs in zip(one[2:last], other[2:last], strict=True))


@dataclass(frozen=True)
class Operation:
    """An operation at one place in the code.

    call: the number of the call in which it ran. span: the first and the last line of the expression, its first column and its last.
    function: what encloses it. name: of the operation, or of the attribute that a module is given. takes: the numbers of the
    operations that made what it took.
    """

    call: int
    path: str
    span: tuple[int, ...]
    function: str
    name: str
    takes: tuple[int, ...]
    made: Made


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
    """What ran in one case. stop: where it raised, if the code did."""

    calls: tuple[Call, ...] = ()
    operations: tuple[Operation, ...] = ()
    stop: Stop | None = None


def from_plain(data: Any) -> Trace:
    """Return the trace of which `asdict` made plain data. Raises ValueError on anything that is no trace."""
    trace = msgspec.convert(data, Trace)
    named: list[Operation | Stop] = [*trace.operations, *([trace.stop] if trace.stop else [])]
    for one in named:
        if not 0 <= one.call < len(trace.calls) or not {*one.takes} <= {*range(len(trace.operations))}:
            raise ValueError("it names a call or an operation that is not in it")
    return trace
