"""Drawing marks: each step a line, each wrong one with its message, its picture and its diagnosis."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from autograder.cli.screen import Signs
from autograder.course.answer import Array
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import NOT_ATTEMPTED, Marks, PartMarks, Picture, StepMarks
from autograder.marking.pictures import MOST_COLUMNS, View, largest_of, rows_and_columns, view_of, write_number

INDENT = 6
GAP = "   "
CELL = 7
"""Columns of the screen that a number takes, with its shade and the space before it."""


def points(number: float) -> str:
    """Write points without needless zeros."""
    return f"{number:g}"


def words(verdict: str) -> str:
    """Write a verdict in words."""
    return verdict.replace("_", " ")


def draw_marks(marks: Marks, titles: Mapping[str, str], signs: Signs) -> Iterator[RenderableType]:
    """Yield the drawing of all parts of some marks."""
    for part in marks.parts:
        yield from draw_part(part, titles.get(part.part, ""), signs)
        yield Text("")


def draw_part(part: PartMarks, title: str, signs: Signs) -> Iterator[RenderableType]:
    """Yield the drawing of one part: a heading, then its steps, or why it could not be loaded."""
    yield _Line(
        Text.assemble((part.part, "bold"), f"  {title}"), f"{points(part.score)} / {points(part.max_score)}", "bold"
    )
    if part.error:
        yield Padding(Text(part.error, style="red"), (0, 0, 0, 2), expand=False)
        return
    after_failure = False
    for step in part.steps:
        if after_failure:
            yield Text("")
        yield from draw_step(part.part, step, signs)
        after_failure = not step.passed and step.verdict != NOT_ATTEMPTED


def draw_step(part: str, step: StepMarks, signs: Signs) -> Iterator[RenderableType]:
    """Yield the drawing of one step."""
    if step.passed:
        sign, style, said = signs.passed, "green", ""
    elif step.verdict == NOT_ATTEMPTED:
        sign, style, said = signs.open, "dim", "not attempted"
    else:
        sign, style, said = signs.failed, "red", words(step.verdict)
    name = Text.assemble("  ", (f"{sign} ", style), (step.step, "bold" if said else ""), (f"  {said}", style))
    yield _Line(name, f"{points(step.score)} / {points(step.max_score)}", style)
    if not step.passed and step.verdict != NOT_ATTEMPTED:
        yield Padding(Group(*_draw_failure(part, step, signs)), (0, 0, 0, INDENT), expand=False)


def _draw_failure(part: str, step: StepMarks, signs: Signs) -> Iterator[RenderableType]:
    failure = step.first_failure
    if failure:
        yield Text.assemble((f"{failure.case}: ", "dim"), failure.message)
    if step.traceback:
        yield Text(step.traceback, style="dim")
    if failure and failure.picture:
        yield Text("")
        yield Drawing(failure.picture, signs)
        yield Text("")
    if step.diagnosis:
        yield Text.assemble((f"{signs.arrow} ", "yellow"), (step.diagnosis.says, "yellow"))
    if step.printed:
        yield Text("your code printed:", style="dim")
        yield Text(_head(step.printed, 12), style="dim")
    yield Text(f"attn hint {part}.{step.step}", style="cyan")


def _head(text: str, lines: int) -> str:
    kept = text.rstrip("\n").split("\n")
    return "\n".join(kept[:lines] + ([f"… and {len(kept) - lines} lines more"] if len(kept) > lines else []))


@dataclass
class _Line:
    """A text with a short one at the right edge."""

    left: Text
    right: str
    style: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = max(options.max_width - len(self.right) - 1, 1)
        left = self.left.copy()
        left.truncate(room, overflow="ellipsis")
        yield Text.assemble(left, " " * (options.max_width - left.cell_len - len(self.right)), (self.right, self.style))


@dataclass
class Drawing:
    """Expected, yours and their difference: matrices side by side where there is room, vectors one below the other."""

    picture: Picture
    signs: Signs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        view = view_of(self.picture, self._most_columns(options.max_width))
        if view.heading:
            yield Text(view.heading, style="dim")
        cells = _Cells(view, self.signs)
        yield from _vectors(view, cells) if len(view.shape) < 2 else _matrices(view, cells, options.max_width)
        if view.left_out:
            yield Text(f"({view.left_out})", style="dim")

    def _most_columns(self, room: int) -> int:
        """How many columns of numbers fit behind the labels of the rows."""
        vector = self.picture.expected.ndim < 2
        labels = ("difference",) if vector else (rows_and_columns(self.picture.dims), *self.picture.tokens)
        return min(MOST_COLUMNS, max((room - max(map(len, labels)) - 1) // CELL, 1))


def _vectors(view: View, cells: "_Cells") -> Iterator[Text]:
    rows = [cells.expected[0], cells.yours[0], cells.difference[0]]
    yield from _table(rows_and_columns(view.dims), ["expected", "yours", "difference"], rows, view.columns)


def _matrices(view: View, cells: "_Cells", room: int) -> Iterator[Text]:
    matrices = (("expected", cells.expected), ("yours", cells.yours), ("difference", cells.difference))
    corner, blank = rows_and_columns(view.dims), [""] * len(view.rows)
    labelled = {
        name: [Text(name, style="bold"), *_table(corner, view.rows, rows, view.columns)] for name, rows in matrices
    }
    plain = {name: [Text(name, style="bold"), *_table("", blank, rows, view.columns)] for name, rows in matrices}
    all_three = [labelled["expected"], plain["yours"], plain["difference"]]
    first_two = all_three[:2]
    if _width_of(all_three) <= room:
        yield from _beside(*all_three)
    elif _width_of(first_two) <= room:
        yield from _beside(*first_two)
        yield from labelled["difference"]
    else:
        for panel in labelled.values():
            yield from panel


def _table(corner: str, labels: Sequence[str], rows: list[list[Text]], columns: range) -> list[Text]:
    """Return rows of cells as lines, under the numbers of their columns and behind their labels."""
    margin = max((len(label) for label in (*labels, corner)), default=0)
    widths = [max(row[column].cell_len for row in rows) for column in range(len(rows[0]))]
    numbers = " ".join(str(column).rjust(width) for column, width in zip(columns, widths, strict=False))
    space = " " if margin else ""
    lines = [Text(corner.ljust(margin) + space + numbers, style="dim")] if columns else []
    for label, row in zip(labels, rows, strict=True):
        cells = [Text(" " * (width - cell.cell_len)).append_text(cell) for cell, width in zip(row, widths, strict=True)]
        lines.append(Text.assemble((label.ljust(margin) + space, "dim"), Text(" ").join(cells)))
    return lines


def _width_of(panels: list[list[Text]]) -> int:
    """Return how many columns panels take side by side."""
    return sum(map(_width, panels)) + len(GAP) * (len(panels) - 1)


def _width(panel: list[Text]) -> int:
    return max(line.cell_len for line in panel)


def _beside(*panels: list[Text]) -> Iterator[Text]:
    """Yield panels side by side, line by line."""
    for lines in zip(*panels, strict=True):
        padded = [line.copy() for line in lines]
        for line, panel in zip(padded[:-1], panels, strict=False):
            line.pad_right(_width(panel) - line.cell_len)
        yield Text(GAP).join(padded)


class _Cells:
    """The cells of three matrices: darker is larger, red is wrong; a difference shows only where there is one.

    Booleans are blocks: full where True.
    """

    def __init__(self, view: View, signs: Signs) -> None:
        def written(value: float) -> str:
            if view.boolean:
                return signs.shades[-1] if value else signs.dot
            return write_number(value, largest)

        wrong, difference = view.wrong, view.difference
        largest, off = largest_of(view.expected), largest_of(difference[wrong])
        self.expected = _draw_cells(
            view.expected, lambda value, at: Text(written(value), style=f"white on {_blue(value, largest)}")
        )
        self.yours = _draw_cells(
            view.yours,
            lambda value, at: Text(
                written(value), style=f"white on {_red(value, largest) if wrong[at] else _blue(value, largest)}"
            ),
        )
        self.difference = _draw_cells(
            difference,
            lambda value, at: (
                Text("x" if view.boolean else write_number(value, largest) + _shade(value, off, signs), style="red")
                if wrong[at]
                else Text(signs.dot, style="dim")
            ),
        )


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


def draw_next(step: SyllabusStep, where: str) -> Text:
    """Draw where to go on."""
    return Text.assemble(("Next: ", "bold"), f"{step.path} in ", (where, "cyan"))
