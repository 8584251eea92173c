"""A query and a key from one origin, pair by pair: what the angle between two vectors makes of their dot product."""

import html
import math

import torch
from torch import Tensor

from autograder.site.figure import Figure, captioned
from autograder.site.number_format import shown

SIZE, MARGIN = 160, 8
"""The width of a panel, and what is left free around the longest arrow."""


def alignment(pairs: dict[str, tuple[Tensor, Tensor]], caption: str) -> Figure:
    """Return one panel for each pair (query, key) of 2-D vectors, with their dot product below it, all on one scale.

    The query is the thick arrow, the key the thin one, so that nobody needs the colours to tell them apart.
    """
    vectors = torch.stack([vector for pair in pairs.values() for vector in pair])
    unit = (SIZE / 2 - MARGIN) / float(vectors.norm(dim=1).max())
    box = _box(vectors * unit)
    panels = "".join(_panel(name, query, key, unit, box) for name, (query, key) in pairs.items())
    words = "\n".join(
        f"- {name}: query {shown(query)}, key {shown(key)}, dot product {shown(query.dot(key))}"
        for name, (query, key) in pairs.items()
    )
    return Figure(captioned(f'<ul class="alignment">{panels}</ul>', caption, "aligned"), f"{caption}\n\n{words}\n")


def _box(vectors: Tensor) -> tuple[int, int]:
    """Return the top and the height of every panel: as much as the vectors need. In SVG, y points down."""
    highest, lowest = (round(float(y.clamp(min=0))) + MARGIN for y in (vectors[:, 1].max(), -vectors[:, 1].min()))
    return -highest, highest + lowest


def _panel(name: str, query: Tensor, key: Tensor, unit: float, box: tuple[int, int]) -> str:
    drawn = _arrow(query * unit, "query", 6, 20) + _arrow(key * unit, "key", 2, 11) + '<circle r="3"/>'
    top, height = box
    view = f"{-SIZE // 2} {top} {SIZE} {height}"
    return (
        f'<li><svg viewBox="{view}" width="{SIZE}" height="{height}" aria-hidden="true">{drawn}</svg>'
        f"<strong>{html.escape(name)}</strong> <span>{shown(query.dot(key))}</span></li>"
    )


def _arrow(vector: Tensor, role: str, thick: float, head: float) -> str:
    """Return an arrow from the origin: drawn along the x axis, then turned."""
    length = float(vector.norm())
    neck = max(length - head, 0.0)
    upper = [(0.0, thick / 2), (neck, thick / 2), (neck, head * 0.45), (length, 0.0)]
    lower = [(x, -y) for x, y in reversed(upper)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in upper + lower)
    degrees = -math.degrees(math.atan2(float(vector[1]), float(vector[0])))
    return f'<polygon class="{role}" points="{points}" transform="rotate({degrees:.1f})"/>'
