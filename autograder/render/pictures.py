"""Make tables of tensors, and draw the tables in the terminal: side by side or as sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from autograder.course.answer import Array
from autograder.grading.pictures import View, largest_of
from autograder.render.screen import Signs

GAP = 3
MOST_MARKED = 0.5
"""The largest share of wrong values with signs. If more are wrong, only colour marks each."""
SHORTEST = 4
"""The fewest letters shown of a column's name, even if the values are narrower."""

MOST_CELLS = 5


@dataclass(frozen=True)
class Cell:
    """A cell of a table, with the text of a value.

    share: the absolute value as a share of the largest value, for the colour. wrong: whether the
    value is wrong. kind: a further CSS class. short: the text for a wide table on a narrow screen.
    """

    text: str
    share: float
    wrong: bool = False
    kind: str = ""
    short: str = ""


@dataclass(frozen=True)
class Table:
    """A table of cells, row by row.

    rows: the labels of the rows, or none. columns: the labels of the columns, or none. If labels are
    fewer than columns, each spans several. corner: the names of both dimensions, such as `tq/tk`.
    """

    title: str
    cells: Sequence[Sequence[Cell]]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    corner: str = ""


def tables_of(view: View) -> list[Table]:
    """Return a table of expected and a table of returned values; for vectors, one table of both."""
    expected = Table("expected", _cells(view, view.expected), view.rows, view.columns, view.corner)
    yours = replace(expected, title="yours", cells=_cells(view, view.yours, view.wrong))
    if len(view.shape) > 1:
        return [expected, yours]
    return [replace(expected, title="", cells=[*expected.cells, *yours.cells], rows=["expected", "yours"])]


def share_of(value: float, largest: float) -> float:
    """Return an absolute value as a share of `largest`, at most 1; 1 for nan and infinity."""
    return min(abs(value) / largest, 1.0) if np.isfinite(value) else 1.0


def _cells(view: View, numbers: Array, wrong: Array | None = None) -> list[list[Cell]]:
    largest, flags = largest_of(view.expected), np.zeros_like(view.wrong) if wrong is None else wrong
    return [
        [Cell(view.write(value), share_of(value, largest), flag) for value, flag in zip(*row, strict=True)]
        for row in zip(numbers.tolist(), flags.tolist(), strict=True)
    ]


@dataclass
class Drawing:
    """A picture as tables, side by side if there is room; sentences if `signs.plain`."""

    view: View
    signs: Signs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.signs.plain:
            yield from map(Text, tell_view(self.view))
            return
        if self.view.heading:
            yield Text(self.view.heading, style="dim")
        tables = tables_of(self.view)
        row = self._row(tables)
        if Measurement.get(console, options.update(max_width=10_000), row).maximum <= options.max_width:
            yield row
        else:
            yield from (self._row([table]) for table in tables)
        if self.view.left_out:
            yield Text(self.view.left_out, style="dim")

    def _row(self, tables: Sequence[Table]) -> Grid:
        row = Grid.grid(padding=(0, GAP, 0, 0))
        if tables[0].title:
            row.add_row(*(Text(table.title, style="bold") for table in tables))
        row.add_row(*(self._grid(table, labelled=not place) for place, table in enumerate(tables)))
        return row

    def _grid(self, table: Table, labelled: bool) -> Grid:
        grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim", show_header=bool(table.columns))
        rows = [[*map(self._text, row)] for row in table.cells]
        if labelled and (table.rows or table.corner):
            grid.add_column(table.corner, style="dim")
        for name, texts in zip(table.columns or [""], zip(*rows, strict=True), strict=True):
            longest = max(SHORTEST, *(text.cell_len for text in texts))
            grid.add_column(name[:longest], justify="right", no_wrap=True)
        for label, row in zip_longest(table.rows, rows, fillvalue=""):
            grid.add_row(*[label] * (len(grid.columns) - len(row)), *row)
        return grid

    def _text(self, cell: Cell) -> Text:
        """Return the text of a cell: red if wrong, on a stronger background if larger."""
        red, blue = f"{int(90 + 80 * cell.share)},40,40", f"30,40,{int(50 + 110 * cell.share)}"
        sign = self.signs.failed if cell.wrong and self.view.wrong.mean() <= MOST_MARKED else ""
        return Text(cell.text + sign, style=f"#f0f0f0 on rgb({red if cell.wrong else blue})")


def tell_view(view: View) -> Iterator[str]:
    """Yield sentences on the wrong values of a picture."""
    if view.heading:
        yield f"This is about {view.heading}."
    wrong = [(int(row), int(column)) for row, column in np.argwhere(view.wrong)]
    if view.shape:
        differ = "differs" if len(wrong) == 1 else "differ"
        yield f"Of the {view.wrong.size} numbers that are compared here, {len(wrong)} {differ}."
    with np.errstate(invalid="ignore", over="ignore"):
        far = np.nan_to_num(abs(view.yours - view.expected), nan=np.inf)
    for at in sorted(wrong, key=lambda at: -far[at])[:MOST_CELLS]:
        numbers = float(view.expected[at]), float(view.yours[at])
        one, other = map(view.write, numbers)
        if one == other:
            one, other = (f"{number:.6g}" for number in numbers)
        yield f"{_place(view, *at)}expected {one}, yours {other}."
    if len(wrong) > MOST_CELLS:
        yield f"And {len(wrong) - MOST_CELLS} more, none further off."
    if view.left_out:
        yield f"This is {view.left_out}."


def _place(view: View, row: int, column: int) -> str:
    if not view.shape:
        return "The number: "
    called = _called(view.columns[column], view.column + column)
    return f"Row {_called(view.rows[row], view.row + row)}, column {called}: " if view.rows else f"Place {called}: "


def _called(label: str, number: int) -> str:
    """Return the index of a row or column, and the label in quotes unless the label is the index."""
    return label if label == str(number) else f'{number}, "{label}"'
