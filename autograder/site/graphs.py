"""Graphs of functions over one axis, as SVG that follows the palette: distinguished by dashes, named at their right ends."""

import html
import math
from collections.abc import Callable, Iterable, Sequence

from torch import Tensor

from autograder.site.figure import Figure, captioned
from autograder.site.number_format import shown

WIDTH, HEIGHT = 640, 352
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 40, 72
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
        [
            _axes(place, (start, end), (low, high), across, up),
            *map(_graph, range(len(points)), points),
            _names(lines, points),
        ]
    )
    picture = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(caption)}">{drawn}</svg>'
    words = "\n".join(f"- {name}: from {shown(line[0])} to {shown(line[-1])}" for name, line in lines.items())
    return Figure(captioned(picture, caption, "plot graphs"), f"{caption}\n\n{words}\n")


def _axes(place: Place, along: tuple[float, float], heights: tuple[float, float], across: str, up: str) -> str:
    """Return round numbers on both axes, with a line through the picture for each height."""
    (left, zero), (right, _) = place(along[0], 0.0), place(along[1], 0.0)
    bottom = HEIGHT - BOTTOM + 26.0
    levels = [(height, place(along[0], height)[1]) for height in _round_steps(*heights)]
    ticks = [(place(number, 0.0)[0], bottom, number, "middle") for number in _round_steps(*along)]
    ticks += [(left - 10, y + 5, height, "end") for height, y in levels]
    numbers = "".join(
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_short(number)}</text>'
        for x, y, number, anchor in ticks
    )
    lines = "".join(
        f'<line class="{"axis" if y == zero else "level"}" x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}"/>'
        for _, y in levels
    )
    names = (
        f'<text x="{(left + right) / 2:.1f}" y="{bottom + 30:.1f}" text-anchor="middle">{html.escape(across)}</text>'
        + f'<text x="{left:.1f}" y="{TOP - 16}">{html.escape(up)}</text>' * bool(up)
    )
    return f"{lines}{numbers}{names}"


def _round_steps(low: float, high: float) -> list[float]:
    """Return round numbers from low to high, at most seven of them."""
    power = 10.0 ** math.floor(math.log10((high - low) / 6))
    step = next(size * power for size in (1, 2, 5, 10) if size * power * 6.0001 >= high - low)
    return [place * step for place in range(math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6) + 1)]


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
