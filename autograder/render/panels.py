"""Panels side by side in the terminal, as many as there is room for."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text


@dataclass(frozen=True)
class Panel:
    """Lines under a title, if it has one. lines: where it is the first. beside: where another stands before it."""

    title: str
    lines: Sequence[Text]
    beside: Sequence[Text]


def side_by_side(panels: Sequence[Panel], gap: int, room: int) -> Iterator[Text]:
    """Yield the lines of panels, as many beside each other as there is room for, the others below.

    Those beside each other have their titles at the top, and end in the same line.
    """
    count = len(panels)
    while count > 1 and _beside(panels[:count], gap)[0].cell_len > room:
        count -= 1
    yield from _beside(panels[:count], gap)
    if panels[count:]:
        yield from side_by_side(panels[count:], gap, room)


def align(column: Sequence[Text], pad: Callable[[Text, int], None] = Text.pad_right) -> Sequence[Text]:
    """Make texts as wide as the widest of them, and return them."""
    width = max(text.cell_len for text in column)
    for text in column:
        pad(text, width - text.cell_len)
    return column


def join(columns: Sequence[Sequence[Text]], gap: int = 1) -> list[Text]:
    """Return the lines of columns that are aligned."""
    return [Text(" " * gap).join(cells) for cells in zip(*columns, strict=True)]


def _beside(panels: Sequence[Panel], gap: int) -> list[Text]:
    blocks = [panels[0].lines, *(panel.beside for panel in panels[1:])]
    height = max(map(len, blocks))
    columns = [
        [*[Text(panel.title, style="bold")] * bool(panel.title), *[Text("")] * (height - len(block)), *block]
        for panel, block in zip(panels, blocks, strict=True)
    ]
    return join([align([text.copy() for text in column]) for column in columns], gap)
