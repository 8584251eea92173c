"""Tables of tensors, cell by cell, for drawings in the terminal and in HTML."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.course.answer import Array
from autograder.grading.pictures import View, largest_of


@dataclass(frozen=True)
class Cell:
    """A cell of a table, with the text of a value.

    share: the absolute value as a share of the largest one, for the colour. wrong: whether to flag
    the cell. kind: a further CSS class. short: the text for a wide table on a narrow screen.
    """

    text: str
    share: float
    wrong: bool = False
    kind: str = ""
    short: str = ""


@dataclass(frozen=True)
class Table:
    """A table of cells, row by row.

    rows: the labels of the rows, or none. columns: the labels of the columns, or none; if there are
    fewer labels, each spans several. corner: the names of the two dimensions, such as `tq/tk`.
    """

    title: str
    cells: Sequence[Sequence[Cell]]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    corner: str = ""


def tables_of(view: View) -> list[Table]:
    """Return a table of the expected values and a table of the submission's values.

    For a vector, a single table contains both as rows.
    """
    expected = Table("expected", _cells(view, view.expected), view.rows, view.columns, view.corner)
    yours = replace(expected, title="yours", cells=_cells(view, view.yours, view.wrong))
    if len(view.shape) > 1:
        return [expected, yours]
    return [replace(expected, title="", cells=[*expected.cells, *yours.cells], rows=["expected", "yours"])]


def share_of(value: float, largest: float) -> float:
    """Return the absolute value as a share of the largest; 1 for nan and infinity."""
    return min(abs(value) / largest, 1.0) if np.isfinite(value) else 1.0


def _cells(view: View, numbers: Array, wrong: Array | None = None) -> list[list[Cell]]:
    largest, flags = largest_of(view.expected), np.zeros_like(view.wrong) if wrong is None else wrong
    return [
        [Cell(view.write(value), share_of(value, largest), flag) for value, flag in zip(*row, strict=True)]
        for row in zip(numbers.tolist(), flags.tolist(), strict=True)
    ]
