"""Maps: a square matrix of shares as a small picture, the stronger a cell the larger its share."""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from autograder.course.answer import Array

CELL, MARGIN = 10, 12
SHADES = 50


def draw_map(shares: Array, labels: Sequence[str], name: str, framed: Iterable[Sequence[int]] = ()) -> str:
    """Return a map as SVG, its labels above and on the left. shares: from 0 to 1. framed: rows and columns of cells.

    A page styles `.edge`, `.shade` and `.frame`, and the text: 9px at most, in the middle of where it is put.
    """
    size = CELL * len(labels)
    middles = [(CELL * place + CELL // 2, escape(label)) for place, label in enumerate(labels)]
    above = "".join(f'<text x="{middle}" y="{-MARGIN // 2}">{label}</text>' for middle, label in middles)
    left = "".join(f'<text x="{-MARGIN // 2}" y="{middle}">{label}</text>' for middle, label in middles)
    view = f"{-MARGIN} {-MARGIN} {size + MARGIN + 1} {size + MARGIN + 1}"
    frame = f'<path class="frame" d="{squares(framed)}"/>' if framed else ""
    return (
        f'<svg viewBox="{view}" role="img"><title>{escape(name)}</title>{above}{left}'
        f'<path class="edge" d="M0 0H{size}V{size}H0Z"/>{_shades(shares)}{frame}</svg>'
    )


def squares(cells: Iterable[Sequence[int]], side: int = CELL) -> str:
    """Return a path of squares in SVG. cells: their rows and columns."""
    return "".join(f"M{side * column} {side * row}h{side}v{side}h-{side}z" for row, column in cells)


def _shades(shares: Array) -> str:
    """Return the cells, all of one shade in one path."""
    shades = (shares * SHADES).round()
    return "".join(
        f'<path class="shade" fill-opacity="{shade / SHADES}" d="{squares(np.argwhere(shades == shade).tolist())}"/>'
        for shade in range(1, SHADES + 1)
        if (shades == shade).any()
    )
