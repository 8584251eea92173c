"""Pictures in words: sentences that a screen reader reads well, for those who do not see the pictures."""

from collections.abc import Iterator

import numpy as np

from autograder.marking.boxes import Boxes, NamedSize
from autograder.marking.pictures import View
from autograder.marking.scrambling import UNKNOWN, Owners

MOST_CELLS = 5


def tell_view(view: View) -> Iterator[str]:
    """Yield what a picture of numbers shows: which are wrong, what the first of them should be, and what rows add up to."""
    if view.heading:
        yield f"This is about {view.heading}."
    wrong = [(int(row), int(column)) for row, column in np.argwhere(view.wrong)]
    if view.owners:
        yield from _tell_owners(view, view.owners)
        return
    what = "places" if view.boolean else "numbers"
    if view.shape:
        yield f"Of the {view.wrong.size} {what} that are compared here, {len(wrong)} {'differs' if len(wrong) == 1 else 'differ'}."
    expected, yours, _ = view.titles
    for row, column in wrong[:MOST_CELLS]:
        one, other = _pair(view, float(view.expected[row, column]), float(view.yours[row, column]))
        numbers = f"{expected} {one}, {yours} {other}"
        yield f"{_place(view, row, column)}: {numbers}." if view.shape else f"{numbers[0].upper()}{numbers[1:]}."
    if len(wrong) > MOST_CELLS:
        yield f"And {len(wrong) - MOST_CELLS} more."
    yield from _tell_sums(view)
    if view.left_out:
        yield f"This is {view.left_out}."


def tell_boxes(boxes: Boxes) -> Iterator[str]:
    """Yield what a picture of two shapes shows."""
    if boxes.name:
        yield f"This is about {boxes.name}."
    yield f"Expected: {_shape(boxes.expected)}."
    yield f"Yours: {_shape(boxes.yours)}."
    yield from (f"In yours, {side.says}." for side in boxes.sides if side.off)


def _pair(view: View, expected: float, yours: float) -> tuple[str, str]:
    """Write two different numbers so that they look different."""
    if view.boolean:
        return str(bool(expected)), str(bool(yours))
    written = view.write(expected), view.write(yours)
    return written if written[0] != written[1] else (f"{expected:.6g}", f"{yours:.6g}")


def _place(view: View, row: int, column: int) -> str:
    return f"Row {view.rows[row]}, column {view.columns[column]}" if view.rows else f"Place {view.columns[column]}"


def _tell_sums(view: View) -> Iterator[str]:
    for row in range(len(view.sums)):
        if view.sum_is_off(row):
            subject = f"Row {view.rows[row]}" if view.rows else "The numbers"
            yield f"{subject} should add up to 1 and {'adds' if view.rows else 'add'} up to {view.write_sum(row)}."


def _tell_owners(view: View, owners: Owners) -> Iterator[str]:
    yield f"The numbers are right but stand in other places. This is the {owners.by} to which they belong."
    for label, row in zip(view.rows, owners.yours, strict=True):
        named = dict.fromkeys(view.owner_name(int(owner)) for owner in row if owner != UNKNOWN)
        yield f"Row {label} of yours holds numbers of {' and '.join(named)}."


def _shape(shape: tuple[NamedSize, ...]) -> str:
    return ", ".join(f"{name} {size}" if name else str(size) for name, size, _ in shape) or "a single number"
