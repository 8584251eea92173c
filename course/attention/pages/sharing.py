"""Which query head asks which head of keys and values: queries above, keys and values below, a line for each query head."""

import html

from autograder.site.figure import Figure, captioned

PITCH, RADIUS = 40, 14
QUERIES, SHARED, HEIGHT = 18, 104, 122
"""The heights of the two rows of circles, and of a panel."""


def sharing(heads: int, shared: dict[str, int], caption: str) -> Figure:
    """Return one panel for each way to share. shared: how many heads of keys and values it has, a divisor of heads."""
    panels = "".join(_panel(name, heads, count) for name, count in shared.items())
    words = "\n".join(f"- {name}: {_in_words(heads, count)}" for name, count in shared.items())
    return Figure(captioned(f'<ul class="alignment">{panels}</ul>', caption, "links"), f"{caption}\n\n{words}\n")


def _panel(name: str, heads: int, count: int) -> str:
    members = heads // count
    groups = "".join(_group(place, range(place * members, (place + 1) * members)) for place in range(count))
    width = heads * PITCH
    size = f'viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
    drawn = f'<svg {size} role="img" aria-label="{_in_words(heads, count)}">{groups}</svg>'
    return f"<li>{drawn}<strong>{html.escape(name)}</strong></li>"


def _group(place: int, queries: range) -> str:
    """Return a head of keys and values, and the query heads that share it above it, all in its colour."""
    middle = (_middle(queries[0]) + _middle(queries[-1])) // 2
    lines = "".join(f'<path d="M{_middle(query)} {QUERIES + RADIUS}L{middle} {SHARED - RADIUS}"/>' for query in queries)
    circles = "".join(_circle(_middle(query), QUERIES, query) for query in queries)
    return f'<g class="chosen head-{place + 1}">{lines}{circles}{_circle(middle, SHARED, place)}</g>'


def _circle(x: int, y: int, number: int) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{RADIUS}"/><text x="{x}" y="{y + 5}" text-anchor="middle">{number}</text>'


def _middle(place: int) -> int:
    return PITCH // 2 + place * PITCH


def _in_words(heads: int, count: int) -> str:
    return ", ".join(f"query head {query} asks head {query * count // heads}" for query in range(heads))
