"""Matrices in the terminal: expected, yours and their difference, as shaded cells behind labels; in sentences if asked for."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autograder.course.answer import Array
from autograder.drawing.screen import Signs
from autograder.drawing.words import tell_view
from autograder.marking.marks import Picture
from autograder.marking.pictures import MOST_COLUMNS, View, largest_of, rows_and_columns, view_of
from autograder.marking.scrambling import UNKNOWN, Owners, letter

GAP = "   "
CELL = 7
"""Columns of the screen that a number takes, with its shade and the space before it."""
SHORTEST = 4
"""Letters of a label that are kept above a column, however narrow its numbers are."""

INK = "#f0f0f0"
RED = "red"
HUES = ("#1e4682", "#1f5c3a", "#78461a", "#5f2d7d", "#0c5a64", "#82285a", "#5a5614", "#464b55")
"""Grounds of numbers by the slice to which they belong: dark enough for INK."""


@dataclass
class Drawing:
    """Matrices side by side if there is room, vectors one below the other. difference: whether it is drawn, too."""

    picture: Picture
    signs: Signs
    difference: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.signs.plain:
            yield from map(Text, tell_view(view_of(self.picture)))
            return
        view = view_of(self.picture, self._most_columns(options.max_width))
        if view.heading:
            yield Text(view.heading, style="dim")
        panels = _panels(view, self.signs, self.difference)
        yield from _vectors(view, panels) if len(view.shape) < 2 else _matrices(view, panels, options.max_width)
        yield from (Text(line, style="dim") for line in _legend(view, self.signs))

    def _most_columns(self, room: int) -> int:
        """How many columns of numbers fit behind the labels of the rows, and before their sums."""
        vector = self.picture.expected.ndim < 2
        labels = self.picture.titles if vector else (rows_and_columns(self.picture.dims), *self.picture.tokens)
        room -= max(map(len, labels)) + 1
        return min(MOST_COLUMNS, max(room // CELL - bool(view_of(self.picture).sums), 1))


@dataclass
class _Panel:
    """One of the matrices. sums: of its rows, if these are shown."""

    title: str
    rows: list[list[Text]]
    sums: list[Text]


def _panels(view: View, signs: Signs, with_difference: bool) -> list[_Panel]:
    cells = (
        _Coloured(view, view.owners) if view.owners else _Shaded(view, signs, "" if with_difference else signs.failed)
    )
    rows = (cells.expected, cells.yours, cells.difference)
    expected, yours, difference = (_Panel(*of, []) for of in zip(view.titles, rows, strict=True))
    yours.sums += (
        Text(view.write_sum(row), style=f"bold {RED}" if view.sum_is_off(row) else "dim")
        for row in range(len(view.sums))
    )
    return [panel for panel in (expected, yours, *([difference] if with_difference else [])) if panel.rows]


def _vectors(view: View, panels: list[_Panel]) -> Iterator[Text]:
    rows = [panel.rows[0] for panel in panels]
    sums = [added for panel in panels for added in panel.sums or [Text("")]] if view.sums else []
    yield from _table(rows_and_columns(view.dims), [panel.title for panel in panels], rows, sums, _headers(view))


def _matrices(view: View, panels: list[_Panel], room: int) -> Iterator[Text]:
    """Yield the panels side by side as far as there is room, the first of each line of them behind the labels of its rows."""
    corner, blank = rows_and_columns(view.dims), [""] * len(view.rows)

    def drawn(panel: _Panel, labelled: bool) -> list[Text]:
        at_left, labels = (corner, view.rows) if labelled else ("", blank)
        return [Text(panel.title, style="bold"), *_table(at_left, labels, panel.rows, panel.sums, _headers(view))]

    for count in range(len(panels), 0, -1):
        beside = [drawn(panel, labelled=not number) for number, panel in enumerate(panels[:count])]
        if count == 1 or _width_of(beside) <= room:
            yield from _beside(beside)
            below = panels[count:]
            if below:
                yield from _matrices(view, below, room)
            return


def _headers(view: View) -> tuple[str, ...]:
    """Return the labels of the columns: too narrow for words if the cells are blocks."""
    return tuple(str(view.column + number) for number in range(len(view.columns))) if view.boolean else view.columns


def _table(
    corner: str, labels: Sequence[str], rows: list[list[Text]], sums: list[Text], headers: Sequence[str]
) -> list[Text]:
    """Return rows of cells as lines, under the labels of their columns, behind their own and before their sums."""
    margin = max(map(len, (*labels, corner)))
    widths = [
        max(*(row[column].cell_len for row in rows), min(len(header), SHORTEST))
        for column, header in enumerate(headers or ("",))
    ]
    above = " ".join(header[:width].rjust(width) for header, width in zip(headers, widths, strict=False))
    space = " " if margin else ""
    lines = [Text(corner.ljust(margin) + space + above, style="dim")] if headers else []
    for label, row in zip(labels, rows, strict=True):
        for cell, width in zip(row, widths, strict=True):
            cell.pad_left(width - cell.cell_len)
        lines.append(Text.assemble((label.ljust(margin) + space, "dim"), Text(" ").join(row)))
    widest = max((added.cell_len for added in sums), default=0)
    for line, added in zip(lines, (Text("sum", style="dim"), *sums) if sums else (), strict=False):
        line.append(" " * (1 + widest - added.cell_len)).append_text(added)
    return lines


def _width_of(panels: list[list[Text]]) -> int:
    """Return how many columns panels take side by side."""
    return sum(map(_width, panels)) + len(GAP) * (len(panels) - 1)


def _width(panel: list[Text]) -> int:
    return max(line.cell_len for line in panel)


def _beside(panels: list[list[Text]]) -> Iterator[Text]:
    """Yield panels side by side, line by line."""
    for lines in zip(*panels, strict=True):
        padded = [line.copy() for line in lines]
        for line, panel in zip(padded[:-1], panels, strict=False):
            line.pad_right(_width(panel) - line.cell_len)
        yield Text(GAP).join(padded)


def _legend(view: View, signs: Signs) -> Iterator[str]:
    """Yield the legend of a drawing."""
    if view.boolean:
        yield f"{2 * signs.shades[-1]} True   {2 * signs.dot} False"
    if view.sums:
        yield "sum: what the numbers of a row add up to, which should be 1"
    if view.owners:
        unknown = "; ?: it is in several places there" if (view.owners.yours == UNKNOWN).any() else ""
        yield f"letters and colours: the {view.owners.by} to which a number belongs in the expected answer{unknown}"
    if view.left_out:
        yield f"({view.left_out})"


class _Shaded:
    """The cells of three matrices: darker is larger, red is wrong; a difference shows only if there is one.

    Booleans are blocks: full if True. Of these, and of integers, which name things, a difference has no size. mark: stands
    behind a number of yours that is wrong, where no difference shows it without colours.
    """

    def __init__(self, view: View, signs: Signs, mark: str) -> None:
        def written(value: float) -> str:
            return 2 * (signs.shades[-1] if value else signs.dot) if view.boolean else view.write(value)

        wrong, difference, named = view.wrong, view.difference, view.boolean or view.whole
        largest, off = largest_of(view.expected), largest_of(difference[wrong])

        def right(value: float) -> Text:
            return Text(written(value), style="" if view.boolean else f"{INK} on {_blue(value, largest)}")

        def amiss(value: float) -> Text:
            return Text(written(value) + mark, style=RED if view.boolean else f"{INK} on {_red(value, largest)}")

        self.expected = _draw_cells(view.expected, lambda value, at: right(value))
        self.yours = _draw_cells(view.yours, lambda value, at: amiss(value) if wrong[at] else right(value))
        self.difference = _draw_cells(
            difference,
            lambda value, at: (
                Text(signs.failed if named else view.write_difference(value) + _shade(value, off, signs), style=RED)
                if wrong[at]
                else Text(signs.dot, style="dim")
            ),
        )


class _Coloured:
    """The cells of two matrices of the same numbers, each in the colour and with the letter of its owner."""

    def __init__(self, view: View, owners: Owners) -> None:
        def owned(value: float, owner: int) -> Text:
            ground = f"{INK} on {HUES[owner % len(HUES)]}" if owner != UNKNOWN else ""
            return Text(view.write(value) + letter(owner), style=ground)

        self.expected = _draw_cells(view.expected, lambda value, at: owned(value, int(owners.expected[at])))
        self.yours = _draw_cells(view.yours, lambda value, at: owned(value, int(owners.yours[at])))
        self.difference: list[list[Text]] = []


def _draw_cells(array: Array, draw: Callable[[float, tuple[int, int]], Text]) -> list[list[Text]]:
    return [[draw(float(value), (i, j)) for j, value in enumerate(row)] for i, row in enumerate(array)]


def _share(value: float, largest: float) -> float:
    return min(abs(value) / largest, 1.0) if np.isfinite(value) else 1.0


def _blue(value: float, largest: float) -> str:
    return f"rgb(30,40,{int(50 + 110 * _share(value, largest))})"


def _red(value: float, largest: float) -> str:
    return f"rgb({int(90 + 80 * _share(value, largest))},40,40)"


def _shade(value: float, largest: float, signs: Signs) -> str:
    return signs.shades[min(int(_share(value, largest) * len(signs.shades)), len(signs.shades) - 1)]
