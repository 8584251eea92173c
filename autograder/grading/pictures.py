"""The picture of a wrong answer: the part of two tensors that is shown, and two shapes side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest

import numpy as np

from autograder.course.answer import Array
from autograder.course.model import NO_WORDS, Words
from autograder.course.shapes import Shape
from autograder.course.tolerances import MOVED, NEARLY, SHOWN

UNKNOWN = -1
"""An owner that is unknown, since equal numbers belong to several."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Owners:
    """The row, column or other slice of the right answer to which each shown number belongs. by: the word for such a slice.

    expected, yours: the owner's number for each cell, UNKNOWN if it is not clear.
    """

    by: str
    expected: Array
    yours: Array


def letter(owner: int) -> str:
    """Return the letter beside the numbers of an owner, for readers without colours."""
    return "?" if owner == UNKNOWN else LETTERS[owner % len(LETTERS)]


def sources(expected: Array, yours: Array, rounding: float) -> tuple[Array, ...] | None:
    """Return for each number of yours its place in the expected answer, as one array of indices per dimension.

    Returns None unless both hold the same numbers in another order, most of them once. rounding: how far equal numbers may be
    apart. A number that is in several places counts as in its own if it is right there, and as UNKNOWN elsewhere.
    """
    if not np.isfinite(expected).all() or not np.isfinite(yours).all():
        return None
    ranks, given = (np.argsort(array, axis=None, kind="stable") for array in (expected, yours))
    numbers = expected.ravel()[ranks]
    if not np.allclose(yours.ravel()[given], numbers, rtol=0, atol=rounding):
        return None
    alike = np.diff(numbers) <= 2 * rounding
    places, several = np.empty(numbers.size, dtype=int), np.empty(numbers.size, dtype=bool)
    places[given], several[given] = ranks, np.append(alike, False) | np.append(False, alike)
    if 2 * several.sum() > several.size:
        return None
    in_place = np.abs(expected - yours).ravel() <= rounding
    places[in_place] = np.flatnonzero(in_place)
    lost = (several & ~in_place).reshape(expected.shape)
    return tuple(
        np.where(lost, UNKNOWN, index) for index in np.unravel_index(places.reshape(expected.shape), expected.shape)
    )


MOST_ROWS, MOST_COLUMNS = 8, 8

LONGEST_CORNER = 9

COMPARED = ("expected", "yours", "difference")
"""The titles of two tensors and their difference."""

CHANGED = ("before", "after", "change")
"""The titles of an argument before and after the run, and their difference."""


