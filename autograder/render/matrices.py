"""Matrices in the terminal: expected, yours and their difference, as shaded cells behind labels; in sentences where asked for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autograder.grading.pictures import MOST_COLUMNS, UNKNOWN, View, letter, rows_and_columns
from autograder.render.panels import Panel, align, join, side_by_side
from autograder.render.screen import Signs
from autograder.render.screen_reader import tell_view
from autograder.render.tables import FALSE, OTHER, SAME, TRUE, Cell, Table, legend, tables_of

GAP = 3
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
        yield from side_by_side(panels, GAP, options.max_width)
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
