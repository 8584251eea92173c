"""Matrices and shapes in the terminal, side by side; in sentences where asked for."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autograder.grading.matrix_views import MOST_COLUMNS, View, rows_and_columns
from autograder.grading.scrambling import UNKNOWN, letter
from autograder.grading.shape_diff import Boxes, NamedSize
from autograder.render.screen import Signs
from autograder.render.screen_reader import tell_boxes, tell_view
from autograder.render.tables import FALSE, OTHER, SAME, TRUE, Cell, Table, legend, tables_of


@dataclass(frozen=True)
class Panel:
    """Lines under a title, if it has one. lines: where it is the first. beside: where another stands before it."""

    title: str
    lines: Sequence[Text]
    beside: Sequence[Text]


def side_by_side(panels: Sequence[Panel], gap: int, room: int) -> Iterator[Text]:
    """Yield the lines of panels, as many beside each other as there is room for, the others below.

    Those beside each other have their titles at the top, and end in the same line.
    """
    count = len(panels)
    while count > 1 and _beside(panels[:count], gap)[0].cell_len > room:
        count -= 1
    yield from _beside(panels[:count], gap)
    if panels[count:]:
        yield from side_by_side(panels[count:], gap, room)


def align(column: Sequence[Text], pad: Callable[[Text, int], None] = Text.pad_right) -> Sequence[Text]:
    """Make texts as wide as the widest of them, and return them."""
    width = max(text.cell_len for text in column)
    for text in column:
        pad(text, width - text.cell_len)
    return column


def join(columns: Sequence[Sequence[Text]], gap: int = 1) -> list[Text]:
    """Return the lines of columns that are aligned."""
    return [Text(" " * gap).join(cells) for cells in zip(*columns, strict=True)]


def _beside(panels: Sequence[Panel], gap: int) -> list[Text]:
    blocks = [panels[0].lines, *(panel.beside for panel in panels[1:])]
    height = max(map(len, blocks))
    columns = [
        [*[Text(panel.title, style="bold")] * bool(panel.title), *[Text("")] * (height - len(block)), *block]
        for panel, block in zip(panels, blocks, strict=True)
    ]
    return join([align([text.copy() for text in column]) for column in columns], gap)


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
        yield from side_by_side(panels, BETWEEN_MATRICES, options.max_width)
        blocks = [f"{self._sign_of(TRUE)} True   {self._sign_of(FALSE)} False"] if view.boolean else []
        yield from (Text(line, style="dim") for line in (*blocks, *legend(view)))

    def _most_columns(self, room: int) -> int:
        """How many columns of numbers fit behind the labels of the rows, and before their sums."""
        vector = len(self.view.shape) < 2
        labels = self.view.titles if vector else (rows_and_columns(self.view.dims), *self.view.rows)
        room -= max(map(len, labels)) + 1
        return min(MOST_COLUMNS, max(room // CELL - bool(self.view.sums), 1))

    def _panel(self, table: Table, view: View) -> Panel:
        """Return the lines of a table. Blocks are too narrow for words above them, so their columns are numbered."""
        labels = align([Text(label, style="dim") for label in (table.corner, *table.rows)])
        names = map(str, range(view.column, view.column + len(table.columns))) if view.boolean else table.columns
        columns = [self._column(*of) for of in zip([*names] or [""], zip(*table.cells, strict=True), strict=True)]
        first = 0 if table.columns else 1
        return Panel(table.title, join([labels, *columns])[first:], join(columns)[first:])

    def _column(self, name: str, cells: Iterable[Cell]) -> Sequence[Text]:
        """Return a column under as much of its name as there is room for."""
        texts = [*map(self._text, cells)]
        room = max(SHORTEST, *(text.cell_len for text in texts))
        return align([Text(name[:room], style="dim"), *texts], Text.pad_left)

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
        """Whether what is wrong has a sign: not where that is most of it, and the signs would tell nothing."""
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
        boxes = {title: _box(shape, unit, self.signs) for title, shape in shapes.items()}
        yield from side_by_side(
            [Panel(title, box, box) for title, box in boxes.items()], BETWEEN_SHAPES, options.max_width
        )
        yield from (Text(f"{self.signs.failed} {side.says}", style="red") for side in self.boxes.sides if side.off)


def _box(shape: Sequence[NamedSize], unit: float, signs: Signs) -> list[Text]:
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
    return [
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
    ]


def _label(side: Sequence[NamedSize], signs: Signs) -> Text:
    """Return the names and sizes of dimensions, those that are off with a mark."""
    return Text(", ").join(
        Text.assemble(
            (f"{name}={size}" if name else str(size), OFF if off else ""), (f" {signs.failed}", OFF) if off else ""
        )
        for name, size, off in side
    )
