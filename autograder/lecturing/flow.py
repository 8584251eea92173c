"""How tensors become other tensors: a row of boxes, each with its name and shape, and what happens between them."""

import html
from dataclasses import dataclass

from torch import Tensor

from autograder.lecturing.drawn import Drawn, figure
from autograder.lecturing.matrix import shape_of


@dataclass(frozen=True)
class Box:
    """A tensor on its way."""

    name: str
    tensor: Tensor
    role: str


def box(name: str, tensor: Tensor, role: str = "plain") -> Box:
    """Return a box of a flow. role: its colour, as for a matrix."""
    return Box(name, tensor, role)


def flow(*stations: Box | str, caption: str) -> Drawn:
    """Return boxes in reading order; a string between two boxes says what happens on the way."""
    drawn = "".join(_box(station) if isinstance(station, Box) else _way(station) for station in stations)
    words = "\n".join(f"- {_in_words(station)}" for station in stations)
    return Drawn(figure(f'<ol class="flow">{drawn}</ol>', caption, "flow-figure"), f"{caption}\n\n{words}\n")


def _box(station: Box) -> str:
    return (
        f'<li class="box {station.role}">{_grid(station.tensor)}'
        f"<strong>{html.escape(station.name)}</strong> <span>{shape_of(station.tensor)}</span></li>"
    )


def _way(words: str) -> str:
    return f'<li class="way"><span>{html.escape(words)}</span></li>'


def _grid(tensor: Tensor, cell: int = 9) -> str:
    """Return the rows and columns of a tensor as a small grid, at most eight each."""
    rows, columns = (min(size, 8) for size in (1, 1, *tensor.shape)[-2:])
    width, height = columns * cell + 1, rows * cell + 1
    lines = "".join(f"M{x * cell + 0.5} 0V{height}" for x in range(columns + 1))
    lines += "".join(f"M0 {y * cell + 0.5}H{width}" for y in range(rows + 1))
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-hidden="true"><path d="{lines}"/></svg>'


def _in_words(station: Box | str) -> str:
    return f"**{station.name}** {shape_of(station.tensor)}" if isinstance(station, Box) else station
