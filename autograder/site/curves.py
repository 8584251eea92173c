"""How something grows: a chart of one or several lines, and below it, folded, the numbers as a table."""

import html
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.site.figure import Figure, captioned

WIDTH, HEIGHT = 640, 348
LEFT, RIGHT, TOP, BOTTOM = 88, 600, 40, 290

ROLES = ("weight", "key", "value", "query")
MARKS = ("M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z", "M-6-6h12v12h-12z", "M0-7l8 13h-16z", "M0-8l8 8-8 8-8-8z")
"""The colour and the mark of each line, so that the colour is not needed: a circle, a square, a triangle, a diamond."""

DIGITS = 3
"""How many a measured number has at least."""
AS_WIDE_AS_A_POINT, AS_WIDE_AS_A_DIGIT = "\N{PUNCTUATION SPACE}", "\N{FIGURE SPACE}"


@dataclass(frozen=True)
class _Axis:
    """One direction of a chart. share: where a number is between its ends, from 0 to 1. ticks: what is written on it."""

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
    """Return up to four lines in one chart, and their numbers in a table that opens on a click.

    at: where each number of a line was taken, ascending, in what `along` says. unit: of the lines.
    logarithmic: both axes, for what grows by factors; otherwise both begin at 0.
    """
    numbers = [number for line in lines.values() for number in line]
    across = _Axis(_shares(at, logarithmic), {place: _written(place) for place in at})
    upward = _decades(numbers) if logarithmic else _round_steps(max(numbers))
    drawn = "".join([*_grid(across, upward), *_lines(lines, at, across, upward)])
    titles = (
        f'<text x="4" y="20">{html.escape(unit)}</text>'
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 4}" text-anchor="end">{html.escape(along)}</text>'
    )
    chart = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(caption)}">{drawn}{titles}</svg>'
    table = _table(lines, at, along)
    folded = (
        f'<details><summary>The numbers</summary><div class="scrolling" tabindex="0" role="group" '
        f'aria-label="{html.escape(unit)}">{_html(table)}</div></details>'
    )
    return Figure(
        captioned(_legend(lines) + chart + folded, caption, "plot curves"),
        f"{caption}\n\n{unit}:\n\n{_markdown(table)}\n",
    )


def _shares(numbers: Sequence[float], logarithmic: bool) -> Callable[[float], float]:
    """Return where a number is between the ends of an axis: the outermost two, or 0 and the largest."""
    if not logarithmic:
        return lambda number: number / max(numbers)
    low, high = math.log(min(numbers)), math.log(max(numbers))
    return lambda number: (math.log(number) - low) / (high - low)


def _round_steps(largest: float) -> _Axis:
    """Return an axis from 0 in two to five round steps."""
    power = 10.0 ** math.floor(math.log10(largest))
    step = next(size for size in (power / 5, power / 2, power, 2 * power, 5 * power) if largest / size <= 5)
    ends = [place * step for place in range(math.ceil(largest / step) + 1)]
    return _Axis(_shares(ends, logarithmic=False), {end: _written(float(f"{end:.6g}")) for end in ends})


def _decades(numbers: Sequence[float]) -> _Axis:
    """Return a logarithmic axis from one power of ten to another; long ones are written as powers."""
    powers = range(math.floor(math.log10(min(numbers))), math.ceil(math.log10(max(numbers))) + 1)
    ticks = {10.0**power: _written(10.0**power) if abs(power) < 4 else f"10{_raised(power)}" for power in powers}
    return _Axis(_shares(list(ticks), logarithmic=True), ticks)


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _place(across: float, upward: float) -> tuple[float, float]:
    """Return where in the picture two shares of the axes meet."""
    return LEFT + across * (RIGHT - LEFT), BOTTOM - upward * (BOTTOM - TOP)


def _grid(across: _Axis, upward: _Axis) -> Iterator[str]:
    """Yield the ticks of both axes, with a line through the chart for each of the upward one."""
    for number, text in upward.ticks.items():
        x, y = _place(0, upward.share(number))
        yield f'<line x1="{x}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}"/>'
        yield f'<text x="{x - 10}" y="{y + 6:.1f}" text-anchor="end">{text}</text>'
    for number, text in across.ticks.items():
        x, y = _place(across.share(number), 0)
        yield f'<text x="{x:.1f}" y="{y + 28}" text-anchor="middle">{text}</text>'


def _lines(lines: Mapping[str, Sequence[float]], at: Sequence[int], across: _Axis, upward: _Axis) -> Iterator[str]:
    for role, mark, line in zip(ROLES, MARKS, lines.values(), strict=False):
        places = [_place(across.share(where), upward.share(number)) for where, number in zip(at, line, strict=True)]
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        marks = "".join(f'<path d="{mark}" transform="translate({x:.1f} {y:.1f})"/>' for x, y in places)
        yield f'<g class="{role}"><polyline points="{way}"/>{marks}</g>'


def _legend(lines: Mapping[str, Sequence[float]]) -> str:
    names = "".join(
        f'<li class="{role}"><svg viewBox="-9 -9 18 18" aria-hidden="true"><path d="{mark}"/></svg>{html.escape(name)}</li>'
        for role, mark, name in zip(ROLES, MARKS, lines, strict=False)
    )
    return f'<ul class="legend">{names}</ul>'


def _table(lines: Mapping[str, Sequence[float]], at: Sequence[int], along: str) -> list[list[str]]:
    """Return the rows of the table, the first of which names its columns."""
    columns = [list(map(_written, at)), *map(_column, lines.values())]
    return [[along, *lines], *map(list, zip(*columns, strict=True))]


def _column(numbers: Sequence[float]) -> list[str]:
    """Write the numbers of a column: those that were measured with three digits at least, zeros too."""
    if all(float(number).is_integer() for number in numbers):
        return list(map(_written, numbers))
    return [_grouped(number, max(_decimals(number), DIGITS - 1 - _power(number), 0)) for number in numbers]


def _decimals(number: float) -> int:
    return len(f"{number:.15g}".partition(".")[2])


def _power(number: float) -> int:
    return math.floor(math.log10(abs(number))) if number else 0


def _html(table: list[list[str]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in table[0])
    rows = zip(*map(_aligned, zip(*table[1:], strict=True)), strict=True)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{text}</td>" for text in rest)}</tr>' for first, *rest in rows
    )
    return f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _aligned(column: Sequence[str]) -> list[str]:
    """Return numbers with spaces behind them, so that their points stand below each other where they end on the right."""
    ends = [text.partition(".")[2] for text in column]
    longest = max(map(len, ends))
    return [
        text + AS_WIDE_AS_A_POINT * (longest > 0 and "." not in text) + AS_WIDE_AS_A_DIGIT * (longest - len(end))
        for text, end in zip(column, ends, strict=True)
    ]


def _markdown(table: list[list[str]]) -> str:
    rows = [table[0], ["---"] * len(table[0]), *table[1:]]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _written(number: float) -> str:
    """Write a number with the digits that it has, in groups of three."""
    return _grouped(number, _decimals(number))


def _grouped(number: float, decimals: int) -> str:
    return f"{number:,.{decimals}f}".replace(",", "\N{NO-BREAK SPACE}")
