"""Draw a tensor: its numbers in shaded cells, with its name, its shape and labels."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from autograder.grading.pictures import largest_of
from autograder.render.html import draw_table, scrolling
from autograder.render.pictures import Cell, Table, share_of
from autograder.site.figure import Figure, captioned, table_of
from autograder.site.number_format import shown

Labels = Sequence[str]

FEW = 2
"""The number of decimals in a wide table on a phone."""


def matrix(
    tensor: Tensor | Sequence[Tensor],
    name: str,
    rows: Labels = (),
    columns: Labels = (),
    *,
    role: str = "plain",
    decimals: int = 4,
    most: float | None = None,
    hidden: Tensor | None = None,
) -> Figure:
    """Draw a vector or matrix as a table. The shade of a cell shows the size of its number.

    tensor: a vector becomes one row. A list of vectors becomes rows, without a shape in the caption.
    role: the colour: query, key, value, weight, context or plain. most: the number with the deepest
    shade; set it to compare pictures. hidden: a mask, True for numbers that are drawn as hidden.
    """
    if not isinstance(tensor, Tensor):
        tensor, caption = torch.stack([*tensor]), name
    else:
        caption = f"{name} {shape_of(tensor)}"
    if tensor.dim() > 2:
        raise ValueError(f"{name} has the shape {tuple(tensor.shape)}: draw one matrix of it at a time")
    numbers = tensor.detach().reshape(-1, tensor.shape[-1])
    largest = most or shade_of(numbers)
    gone = torch.zeros_like(numbers) if hidden is None else hidden
    cells = [
        [cell(number, largest, "hidden" if one else "", decimals) for number, one in zip(*row, strict=True)]
        for row in zip(numbers.tolist(), gone.tolist(), strict=True)
    ]
    return figure_of([Table("", cells, rows, columns)], caption, f"matrix {role}", largest)


def shade_of(numbers: Tensor) -> float:
    """Return the number with the deepest shade: the largest, or inf for integers, which get no shade."""
    return largest_of(numbers.numpy()) if numbers.is_floating_point() else math.inf


def cell(number: float, largest: float, kind: str = "", decimals: int = 4) -> Cell:
    """Return the cell of a number. Negative numbers have another colour; True and −∞ are hatched.

    largest: the number with the deepest shade. kind: more CSS classes of the cell.
    """
    text = shown(number, decimals)
    short = shown(number, FEW) if len(text.partition(".")[2]) > FEW else ""
    sign = "hidden" if number is True or number == float("-inf") else "below" if number < 0 else ""
    return Cell(text, share_of(number, largest), kind=f"{kind} {sign}".strip(), short=short)


def figure_of(tables: Sequence[Table], caption: str, kind: str, largest: float) -> Figure:
    """Return one figure of tables with equally many columns. kind: the CSS classes of the figure.

    largest: the number with the deepest shade. If numbers are negative, the caption has a legend of shades.
    """
    has_negatives = any("below" in cell.kind for table in tables for row in table.cells for cell in row)
    end = f"{largest:.2g}"
    key = f' <span class="shades" aria-hidden="true">−{end}<i></i>{end}</span>' if has_negatives else ""
    page = captioned(scrolling("".join(map(draw_table, tables)), caption), caption, kind, key)
    return Figure(page, f"{caption}\n\n{as_markdown(tables)}\n")


def shape_of(tensor: Tensor) -> str:
    """Return the shape of a tensor as text, such as (6, 3)."""
    return f"({', '.join(map(str, tensor.shape))})"


def as_markdown(tables: Sequence[Table]) -> str:
    """Return tables with the same columns as one Markdown table."""
    lines = [
        [*[table.title] * bool(table.title), *table.rows[place : place + 1], *(cell.text for cell in row)]
        for table in tables
        for place, row in enumerate(table.cells)
    ]
    columns = tables[0].columns if len(tables[0].columns) == len(tables[0].cells[0]) else ()
    head = [tables[0].corner, *[""] * (len(lines[0]) - len(columns) - 1), *columns][-len(lines[0]) :]
    return table_of([head, *lines])
