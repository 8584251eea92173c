"""Pictures of values and shapes in the terminal: tables side by side, or sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column
from rich.table import Table as Grid
from rich.text import Text

from autograder.grading.pictures import (
    COMPARED,
    MOST_COLUMNS,
    UNKNOWN,
    Boxes,
    NamedSize,
    Owners,
    View,
    letter,
    rows_and_columns,
)
from autograder.render.screen import Signs
from autograder.render.tables import FALSE, OTHER, SAME, TRUE, Cell, Table, legend, shapes_of, tables_of

GAP = 3
"""Screen columns between tables."""
CELL = 7
"""Screen columns of a value, with its sign or shade and a space."""
MOST_MARKED = 0.5
"""The largest share of wrong values at which each wrong value is drawn with a sign."""
SHORTEST = 4
"""Letters of a column's name that are shown at least, however narrow the column's values are."""

INK = "#f0f0f0"
RED = "red"
HUES = ("#1e4682", "#1f5c3a", "#78461a", "#5f2d7d", "#0c5a64", "#82285a", "#5a5614", "#464b55")
"""Background colours of values, one for each owner, dark enough for text in INK."""

MOST_CELLS = 5
"""The most wrong values that sentences describe."""


@dataclass
class Drawing:
    """A picture as tables, side by side if there is room; sentences if `signs.plain`.

    difference: whether to include the table of differences.
    """

    shown: View | Boxes
    signs: Signs
    difference: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = self.shown
        if self.signs.plain:
            yield from map(Text, tell_view(shown) if isinstance(shown, View) else tell_boxes(shown))
        elif isinstance(shown, View):
            view = shown.narrowed(self._most_columns(shown, options.max_width))
            tables = tables_of(view, self.difference)
            if view.boolean:  # blocks are too narrow for words as column names
                tables = [
                    replace(one, columns=[str(view.column + n) for n in range(len(one.columns))]) for one in tables
                ]
            yield from self._tables(view.heading, tables, console, options)
            blocks = [f"{self._sign_of(TRUE)} True   {self._sign_of(FALSE)} False"] if view.boolean else []
            yield from (Text(line, style="dim") for line in (*blocks, *legend(view)))
        else:
            yield from self._tables(shown.name, shapes_of(shown), console, options)
            yield from (Text(f"{self.signs.failed} {side.says}", style=RED) for side in shown.sides if side.off)

    def _most_columns(self, view: View, room: int) -> int:
        """Return how many values of a row fit beside its label and sum. room: screen columns."""
        labels = COMPARED if len(view.shape) < 2 else (rows_and_columns(view.dims), *view.rows)
        room -= max(map(len, labels)) + 1
        return min(MOST_COLUMNS, max(room // CELL - bool(view.sums), 1))

    def _tables(self, heading: str, tables: Sequence[Table], console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the heading, then the tables, with as many side by side as fit."""
        if heading:
            yield Text(heading, style="dim")
        while tables:
            for count in range(len(tables), 0, -1):
                columns = [Column(no_wrap=True, vertical="bottom") for _ in range(count)]
                row = Grid.grid(*columns, padding=(0, GAP, 0, 0))
                if tables[0].title:
                    row.add_row(*(Text(table.title, style="bold") for table in tables[:count]))
                row.add_row(*(self._grid(table, labelled=not place) for place, table in enumerate(tables[:count])))
                if Measurement.get(console, options.update(max_width=10_000), row).maximum <= options.max_width:
                    break
            yield row
            tables = tables[count:]

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
        """Return the text of a cell, red if wrong. A larger value has a stronger background."""
        if cell.owner is not None:
            ground = f"{INK} on {HUES[cell.owner % len(HUES)]}" if cell.owner != UNKNOWN else ""
            return Text(cell.text + letter(cell.owner), style=ground)
        sign = self._sign_of(cell.text)
        if cell.share is None:
            style = RED if cell.off else "dim"
        elif sign:
            style = RED if cell.off else ""
        else:
            red, blue = f"{int(90 + 80 * cell.share)},40,40", f"30,40,{int(50 + 110 * cell.share)}"
            style = f"{INK} on rgb({red if cell.off else blue})"
        return Text((sign or cell.text) + self._mark_behind(cell), style=style)

    def _mark_behind(self, cell: Cell) -> str:
        """Return the shade of a difference, the sign of a wrong size or value, or an empty text.

        A wrong value has a sign only if the table of differences is left out.
        """
        if cell.distance is not None:
            return self.signs.shades[min(int(cell.distance * len(self.signs.shades)), len(self.signs.shades) - 1)]
        if isinstance(self.shown, Boxes):
            return f" {self.signs.failed}" if cell.off else ""
        marked = not self.difference and self.shown.wrong.mean() <= MOST_MARKED
        return self.signs.failed if marked and cell.off and cell.share is not None else ""

    def _sign_of(self, text: str) -> str:
        """Return the sign to draw in place of TRUE, FALSE, SAME or OTHER; empty for other texts."""
        dot, failed, full = self.signs.dot, self.signs.failed, self.signs.shades[-1]
        return {TRUE: 2 * full, FALSE: 2 * dot, SAME: dot, OTHER: failed}.get(text, "")


