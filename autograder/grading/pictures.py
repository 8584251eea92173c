"""Choose the part of two tensors that a picture shows: the part in which they differ most."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

import numpy as np

from autograder.course.answer import Array, within
from autograder.course.model import NO_WORDS, Words
from autograder.course.tolerances import SHOWN, Tolerance

MOST_ROWS, MOST_COLUMNS = 8, 6
LONGEST_CORNER = 9
MOST_DECIMALS = 8


@dataclass(frozen=True)
class View:
    """The shown parts of an expected and a returned tensor, as matrices. A vector is one row.

    dims: the dimensions' names. words: nouns for slices along dimensions, such as "head", or "".
    labels: the names of slices, by noun. where: the indices in all but the last two dimensions.
    row, column: the first row and the first column of the part. shape: the whole tensor's shape.
    whole: True for whole numbers and booleans. wrong: a mask of the part's wrong elements.
    """

    name: str
    dims: tuple[str, ...]
    where: tuple[int, ...]
    labels: Mapping[str, tuple[str, ...]]
    row: int
    column: int
    shape: tuple[int, ...]
    expected: Array
    yours: Array
    wrong: Array
    whole: bool = False
    words: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The name of the output, if any, and the index of the shown slice: `x, channel 2`."""
        called = (word or name or "slice" for name, word in zip_longest(self.dims, self.words, fillvalue=""))
        leading = [f"{name} {i}" for name, i in zip(called, self.where, strict=False)]
        return ", ".join([*([self.name] if self.name else []), *leading])

    @property
    def corner(self) -> str:
        """The names of the last two dimensions, such as `tq/tk`; empty if they are too long."""
        names = "/".join(name for name in self.dims[-2:] if name)
        return names if len(names) <= LONGEST_CORNER else ""

    @property
    def rows(self) -> tuple[str, ...]:
        """The labels of the shown rows, or their indices; empty for a vector or a single value."""
        return self._labels(-2, self.row, len(self.expected)) if len(self.shape) > 1 else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The labels of the shown columns, or their indices; empty for a single value."""
        return self._labels(-1, self.column, self.expected.shape[1]) if self.shape else ()

    @property
    def left_out(self) -> str:
        """A note that only a part of the matrix is shown; empty if the whole matrix is shown."""
        if self.expected.size == np.prod(self.shape[-2:]):
            return ""
        if not self.row and not self.column:
            return "the first rows and columns of a larger tensor"
        return f"from row {self.row} and column {self.column} on, a part of a larger tensor"

    def write(self, value: float) -> str:
        """Write a value with decimals that suit the largest expected value and show a difference."""
        return f"{value:.0f}" if self.whole else write_number(value, self._decimals)

    @cached_property
    def _decimals(self) -> int:
        usual = decimals_of(largest_of(self.expected))
        expected, yours = self.expected[self.wrong], self.yours[self.wrong]
        shown = (one for one in range(usual, MOST_DECIMALS) if (expected.round(one) != yours.round(one)).any())
        return next(shown, usual)

    def _labels(self, axis: int, first: int, count: int) -> tuple[str, ...]:
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
    """Choose the part to show of two tensors of the same shape: from the slice that differs most.

    The part begins at the first row and column, or later, so that it includes a wrong element.
    wrong: a mask of the wrong elements; if None, elements that differ by more than SHOWN are wrong.
    """
    if wrong is None:
        tolerance = Tolerance(SHOWN, SHOWN * largest_of(expected))
        wrong = ~within(yours.astype(float), expected.astype(float), tolerance)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.nan_to_num(np.abs(yours.astype(float) - expected.astype(float)), nan=np.inf)
    worst = np.unravel_index(int(np.where(wrong, distance, -1.0).argmax()), distance.shape)
    where = tuple(int(i) for i in worst[:-2])
    row, column = _corner(np.atleast_2d(wrong[where]))
    part = np.s_[row : row + MOST_ROWS, column : column + MOST_COLUMNS]
    return View(
        name=name,
        dims=dims,
        where=where,
        labels=labels or {},
        row=row,
        column=column,
        shape=expected.shape,
        expected=np.atleast_2d(expected[where].astype(float))[part],
        yours=np.atleast_2d(yours[where].astype(float))[part],
        wrong=np.atleast_2d(wrong[where])[part],
        whole=expected.dtype.kind in "biu",
        words=words.along(dims),
    )


def decimals_of(largest: float) -> int:
    """Return the decimals that suit `largest`, the largest of the values to write."""
    return 0 if largest >= 1000 else 1 if largest >= 100 else 2


def write_number(value: float, decimals: int) -> str:
    """Write a value with decimals, or as a power of ten if it is large."""
    if not np.isfinite(value):
        return str(value)
    if abs(value) >= 100_000:
        return f"{value:.0e}"
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # adding zero turns -0.0 into 0.0


def largest_of(array: Array) -> float:
    """Return the largest absolute value of the finite elements; 1 if all are zero."""
    finite = np.abs(array[np.isfinite(array)].astype(float))
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _corner(wrong: Array) -> tuple[int, int]:
    if wrong[:MOST_ROWS, :MOST_COLUMNS].any() or not wrong.any():
        return 0, 0
    row, column = (int(i) for i in np.argwhere(wrong)[0])
    return max(0, min(row, wrong.shape[0] - MOST_ROWS)), max(0, min(column, wrong.shape[1] - MOST_COLUMNS))
