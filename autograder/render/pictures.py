"""Matrices and shapes in the terminal, side by side; in sentences where asked for."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Column
from rich.table import Table as Grid
from rich.text import Text

from autograder.grading.pictures import MOST_COLUMNS, UNKNOWN, Boxes, NamedSize, View, letter, rows_and_columns
from autograder.render.screen import Signs
from autograder.render.screen_reader import tell_boxes, tell_view
from autograder.render.tables import FALSE, OTHER, SAME, TRUE, Cell, Table, legend, tables_of


class Panel(NamedTuple):
    """A drawing under a title, if it has one. beside: the drawing where another stands before it."""

    title: str
    first: RenderableType
    beside: RenderableType


def side_by_side(panels: Sequence[Panel], gap: int, console: Console, options: ConsoleOptions) -> Iterator[Grid]:
    """Yield rows of panels, as many in a row as there is room for, with their titles at the top and their ends in one line."""
    while panels:
        for count in range(len(panels), 0, -1):
            row = Grid.grid(*[Column(no_wrap=True, vertical="bottom") for _ in range(count)], padding=(0, gap, 0, 0))
            if panels[0].title:
                row.add_row(*(Text(panel.title, style="bold") for panel in panels[:count]))
            row.add_row(panels[0].first, *(panel.beside for panel in panels[1:count]))
            if Measurement.get(console, options.update(max_width=10_000), row).maximum <= options.max_width:
                break
        yield row
        panels = panels[count:]


BETWEEN_MATRICES = 3
CELL = 7
"""Columns of the screen that a number takes, with its shade and the space before it."""
MOST_MARKED = 0.5
"""The share of the numbers, if wrong, above which none is marked with a sign."""
SHORTEST = 4
"""Letters of a label that are kept above a column, however narrow its numbers are."""

INK = "#f0f0f0"
RED = "red"
HUES = ("#1e4682", "#1f5c3a", "#78461a", "#5f2d7d", "#0c5a64", "#82285a", "#5a5614", "#464b55")
"""Grounds of numbers by the slice to which they belong: dark enough for INK."""


@dataclass
class Drawing:
    """Matrices side by side where there is room, vectors one below the other. difference: whether it is drawn, too."""

    view: View
    signs: Signs
    difference: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.signs.plain:
            yield from map(Text, tell_view(self.view))
            return
        view = self.view.narrowed(self._most_columns(options.max_width))
        if view.heading:
            yield Text(view.heading, style="dim")
        panels = [self._panel(table, view) for table in tables_of(view, self.difference)]
        yield from side_by_side(panels, BETWEEN_MATRICES, console, options)
        blocks = [f"{self._sign_of(TRUE)} True   {self._sign_of(FALSE)} False"] if view.boolean else []
        yield from (Text(line, style="dim") for line in (*blocks, *legend(view)))

    def _most_columns(self, room: int) -> int:
        """The number of columns that fit between the labels of the rows and their sums."""
        vector = len(self.view.shape) < 2
        labels = self.view.titles if vector else (rows_and_columns(self.view.dims), *self.view.rows)
        room -= max(map(len, labels)) + 1
        return min(MOST_COLUMNS, max(room // CELL - bool(self.view.sums), 1))

    def _panel(self, table: Table, view: View) -> Panel:
        """Return a table behind the labels of its rows and without. Blocks are too narrow for words above them: their columns are numbered."""
        names = map(str, range(view.column, view.column + len(table.columns))) if view.boolean else table.columns
        rows = [[*map(self._text, row)] for row in table.cells]
        columns = [
            (name[: max(SHORTEST, *(text.cell_len for text in texts))], texts)
            for name, texts in zip([*names] or [""], zip(*rows, strict=True), strict=True)
        ]
        beside, first = (Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim") for _ in range(2))
        first.add_column(table.corner, style="dim")
        for grid in (first, beside):
            grid.show_header = bool(table.columns)
            for name, _ in columns:
                grid.add_column(name, justify="right", no_wrap=True)
        for label, row in zip_longest(table.rows, rows, fillvalue=""):
            first.add_row(label, *row)
            beside.add_row(*row)
        return Panel(table.title, first, beside)

    def _text(self, cell: Cell) -> Text:
        """Return a cell: darker is larger, red is wrong."""
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
        """Return how far off a difference is; where none is drawn, that a number is off, for who sees no colours."""
        if cell.distance is not None:
            return self.signs.shades[min(int(cell.distance * len(self.signs.shades)), len(self.signs.shades) - 1)]
        return self.signs.failed if cell.off and cell.share is not None and self._marks_numbers else ""

    @property
    def _marks_numbers(self) -> bool:
        """True if wrong numbers have a sign: not where most are wrong, and the signs would show nothing."""
        return not self.difference and self.view.wrong.mean() <= MOST_MARKED

    def _sign_of(self, text: str) -> str:
        """Return the sign that is drawn in place of some texts of cells; of others an empty one."""
        dot, failed, full = self.signs.dot, self.signs.failed, self.signs.shades[-1]
        return {TRUE: 2 * full, FALSE: 2 * dot, SAME: dot, OTHER: failed}.get(text, "")


BETWEEN_SHAPES = 6
HIGHEST = 6
"""Lines of the longest side; a column of the tensor is two characters wide, so that squares look square."""
NARROWEST = 4
OFF = "bold red"


@dataclass
class BoxDrawing:
    """Two boxes side by side where there is room, and what is wrong with yours below; in sentences where asked for."""

    boxes: Boxes
    signs: Signs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.signs.plain:
            yield from map(Text, tell_boxes(self.boxes))
            return
        if self.boxes.name:
            yield Text(self.boxes.name, style="dim")
        shapes = {"expected": self.boxes.expected, "yours": self.boxes.yours}
        unit = HIGHEST / max([HIGHEST, *(size for shape in shapes.values() for _, size, _ in shape)])
        boxes = [Panel(title, box := _box(shape, unit, self.signs), box) for title, shape in shapes.items()]
        yield from side_by_side(boxes, BETWEEN_SHAPES, console, options)
        yield from (Text(f"{self.signs.failed} {side.says}", style="red") for side in self.boxes.sides if side.off)


def _box(shape: Sequence[NamedSize], unit: float, signs: Signs) -> Group:
    """Return the lines of a box of rows and columns; of several such matrices a sheet on a pile, of a single number a cell."""
    sheets, rows, columns = shape[:-2], shape[-2:-1], shape[-1:]
    piled = math.prod(size for _, size, _ in sheets) > 1
    top_left, top_right, bottom_left, bottom_right, level, upright = tuple(signs.frame)
    height, width = (max(1, *(round(size * unit) for _, size, _ in side), 1) for side in (rows, columns))
    line = level * max(2 * width, NARROWEST)
    over, beside = (OFF if any(off for _, _, off in side) else "" for side in (columns, rows))
    label = _label(rows, signs)
    margin = Text(" " * label.cell_len)
    middle = (height - 1) // 2
    behind = f" {upright}" if piled else ""
    above = _label(columns, signs) if shape else Text("a single number")
    return Group(
        *([Text("sheets: ").append_text(_label(sheets, signs))] if sheets else []),
        Text.assemble(margin, " " * (1 + max(0, (len(line) - above.cell_len) // 2)), above),
        *([Text.assemble(margin, "   ", top_left, line, top_right)] if piled else []),
        Text.assemble(margin, " ", (top_left + line + top_right, over), behind),
        *(
            Text.assemble(
                label if number == middle else margin, " ", (upright, beside), " " * len(line), upright, behind
            )
            for number in range(height)
        ),
        Text.assemble(margin, " ", bottom_left, line, bottom_right, level + bottom_right if piled else ""),
    )


def _label(side: Sequence[NamedSize], signs: Signs) -> Text:
    """Return the names and sizes of dimensions, those that are off with a mark."""
    return Text(", ").join(
        Text.assemble(
            (f"{name}={size}" if name else str(size), OFF if off else ""), (f" {signs.failed}", OFF) if off else ""
        )
        for name, size, off in side
    )
