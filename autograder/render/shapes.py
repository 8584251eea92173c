"""Shapes in the terminal: the expected one and yours as boxes, their sides labelled, what is off marked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from autograder.grading.pictures import Boxes, NamedSize
from autograder.render.panels import Panel, side_by_side
from autograder.render.screen import Signs
from autograder.render.screen_reader import tell_boxes

GAP = 6
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
        yield from side_by_side([Panel(title, box, box) for title, box in boxes.items()], GAP, options.max_width)
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
