"""Draw bar charts, and vectors of two numbers as arrows."""

import html
import math
from collections.abc import Callable, Collection, Mapping, Sequence

from torch import Tensor

from autograder.site.figure import Figure, captioned
from autograder.site.number_format import shown

PLANE = 352
"""The width of a picture of vectors, in pixels. Two fit side by side on a page, one on a phone."""

LETTER = 7
"""The approximate width of a letter in a label, in pixels."""

BROAD = ("query", "context")
"""The roles of arrows that are drawn broad."""

Point = tuple[float, float]


def bars(
    values: Tensor,
    labels: Sequence[str],
    caption: str,
    *,
    role: str | Sequence[str] = "weight",
    longest: float | None = None,
    titles: tuple[str, str] = ("", ""),
    stressed: Collection[int] = (),
) -> Figure:
    """Draw one bar for each number.

    role: the colour of all bars, or of each. longest: the number that fills the width of a picture.
    titles: the headings of labels and numbers. stressed: indices of bars; the others become pale.
    """
    roles = [role] * len(labels) if isinstance(role, str) else role
    full = longest or float(values.max())
    above = (
        f'<div class="bar titles"><span>{titles[0]}</span><b>{titles[1]}</b><i style="--share:0"></i></div>'
        if any(titles)
        else ""
    )
    rows = above + "".join(
        f'<div class="bar {role}{" pale" * bool(stressed and place not in stressed)}"><span>{html.escape(label)}</span>'
        f'<b>{shown(value)}</b><i style="--share:{max(value, 0.0) / full:.4f}"></i></div>'
        for place, (role, label, value) in enumerate(zip(roles, labels, values.tolist(), strict=True))
    )
    words = "\n".join(f"- {label}: {shown(value)}" for label, value in zip(labels, values.tolist(), strict=True))
    return Figure(captioned(f'<div class="bars">{rows}</div>', caption, "plot"), f"{caption}\n\n{words}\n")


def arrows(
    steps: Tensor, labels: Sequence[str], caption: str, *, end: str = "context", others: Sequence[Tensor] = ()
) -> Figure:
    """Draw 2-D vectors head to tail, and their sum as a broad arrow. steps: the vectors, (n, 2).

    end: the sum's label. others: the steps of all pictures in one frame, these included.
    """
    corners = _corners(steps)
    place, height = _plane([corner for walk in others or (steps,) for corner in _corners(walk)])
    walk = [*zip(map(place, corners[:-1]), map(place, corners[1:]), labels, strict=True)]
    start, stop = place(corners[0]), place(corners[-1])
    drawn = _arrow(start, stop, "context") + "".join(_arrow(here, there, "value") for here, there, _ in walk)
    drawn += _origin(start) + "".join(_label(*step) for step in walk) + _label(start, stop, end, 14)
    words = "\n".join(f"- {label}: {shown(step)}" for label, step in zip(labels, steps.tolist(), strict=True))
    text = f"{caption}\n\n{words}\n- {end}: {shown(corners[-1])}\n"
    return Figure(captioned(_svg(drawn, caption, height), caption, "plot arrows"), text)


def directions(vectors: Mapping[str, tuple[Tensor, str]], caption: str) -> Figure:
    """Draw 2-D vectors as arrows from one origin. vectors: each vector and its colour, by name."""
    ends: list[Point] = [(float(x), float(y)) for (x, y), _ in vectors.values()]
    place, height = _plane([(0.0, 0.0), *ends], margins=(12 + LETTER * max(map(len, vectors)), 30))
    origin, tips = place((0.0, 0.0)), [place(end) for end in ends]
    drawn = "".join(_arrow(origin, tip, role) for tip, (_, role) in zip(tips, vectors.values(), strict=True))
    drawn += _origin(origin)
    drawn += "".join(
        _label_at_tip(origin, tip, [other for other in tips if other != tip], name)
        for name, tip in zip(vectors, tips, strict=True)
    )
    words = "\n".join(f"- {name}: {shown(end)}" for name, end in zip(vectors, ends, strict=True))
    picture = _svg(drawn, caption, height)
    return Figure(captioned(picture, caption, "plot arrows"), f"{caption}\n\n{words}\n")


def _plane(corners: Sequence[Point], margins: Point = (44, 44)) -> tuple[Callable[[Point], Point], int]:
    """Return a function that converts points of the plane to pixels, and the picture's height."""
    xs, ys = zip(*corners, strict=True)
    left, bottom = min(xs), min(ys)
    wide, tall = max(xs) - left, max(ys) - bottom
    beside, below = margins
    unit = min((PLANE - 2 * beside) / (wide or 1), (PLANE - 2 * below) / (tall or 1))
    height = round(tall * unit + 2 * below)
    before = (PLANE - wide * unit) / 2
    return lambda point: (before + (point[0] - left) * unit, height - below - (point[1] - bottom) * unit), height


def _corners(steps: Tensor) -> list[Point]:
    return [(0.0, 0.0), *map(tuple, steps.cumsum(dim=0).tolist())]


def _origin(place: Point) -> str:
    return f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="4"/>'


def _arrow(start: Point, stop: Point, role: str) -> str:
    """Return an arrow. It is drawn along the x axis and then turned to its direction."""
    across, down = stop[0] - start[0], stop[1] - start[1]
    length = math.hypot(across, down)
    neck = length - min(20.0 if role in BROAD else 11.0, length / 2)
    side = (length - neck) * 0.45
    turned = f"translate({start[0]:.1f} {start[1]:.1f}) rotate({math.degrees(math.atan2(down, across)):.1f})"
    tip = f"{length:.1f},0 {neck:.1f},{side:.1f} {neck:.1f},{-side:.1f}"
    return f'<g class="arrow {role}" transform="{turned}"><line x2="{neck:.1f}"/><polygon points="{tip}"/></g>'


def _label(start: Point, stop: Point, text: str, away: float = -12) -> str:
    """Return a label beside an arrow's middle. away: the distance, to the arrow's left if positive."""
    across, down = stop[0] - start[0], stop[1] - start[1]
    length = math.hypot(across, down) or 1.0
    right, below = down / length * away, -across / length * away
    return _text((start[0] + stop[0]) / 2 + right, (start[1] + stop[1]) / 2 + below, text, right)


def _label_at_tip(start: Point, tip: Point, others: Sequence[Point], text: str) -> str:
    """Return a label at the tip of an arrow, on the side away from the nearest other arrow."""
    x, y = tip[0] - start[0], tip[1] - start[1]
    turns = [
        math.atan2(x * (b - start[1]) - y * (a - start[0]), x * (a - start[0]) + y * (b - start[1])) for a, b in others
    ]
    side = -math.copysign(1.0, min(turns, key=abs, default=0.0))
    length = math.hypot(x, y) or 1.0
    across = (9 * x - 13 * side * y) / length
    return _text(tip[0] + across, tip[1] + (9 * y + 13 * side * x) / length, text, across)


def _text(x: float, y: float, text: str, to_the_right: float) -> str:
    """Return text that starts at a point (`to_the_right` > 0), ends there (< 0) or is centred (near 0)."""
    anchor = "middle" if abs(to_the_right) < 3 else "start" if to_the_right > 0 else "end"
    return f'<text x="{x:.1f}" y="{y + 5:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _svg(drawn: str, caption: str, height: int) -> str:
    return f'<svg viewBox="0 0 {PLANE} {height}" role="img" aria-label="{html.escape(caption)}">{drawn}</svg>'
