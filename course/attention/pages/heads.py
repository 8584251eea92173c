"""Tensors of several heads as pictures: what belongs to a head is marked in its colour, wherever it stands.

The dimensions behind the batch are named in one string, such as "token head number" or "head query key". A last
dimension "head·number" holds the numbers of all heads side by side. Where no head is named, there is no colour.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from autograder.render.pictures import Cell, Table
from autograder.site.figure import Figure
from autograder.site.flow import Box, flow
from autograder.site.matrix import cell, figure_of, shade_of, shape_of
from course.attention.pages.weight_map import squares

Station = tuple[str, Tensor, str]
"""A tensor on its way: its name, its numbers and its dimensions."""


def by_head(
    tensor: Tensor,
    name: str,
    dimensions: str,
    *,
    role: str = "plain",
    rows: Sequence[str] = (),
    heads: int = 2,
    hidden: Tensor | None = None,
) -> Figure:
    """Return a batch of one sentence as tables, one below the other for what its first dimension counts.

    tensor: (1, rows, columns) or (1, tables, rows, columns). Whole numbers are names, and not shaded. role: its colour, as for a matrix.
    rows: their labels, unless they are numbered. heads: how many share a dimension "head·number". hidden: (rows, columns), as for a matrix.
    Raises ValueError for other shapes.
    """
    numbers, owners = _sheets(tensor, dimensions, heads)
    *outer, row, column = dimensions.split()
    titles = _places(outer[0], len(numbers)) if outer else [""]
    labels = list(rows) or _places(row, numbers.shape[1])
    columns = _labels_above(column, numbers.shape[2], heads)
    largest = shade_of(numbers)
    gone = torch.zeros_like(numbers[0]) if hidden is None else hidden
    tables = [
        Table(title, _cells(sheet, owner, gone.tolist(), largest), labels, columns)
        for title, sheet, owner in zip(titles, numbers.tolist(), owners.tolist(), strict=True)
    ]
    return figure_of(tables, f"{name} {shape_of(tensor)}", f"matrix heads {role}", largest)


def head_flow(*stations: Station | str, caption: str, heads: int = 2) -> Figure:
    """Return tensors in reading order as stacks of small sheets; a string between two says what happens on the way.

    A cell that is zero, as what a mask hides, stays hollow.
    """
    boxes = (station if isinstance(station, str) else _box(*station, heads) for station in stations)
    return flow(*boxes, caption=caption)


def _sheets(tensor: Tensor, dimensions: str, heads: int) -> tuple[Tensor, Tensor]:
    """Return the numbers as (tables, rows, columns), and for each the head that it belongs to, −1 for none."""
    names = dimensions.split()
    if tensor.shape[0] != 1 or len(names) != tensor.dim() - 1 or len(names) not in (2, 3):
        raise ValueError(f"{shape_of(tensor)} is no batch of one sentence with the dimensions {dimensions!r}")
    numbers = tensor.detach()[0]
    owners = torch.full(numbers.shape, -1)
    if names[-1] == "head·number":
        owners[:] = torch.arange(numbers.shape[-1]) * heads // numbers.shape[-1]
    elif "head" in names:
        place = names.index("head")
        owners.movedim(place, -1)[:] = torch.arange(numbers.shape[place])
    rows, columns = numbers.shape[-2:]
    return numbers.reshape(-1, rows, columns), owners.reshape(-1, rows, columns)


def _places(dimension: str, count: int) -> list[str]:
    return [f"{dimension} {place}" for place in range(1, count + 1)]


def _labels_above(column: str, count: int, heads: int) -> list[str]:
    """Return the labels above the columns; mere numbers have none."""
    if column == "number":
        return []
    return _places("head", heads) if column == "head·number" else _places(column, count)


def _cells(
    sheet: list[list[float]], owners: list[list[int]], hidden: list[list[bool]], largest: float
) -> list[list[Cell]]:
    return [
        [
            cell(number, largest, f"{_colour(head)} hidden" if gone else _colour(head))
            for number, head, gone in zip(*row, strict=True)
        ]
        for row in zip(sheet, owners, hidden, strict=True)
    ]


def _colour(head: int) -> str:
    return f"head-{head + 1}" if head >= 0 else ""


def _box(name: str, tensor: Tensor, dimensions: str, heads: int) -> Box:
    return Box(name, shape_of(tensor), "plain", picture=_stack(*_sheets(tensor, dimensions, heads)))


def _stack(numbers: Tensor, owners: Tensor, cell: int = 9) -> str:
    """Return the sheets as a picture, one behind the other, the first in front."""
    count, rows, columns = numbers.shape
    step = cell * 5 // 4
    width, height = columns * cell + (count - 1) * step + 1, rows * cell + (count - 1) * step + 1
    sheets = "".join(
        f'<g transform="translate({place * step + 0.5} {(count - 1 - place) * step + 0.5})">'
        f'<path class="outline" d="M0 0H{columns * cell}V{rows * cell}H0Z"/>'
        f"{''.join(_squares(numbers[place], owners[place], cell))}</g>"
        for place in reversed(range(count))
    )
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-hidden="true">{sheets}</svg>'


def _squares(sheet: Tensor, owners: Tensor, cell: int) -> Iterator[str]:
    """Yield one path for each head of a sheet: the squares of its numbers, those that are zero left out."""
    for head in sorted(set(owners.flatten().tolist())):
        places = ((owners == head) & (sheet != 0)).nonzero().tolist()
        yield f'<path class="{f"{_colour(head)} cells".strip()}" d="{squares(places, cell)}"/>'
