"""Draw charts: measured lines with a table of their numbers, and graphs of functions."""

import html
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.site.figure import Figure, captioned, table_of
from autograder.site.number_format import shown

WIDTH, HEIGHT = 640, 348
LEFT, RIGHT, TOP, BOTTOM = 88, 600, 40, 290

ROLES = ("weight", "key", "value", "query")
MARKS = ("M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z", "M-6-6h12v12h-12z", "M0-7l8 13h-16z", "M0-8l8 8-8 8-8-8z")
"""The colours and the marks of up to four measured lines: a circle, a square, a triangle, a diamond."""

MOST_STEPS = 5
BINS = 61

Line = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class _Axis:
    """An axis. share: maps a number to a position from 0 to 1. ticks: the texts of some numbers."""

    share: Callable[[float], float]
    ticks: Mapping[float, str]


def curves(
    lines: Mapping[str, Sequence[float]],
    at: Sequence[int],
    caption: str,
    *,
    unit: str,
    along: str = "tokens",
    logarithmic: bool = False,
) -> Figure:
    """Draw up to four measured lines, with a table of their numbers that opens on a click.

    at: the x of the measurements, ascending. along: the unit of x. unit: the unit of y.
    logarithmic: whether both axes are logarithmic; otherwise both begin at 0.
    """
    numbers = [number for line in lines.values() for number in line]
    share = _logarithmic(min(at), max(at)) if logarithmic else lambda place: place / max(at)
    across = _Axis(share, {place: _written(place) for place in at})
    upward = _decades(min(numbers), max(numbers)) if logarithmic else _round_steps(0, max(numbers))
    drawn, signs = [], {}
    for role, mark, (name, line) in zip(ROLES, MARKS, lines.items(), strict=False):
        places = _places(list(zip(at, line, strict=True)), across, upward)
        marks = "".join(f'<path d="{mark}" transform="translate({x:.1f} {y:.1f})"/>' for x, y in places)
        drawn.append(f'<g class="{role}">{_polyline(places)}{marks}</g>')
        signs[name] = f'<g class="{role}"><path d="{mark}"/></g>'
    table = [
        [along, *lines],
        *map(list, zip(map(_written, at), *(map(_written, line) for line in lines.values()), strict=True)),
    ]
    folded = (
        f'<details><summary>The numbers</summary><div class="scrolling" tabindex="0" role="group" '
        f'aria-label="{html.escape(unit)}">{_as_html(table)}</div></details>'
    )
    page = _chart("".join(drawn), signs, across, upward, caption, along, unit) + folded
    return Figure(captioned(page, caption, "plot curves"), f"{caption}\n\n{unit}:\n\n{table_of(table)}\n")


def graphs(x: Tensor, lines: dict[str, Tensor], caption: str, *, across: str, up: str = "") -> Figure:
    """Draw up to four graphs of functions of x. across: the unit of x. up: the unit of y."""
    heights = [number for line in lines.values() for number in line.tolist()]
    along, upward = _round_steps(x.min().item(), x.max().item()), _round_steps(min(0.0, *heights), max(heights))
    drawn, signs = "", {}
    for number, (name, line) in enumerate(lines.items(), 1):
        places = _places(list(zip(x.tolist(), line.tolist(), strict=True)), along, upward)
        drawn += f'<g class="graph-{number}">{_polyline(places)}</g>'
        signs[name] = f'<g class="graph-{number}">{_polyline([(-9, 0), (9, 0)])}</g>'
    words = "\n".join(f"- {name}: from {shown(line[0])} to {shown(line[-1])}" for name, line in lines.items())
    chart = _chart(drawn, signs, along, upward, caption, across, up)
    return Figure(captioned(chart, caption, "plot graphs"), f"{caption}\n\n{words}\n")


def spread(measured: dict[str, Tensor], caption: str, *, reach: float) -> Figure:
    """Draw up to four distributions of measurements from −reach to reach, each as high as the others."""
    counts = {name: one.clamp(-reach, reach).histc(BINS, -reach, reach) for name, one in measured.items()}
    lines = {name: count / count.max() for name, count in counts.items()}
    drawn = graphs(torch.linspace(-reach, reach, BINS), lines, caption, across="number", up="how often")
    words = "\n".join(f"- {name}: variance {shown(numbers.var().item())}" for name, numbers in measured.items())
    return Figure(drawn.page, f"{caption}\n\n{words}\n")


def _chart(
    drawn: str, signs: Mapping[str, str], across: _Axis, upward: _Axis, caption: str, along: str, unit: str
) -> str:
    """Return a legend and the chart below it. signs: the mark of each line, by its name."""
    legend = "".join(
        f'<li><svg viewBox="-9 -9 18 18" aria-hidden="true">{sign}</svg>{html.escape(name)}</li>'
        for name, sign in signs.items()
    )
    titles = (
        f'<text x="4" y="20">{html.escape(unit)}</text>'
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 4}" text-anchor="end">{html.escape(along)}</text>'
    )
    picture = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(caption)}">'
    return f'<ul class="legend">{legend}</ul>{picture}{"".join(_grid(across, upward))}{drawn}{titles}</svg>'


def _grid(across: _Axis, upward: _Axis) -> Iterator[str]:
    """Yield the ticks of both axes, and a horizontal line at each upward tick."""
    for number, text in upward.ticks.items():
        y = BOTTOM - upward.share(number) * (BOTTOM - TOP)
        yield f'<line class="{"level" if number else "zero"}" x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 10}" y="{y + 6:.1f}" text-anchor="end">{text}</text>'
    for number, text in across.ticks.items():
        x = LEFT + across.share(number) * (RIGHT - LEFT)
        yield f'<text x="{x:.1f}" y="{BOTTOM + 28}" text-anchor="middle">{text}</text>'


def _places(line: Line, across: _Axis, upward: _Axis) -> Line:
    """Return the points of a line in coordinates of the picture."""
    wide, tall = RIGHT - LEFT, BOTTOM - TOP
    return [(LEFT + across.share(x) * wide, BOTTOM - upward.share(y) * tall) for x, y in line]


def _polyline(places: Line) -> str:
    return f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>'


def _round_steps(low: float, high: float) -> _Axis:
    """Return an axis with a few round steps that holds both numbers."""
    power = 10.0 ** math.floor(math.log10((high - low) / MOST_STEPS))
    step = next(size * power for size in (1, 2, 5, 10) if size * power * (MOST_STEPS + 1e-6) >= high - low)
    first, last = math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6)
    ends = [float(f"{place * step:.6g}") for place in range(first, last + 1)]
    return _Axis(lambda number: (number - ends[0]) / (ends[-1] - ends[0]), {end: _written(end) for end in ends})


def _decades(low: float, high: float) -> _Axis:
    """Return a logarithmic axis between powers of ten. Long numbers are written as powers."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = {10.0**power: _written(10.0**power) if abs(power) < 4 else f"10{_raised(power)}" for power in powers}
    return _Axis(_logarithmic(min(ticks), max(ticks)), ticks)


def _logarithmic(low: float, high: float) -> Callable[[float], float]:
    return lambda number: math.log(number / low) / math.log(high / low)


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _as_html(table: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in table[0])
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{text}</td>" for text in rest)}</tr>'
        for first, *rest in table[1:]
    )
    return f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _written(number: float) -> str:
    """Return a number with all its digits, in groups of three."""
    decimals = len(f"{number:.15g}".partition(".")[2])
    return f"{number:,.{decimals}f}".replace(",", "\N{NO-BREAK SPACE}").replace("-", "−")
