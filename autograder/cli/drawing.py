"""Drawing marks: each step a line, each wrong one with its message, its picture and its diagnosis."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from autograder.cli.screen import Signs
from autograder.course.answer import Array
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import NOT_ATTEMPTED, Marks, PartMarks, Picture, StepMarks

INDENT = 6
GAP = "   "
MOST_ROWS, MOST_COLUMNS = 8, 8
CELL = 7
"""Columns of the screen that a number takes, with its shade and the space before it."""

RIGHT = 1e-4
"""Differences below this share of the largest expected number are drawn as right."""


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
        if heading := self._heading():
            yield Text(heading, style="dim")
        expected, yours = _matrix(self.picture.expected[self._slice]), _matrix(self.picture.yours[self._slice])
        labels = ("difference",) if self.picture.expected.ndim < 2 else (self._corner, *self.picture.tokens)
        margin = max(map(len, labels)) + 1
        window = _Window.onto(_wrong(yours, expected), min(MOST_COLUMNS, max((options.max_width - margin) // CELL, 1)))
        boolean = self.picture.expected.dtype == bool
        cells = _Cells(window.cut(expected), window.cut(yours), self.signs, boolean)
        if self.picture.expected.ndim < 2:
            yield from self._vectors(cells, window)
        else:
            yield from self._matrices(cells, window, options.max_width)
        if expected.size > window.cut(expected).size:
            yield Text(f"({window.described()} of a larger tensor)", style="dim")

    def _heading(self) -> str:
        """Which output, and which slice of it, is drawn."""
        leading = [f"{name or 'slice'} {i}" for name, i in zip(self.picture.dims, self._slice, strict=False)]
        return ", ".join([*([self.picture.name] if self.picture.name else []), *leading])

    @property
    def _slice(self) -> tuple[int, ...]:
        """The indices of the leading dimensions of the first wrong matrix."""
        extra = max(self.picture.expected.ndim - 2, 0)
        yours, expected = self.picture.yours.astype(float), self.picture.expected.astype(float)
        with np.errstate(invalid="ignore"):
            distance = np.nan_to_num(np.abs(yours - expected), nan=np.inf)
        distance = np.where(_wrong(yours, expected), distance, -1.0)
        return tuple(int(i) for i in np.unravel_index(int(distance.argmax()), distance.shape)[:extra])

    @property
    def _corner(self) -> str:
        """What rows and columns are."""
        return "/".join(name for name in self.picture.dims[-2:] if name)

    def _vectors(self, cells: "_Cells", window: "_Window") -> Iterator[Text]:
        rows = [cells.expected[0], cells.yours[0], cells.difference[0]]
        corner = self.picture.dims[-1] if self.picture.dims else ""
        numbers = window.columns(len(rows[0])) if self.picture.expected.ndim else []
        yield from _table(corner, ["expected", "yours", "difference"], rows, numbers)

    def _matrices(self, cells: "_Cells", window: "_Window", room: int) -> Iterator[Text]:
        count = self.picture.expected.shape[-2]
        names = self.picture.tokens if len(self.picture.tokens) == count else [str(row) for row in range(count)]
        labels = list(names[window.top : window.top + len(cells.expected)])
        numbers = window.columns(len(cells.expected[0]))
        matrices = (("expected", cells.expected), ("yours", cells.yours), ("difference", cells.difference))
        labelled = {
            name: [Text(name, style="bold"), *_table(self._corner, labels, rows, numbers)] for name, rows in matrices
        }
        plain = {
            name: [Text(name, style="bold"), *_table("", [""] * len(labels), rows, numbers)] for name, rows in matrices
        }
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


@dataclass(frozen=True)
class _Window:
    """Which rows and columns of a matrix are drawn: the first, unless nothing wrong would be seen there."""

    top: int
    left: int
    width: int

    @classmethod
    def onto(cls, wrong: Array, width: int) -> "_Window":
        if wrong[:MOST_ROWS, :width].any() or not wrong.any():
            return cls(0, 0, width)
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        return cls(max(0, min(row, wrong.shape[0] - MOST_ROWS)), max(0, min(column, wrong.shape[1] - width)), width)

    def cut(self, matrix: Array) -> Array:
        return matrix[self.top : self.top + MOST_ROWS, self.left : self.left + self.width]

    def columns(self, count: int) -> list[int]:
        return list(range(self.left, self.left + count))

    def described(self) -> str:
        if not self.top and not self.left:
            return "the first rows and columns"
        return f"from row {self.top} and column {self.left} on, a part"


def _table(corner: str, labels: list[str], rows: list[list[Text]], columns: list[int]) -> list[Text]:
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

    def __init__(self, expected: Array, yours: Array, signs: Signs, boolean: bool) -> None:
        def written(value: float, largest: float) -> str:
            if boolean:
                return signs.shades[-1] if value else signs.dot
            return _number(value, largest)

        wrong = _wrong(yours, expected)
        with np.errstate(invalid="ignore"):
            difference = yours - expected
        largest, off = _largest(expected), _largest(difference[wrong])
        self.expected = _draw_cells(
            expected, lambda value, at: Text(written(value, largest), style=f"white on {_blue(value, largest)}")
        )
        self.yours = _draw_cells(
            yours,
            lambda value, at: Text(
                written(value, largest),
                style=f"white on {_red(value, largest) if wrong[at] else _blue(value, largest)}",
            ),
        )
        self.difference = _draw_cells(
            difference,
            lambda value, at: (
                Text("x" if boolean else _number(value, largest) + _shade(value, off, signs), style="red")
                if wrong[at]
                else Text(signs.dot, style="dim")
            ),
        )


def _draw_cells(array: Array, draw: Callable[[float, tuple[int, int]], Text]) -> list[list[Text]]:
    return [[draw(float(value), (i, j)) for j, value in enumerate(row)] for i, row in enumerate(array)]


def _matrix(array: Array) -> Array:
    return np.atleast_2d(array.astype(float))


def _wrong(yours: Array, expected: Array) -> Array:
    """Return the cells to be drawn as wrong: those that differ by more than rounding."""
    tolerance = RIGHT * _largest(expected)
    same: Array = np.isclose(yours.astype(float), expected.astype(float), rtol=1e-4, atol=tolerance, equal_nan=True)
    return ~same


def _largest(array: Array) -> float:
    finite = np.abs(array[np.isfinite(array)].astype(float))
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _share(value: float, largest: float) -> float:
    return min(abs(value) / largest, 1.0) if np.isfinite(value) else 1.0


def _blue(value: float, largest: float) -> str:
    return f"rgb(30,40,{int(50 + 110 * _share(value, largest))})"


def _red(value: float, largest: float) -> str:
    return f"rgb({int(90 + 80 * _share(value, largest))},40,40)"


def _shade(value: float, largest: float, signs: Signs) -> str:
    return signs.shades[min(int(_share(value, largest) * len(signs.shades)), len(signs.shades) - 1)]


def _number(value: float, largest: float) -> str:
    if not np.isfinite(value):
        return str(value)
    if abs(value) >= 100_000:
        return f"{value:.0e}"
    decimals = 0 if largest >= 1000 else 1 if largest >= 100 else 2
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # adding zero turns -0.0 round


def draw_next(step: SyllabusStep, where: str) -> Text:
    """Draw where to go on."""
    return Text.assemble(("Next: ", "bold"), f"{step.path} in ", (where, "cyan"))
