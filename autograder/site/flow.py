"""Draw a flow: tensors as boxes with names and shapes, and the operations between them."""

import html
import math
from collections.abc import Iterable
from dataclasses import dataclass

from torch import Tensor

from autograder.site.figure import Figure, captioned, inline
from autograder.site.matrix import shape_of

CELL, LARGEST = 9, 72
"""The maximum size of a cell, and of the longest side of a matrix, in pixels."""
LINES, THINNEST = 5, 6
"""The minimum size of a cell for which lines are drawn, and of a side of a matrix, in pixels."""
SIGNS = ("×", "+", "=")
"""The operations that are drawn as a sign between boxes, without an arrow."""
STEP, MOST_SHEETS = 4, 8
"""The pixels between two sheets (matrices) of a stack, and the maximum number of drawn sheets."""


@dataclass(frozen=True)
class Box:
    """A tensor. role: the colour. sheets: (matrices, rows, columns) to draw. picture: SVG instead."""

    name: str
    shape: str
    role: str
    sheets: tuple[int, int, int] = (0, 0, 0)
    picture: str = ""


def box(name: str, tensor: Tensor, role: str = "plain") -> Box:
    """Return the box of a tensor. role: the colour, one of those that `matrix` accepts."""
    *ahead, rows, columns = (1, 1, *tensor.shape)
    return Box(name, shape_of(tensor), role, (math.prod(ahead), rows, columns))


def flow(*stations: Box | str, caption: str) -> Figure:
    """Draw boxes in reading order, all at the same scale.

    stations: boxes, and strings between them: the name of an operation, or a sign (×, + or =).
    """
    longest = max(max(station.sheets[1:]) for station in stations if isinstance(station, Box))
    cell = min(CELL, LARGEST / max(longest, 1))
    words = "\n".join(f"- {one}" if isinstance(one, str) else f"- **{one.name}** {one.shape}" for one in stations)
    page = f"<ol>{''.join(_items(stations, cell))}</ol>"
    return Figure(captioned(page, caption, "flow"), f"{caption}\n\n{words}\n")


def _stack(sheets: tuple[int, int, int], cell: float) -> str:
    """Draw a tensor's matrices behind one another. The first shows its cells if they are large enough."""
    count, rows, columns = sheets
    width, height = (max(round(size * cell), THINNEST) for size in (columns, rows))
    behind = STEP * (min(count, MOST_SHEETS) - 1)
    drawn = "".join(
        f'<path d="M{right + 0.5} {behind - right + 0.5}h{width}v{height}h-{width}z"/>'
        for right in range(behind, -1, -STEP)
    )
    if cell >= LINES:
        lines = "".join(f"M{place * cell + 0.5:g} {behind + 0.5}v{height}" for place in range(1, columns))
        lines += "".join(f"M.5 {behind + place * cell + 0.5:g}h{width}" for place in range(1, rows))
        drawn += f'<path d="{lines}"/>'
    size = f'width="{width + behind + 1}" height="{height + behind + 1}"'
    return f'<svg viewBox="0 0 {width + behind + 1} {height + behind + 1}" {size} aria-hidden="true">{drawn}</svg>'


def _items(stations: Iterable[Box | str], cell: float) -> Iterable[str]:
    """Yield a list item for each box and the operations before it, so that no line ends in an arrow."""
    ways = ""
    for station in stations:
        if isinstance(station, str):
            arrow = "" if station in SIGNS else ' <i aria-hidden="true">→</i>'
            ways += f'<span class="way">{inline(html.escape(station, quote=False))}{arrow}</span> '
        else:
            name = inline(html.escape(station.name, quote=False))
            picture = station.picture or _stack(station.sheets, cell)
            told = f"<strong>{name}</strong> <span>{station.shape}</span>"
            yield f'<li>{ways}<span class="box {station.role}">{picture}{told}</span></li>'
            ways = ""