def tell_view(view: View) -> Iterator[str]:
    """Yield sentences on the wrong values of a picture, and on the rows with a wrong sum."""
    if view.heading:
        yield f"This is about {view.heading}."
    if view.owners:
        yield from _tell_owners(view, view.owners)
        return
    wrong = [(int(row), int(column)) for row, column in np.argwhere(view.wrong)]
    what = "places" if view.boolean else "numbers"
    if view.shape:
        yield f"Of the {view.wrong.size} {what} that are compared here, {len(wrong)} {'differs' if len(wrong) == 1 else 'differ'}."
    expected, yours, _ = COMPARED
    far = np.nan_to_num(abs(view.difference), nan=np.inf)
    for at in sorted(wrong, key=lambda at: -far[at])[:MOST_CELLS]:
        one, other = _pair(view, float(view.expected[at]), float(view.yours[at]))
        numbers = f"{expected} {one}, {yours} {other}"
        yield f"{_place(view, *at)}: {numbers}." if view.shape else f"{numbers[0].upper()}{numbers[1:]}."
    if len(wrong) > MOST_CELLS:
        yield f"And {len(wrong) - MOST_CELLS} more{'' if view.boolean else ', none further off'}."
    for row in range(len(view.sums)):
        if view.sum_is_off(row):
            subject, verb = (_row(view, row), "adds") if view.rows else ("The numbers", "add")
            yield f"{subject} should add up to 1 and {verb} up to {view.write_sum(row)}."
    if view.left_out:
        yield f"This is {view.left_out}."


def tell_boxes(boxes: Boxes) -> Iterator[str]:
    """Yield sentences on the expected shape, the given shape and their differences."""
    if boxes.name:
        yield f"This is about {boxes.name}."
    yield f"Expected: {_shape(boxes.expected)}."
    yield f"Yours: {_shape(boxes.yours)}."
    yield from (f"In yours, {side.says}." for side in boxes.sides if side.off)


def _pair(view: View, expected: float, yours: float) -> tuple[str, str]:
    """Return two values as texts, with more digits if the texts would be equal."""
    if view.boolean:
        return str(bool(expected)), str(bool(yours))
    written = view.write(expected), view.write(yours)
    return written if written[0] != written[1] else (f"{expected:.6g}", f"{yours:.6g}")


def _place(view: View, row: int, column: int) -> str:
    called = _called(view.columns[column], view.column + column)
    return f"{_row(view, row)}, column {called}" if view.rows else f"Place {called}"


def _row(view: View, row: int) -> str:
    return f"Row {_called(view.rows[row], view.row + row)}"


def _called(label: str, number: int) -> str:
    """Return the index of a row or column, with its label in quotes if the two differ.

    Without the index, a reader might take the label for a word of the sentence.
    """
    return label if label == str(number) else f'{number}, "{label}"'


def _tell_owners(view: View, owners: Owners) -> Iterator[str]:
    yield f"The numbers are right but in other places. This is the {owners.by} to which they belong."
    for at, row in enumerate(owners.yours):
        named = dict.fromkeys(view.owner_name(int(owner)) for owner in row if owner != UNKNOWN)
        right = ", which is right" if not view.wrong[at].any() else ""
        held = f"of {' and '.join(named)}" if named else "that are in several places"
        yield f"{_row(view, at)} of yours holds numbers {held}{right}."


def _shape(shape: tuple[NamedSize, ...]) -> str:
    return ", ".join(f"{name} {size}" if name else str(size) for name, size, _ in shape) or "a single number"
