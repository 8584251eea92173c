"""Tables: tensors and shapes as the terminal and HTML draw them, cell by cell."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.course.answer import Array
from autograder.grading.pictures import CHANGED, UNKNOWN, Boxes, Owners, View, largest_of, letter, rows_and_columns

TRUE, FALSE = "■", "□"
"""Flags as blocks."""

SAME, OTHER = "·", "✗"
"""The difference of equal numbers, and of others that stand for no size, such as flags."""


@dataclass(frozen=True)
class Cell:
    """A number as it is written.

    share: its size as a share of the largest, for its shade. off: a word for why it is marked.
    distance: its error as a share of the largest. owner: the slice to which it belongs, if shown.
    kind: further classes in HTML. short: the text where a wide table has little room.
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
    """Rows of cells. rows: their labels, or none. columns: likewise; fewer ones span several cells.

    corner: what the rows and columns are.
    """

    title: str
    cells: Sequence[Sequence[Cell]]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    corner: str = ""


def tables_of(view: View, difference: bool = True) -> list[Table]:
    """Return tables of expected, yours and their difference; of a vector one with these as rows.

    Numbers in another order have no difference. difference: whether there is one otherwise.
    """
    matrices = list(_owned(view, view.owners) if view.owners else _compared(view))[: 3 if difference else 2]
    corner = rows_and_columns(view.dims)
    tables = [
        Table(title, cells, view.rows, view.columns, corner)
        for title, cells in zip(view.titles, matrices, strict=False)
    ]
    if view.sums:
        sums = [Cell(view.write_sum(row), off="wrong" * view.sum_is_off(row)) for row in range(len(view.sums))]
        cells = [[*row, cell] for row, cell in zip(tables[1].cells, sums, strict=True)]
        tables[1] = replace(tables[1], cells=cells, columns=(*view.columns, "sum"))
    return tables if len(view.shape) > 1 else [_stacked(tables)]


def shapes_of(boxes: Boxes) -> list[Table]:
    """Return the expected shape and yours: one row of sizes, under the names of the dimensions."""
    tables = []
    for title, shape in {"expected shape": boxes.expected, "your shape": boxes.yours}.items():
        sizes = [Cell(str(size), off="wrong" if off else "") for _, size, off in shape]
        tables.append(Table(title, [sizes or [Cell("a single number")]], columns=[name or "?" for name, _, _ in shape]))
    return tables


def legend(view: View) -> Iterator[str]:
    """Yield what stands below the tables."""
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
    """Return the size of a number as a share of the largest; 1 for nan and infinity."""
    return min(abs(value) / largest, 1.0) if np.isfinite(value) else 1.0


def _compared(view: View) -> Iterator[list[list[Cell]]]:
    """Yield the cells of expected, yours and their difference, a dot where there is none."""
    largest, furthest = largest_of(view.expected), largest_of(view.difference[view.wrong])
    said = "changed" if view.titles == CHANGED else "wrong"

    def number(value: float, is_wrong: bool) -> Cell:
        written = (TRUE if value else FALSE) if view.boolean else view.write(value)
        return Cell(written, share_of(value, largest), said if is_wrong else "")

    def change(value: float, is_wrong: bool) -> Cell:
        if not is_wrong:
            return Cell(SAME)
        if view.boolean or view.whole:
            return Cell(OTHER, off=said)
        return Cell(view.write_difference(value), off=said, distance=share_of(value, furthest))

    yield _cells(number, view.expected, np.zeros_like(view.wrong))
    yield _cells(number, view.yours, view.wrong)
    yield _cells(change, view.difference, view.wrong)


def _owned(view: View, owners: Owners) -> Iterator[list[list[Cell]]]:
    """Yield the cells of expected and yours, each with what it belongs to."""
    for numbers, belong in ((view.expected, owners.expected), (view.yours, owners.yours)):
        yield _cells(lambda value, owner: Cell(view.write(value), owner=int(owner)), numbers, belong)


def _cells(draw: Callable[[float, Any], Cell], numbers: Array, beside: Array) -> list[list[Cell]]:
    return [list(map(draw, *rows)) for rows in zip(numbers.tolist(), beside.tolist(), strict=True)]


def _stacked(tables: Sequence[Table]) -> Table:
    """Return tables of one row as one table, their titles as labels."""
    widest = max(tables, key=lambda table: len(table.cells[0]))
    rows = [[*table.cells[0], *[Cell("")] * (len(widest.cells[0]) - len(table.cells[0]))] for table in tables]
    return replace(widest, title="", cells=rows, rows=[table.title for table in tables])
