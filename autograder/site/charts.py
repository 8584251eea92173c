"""Draw charts: measurements as lines with a table, graphs of functions, and distributions."""

import html
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.render.html import draw_table, scrolling
from autograder.render.pictures import Cell, Table
from autograder.site.figure import Figure, captioned
from autograder.site.matrix import as_markdown
from autograder.site.number_format import grouped, shown

WIDTH, HEIGHT = 640, 348
LEFT, RIGHT, TOP, BOTTOM = 88, 600, 40, 290

MOST_STEPS = 5
BINS = 61
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Line = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class _Axis:
    """An axis. share: converts a number to a position from 0 to 1. ticks: the label of each tick."""

    unit: str
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

    at: the x value of each measurement, ascending. along: the unit of x. unit: the unit of y.
    logarithmic: whether both axes are logarithmic; otherwise both begin at 0.
    """
    numbers = [number for line in lines.values() for number in line]
    share = _logarithmic(min(at), max(at)) if logarithmic else lambda place: place / max(at)
    across = _Axis(along, share, {place: grouped(place) for place in at})
    upward = _decades(unit, min(numbers), max(numbers)) if logarithmic else _round_steps(unit, 0, max(numbers))
    cells = [[Cell(grouped(number), 0.0) for number in row] for row in zip(*lines.values(), strict=True)]
    table = Table("", cells, [*across.ticks.values()], [*lines], along)
    folded = f"<details><summary>The numbers</summary>{scrolling(draw_table(table), unit)}</details>"
    chart = _chart({name: [*zip(at, line, strict=True)] for name, line in lines.items()}, across, upward, caption)
    page = captioned(chart + folded, caption, "plot matrix plain")
    return Figure(page, f"{caption}\n\n{unit}:\n\n{as_markdown([table])}\n")


def graphs(x: Tensor, lines: dict[str, Tensor], caption: str, *, across: str, up: str = "") -> Figure:
    """Draw up to four graphs of functions of x. across: the unit of x. up: the unit of y."""
    heights = [number for line in lines.values() for number in line.tolist()]
    along = _round_steps(across, x.min().item(), x.max().item())
    upward = _round_steps(up, min(0.0, *heights), max(heights))
    places = {name: [*zip(x.tolist(), line.tolist(), strict=True)] for name, line in lines.items()}
    words = "\n".join(f"- {name}: from {shown(line[0])} to {shown(line[-1])}" for name, line in lines.items())
    return Figure(captioned(_chart(places, along, upward, caption), caption, "plot"), f"{caption}\n\n{words}\n")


def spread(measured: dict[str, Tensor], caption: str, *, reach: float) -> Figure:
    """Draw the distributions of up to four tensors from −reach to reach, scaled to the same height."""
    counts = {name: one.clamp(-reach, reach).histc(BINS, -reach, reach) for name, one in measured.items()}
    lines = {name: count / count.max() for name, count in counts.items()}
    drawn = graphs(torch.linspace(-reach, reach, BINS), lines, caption, across="number", up="how often")
    words = "\n".join(f"- {name}: variance {shown(numbers.var().item())}" for name, numbers in measured.items())
    return Figure(drawn.page, f"{caption}\n\n{words}\n")


def _chart(lines: Mapping[str, Line], across: _Axis, upward: _Axis, caption: str) -> str:
    """Return the HTML of a legend with the chart below."""
    legend = "".join(
        f'<li class="line-{number}"><svg viewBox="0 0 30 8" aria-hidden="true"><path d="M0 4H30"/></svg>{html.escape(name)}</li>'
        for number, name in enumerate(lines, 1)
    )
    titles = (
        f'<text x="4" y="20">{html.escape(upward.unit)}</text>'
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 4}" text-anchor="end">{html.escape(across.unit)}</text>'
    )
    drawn = "".join(_line(number, line, across, upward) for number, line in enumerate(lines.values(), 1))
    picture = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(caption)}">'
    return f'<ul class="legend">{legend}</ul>{picture}{"".join(_grid(across, upward))}{drawn}{titles}</svg>'


def _line(number: int, line: Line, across: _Axis, upward: _Axis) -> str:
    wide, tall = RIGHT - LEFT, BOTTOM - TOP
    places = [(LEFT + across.share(x) * wide, BOTTOM - upward.share(y) * tall) for x, y in line]
    return f'<path class="line-{number}" d="M{" ".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>'


def _grid(across: _Axis, upward: _Axis) -> Iterator[str]:
    """Yield the labels at the ticks of both axes, and a horizontal line at each upward tick."""
    for number, text in upward.ticks.items():
        y = BOTTOM - upward.share(number) * (BOTTOM - TOP)
        yield f'<line class="{"level" if number else "zero"}" x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 10}" y="{y + 6:.1f}" text-anchor="end">{text}</text>'
    for number, text in across.ticks.items():
        x = LEFT + across.share(number) * (RIGHT - LEFT)
        yield f'<text x="{x:.1f}" y="{BOTTOM + 28}" text-anchor="middle">{text}</text>'


def _round_steps(unit: str, low: float, high: float) -> _Axis:
    """Return an axis that includes both numbers and has a few ticks, at round numbers."""
    power = 10.0 ** math.floor(math.log10((high - low) / MOST_STEPS))
    step = next(size * power for size in (1, 2, 5, 10) if size * power * (MOST_STEPS + 1e-6) >= high - low)
    first, last = math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6)
    ends = [float(f"{place * step:.6g}") for place in range(first, last + 1)]
    return _Axis(unit, lambda number: (number - ends[0]) / (ends[-1] - ends[0]), {end: grouped(end) for end in ends})


def _decades(unit: str, low: float, high: float) -> _Axis:
    """Return a logarithmic axis with a tick at each power of ten. Long labels are powers: 10⁵."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = {10.0**power: grouped(10.0**power) for power in powers}
    ticks |= {10.0**power: f"10{str(power).translate(RAISED)}" for power in powers if abs(power) >= 4}
    return _Axis(unit, _logarithmic(min(ticks), max(ticks)), ticks)


def _logarithmic(low: float, high: float) -> Callable[[float], float]:
    return lambda number: math.log(number / low) / math.log(high / low)
