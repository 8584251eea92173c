"""How tensors become other tensors: a row of boxes, each with its name and shape, and what happens between them."""

import html
from collections.abc import Iterable
from dataclasses import dataclass

from torch import Tensor

from autograder.pages.figure import Figure, captioned
from autograder.pages.matrix import shape_of


@dataclass(frozen=True)
class Box:
    """A tensor on its way. shape: as pages write it. picture: the SVG of it. role: its colour."""

    name: str
    shape: str
    picture: str
    role: str


def box(name: str, tensor: Tensor, role: str = "plain") -> Box:
    """Return a box of a flow. role: its colour, as for a matrix."""
    return Box(name, shape_of(tensor), _grid(tensor), role)


def flow(*stations: Box | str, caption: str) -> Figure:
    """Return boxes in reading order, the last station a box; a string before a box says what happens on the way to it."""
    words = "\n".join(f"- {_in_words(station)}" for station in stations)
    page = f'<ol class="flow">{"".join(_items(stations))}</ol>'
    return Figure(captioned(page, caption, "flow-figure"), f"{caption}\n\n{words}\n")


def _grid(tensor: Tensor, cell: int = 9) -> str:
    """Return the rows and columns of a tensor as a small grid, at most eight each."""
    rows, columns = (min(size, 8) for size in (1, 1, *tensor.shape)[-2:])
    width, height = columns * cell + 1, rows * cell + 1
    lines = "".join(f"M{x * cell + 0.5} 0V{height}" for x in range(columns + 1))
    lines += "".join(f"M0 {y * cell + 0.5}H{width}" for y in range(rows + 1))
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-hidden="true"><path d="{lines}"/></svg>'


def _items(stations: Iterable[Box | str]) -> Iterable[str]:
    """Yield an item for each box. The way to a box is part of its item, so that no line ends in a lone arrow."""
    ways = ""
    for station in stations:
        if isinstance(station, str):
            ways += f'<span class="way">{html.escape(station)}</span> '
        else:
            yield f"<li>{ways}{_drawn(station)}</li>"
            ways = ""


def _drawn(station: Box) -> str:
    return (
        f'<span class="box {station.role}">{station.picture}'
        f"<strong>{html.escape(station.name)}</strong> <span>{station.shape}</span></span>"
    )


def _in_words(station: Box | str) -> str:
    return f"**{station.name}** {station.shape}" if isinstance(station, Box) else station
