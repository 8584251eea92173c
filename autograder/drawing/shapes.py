"""Shapes in the terminal: the expected one and yours as boxes, their sides labelled, what is off marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autograder.drawing.screen import Signs
from autograder.drawing.words import tell_boxes
from autograder.marking.boxes import Boxes, NamedSize

GAP = "      "
HIGHEST = 6
"""Lines of the longest side; a column of the tensor is two characters wide, so that squares look square."""
NARROWEST = 4
OFF = "bold red"


@dataclass
class BoxDrawing:
    """Two boxes side by side if there is room, and what is wrong with yours below; in sentences if asked for."""

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
        panels = [[Text(title, style="bold"), *_box(shape, unit, self.signs)] for title, shape in shapes.items()]
        beside = list(_beside(*panels))
        fits = max(line.cell_len for line in beside) <= options.max_width
        yield from beside if fits else (line for panel in panels for line in panel)
        yield from (Text(f"{self.signs.failed} {side.says}", style="red") for side in self.boxes.sides if side.off)


def _box(shape: Sequence[NamedSize], unit: float, signs: Signs) -> list[Text]:
    """Return the lines of a box of rows and columns; of more dimensions a sheet on a pile, of a single number a cell."""
    sheets, rows, columns = shape[:-2], shape[-2:-1], shape[-1:]
    top_left, top_right, bottom_left, bottom_right, level, upright = tuple(signs.frame)
    height, width = (max(1, *(round(size * unit) for _, size, _ in side), 1) for side in (rows, columns))
    line = level * max(2 * width, NARROWEST)
    over, beside = (OFF if any(off for _, _, off in side) else "" for side in (columns, rows))
    label = _label(rows, signs)
    margin = Text(" " * label.cell_len)
    middle = (height - 1) // 2
    behind = f" {upright}" if sheets else ""
    above = _label(columns, signs) if shape else Text("a single number")
    return [
        *([Text("sheets: ").append_text(_label(sheets, signs))] if sheets else []),
        Text.assemble(margin, " " * (1 + max(0, (len(line) - above.cell_len) // 2)), above),
        *([Text.assemble(margin, "   ", top_left, line, top_right)] if sheets else []),
        Text.assemble(margin, " ", (top_left + line + top_right, over), behind),
        *(
            Text.assemble(
                label if number == middle else margin, " ", (upright, beside), " " * len(line), upright, behind
            )
            for number in range(height)
        ),
        Text.assemble(margin, " ", bottom_left, line, bottom_right, level + bottom_right if sheets else ""),
    ]


def _label(side: Sequence[NamedSize], signs: Signs) -> Text:
    """Return the names and sizes of dimensions, those that are off with a mark."""
    return Text(", ").join(
        Text.assemble(
            (f"{name}={size}" if name else str(size), OFF if off else ""), (f" {signs.failed}", OFF) if off else ""
        )
        for name, size, off in side
    )


def _beside(left: list[Text], right: list[Text]) -> Iterator[Text]:
    """Yield two panels side by side, line by line, their titles at the top and their boxes on one floor."""
    width = max(line.cell_len for line in left)
    heads, bodies = zip(left[:1], right[:1], strict=True), zip_longest(reversed(left[1:]), reversed(right[1:]))
    for one, other in (*heads, *reversed(list(bodies))):
        line = one.copy() if one else Text("")
        line.pad_right(width - line.cell_len)
        yield Text(GAP).join([line, other or Text("")])
