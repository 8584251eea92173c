"""Choose what a picture of a wrong answer shows: part of two tensors, or two aligned shapes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest

import numpy as np

from autograder.course.answer import Array
from autograder.course.model import NO_WORDS, Words
from autograder.course.shapes import Shape
from autograder.course.tolerances import MOVED, NEARLY, SHOWN

UNKNOWN = -1
"""The owner of a value that occurs several times in the expected answer."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Owners:
    """The owner of each shown value: the row, column or other slice that should have the value.

    by: the word for such slices. expected, yours: the index of each value's owner, or UNKNOWN.
    """

    by: str
    expected: Array
    yours: Array


def letter(owner: int) -> str:
    """Return the letter to draw beside the values of an owner, for readers who see no colours."""
    return "?" if owner == UNKNOWN else LETTERS[owner % len(LETTERS)]


def sources(expected: Array, yours: Array, rounding: float) -> tuple[Array, ...] | None:
    """Return the index in `expected` of each element of `yours`: one array for each dimension.

    Returns None unless both have the same values in some order and at least half are unique.
    A value that occurs several times has its own index where it is right, and else UNKNOWN.
    rounding: the largest difference of equal values.
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
"""The titles of the expected tensor, the student's, and their difference."""


@dataclass(frozen=True)
class View:
    """The shown part of two tensors: two matrices, of one row for a vector or a single value.

    dims, words: each dimension's name, and the course's word for a slice along it, or "".
    labels: the names of slices, by word. where: the leading indices of the shown matrix. row,
    column: where the part begins. shape: of the whole tensor. boolean, whole: True for a boolean
    or integer dtype. wrong: a mask of different elements. sums: of whole rows of `yours`, if all
    sums should be 1 and one is not; else empty. owners: given if `yours` has the expected values in
    another order.
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
    sums: tuple[float, ...] = ()
    owners: Owners | None = None
    words: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The name of the output, if any, and the index of the shown slice: `x, channel 2`."""
        called = (word or name or "slice" for name, word in zip_longest(self.dims, self.words, fillvalue=""))
        leading = [f"{name} {i}" for name, i in zip(called, self.where, strict=False)]
        return ", ".join([*([self.name] if self.name else []), *leading])

    @property
    def rows(self) -> tuple[str, ...]:
        """The labels of the shown rows, or their indices; empty for a vector or a single value."""
        return self._labels(-2, self.row, len(self.expected)) if len(self.shape) > 1 else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The labels of the shown columns, or their indices; empty for a single value."""
        return self._labels(-1, self.column, self.expected.shape[1]) if self.shape else ()

    @property
    def difference(self) -> Array:
        """Yours minus expected, cell by cell."""
        with np.errstate(invalid="ignore", over="ignore"):
            return self.yours - self.expected

    @property
    def left_out(self) -> str:
        """The words for the shown part of a larger matrix; empty if the whole matrix is shown."""
        if self.expected.size == np.prod(self.shape[-2:]):
            return ""
        if not self.row and not self.column:
            return "the first rows and columns of a larger tensor"
        return f"from row {self.row} and column {self.column} on, a part of a larger tensor"

    def narrowed(self, most_columns: int) -> "View":
        """Return the view with fewer columns, chosen to include a wrong cell."""
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
        """Write a value with the decimals that suit the largest expected value."""
        return write_number(value, largest_of(self.expected), self.whole)

    def sum_is_off(self, row: int) -> bool:
        """Return whether the sum of a shown row differs from 1."""
        return abs(self.sums[row] - 1.0) > NEARLY

    def write_difference(self, value: float) -> str:
        """Write a difference as values are written; as `2e-3` if rounding would give zero."""
        written = self.write(value)
        return written if written.strip("-0.") else f"{value:.0e}".replace("e-0", "e-")

    def write_sum(self, row: int) -> str:
        """Write the sum of a shown row, with four decimals if two would hide that it is not 1."""
        written = write_number(self.sums[row], abs(self.sums[row]))
        return f"{self.sums[row]:.4f}" if written == "1.00" and self.sum_is_off(row) else written

    def owner_name(self, owner: int) -> str:
        """Return the label of an owner, or its word and index, such as `row 3`."""
        by = self.owners.by if self.owners else ""
        labels = self.labels.get(by, ())
        return labels[owner] if owner < len(labels) else f"{by} {owner}"

    def _labels(self, axis: int, first: int, count: int) -> tuple[str, ...]:
        """Return the labels of slices along a dimension; their indices if no labels fit."""
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
    wrong: Array | None = None,
) -> View:
    """Choose the part to show of two tensors of one shape: the slice with the largest difference.

    The part begins at the first row and column, or further on to include a wrong element.
    wrong: the mask of errors, else `wrong_cells`.
    """
    wrong = wrong_cells(yours, expected) if wrong is None else wrong
    where = _worst_slice(expected, yours, wrong)
    row, column = _corner(np.atleast_2d(wrong[where]), MOST_COLUMNS)
    part = np.s_[row : row + MOST_ROWS, column : column + MOST_COLUMNS]
    shown, given = _matrix(expected[where]), _matrix(yours[where])
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
        sums=_sums(shown, given)[row : row + MOST_ROWS] if expected.dtype.kind == "f" else (),
        owners=_owners(expected, yours, where, part, words.along(dims)),
        words=words.along(dims),
    )


def rows_and_columns(dims: tuple[str, ...]) -> str:
    """Return the names of the last two dimensions, as `tq/tk`; empty if that is too long."""
    names = "/".join(name for name in dims[-2:] if name)
    return names if len(names) <= LONGEST_CORNER else ""


def write_number(value: float, largest: float, whole: bool = False) -> str:
    """Write a value with decimals that suit the largest value beside it; without, if `whole`."""
    if not np.isfinite(value):
        return str(value)
    if whole:
        return f"{value:.0f}"
    if abs(value) >= 100_000:
        return f"{value:.0e}"
    decimals = 0 if largest >= 1000 else 1 if largest >= 100 else 2
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # adding zero turns -0.0 into 0.0


def wrong_cells(yours: Array, expected: Array) -> Array:
    """Return a mask of the elements that differ by more than the tolerance SHOWN."""
    tolerance = SHOWN * largest_of(expected)
    with np.errstate(over="ignore"):
        same = np.isclose(yours.astype(float), expected.astype(float), rtol=SHOWN, atol=tolerance, equal_nan=True)
    wrong: Array = ~same
    return wrong


def largest_of(array: Array) -> float:
    """Return the largest absolute value of the finite elements; 1 if all are zero."""
    finite = np.abs(array[np.isfinite(array)].astype(float))
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _worst_slice(expected: Array, yours: Array, wrong: Array) -> tuple[int, ...]:
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.nan_to_num(np.abs(yours.astype(float) - expected.astype(float)), nan=np.inf)
    distance = np.where(wrong, distance, -1.0)
    return tuple(int(i) for i in np.unravel_index(int(distance.argmax()), distance.shape)[:-2])


def _matrix(array: Array) -> Array:
    return np.atleast_2d(array.astype(float))


def _sums(expected: Array, yours: Array) -> tuple[float, ...]:
    """Return the row sums of yours if all expected rows add up to 1 and one of yours does not."""
    if expected.shape[1] < 2 or not (expected >= 0).all() or not np.isfinite(yours).all():
        return ()
    with np.errstate(over="ignore"):
        right, given = expected.sum(axis=1), yours.sum(axis=1)
    add_up = (np.abs(right - 1.0) <= NEARLY).all() and not (np.abs(given - 1.0) <= NEARLY).all()
    return tuple(map(float, given)) if add_up and np.isfinite(given).all() else ()


def _owners(
    expected: Array, yours: Array, where: tuple[int, ...], part: tuple[slice, ...], words: tuple[str, ...]
) -> Owners | None:
    """Return owners along a dimension in which values moved, rows if possible; None if none."""
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
    """Return the first row and column to show: 0 and 0 unless all wrong elements are further on."""
    if wrong[:MOST_ROWS, :most_columns].any() or not wrong.any():
        return 0, 0
    row, column = (int(i) for i in np.argwhere(wrong)[0])
    return max(0, min(row, wrong.shape[0] - MOST_ROWS)), max(0, min(column, wrong.shape[1] - most_columns))


NamedSize = tuple[str, int, bool]
"""A dimension of a shape: its name or "", its size, and whether the dimension is wrong."""

MOST_SIDES = 8
"""The most dimensions of a shape that is drawn."""


@dataclass(frozen=True)
class Side:
    """A dimension of two aligned shapes. expected, yours: its sizes; None if it is missing.

    called: the name of the dimension that should have the size in `yours`, or "".
    """

    name: str
    expected: int | None
    yours: int | None
    called: str = ""

    @property
    def off(self) -> bool:
        """True if the sizes differ, or one shape does not have the dimension."""
        return self.expected != self.yours

    @property
    def says(self) -> str:
        """The difference in words; empty if there is none."""
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
    """Two aligned shapes. name: the output's name, "" for the only output. sides: dimensions."""

    name: str
    sides: tuple[Side, ...]

    @property
    def expected(self) -> tuple[NamedSize, ...]:
        """The expected shape. A dimension is wrong if the student's shape does not have it."""
        return tuple((side.name, side.expected, side.yours is None) for side in self.sides if side.expected is not None)

    @property
    def yours(self) -> tuple[NamedSize, ...]:
        """The student's shape. A dimension of wrong size gets its name from `called`."""
        return tuple(
            (side.called if side.off else side.name, side.yours, side.off)
            for side in self.sides
            if side.yours is not None
        )


def boxes_of(name: str, expected: Shape, yours: Shape, dims: Sequence[str], called: Sequence[str]) -> Boxes | None:
    """Align two shapes. Return None if one has more than MOST_SIDES dimensions.

    dims, called: the names of the dimensions of expected and of yours, or "". A wrong dimension
    gets no name from `called` if another dimension of that name is right.
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
    """Pair the dimensions of two shapes with the fewest unequal sizes; -1 for a missing one."""
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
