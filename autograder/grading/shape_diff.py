"""Boxes: a wrong shape beside the right one, dimension by dimension."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from autograder.course.shapes import Shape

NamedSize = tuple[str, int, bool]
"""One dimension of one shape: its name, empty if unknown, its size, and whether it is off."""

MOST_SIDES = 8
"""A shape of more dimensions is shown by the message only."""


@dataclass(frozen=True)
class Side:
    """One dimension. expected, yours: its sizes; None if that shape lacks it. called: yours is this dimension's size instead."""

    name: str
    expected: int | None
    yours: int | None
    called: str = ""

    @property
    def off(self) -> bool:
        """Whether the sizes differ, or one shape lacks the dimension."""
        return self.expected != self.yours

    @property
    def says(self) -> str:
        """What is wrong with it, in words; empty if nothing is."""
        if not self.off:
            return ""
        if self.yours is None:
            return f"{_named(self.name, self.expected)} is missing"
        if self.expected is None:
            return f"a dimension too many: {_named(self.called, self.yours)}"
        if self.called and self.called != self.name:
            return f"{_named(self.called, self.yours)} is where {_named(self.name, self.expected)} should be"
        return f"{self.name or 'a dimension'} should be {self.expected} and is {self.yours}"


@dataclass(frozen=True)
class Boxes:
    """Two shapes, aligned. name: which output it is; empty if there is only one."""

    name: str
    sides: tuple[Side, ...]

    @property
    def expected(self) -> tuple[NamedSize, ...]:
        """The right shape; off is what yours lacks."""
        return tuple((side.name, side.expected, side.yours is None) for side in self.sides if side.expected is not None)

    @property
    def yours(self) -> tuple[NamedSize, ...]:
        """The given shape; a dimension of another size goes by what that size is called."""
        return tuple(
            (side.called if side.off else side.name, side.yours, side.off)
            for side in self.sides
            if side.yours is not None
        )


def boxes_of(name: str, expected: Shape, yours: Shape, dims: Sequence[str], called: Sequence[str]) -> Boxes | None:
    """Align two shapes; None if there are too many dimensions. dims, called: the names of theirs, empty if unknown.

    A dimension matched in place is not matched again; an equal size elsewhere is a coincidence.
    """
    if max(len(expected), len(yours)) > MOST_SIDES:
        return None
    places, given = _alignment(expected, yours)
    sides = [
        Side(
            dims[place] if place is not None else "",
            expected[place] if place is not None else None,
            yours[other] if other is not None else None,
            called[other] if other is not None else "",
        )
        for place, other in zip(places, given, strict=True)
    ]
    settled = {side.name for side in sides if not side.off}
    return Boxes(
        name, tuple(replace(side, called="") if side.off and side.called in settled else side for side in sides)
    )


def _alignment(expected: Shape, yours: Shape) -> tuple[list[int | None], list[int | None]]:
    """Return which dimension stands beside which, None beside one that the other shape lacks."""
    if len(expected) < len(yours):
        given, places = _alignment(yours, expected)
        return places, given
    kept = min(
        combinations(range(len(expected)), len(yours)),
        key=lambda kept: (
            sum(expected[place] != size for place, size in zip(kept, yours, strict=True)),
            [expected[place] == 1 for place in kept],
            [-place for place in kept],
        ),
    )
    beside = {place: other for other, place in enumerate(kept)}
    return list(range(len(expected))), [beside.get(place) for place in range(len(expected))]


def _named(name: str, size: int | None) -> str:
    return f"{name}={size}" if name else f"size {size}"
