"""A tensor as a picture: its numbers in shaded cells, with its name, its shape and labels for rows and columns."""

import html
from collections.abc import Sequence

from torch import Tensor

from autograder.pages.figure import Figure, captioned
from autograder.pages.number_format import shown

Labels = Sequence[str]


def matrix(
    tensor: Tensor, name: str, rows: Labels = (), columns: Labels = (), *, role: str = "plain", decimals: int = 4
) -> Figure:
    """Return a vector or matrix as a table whose cells are shaded by size.

    role: which colour: query, key, value, weight, context or plain. A vector is drawn as one row.
    """
    if tensor.dim() > 2:
        raise ValueError(f"{name} has the shape {tuple(tensor.shape)}: draw one matrix of it at a time")
    numbers = tensor.reshape(-1, tensor.shape[-1]).tolist()
    largest = max((abs(number) for row in numbers for number in row if abs(number) != float("inf")), default=1.0) or 1.0
    head = "".join(f'<th scope="col">{html.escape(label)}</th>' for label in columns)
    corner = "<td></td>" if rows else ""
    body = "".join(
        f"<tr>{_row_label(rows, place)}{''.join(_cell(number, largest, decimals) for number in row)}</tr>"
        for place, row in enumerate(numbers)
    )
    wide = max(len(text) for text in [*columns, *(_text(number, decimals) for row in numbers for number in row)])
    caption = f"{name} {shape_of(tensor)}"
    labelled = f"<thead><tr>{corner}{head}</tr></thead>" if head else ""
    table = f'<table class="sheet" style="--wide:{wide}">{labelled}<tbody>{body}</tbody></table>'
    scrolling = f'<div class="scrolling" tabindex="0" role="group" aria-label="{html.escape(caption)}">{table}</div>'
    return Figure(captioned(scrolling, caption, f"matrix {role}"), _markdown(numbers, caption, rows, columns))


def shape_of(tensor: Tensor) -> str:
    """Return a shape as pages write it: (6, 3)."""
    return f"({', '.join(map(str, tensor.shape))})"


def _row_label(rows: Labels, place: int) -> str:
    return f'<th scope="row">{html.escape(rows[place])}</th>' if rows else ""


def _cell(number: float, largest: float, decimals: int) -> str:
    share = min(abs(number) / largest, 1.0)
    hidden = ' class="hidden"' if number == float("-inf") else ""
    return f'<td{hidden} style="--share:{share:.2f}">{_text(number, decimals)}</td>'


def _text(number: float, decimals: int) -> str:
    return shown(number) if decimals == 4 or abs(number) == float("inf") else f"{number:.{decimals}f}".replace("-", "−")


def _markdown(numbers: list[list[float]], caption: str, rows: Labels, columns: Labels) -> str:
    width = len(numbers[0])
    head = [""] * bool(rows) + (list(columns) or [""] * width)
    lines = [head, ["---"] * len(head)]
    lines += [[*([rows[place]] if rows else []), *map(shown, row)] for place, row in enumerate(numbers)]
    return f"{caption}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
