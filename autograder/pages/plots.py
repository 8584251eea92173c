"""Pictures of numbers: bars, arrows in the plane, and the spread of a measurement, as SVG that follows the palette."""

import html
import math
from collections.abc import Callable, Sequence

from torch import Tensor

from autograder.pages.figure import Figure, captioned
from autograder.pages.number_format import shown

WIDTH = 640

Point = tuple[float, float]


def bars(
    values: Tensor, labels: Sequence[str], caption: str, *, role: str = "weight", longest: float | None = None
) -> Figure:
    """Return one bar for each number. longest: the number of a full bar, so that two pictures can be compared."""
    full = longest or float(values.max())
    rows = "".join(
        f'<div class="bar"><span>{html.escape(label)}</span>'
        f'<b>{shown(value)}</b><i style="--share:{max(value, 0.0) / full:.4f}"></i></div>'
        for label, value in zip(labels, values.tolist(), strict=True)
    )
    words = "\n".join(f"- {label}: {shown(value)}" for label, value in zip(labels, values.tolist(), strict=True))
    return Figure(captioned(f'<div class="bars">{rows}</div>', caption, f"plot {role}"), f"{caption}\n\n{words}\n")


def arrows(steps: Tensor, labels: Sequence[str], caption: str, *, role: str = "value", end: str = "context") -> Figure:
    """Return 2-D vectors laid head to tail, and the arrow from the start to where the last one ends. steps: (n, 2)."""
    corners: list[Point] = [(0.0, 0.0), *map(tuple, steps.cumsum(dim=0).tolist())]
    place, height = _plane(corners)
    drawn = "".join(
        _arrow(place(start), place(stop), role) + _label(place(start), place(stop), label)
        for start, stop, label in zip(corners[:-1], corners[1:], labels, strict=True)
    )
    drawn += _arrow(place(corners[0]), place(corners[-1]), "context") + _label(
        place(corners[0]), place(corners[-1]), end, 14
    )
    words = "\n".join(f"- {label}: {shown(step)}" for label, step in zip(labels, steps.tolist(), strict=True))
    text = f"{caption}\n\n{words}\n- {end}: {shown(corners[-1])}\n"
    return Figure(captioned(_svg(drawn, caption, height), caption, "plot arrows"), text)


def spread(measured: dict[str, Tensor], caption: str, *, reach: float) -> Figure:
    """Return the distributions of several measurements on one axis from −reach to reach, one below the other."""
    height = 90
    rows = "".join(
        f'<g transform="translate(0 {place * height})">{_hump(numbers, reach, height)}'
        f'<text x="8" y="24">{html.escape(name)}</text></g>'
        for place, (name, numbers) in enumerate(measured.items())
    )
    bottom = len(measured) * height
    ticks = "".join(
        f'<text x="{WIDTH / 2 + share * WIDTH / 2 * 0.94:.1f}" y="{bottom + 22}" text-anchor="middle">{share * reach:g}</text>'
        for share in (-1.0, -0.5, 0.0, 0.5, 1.0)
    )
    words = "\n".join(f"- {name}: variance {shown(numbers.var().item())}" for name, numbers in measured.items())
    return Figure(
        captioned(_svg(rows + ticks.replace(">-", ">−"), caption, bottom + 32), caption, "plot weight"),
        f"{caption}\n\n{words}\n",
    )


def _hump(numbers: Tensor, reach: float, height: int, bins: int = 61) -> str:
    counts = numbers.clamp(-reach, reach).histc(bins, -reach, reach)
    tallest = float(counts.max())
    wide = WIDTH / bins
    return "".join(
        f'<rect x="{place * wide:.1f}" y="{height - count / tallest * (height - 34):.1f}" '
        f'width="{wide - 1:.1f}" height="{count / tallest * (height - 34):.1f}"/>'
        for place, count in enumerate(counts.tolist())
        if count
    )


def _plane(corners: Sequence[Point], highest: int = 400, margin: int = 44) -> tuple[Callable[[Point], Point], int]:
    """Return where a point of the plane is in the picture, and how high that is; a unit is equally long both ways."""
    xs, ys = zip(*corners, strict=True)
    left, bottom = min(xs), min(ys)
    wide, tall = max(xs) - left, max(ys) - bottom
    unit = min((WIDTH - 2 * margin) / (wide or 1), (highest - 2 * margin) / (tall or 1))
    height = round(tall * unit) + 2 * margin
    return lambda point: (margin + (point[0] - left) * unit, height - margin - (point[1] - bottom) * unit), height


def _arrow(start: Point, stop: Point, role: str) -> str:
    (x, y), (to_x, to_y) = start, stop
    length = math.hypot(to_x - x, to_y - y) or 1.0
    along = ((to_x - x) / length, (to_y - y) / length)
    back = min(11.0, length / 2)
    neck = (to_x - along[0] * back, to_y - along[1] * back)
    side = (-along[1] * back * 0.45, along[0] * back * 0.45)
    tip = " ".join(
        f"{px:.1f},{py:.1f}"
        for px, py in (stop, (neck[0] + side[0], neck[1] + side[1]), (neck[0] - side[0], neck[1] - side[1]))
    )
    line = f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{neck[0]:.1f}" y2="{neck[1]:.1f}"/>'
    return f'<g class="arrow {role}">{line}<polygon points="{tip}"/></g>'


def _label(start: Point, stop: Point, text: str, away: float = -12) -> str:
    """Return a label beside the middle of an arrow. away: how far, to its left if positive."""
    (x, y), (to_x, to_y) = start, stop
    length = math.hypot(to_x - x, to_y - y) or 1.0
    across = ((to_y - y) / length * -away, (to_x - x) / length * away)
    middle = ((x + to_x) / 2 - across[0], (y + to_y) / 2 - across[1])
    anchor = "end" if away > 0 else "start"
    return f'<text x="{middle[0]:.1f}" y="{middle[1] + 5:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _svg(drawn: str, caption: str, height: int) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html.escape(caption)}">{drawn}</svg>'
