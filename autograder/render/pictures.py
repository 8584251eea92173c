"""Pictures of values in the terminal: tables side by side, or sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from autograder.grading.pictures import View
from autograder.render.screen import Signs
from autograder.render.tables import Cell, Table, tables_of

GAP = 3
"""Screen columns between tables."""
MOST_MARKED = 0.5
"""The largest share of wrong values at which each wrong value is drawn with a sign."""
SHORTEST = 4
"""The fewest letters shown of a column's name, however narrow the column's values are."""

MOST_CELLS = 5
"""The most wrong values that sentences describe."""


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
        """Return tables side by side, with their titles. Only the first table has row labels."""
        row = Grid.grid(padding=(0, GAP, 0, 0))
        if tables[0].title:
            row.add_row(*(Text(table.title, style="bold") for table in tables))
        row.add_row(*(self._grid(table, labelled=not place) for place, table in enumerate(tables)))
        return row

    def _grid(self, table: Table, labelled: bool) -> Grid:
        """Return a table for Rich, with its column names cut to the width of the values.

        labelled: whether to include the labels of the rows.
        """
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
        """Return the text of a cell, red if wrong. A larger value has a stronger background.

        A wrong value also has a sign, unless most values are wrong.
        """
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
        one, other = _pair(view, float(view.expected[at]), float(view.yours[at]))
        yield f"{_place(view, *at)}expected {one}, yours {other}."
    if len(wrong) > MOST_CELLS:
        yield f"And {len(wrong) - MOST_CELLS} more, none further off."
    if view.left_out:
        yield f"This is {view.left_out}."


def _pair(view: View, expected: float, yours: float) -> tuple[str, str]:
    """Return two values as texts, with more digits if the texts would be equal."""
    written = view.write(expected), view.write(yours)
    return written if written[0] != written[1] else (f"{expected:.6g}", f"{yours:.6g}")


def _place(view: View, row: int, column: int) -> str:
    if not view.shape:
        return "The number: "
    called = _called(view.columns[column], view.column + column)
    return f"Row {_called(view.rows[row], view.row + row)}, column {called}: " if view.rows else f"Place {called}: "


def _called(label: str, number: int) -> str:
    """Return the index of a row or column, with its label in quotes if the two differ.

    Without the index, a reader might take the label for a word of the sentence.
    """
    return label if label == str(number) else f'{number}, "{label}"'
