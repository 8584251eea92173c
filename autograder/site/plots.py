"""Draw bar charts, and vectors of two numbers as arrows."""

import cmath
import html
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise

from torch import Tensor

from autograder.site.figure import Figure, captioned
from autograder.site.number_format import shown

PLANE = 352
"""The width of a picture of vectors, in pixels. Two fit side by side on a page, one on a phone."""

LETTER = 7
"""The approximate width of a letter in a label, in pixels."""

BROAD = ("query", "context")
"""The roles of arrows that are drawn broad."""

Point = complex
"""A point or a vector of the plane: x + yj. On a picture, y points down."""


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
    place, height = _plane([corner for walk in others or (steps,) for corner in _corners(walk)])
    corners = [place(corner) for corner in _corners(steps)]
    start, stop = corners[0], corners[-1]
    drawn = _arrow(start, stop, "context") + "".join(_arrow(*step, "value") for step in pairwise(corners))
    drawn += _origin(start) + "".join(map(_label, corners, corners[1:], labels)) + _label(start, stop, end, 14)
    words = "\n".join(f"- {label}: {shown(step)}" for label, step in zip(labels, steps, strict=True))
    text = f"{caption}\n\n{words}\n- {end}: {shown(steps.cumsum(dim=0)[-1])}\n"
    return Figure(captioned(_svg(drawn, caption, height), caption, "plot arrows"), text)


def directions(vectors: Mapping[str, tuple[Tensor, str]], caption: str) -> Figure:
    """Draw 2-D vectors as arrows from one origin. vectors: each vector and its colour, by name."""
    ends = [Point(*vector.tolist()) for vector, _ in vectors.values()]
    place, height = _plane([0j, *ends], margins=Point(12 + LETTER * max(map(len, vectors)), 30))
    origin, tips = place(0j), [place(end) for end in ends]
    drawn = "".join(_arrow(origin, tip, role) for tip, (_, role) in zip(tips, vectors.values(), strict=True))
    drawn += _origin(origin)
    drawn += "".join(
        _label_at_tip(origin, tip, [other for other in tips if other != tip], name)
        for name, tip in zip(vectors, tips, strict=True)
    )
    words = "\n".join(f"- {name}: {shown(vector)}" for name, (vector, _) in vectors.items())
    return Figure(captioned(_svg(drawn, caption, height), caption, "plot arrows"), f"{caption}\n\n{words}\n")


def _plane(corners: Sequence[Point], margins: Point = 44 + 44j) -> tuple[Callable[[Point], Point], int]:
    """Return a function that converts points of the plane to pixels, and the picture's height."""
    xs, ys = [corner.real for corner in corners], [corner.imag for corner in corners]
    lowest, wide, tall = Point(min(xs), min(ys)), max(xs) - min(xs), max(ys) - min(ys)
    unit = min((PLANE - 2 * margins.real) / (wide or 1), (PLANE - 2 * margins.imag) / (tall or 1))
    height = round(tall * unit + 2 * margins.imag)
    corner = Point((PLANE - wide * unit) / 2, height - margins.imag)
    return lambda point: corner + ((point - lowest) * unit).conjugate(), height


def _corners(steps: Tensor) -> list[Point]:
    return [0j, *(Point(x, y) for x, y in steps.cumsum(dim=0).tolist())]


def _origin(place: Point) -> str:
    return f'<circle cx="{place.real:.1f}" cy="{place.imag:.1f}" r="4"/>'


def _arrow(start: Point, stop: Point, role: str) -> str:
    """Return an arrow. It is drawn along the x axis and then turned to its direction."""
    length, angle = cmath.polar(stop - start)
    neck = length - min(20.0 if role in BROAD else 11.0, length / 2)
    side = (length - neck) * 0.45
    turned = f"translate({start.real:.1f} {start.imag:.1f}) rotate({math.degrees(angle):.1f})"
    tip = f"{length:.1f},0 {neck:.1f},{side:.1f} {neck:.1f},{-side:.1f}"
    return f'<g class="arrow {role}" transform="{turned}"><line x2="{neck:.1f}"/><polygon points="{tip}"/></g>'


def _label(start: Point, stop: Point, text: str, away: float = -12) -> str:
    """Return a label beside an arrow's middle. away: the distance, to the arrow's left if positive."""
    aside = _direction(start, stop) * -1j * away
    return _text((start + stop) / 2 + aside, text, aside.real)


def _label_at_tip(start: Point, tip: Point, others: Sequence[Point], text: str) -> str:
    """Return a label at the tip of an arrow, on the side away from the nearest other arrow."""
    turns = [cmath.phase((other - start) * (tip - start).conjugate()) for other in others]
    side = -math.copysign(1.0, min(turns, key=abs, default=0.0))
    away = _direction(start, tip) * Point(9, 13 * side)
    return _text(tip + away, text, away.real)


def _direction(start: Point, stop: Point) -> Point:
    """Return the vector of length 1 from one point to another; 0 if they are equal."""
    return (stop - start) / (abs(stop - start) or 1.0)


def _text(place: Point, text: str, to_the_right: float) -> str:
    """Return text that starts at a point (`to_the_right` > 0), ends there (< 0) or is centred (near 0)."""
    anchor = "middle" if abs(to_the_right) < 3 else "start" if to_the_right > 0 else "end"
    return f'<text x="{place.real:.1f}" y="{place.imag + 5:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _svg(drawn: str, caption: str, height: int) -> str:
    return f'<svg viewBox="0 0 {PLANE} {height}" role="img" aria-label="{html.escape(caption)}">{drawn}</svg>'
