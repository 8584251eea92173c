"""Graphs of functions over one axis, as SVG that follows the palette: distinguished by dashes, named at their right ends."""

import html
from collections.abc import Callable, Iterable, Sequence

from torch import Tensor

from autograder.pages.figure import Figure, captioned
from autograder.pages.number_format import shown

WIDTH, HEIGHT = 640, 324
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 40, 44
"""Margins: room for the numbers of the axes, and for the names of the graphs."""

APART = 28
"""From one name to the next, where graphs end close to each other."""

Point = tuple[float, float]
Place = Callable[[float, float], Point]


def graphs(x: Tensor, lines: dict[str, Tensor], caption: str, *, across: str, up: str = "") -> Figure:
    """Return up to four graphs over the same x. lines: the heights of each, by its name. across: what x counts. up: what the heights are."""
    heights = [number for line in lines.values() for number in line.tolist()]
    low, high = min(0.0, *heights), max(heights)
    start, end = x.min().item(), x.max().item()

    def place(at: float, height: float) -> Point:
        right, up = (at - start) / (end - start), (height - low) / (high - low)
        return LEFT + right * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    points = [[place(*point) for point in zip(x.tolist(), line.tolist(), strict=True)] for line in lines.values()]
    drawn = "".join(
        [_axes(place, start, end, high, across, up), *map(_graph, range(len(points)), points), _names(lines, points)]
    )
    picture = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(caption)}">{drawn}</svg>'
    words = "\n".join(f"- {name}: from {shown(line[0])} to {shown(line[-1])}" for name, line in lines.items())
    return Figure(captioned(picture, caption, "plot graphs"), f"{caption}\n\n{words}\n")


def _axes(place: Place, start: float, end: float, high: float, across: str, up: str) -> str:
    """Return the line of height 0, with the numbers at its ends, and the largest height."""
    (left, zero), (right, _) = place(start, 0.0), place(end, 0.0)
    bottom = HEIGHT - BOTTOM + 26.0
    ticks = [(left, bottom, start, "middle"), (right, bottom, end, "middle")]
    ticks += [(left - 10, place(start, height)[1] + 5, height, "end") for height in (0.0, high)]
    numbers = "".join(
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_short(number)}</text>'
        for x, y, number, anchor in ticks
    )
    names = (
        f'<text x="{(left + right) / 2:.1f}" y="{bottom:.1f}" text-anchor="middle">{html.escape(across)}</text>'
        + f'<text x="{left:.1f}" y="{TOP - 16}">{html.escape(up)}</text>' * bool(up)
    )
    return f'<line x1="{left:.1f}" y1="{zero:.1f}" x2="{right:.1f}" y2="{zero:.1f}"/>{numbers}{names}'


def _graph(number: int, points: Iterable[Point]) -> str:
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="graph-{number + 1}" points="{corners}"/>'


def _names(names: Iterable[str], graphs: Sequence[Sequence[Point]]) -> str:
    """Return the names at the right ends of the graphs, from top to bottom, each behind a piece of its line."""
    drawn, lowest = "", -float(APART)
    ends = sorted(
        (points[-1][1], number, name) for number, (name, points) in enumerate(zip(names, graphs, strict=True))
    )
    left = WIDTH - RIGHT + 8
    for height, number, name in ends:
        lowest = max(height, lowest + APART)
        drawn += _graph(number, [(left, lowest), (left + 28, lowest)])
        drawn += f'<text x="{left + 34}" y="{lowest + 5:.1f}">{html.escape(name)}</text>'
    return drawn


def _short(number: float) -> str:
    return f"{number:.3g}".replace("-", "−")
