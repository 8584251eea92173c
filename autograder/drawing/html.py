"""Pictures as HTML, for notebooks and the class report: tables of shaded cells, and shapes side by side.

A number is darker the larger it is. What is wrong is underlined, and a screen reader says so. Colours are laid
thinly over the page's own, so that they can be read on light pages and on dark ones.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape

import numpy as np

from autograder.course.answer import Array
from autograder.marking.boxes import Boxes, NamedSize
from autograder.marking.marks import CHANGED
from autograder.marking.pictures import View, largest_of, rows_and_columns
from autograder.marking.scrambling import UNKNOWN, Owners, letter

STYLE = """\
.attn-picture { display: flex; flex-wrap: wrap; align-items: flex-start; gap: .5rem 1.5rem; overflow-x: auto; position: relative; padding: .25rem; }
.attn-picture p { width: 100%; margin: 0; font-size: .9em; opacity: .8; }
.attn-picture table.attn-tensor { width: auto; margin: 0; border: 0; border-collapse: collapse; color: inherit;
  font: .8rem/1.3 ui-monospace, SFMono-Regular, Consolas, monospace; overflow-wrap: normal; }
.attn-picture .attn-tensor caption { caption-side: top; padding: 0; color: inherit; font-weight: 650; text-align: left; white-space: nowrap; }
.attn-picture .attn-tensor tr:nth-child(n) { background: none; }
.attn-picture .attn-tensor tr > :is(td, th) { position: relative; padding: .1rem .3rem; border: 0; background: none; color: inherit;
  font-weight: 400; text-align: right; vertical-align: baseline; white-space: nowrap; }
.attn-picture .attn-tensor tbody th { padding-left: 0; text-align: left; }
.attn-picture .attn-tensor tbody tr > td { background: rgb(60 130 200 / calc(var(--share, 0) * 45%)); }
.attn-picture .attn-tensor tbody tr > td.attn-owned { background: hsl(calc(var(--owner) * 45) 70% 50% / 35%); }
.attn-picture .attn-shape tr > td { border: 1px solid; }
.attn-picture .attn-tensor tr > .off { background: rgb(214 69 48 / 38%); font-weight: 650;
  text-decoration: underline; text-underline-offset: .15em; }
.attn-sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media print { .attn-picture { overflow: visible; } }
"""
"""What a page needs once for all its pictures."""

HUES = 8
"""Owners of numbers that differ in colour; the letters beside the numbers differ further."""

BLOCKS = {True: "■", False: "□"}

Cells = list[str]
"""The cells of each row of a table."""


def draw_view(view: View, subject: str) -> str:
    """Return a view as tables: three of a matrix, one of a vector, two if the numbers are in another order.

    subject: what the picture is of, for those who do not see it.
    """
    drawn = _owned(view, view.owners) if view.owners else _compared(view)
    heading, left_out = (f"<p>{escape(text)}</p>" if text else "" for text in (view.heading, view.left_out))
    return _region(f"{subject}: {', '.join(view.titles)}", f"{heading}{''.join(drawn)}{left_out}")


def draw_boxes(boxes: Boxes, subject: str) -> str:
    """Return two shapes as a table: a column a dimension, its name above its size."""
    heading = f"<p>{escape(boxes.name)}</p>" if boxes.name else ""
    shapes = _shape("expected shape", boxes.expected) + _shape("your shape", boxes.yours)
    said = "; ".join(side.says for side in boxes.sides if side.off)
    return _region(f"{subject}: the shapes", f"{heading}{shapes}<p>{escape(said)}</p>")


def coded(text: str) -> str:
    """Escape a text and show what stands between backticks in it as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _region(label: str, content: str) -> str:
    """Return what may be wider than the page, to be scrolled by itself."""
    return f'<div class="attn-picture" role="region" aria-label="{escape(label)}" tabindex="0">{content}</div>'


def _compared(view: View) -> Iterator[str]:
    """Yield the tables of expected, yours and their difference."""
    panels = (_expected(view), _yours(view), _difference(view))
    if len(view.shape) < 2:
        yield _table(view, '<span class="attn-sr">all three</span>', view.titles, [rows[0] for rows in panels])
    else:
        for title, rows in zip(view.titles, panels, strict=True):
            yield _table(view, escape(title), view.rows, rows)
    if view.boolean:
        yield f'<p aria-hidden="true">{BLOCKS[True]} True, {BLOCKS[False]} False</p>'


