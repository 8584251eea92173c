"""Pictures in words: sentences that a screen reader reads well, for those who do not see the pictures."""

from collections.abc import Iterator

import numpy as np

from autograder.grading.pictures import UNKNOWN, Boxes, NamedSize, Owners, View

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
    for row, column in sorted(wrong, key=lambda at: -_distance(view, at))[:MOST_CELLS]:
        one, other = _pair(view, float(view.expected[row, column]), float(view.yours[row, column]))
        numbers = f"{expected} {one}, {yours} {other}"
        yield f"{_place(view, row, column)}: {numbers}." if view.shape else f"{numbers[0].upper()}{numbers[1:]}."
    if len(wrong) > MOST_CELLS:
        yield f"And {len(wrong) - MOST_CELLS} more{'' if view.boolean else ', none further off'}."
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


def _distance(view: View, at: tuple[int, int]) -> float:
    """Return how far off a number is; one that is not a number (nan) counts as infinitely far off."""
    return float(np.nan_to_num(abs(view.yours[at] - view.expected[at]), nan=np.inf))


def _pair(view: View, expected: float, yours: float) -> tuple[str, str]:
    """Write two different numbers so that they look different."""
    if view.boolean:
        return str(bool(expected)), str(bool(yours))
    written = view.write(expected), view.write(yours)
    return written if written[0] != written[1] else (f"{expected:.6g}", f"{yours:.6g}")


def _place(view: View, row: int, column: int) -> str:
    if not view.rows:
        return f"Place {_called(view.columns[column], view.column + column)}"
    return f"{_row(view, row)}, column {_called(view.columns[column], view.column + column)}"


def _row(view: View, row: int) -> str:
    return f"Row {_called(view.rows[row], view.row + row)}"


def _called(label: str, number: int) -> str:
    """Return a number, with the label that stands there: a label alone may be a word of what is said."""
    return label if label == str(number) else f'{number}, "{label}"'


def _tell_sums(view: View) -> Iterator[str]:
    for row in range(len(view.sums)):
        if view.sum_is_off(row):
            subject = _row(view, row) if view.rows else "The numbers"
            yield f"{subject} should add up to 1 and {'adds' if view.rows else 'add'} up to {view.write_sum(row)}."


def _tell_owners(view: View, owners: Owners) -> Iterator[str]:
    yield f"The numbers are right but in other places. This is the {owners.by} to which they belong."
    for at, row in enumerate(owners.yours):
        named = dict.fromkeys(view.owner_name(int(owner)) for owner in row if owner != UNKNOWN)
        right = ", which is right" if not view.wrong[at].any() else ""
        held = f"of {' and '.join(named)}" if named else "that are in several places"
        yield f"{_row(view, at)} of yours holds numbers {held}{right}."


def _shape(shape: tuple[NamedSize, ...]) -> str:
    return ", ".join(f"{name} {size}" if name else str(size) for name, size, _ in shape) or "a single number"
