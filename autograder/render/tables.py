"""Tables of tensors and shapes, cell by cell, for drawings in the terminal and in HTML."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.course.answer import Array
from autograder.grading.pictures import COMPARED, UNKNOWN, Boxes, Owners, View, largest_of, letter, rows_and_columns

TRUE, FALSE = "■", "□"
"""The texts of cells with Boolean values."""

SAME, OTHER = "·", "✗"
"""The texts of cells in a table of differences that do not show the size of a difference.

SAME: for equal values. OTHER: for different integers or Boolean values.
"""


@dataclass(frozen=True)
class Cell:
    """A cell of a table, with the text of a value.

    share: the value's size as a share of the largest size, for the colour; None for no colour.
    off: why the cell is flagged, as a word such as `wrong`; or empty. distance: the error
    as a share of the largest error. owner: the index of the slice to which the value belongs.
    kind: a further CSS class. short: the text for a wide table on a narrow screen.
    """

    text: str
    share: float | None = None
    off: str = ""
    distance: float | None = None
    owner: int | None = None
    kind: str = ""
    short: str = ""


@dataclass(frozen=True)
class Table:
    """A table of cells, row by row.

    rows: the labels of the rows, or none. columns: the labels of the columns, or none; fewer labels
    than columns span several cells each. corner: the names of the two dimensions, such as `tq/tk`.
    """

    title: str
    cells: Sequence[Sequence[Cell]]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    corner: str = ""


def tables_of(view: View, difference: bool = True) -> list[Table]:
    """Return tables of the expected values, of the submission's values and of their differences.

    For a vector, a single table contains the three as rows. Right values in a wrong order have no
    table of differences. difference: whether to include the table of differences.
    """
    matrices = list(_owned(view, view.owners) if view.owners else _compared(view))[: 3 if difference else 2]
    corner = rows_and_columns(view.dims)
    tables = [
        Table(title, cells, view.rows, view.columns, corner) for title, cells in zip(COMPARED, matrices, strict=False)
    ]
    if view.sums:
        sums = [Cell(view.write_sum(row), off="wrong" * view.sum_is_off(row)) for row in range(len(view.sums))]
        cells = [[*row, cell] for row, cell in zip(tables[1].cells, sums, strict=True)]
        tables[1] = replace(tables[1], cells=cells, columns=(*view.columns, "sum"))
    return tables if len(view.shape) > 1 else [_stacked(tables)]


def shapes_of(boxes: Boxes) -> list[Table]:
    """Return a table of the expected shape and a table of the submission's shape.

    Each table is a row of sizes, with the names of the dimensions as labels of the columns.
    """
    tables = []
    for title, shape in {"expected shape": boxes.expected, "your shape": boxes.yours}.items():
        sizes = [Cell(str(size), off="wrong" if off else "") for _, size, off in shape]
        tables.append(Table(title, [sizes or [Cell("a single number")]], columns=[name or "?" for name, _, _ in shape]))
    return tables


def legend(view: View) -> Iterator[str]:
    """Yield the lines of text that explain the tables."""
    if view.sums:
        yield "sum: the sum of each row, which should be 1"
    if view.owners:
        shown = np.unique([view.owners.expected, view.owners.yours])
        names = [f"{letter(one)} {'several' if one == UNKNOWN else view.owner_name(one)}" for one in map(int, shown)]
        by, named = view.owners.by, ", ".join(names)
        yield f"letters and colours: to which {by} of the expected answer a number belongs ({named})"
    if view.left_out:
        yield view.left_out


def share_of(value: float, largest: float) -> float:
    """Return the size of a value as a share of the largest size; 1 for nan and infinity."""
    return min(abs(value) / largest, 1.0) if np.isfinite(value) else 1.0


def _compared(view: View) -> Iterator[list[list[Cell]]]:
    """Yield the cells of the expected values, the submission's values and the differences."""
    largest, furthest = largest_of(view.expected), largest_of(view.difference[view.wrong])

    def number(value: float, is_wrong: bool) -> Cell:
        written = (TRUE if value else FALSE) if view.boolean else view.write(value)
        return Cell(written, share_of(value, largest), "wrong" if is_wrong else "")

    def change(value: float, is_wrong: bool) -> Cell:
        if not is_wrong:
            return Cell(SAME)
        if view.boolean or view.whole:
            return Cell(OTHER, off="wrong")
        return Cell(view.write_difference(value), off="wrong", distance=share_of(value, furthest))

    yield _cells(number, view.expected, np.zeros_like(view.wrong))
    yield _cells(number, view.yours, view.wrong)
    yield _cells(change, view.difference, view.wrong)


def _owned(view: View, owners: Owners) -> Iterator[list[list[Cell]]]:
    """Yield the cells of the expected and the submission's values, with the owner of each."""
    for numbers, belong in ((view.expected, owners.expected), (view.yours, owners.yours)):
        yield _cells(lambda value, owner: Cell(view.write(value), owner=int(owner)), numbers, belong)


def _cells(draw: Callable[[float, Any], Cell], numbers: Array, beside: Array) -> list[list[Cell]]:
    return [list(map(draw, *rows)) for rows in zip(numbers.tolist(), beside.tolist(), strict=True)]


def _stacked(tables: Sequence[Table]) -> Table:
    """Join tables of one row into one table, with their titles as labels of its rows."""
    widest = max(tables, key=lambda table: len(table.cells[0]))
    rows = [[*table.cells[0], *[Cell("")] * (len(widest.cells[0]) - len(table.cells[0]))] for table in tables]
    return replace(widest, title="", cells=rows, rows=[table.title for table in tables])