@dataclass(frozen=True)
class View:
    """The part of two tensors that is shown: matrices, of one row if the tensors are vectors or numbers.

    dims: all dimensions of the tensors. words: for a slice along each of them; an empty one if the course has none. labels: of slices,
    by the word for such a slice. where: the indices of the dimensions before the last two. row, column: the place in the tensor where
    the part begins. shape: of the whole tensor. wrong: the cells in which expected and yours differ. whole: True for integers.
    titles: of the three matrices. sums: of the shown rows of yours, the hidden columns included, if each should add up to 1 and one
    does not; else empty. owners: the places of right numbers that are in another order.
    """

    name: str
    dims: tuple[str, ...]
    where: tuple[int, ...]
    labels: Mapping[str, tuple[str, ...]]
    row: int
    column: int
    shape: tuple[int, ...]
    boolean: bool
    expected: Array
    yours: Array
    wrong: Array
    whole: bool = False
    titles: tuple[str, str, str] = COMPARED
    sums: tuple[float, ...] = ()
    owners: Owners | None = None
    words: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The output and the slice of it that is shown; empty if there is only one."""
        called = (word or name or "slice" for name, word in zip_longest(self.dims, self.words, fillvalue=""))
        leading = [f"{name} {i}" for name, i in zip(called, self.where, strict=False)]
        return ", ".join([*([self.name] if self.name else []), *leading])

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows: labels where each row has one, else numbers; none of a vector."""
        return self._labels(-2, self.row, len(self.expected)) if len(self.shape) > 1 else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the same way; none of a single number."""
        return self._labels(-1, self.column, self.expected.shape[1]) if self.shape else ()

    @property
    def difference(self) -> Array:
        """Yours minus expected."""
        with np.errstate(invalid="ignore", over="ignore"):
            return self.yours - self.expected

    @property
    def left_out(self) -> str:
        """The part of a larger matrix that is shown, in words; empty if it is the whole."""
        if self.expected.size == np.prod(self.shape[-2:]):
            return ""
        if not self.row and not self.column:
            return "the first rows and columns of a larger tensor"
        return f"from row {self.row} and column {self.column} on, a part of a larger tensor"

    def narrowed(self, most_columns: int) -> "View":
        """Return the view with fewer columns: the first, unless nothing wrong would be seen there."""
        _, column = _corner(self.wrong, most_columns)
        part = np.s_[:, column : column + most_columns]
        owners = self.owners
        return replace(
            self,
            column=self.column + column,
            expected=self.expected[part],
            yours=self.yours[part],
            wrong=self.wrong[part],
            owners=owners and replace(owners, expected=owners.expected[part], yours=owners.yours[part]),
        )

    def write(self, value: float) -> str:
        """Write a number as it is written beside the expected ones."""
        return write_number(value, largest_of(self.expected), self.whole)

    def sum_is_off(self, row: int) -> bool:
        """Return whether the sum of a shown row is not 1."""
        return abs(self.sums[row] - 1.0) > NEARLY

    def write_difference(self, value: float) -> str:
        """Write a difference; a very small one by its order of magnitude, `2e-3`."""
        written = self.write(value)
        return written if written.strip("-0.") else f"{value:.0e}".replace("e-0", "e-")

    def write_sum(self, row: int) -> str:
        """Write the sum of a shown row, with more decimals if it is nearly 1."""
        written = write_number(self.sums[row], abs(self.sums[row]))
        return f"{self.sums[row]:.4f}" if written == "1.00" and self.sum_is_off(row) else written

    def owner_name(self, owner: int) -> str:
        """Return the name of an owner of numbers: its label if there is one."""
        by = self.owners.by if self.owners else ""
        labels = self.labels.get(by, ())
        return labels[owner] if owner < len(labels) else f"{by} {owner}"

    def _labels(self, axis: int, first: int, count: int) -> tuple[str, ...]:
        """Return the labels of some slices along a dimension; of one without a name, those of which there are as many."""
        size, unnamed = self.shape[axis], not any(self.dims[axis:][:1])
        fitting = (
            labels
            for word, labels in self.labels.items()
            if len(labels) == size and (unnamed or self.words[axis] == word)
        )
        return tuple(map(str, next(fitting, range(size))[first : first + count]))


def view_of(
    name: str,
    expected: Array,
    yours: Array,
    dims: tuple[str, ...],
    labels: Mapping[str, tuple[str, ...]] | None = None,
    words: Words = NO_WORDS,
    titles: tuple[str, str, str] = COMPARED,
    wrong: Array | None = None,
) -> View:
    """Choose the part to show of two tensors of one shape: the first rows and columns, unless nothing wrong would be seen there.

    wrong: the cells in which they differ; by default by more than rounding. titles: CHANGED for an argument before and after the run.
    """
    wrong = wrong_cells(yours, expected) if wrong is None else wrong
    where = _worst_slice(expected, yours, wrong)
    row, column = _corner(np.atleast_2d(wrong[where]), MOST_COLUMNS)
    part = np.s_[row : row + MOST_ROWS, column : column + MOST_COLUMNS]
    shown, given = _matrix(expected[where]), _matrix(yours[where])
    answered = titles == COMPARED  # of what a tensor was before, no order and no sum is the right one
    return View(
        name=name,
        dims=dims,
        where=where,
        labels=labels or {},
        row=row,
        column=column,
        shape=expected.shape,
        boolean=expected.dtype == bool,
        expected=shown[part],
        yours=given[part],
        wrong=np.atleast_2d(wrong[where])[part],
        whole=expected.dtype.kind in "iu",
        titles=titles,
        sums=_sums(shown, given)[row : row + MOST_ROWS] if answered and expected.dtype.kind == "f" else (),
        owners=_owners(expected, yours, where, part, words.along(dims)) if answered else None,
        words=words.along(dims),
    )


def rows_and_columns(dims: tuple[str, ...]) -> str:
    """Return the names of rows and columns for the corner of a table: `tq/tk`; an empty text if they are long."""
    names = "/".join(name for name in dims[-2:] if name)
    return names if len(names) <= LONGEST_CORNER else ""


def write_number(value: float, largest: float, whole: bool = False) -> str:
    """Write a number with as many decimals as fit beside others. largest: the largest of them. whole: none at all."""
    if not np.isfinite(value):
        return str(value)
    if whole:
        return f"{value:.0f}"
    if abs(value) >= 100_000:
        return f"{value:.0e}"
    decimals = 0 if largest >= 1000 else 1 if largest >= 100 else 2
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # adding zero turns -0.0 round


def wrong_cells(yours: Array, expected: Array) -> Array:
    """Return the cells to be shown as wrong: those that differ by more than rounding."""
    tolerance = SHOWN * largest_of(expected)
    with np.errstate(over="ignore"):
        same = np.isclose(yours.astype(float), expected.astype(float), rtol=SHOWN, atol=tolerance, equal_nan=True)
    wrong: Array = ~same
    return wrong


def largest_of(array: Array) -> float:
    """Return the largest size of the numbers, infinities aside; 1 if there is none but zero."""
    finite = np.abs(array[np.isfinite(array)].astype(float))
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _worst_slice(expected: Array, yours: Array, wrong: Array) -> tuple[int, ...]:
    """Return the indices of the dimensions before the last two, of the matrix that is furthest off."""
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.nan_to_num(np.abs(yours.astype(float) - expected.astype(float)), nan=np.inf)
    distance = np.where(wrong, distance, -1.0)
    return tuple(int(i) for i in np.unravel_index(int(distance.argmax()), distance.shape)[:-2])


def _matrix(array: Array) -> Array:
    return np.atleast_2d(array.astype(float))


def _sums(expected: Array, yours: Array) -> tuple[float, ...]:
    """Return the sums of the rows of yours, if all expected rows add up to 1 and one of yours does not.

    Those of numbers that are none would say nothing.
    """
    if expected.shape[1] < 2 or not (expected >= 0).all() or not np.isfinite(yours).all():
        return ()
    with np.errstate(over="ignore"):
        right, given = expected.sum(axis=1), yours.sum(axis=1)
    add_up = (np.abs(right - 1.0) <= NEARLY).all() and not (np.abs(given - 1.0) <= NEARLY).all()
    return tuple(map(float, given)) if add_up and np.isfinite(given).all() else ()


def _owners(
    expected: Array, yours: Array, where: tuple[int, ...], part: tuple[slice, ...], words: tuple[str, ...]
) -> Owners | None:
    """Return to whom the shown numbers belong: to rows, else to slices before them, else to columns."""
    rank = expected.ndim
    found = sources(expected.astype(float), yours.astype(float), MOVED * largest_of(expected))
    if not found or rank < 2 or expected.dtype.kind != "f":
        return None
    for axis in (*range(rank - 2, -1, -1), rank - 1):
        right, given = np.indices(expected.shape)[axis][where][part], found[axis][where][part]
        if ((given != right) & (given != UNKNOWN)).any():
            by = "".join(words[axis : axis + 1]) or {rank - 2: "row", rank - 1: "column"}.get(axis, "slice")
            return Owners(by, right, given)
    return None


def _corner(wrong: Array, most_columns: int) -> tuple[int, int]:
    """Return the row and the column where the part to be shown begins."""
    if wrong[:MOST_ROWS, :most_columns].any() or not wrong.any():
        return 0, 0
    row, column = (int(i) for i in np.argwhere(wrong)[0])
    return max(0, min(row, wrong.shape[0] - MOST_ROWS)), max(0, min(column, wrong.shape[1] - most_columns))


NamedSize = tuple[str, int, bool]
"""One dimension of one shape: its name, empty if unknown, its size, and whether it is off."""

MOST_SIDES = 8
"""A shape of more dimensions is shown by the message only."""


@dataclass(frozen=True)
class Side:
    """One dimension. expected, yours: its sizes; None if that shape lacks it. called: the dimension whose size yours is instead."""

    name: str
    expected: int | None
    yours: int | None
    called: str = ""

    @property
    def off(self) -> bool:
        """True if the sizes differ, or one shape lacks the dimension."""
        return self.expected != self.yours

    @property
    def says(self) -> str:
        """The mistake in words; empty if there is none."""
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
    """Two shapes, aligned. name: of the output; empty if there is only one."""

    name: str
    sides: tuple[Side, ...]

    @property
    def expected(self) -> tuple[NamedSize, ...]:
        """The right shape; a dimension is off if yours lacks it."""
        return tuple((side.name, side.expected, side.yours is None) for side in self.sides if side.expected is not None)

    @property
    def yours(self) -> tuple[NamedSize, ...]:
        """The given shape; a dimension of another size goes by the name of that size."""
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
    if len(expected) < len(yours):
        pairs = [(place, at) for at, place in _aligned(yours, expected)]
    else:
        pairs = _aligned(expected, yours)
    sides = [
        Side((*dims, "")[place], (*expected, None)[place], (*yours, None)[at], (*called, "")[at]) for place, at in pairs
    ]
    settled = {side.name for side in sides if not side.off}
    return Boxes(
        name, tuple(replace(side, called="") if side.off and side.called in settled else side for side in sides)
    )


def _aligned(longer: Shape, shorter: Shape) -> list[tuple[int, int]]:
    """Return each dimension of a shape with that of a shorter one beside it, or -1: most of those are equal."""
    kept = min(
        combinations(range(len(longer)), len(shorter)),
        key=lambda kept: (
            sum(longer[place] != size for place, size in zip(kept, shorter, strict=True)),
            [longer[place] == 1 for place in kept],
            [-place for place in kept],
        ),
    )
    return [(place, kept.index(place) if place in kept else -1) for place in range(len(longer))]


def _named(name: str, size: int | None) -> str:
    return f"{name}={size}" if name else f"size {size}"
