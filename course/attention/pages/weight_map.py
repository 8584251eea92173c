"""Weights as a map in SVG: a cell for each, the stronger the more weight."""

from collections.abc import Collection, Iterable, Sequence
from html import escape

import numpy as np

from autograder.course.answer import Array

CELL, MARGIN = 10, 12
SHADES = 50


def draw_map(shares: Array, labels: Sequence[str], name: str, framed: Collection[Sequence[int]] = ()) -> str:
    """Return a map as SVG, its labels above and on the left. shares: from 0 to 1. framed: rows and columns of cells.

    A page styles `.edge`, `.shade` and `.frame`, with `.elsewhere` where another cell of the row has more, and the text: 9px at most,
    in the middle of where it is put.
    """
    size = CELL * len(labels)
    middles = [(CELL * place + CELL // 2, escape(label)) for place, label in enumerate(labels)]
    above = "".join(f'<text x="{middle}" y="{-MARGIN // 2}">{label}</text>' for middle, label in middles)
    left = "".join(f'<text x="{-MARGIN // 2}" y="{middle}">{label}</text>' for middle, label in middles)
    view = f"{-MARGIN} {-MARGIN} {size + MARGIN + 1} {size + MARGIN + 1}"
    looked_at = [cell for cell in framed if shares[cell[0]].argmax() == cell[1]]
    kinds = {"frame": looked_at, "frame elsewhere": [cell for cell in framed if cell not in looked_at]}
    frames = "".join(f'<path class="{kind}" d="{squares(cells)}"/>' for kind, cells in kinds.items() if cells)
    return (
        f'<svg viewBox="{view}" role="img"><title>{escape(name)}</title>{above}{left}'
        f'<path class="edge" d="M0 0H{size}V{size}H0Z"/>{_shades(shares)}{frames}</svg>'
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