def _owned(view: View, owners: Owners) -> Iterator[str]:
    """Yield the tables of expected and yours, each number in the colour of what it belongs to, with its letter."""
    for title, numbers, owned in (
        (view.titles[0], view.expected, owners.expected),
        (view.titles[1], view.yours, owners.yours),
    ):
        rows = _rows(numbers, lambda value, at, owned=owned: _of_owner(view, value, int(owned[at])))  # type: ignore[misc]
        yield _table(view, escape(title), view.rows, rows)
    shown = sorted({int(owner) for owner in np.concatenate([owners.expected, owners.yours], axis=None)} - {UNKNOWN})
    yield f"<p>{escape(', '.join(f'{letter(owner)}: {view.owner_name(owner)}' for owner in shown))}</p>"


def _table(view: View, caption: str, labels: Sequence[str], rows: Cells) -> str:
    """Return rows of cells under the names of their columns and behind their labels."""
    names = (*view.columns, "sum") if view.sums else view.columns
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    head = f"<thead><tr><td>{escape(rows_and_columns(view.dims))}</td>{columns}</tr></thead>" if columns else ""
    body = "".join(
        f'<tr><th scope="row">{escape(label)}</th>{row}</tr>' for label, row in zip(labels, rows, strict=True)
    )
    return f'<table class="attn-tensor"><caption>{caption}</caption>{head}<tbody>{body}</tbody></table>'


def _expected(view: View) -> Cells:
    rows = _rows(view.expected, lambda value, at: _shaded(view, value))
    return [f"{row}<td>1.000</td>" for row in rows] if view.sums else rows


def _yours(view: View) -> Cells:
    rows = _rows(
        view.yours,
        lambda value, at: _off(_written(view, value), _said(view)) if view.wrong[at] else _shaded(view, value),
    )
    return [row + _sum(view, number) for number, row in enumerate(rows)] if view.sums else rows


def _difference(view: View) -> Cells:
    """Return the cells of the difference, which shows only if there is one. That of a flag or an index has no size."""
    sizeless = view.boolean or view.whole
    rows = _rows(
        view.difference,
        lambda value, at: (
            _off("✗" if sizeless else view.write_difference(value), _said(view)) if view.wrong[at] else "<td>·</td>"
        ),
    )
    return [f"{row}<td></td>" for row in rows] if view.sums else rows


def _rows(array: Array, draw: Callable[[float, tuple[int, int]], str]) -> Cells:
    return ["".join(draw(float(value), (i, j)) for j, value in enumerate(row)) for i, row in enumerate(array)]


def _shaded(view: View, value: float) -> str:
    share = min(abs(value) / largest_of(view.expected), 1.0) if np.isfinite(value) else 1.0
    return f'<td style="--share:{share:.2f}">{_written(view, value)}</td>'


def _of_owner(view: View, value: float, owner: int) -> str:
    ground = "" if owner == UNKNOWN else f' class="attn-owned" style="--owner:{owner % HUES}"'
    return f"<td{ground}>{view.write(value)} {letter(owner)}</td>"


def _sum(view: View, row: int) -> str:
    written = f"{view.sums[row]:.3f}"
    return _off(written) if view.sum_is_off(row) else f"<td>{written}</td>"


def _said(view: View) -> str:
    """Return what is said of a number that is marked."""
    return "changed" if view.titles == CHANGED else "wrong"


def _off(content: str, said: str = "wrong") -> str:
    return f'<td class="off">{content}<span class="attn-sr"> {said}</span></td>'


def _written(view: View, value: float) -> str:
    if not view.boolean:
        return view.write(value)
    return f'<span aria-hidden="true">{BLOCKS[bool(value)]}</span><span class="attn-sr">{bool(value)}</span>'


def _shape(caption: str, sides: Sequence[NamedSize]) -> str:
    """Return a shape as a table of one row: the sizes under the names of their dimensions."""
    names = "".join(f'<th scope="col">{escape(name or "?")}</th>' for name, _, _ in sides)
    sizes = "".join(_off(str(size)) if off else f"<td>{size}</td>" for _, size, off in sides)
    number = "" if sides else "<td>a single number</td>"
    return (
        f'<table class="attn-tensor attn-shape"><caption>{caption}</caption>'
        f"<thead><tr>{names}</tr></thead><tbody><tr>{sizes}{number}</tr></tbody></table>"
    )
