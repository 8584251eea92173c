"""Views of pictures: which numbers of two tensors are shown, which of them are wrong, and how a number is written.

The terminal draws a view from the tensors, the class report from the marks' JSON: both make the same choice here.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.course.answer import Array
from autograder.marking.marks import Picture

MOST_ROWS, MOST_COLUMNS = 8, 8

RIGHT = 1e-4
"""Differences below this share of the largest expected number are shown as right."""

DIGITS = 6
"""Significant digits of a number in the JSON."""


@dataclass(frozen=True)
class View:
    """The part of a picture that is shown: a matrix, of one row where the tensor is a vector or a number.

    dims: all dimensions of the tensor. where: the indices of those before the last two. row, column: where in the tensor the
    part begins. shape: of the whole tensor. wrong: the cells in which expected and yours differ by more than rounding.
    """

    name: str
    dims: tuple[str, ...]
    where: tuple[int, ...]
    tokens: tuple[str, ...]
    row: int
    column: int
    shape: tuple[int, ...]
    boolean: bool
    expected: Array
    yours: Array
    wrong: Array

    @property
    def heading(self) -> str:
        """Which output, and which slice of it, is shown; empty where there is only one."""
        leading = [f"{name or 'slice'} {i}" for name, i in zip(self.dims, self.where, strict=False)]
        return ", ".join([*([self.name] if self.name else []), *leading])

    @property
    def rows(self) -> tuple[str, ...]:
        """What the rows are called: tokens where each row has one, else numbers; nothing where there is only a vector."""
        if len(self.shape) < 2:
            return ()
        count = self.shape[-2]
        names = self.tokens if len(self.tokens) == count else tuple(map(str, range(count)))
        return names[self.row : self.row + len(self.expected)]

    @property
    def columns(self) -> range:
        """The numbers of the columns; none where the tensor is a single number."""
        return range(self.column, self.column + self.expected.shape[1]) if self.shape else range(0)

    @property
    def difference(self) -> Array:
        """Yours minus expected."""
        with np.errstate(invalid="ignore", over="ignore"):
            return self.yours - self.expected

    @property
    def left_out(self) -> str:
        """What part of a larger matrix is shown; empty where it is the whole."""
        if self.expected.size == np.prod(self.shape[-2:]):
            return ""
        if not self.row and not self.column:
            return "the first rows and columns of a larger tensor"
        return f"from row {self.row} and column {self.column} on, a part of a larger tensor"


def view_of(picture: Picture, most_columns: int = MOST_COLUMNS) -> View:
    """Choose the part of a picture to show: the first rows and columns, unless nothing wrong would be seen there."""
    where = _worst_slice(picture)
    expected, yours = _matrix(picture.expected[where]), _matrix(picture.yours[where])
    row, column = _corner(wrong_cells(yours, expected), most_columns)
    part = np.s_[row : row + MOST_ROWS, column : column + most_columns]
    return View(
        name=picture.name,
        dims=picture.dims,
        where=where,
        tokens=picture.tokens,
        row=row,
        column=column,
        shape=picture.expected.shape,
        boolean=picture.expected.dtype == bool,
        expected=expected[part],
        yours=yours[part],
        wrong=wrong_cells(yours[part], expected[part]),
    )


def to_json(view: View) -> dict[str, Any]:
    """Return a view as plain data. Numbers that are none are the strings `nan`, `inf` and `-inf`, which JSON lacks."""
    lists = {name: list(getattr(view, name)) for name in ("dims", "where", "tokens", "shape")}
    numbers = {"expected": _plain(view.expected), "yours": _plain(view.yours)}
    return vars(view) | lists | numbers | {"wrong": view.wrong.tolist()}


def from_json(data: dict[str, Any]) -> View:
    """Return the view that `to_json` wrote down."""
    lists = {name: tuple(data[name]) for name in ("dims", "where", "tokens", "shape")}
    numbers = {name: np.array(data[name], dtype=float) for name in ("expected", "yours")}
    return View(**data | lists | numbers | {"wrong": np.array(data["wrong"], dtype=bool)})


def rows_and_columns(dims: tuple[str, ...]) -> str:
    """Return what the rows and columns of a view are, for its corner: `tq/tk`."""
    return "/".join(name for name in dims[-2:] if name)


def write_number(value: float, largest: float) -> str:
    """Write a number with as many decimals as fit beside others. largest: the largest of them."""
    if not np.isfinite(value):
        return str(value)
    if abs(value) >= 100_000:
        return f"{value:.0e}"
    decimals = 0 if largest >= 1000 else 1 if largest >= 100 else 2
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # adding zero turns -0.0 round


def wrong_cells(yours: Array, expected: Array) -> Array:
    """Return the cells to be shown as wrong: those that differ by more than rounding."""
    tolerance = RIGHT * largest_of(expected)
    with np.errstate(over="ignore"):
        same = np.isclose(yours.astype(float), expected.astype(float), rtol=1e-4, atol=tolerance, equal_nan=True)
    wrong: Array = ~same
    return wrong


def largest_of(array: Array) -> float:
    """Return the largest size of the numbers, infinities aside; 1 where there is none but zero."""
    finite = np.abs(array[np.isfinite(array)].astype(float))
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _worst_slice(picture: Picture) -> tuple[int, ...]:
    """Return the indices of the dimensions before the last two, of the matrix that is furthest off."""
    extra = max(picture.expected.ndim - 2, 0)
    yours, expected = picture.yours.astype(float), picture.expected.astype(float)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.nan_to_num(np.abs(yours - expected), nan=np.inf)
    distance = np.where(wrong_cells(yours, expected), distance, -1.0)
    return tuple(int(i) for i in np.unravel_index(int(distance.argmax()), distance.shape)[:extra])


def _matrix(array: Array) -> Array:
    return np.atleast_2d(array.astype(float))


def _corner(wrong: Array, most_columns: int) -> tuple[int, int]:
    """Return the row and the column where the part to be shown begins."""
    if wrong[:MOST_ROWS, :most_columns].any() or not wrong.any():
        return 0, 0
    row, column = (int(i) for i in np.argwhere(wrong)[0])
    return max(0, min(row, wrong.shape[0] - MOST_ROWS)), max(0, min(column, wrong.shape[1] - most_columns))


def _plain(array: Array) -> list[list[float | str]]:
    return [[float(f"{value:.{DIGITS}g}") if np.isfinite(value) else str(value) for value in row] for row in array]
