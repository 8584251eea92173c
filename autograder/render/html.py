"""Marks, tables and shapes as HTML, for notebooks, the class report and the lectures.

A number is darker the larger it is. What is wrong is underlined, and a screen reader says so. Colours are laid
thinly over the page's own, so that they can be read on light pages and on dark ones. The site has colours of its own.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape
from textwrap import wrap

import numpy as np

from autograder.course.answer import Array
from autograder.course.course import RUNGS
from autograder.course.verdicts import Verdict
from autograder.grading.pictures import UNKNOWN, Boxes, NamedSize, View, letter
from autograder.grading.results import Diagnosis, Spot, StepMarks
from autograder.render.marks import MORE, further, shows_spot
from autograder.render.tables import FALSE, TRUE, Cell, Table, legend, tables_of

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
.attn-cause > *, .attn-cause details > * { margin: 0; }
.attn-cause > * + *, .attn-cause details > * + * { margin-top: .4rem; }
.attn-cause summary { cursor: pointer; }
.attn-spot code { white-space: pre-wrap; }
.attn-spot mark { background: rgb(214 69 48 / 20%); color: inherit; text-decoration: underline; text-underline-offset: .2em; }
.attn-text { max-height: 15em; overflow: auto; white-space: pre-wrap; }
.attn-sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media print { .attn-picture, .attn-text { max-height: none; overflow: visible; } }
"""
"""What a notebook or a report needs once for all its pictures."""

MANY_COLUMNS = 4
"""A phone has room for more of them with short numbers only."""

LONGEST_LABEL = 9
"""Characters in a line of a row's name, where there is little room."""

SMALLER = 0.75
"""The size of names of columns there, as a share of that of the numbers."""

HUES = 8
"""Owners of numbers that differ in colour; the letters beside the numbers differ further."""

FLAGS = {TRUE: "True", FALSE: "False"}
"""What is read aloud in place of a block."""


def draw_failure(step: StepMarks, rungs: str = RUNGS[-1]) -> str:
    """Return the report on a step: the message, the likely cause, where it raised, the picture, what it printed.

    rungs: how far the cause is told.
    """
    failure = None if step.verdict == Verdict.NOT_ATTEMPTED else step.first_failure
    content = []
    if failure:
        content.append(f'<p><span class="attn-case">case {escape(failure.case)}:</span> {coded(failure.message)}</p>')
    if step.diagnosis:
        content.append(draw_cause(step.diagnosis, rungs, with_spot=not shows_spot(step.traceback, step.diagnosis)))
    if step.traceback:
        content.append(draw_text(step.traceback))
    if failure and step.picture:
        content.append(draw_view(step.picture, step.step))
    if failure and failure.boxes:
        content.append(draw_boxes(failure.boxes, step.step))
    if step.printed:
        content.append(f'<p class="attn-printed">Your code printed:</p>{draw_text(step.printed)}')
    return "".join(content)


def draw_cause(cause: Diagnosis, rungs: str, with_spot: bool) -> str:
    """Return the sentence that goes with the verdict, the place that it means, and the further rungs, each to be opened after the last.

    rungs: how far they go. with_spot: whether the place is drawn.
    """
    said = f"<p><strong>Likely cause.</strong> {coded(cause.says)}</p>"
    spot = draw_spot(cause.spot) if cause.spot and with_spot else ""
    more = f"<p>{MORE}</p>" if cause.more else ""
    return f'<div class="attn-cause">{said}{spot}{_further(list(further(cause, rungs)))}{more}</div>'


def draw_spot(spot: Spot) -> str:
    """Return a line of a student's code with what is meant underlined; whoever does not see that is told."""
    code, meant = spot.text.strip(), spot.text[spot.first : spot.last].strip()
    if meant and meant != code:
        before, after = spot.text[: spot.first].lstrip(), spot.text[spot.last :].rstrip()
        told = '<span class="attn-sr"> (this is meant: </span>', '<span class="attn-sr">) </span>'
        drawn = (
            f"{escape(before)}<mark>{told[0]}{escape(spot.text[spot.first : spot.last])}{told[1]}</mark>{escape(after)}"
        )
    else:
        drawn = escape(code)
    return f'<p class="attn-spot"><span class="attn-case">{escape(spot.file)}, line {spot.line}:</span> <code>{drawn}</code></p>'


def draw_text(text: str) -> str:
    """Return lines of text, which may be more than the page shows at once."""
    return f'<pre class="attn-text" tabindex="0">{escape(text)}</pre>'


def draw_view(view: View, subject: str) -> str:
    """Return a view as tables: three of a matrix, one of a vector, two where the numbers are in another order.

    subject: what the picture is of, for those who do not see it.
    """
    blocks = ", ".join(map(" ".join, FLAGS.items()))
    content = [
        *_paragraphs(view.heading),
        *map(draw_table, tables_of(view)),
        f'<p aria-hidden="true">{blocks}</p>' if view.boolean else "",
        *_paragraphs(*legend(view)),
    ]
    return scrolling("".join(content), f"{subject}: {', '.join(view.titles)}", "attn-picture")


def draw_boxes(boxes: Boxes, subject: str) -> str:
    """Return two shapes as a table each: a column a dimension, its name above its size."""
    shapes = (_shape("expected shape", boxes.expected), _shape("your shape", boxes.yours))
    content = [
        *_paragraphs(boxes.name),
        *(draw_table(shape, "attn-shape") for shape in shapes),
        *_paragraphs("; ".join(side.says for side in boxes.sides if side.off)),
    ]
    return scrolling("".join(content), f"{subject}: the shapes", "attn-picture")


def draw_table(table: Table, kind: str = "") -> str:
    """Return a table, in which `--wide`, `--short`, `--columns` and `--label` tell how many characters a cell has, how many where
    there is little room, how many columns there are, and how many characters a line of the names of rows has.

    kind: a class of its own.
    """
    width = max(map(len, table.cells))
    spans = width // len(table.columns) if table.columns else 1
    labels = [*table.columns] if spans == 1 else []
    numbers = [cell for row in table.cells for cell in row]
    wide = max(map(len, [*labels, *(cell.text for cell in numbers)]))
    corner = f"<td>{escape(table.corner)}</td>" if table.rows else ""
    lines = [line for name in table.rows for line in wrap(name, LONGEST_LABEL, break_long_words=False)]
    label = max(map(len, lines), default=0)
    is_wide = width > MANY_COLUMNS
    written = [cell.short if is_wide and cell.short else cell.text for cell in numbers]
    short = max([SMALLER * max(map(len, labels), default=0), *map(len, written)])
    span = f' colspan="{spans}"' if spans > 1 else ""
    names = "".join(f'<th scope="col"{span}>{escape(name)}</th>' for name in table.columns)
    rows = (
        (f'<th scope="row">{escape(table.rows[place])}</th>' if table.rows else "")
        + "".join(_cell(cell, is_wide) for cell in row)
        for place, row in enumerate(table.cells)
    )
    return (
        f'<table class="{f"attn-tensor {kind}".strip()}" style="--wide:{wide};--short:{short:g};--columns:{width};--label:{label}">'
        f"{f'<caption>{escape(table.title)}</caption>' if table.title else ''}"
        f"{f'<thead><tr>{corner}{names}</tr></thead>' if names else ''}"
        f"<tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"
    )


def scrolling(content: str, label: str, kind: str = "scrolling") -> str:
    """Return what may be wider than the page, to be scrolled by itself. label: its name for those who do not see it."""
    return f'<div class="{kind}" tabindex="0" role="group" aria-label="{escape(label)}">{content}</div>'


def coded(text: str) -> str:
    """Escape a text and show what stands between backticks in it as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _further(asked: Sequence[tuple[str, str]]) -> str:
    """Return an answer to be opened, with the next one in it."""
    if not asked:
        return ""
    (question, answer), *others = asked
    return f"<details><summary>{question}</summary><p>{coded(answer)}</p>{_further(others)}</details>"


def _paragraphs(*texts: str) -> Iterator[str]:
    return (f"<p>{escape(text)}</p>" for text in texts if text)


def _cell(cell: Cell, has_little_room: bool) -> str:
    owner = None if cell.owner == UNKNOWN else cell.owner
    kinds = (cell.kind, "off" if cell.off else "", "attn-owned" if owner is not None else "")
    variables = (
        f"--share:{cell.share:.2f}" if cell.share is not None and not cell.off else "",
        f"--owner:{owner % HUES}" if owner is not None else "",
    )
    kind, variable = " ".join(filter(None, kinds)), ";".join(filter(None, variables))
    said = f'<span class="attn-sr"> {cell.off}</span>' if cell.off else ""
    named = f' class="{kind}"' * bool(kind) + f' style="{variable}"' * bool(variable)
    if has_little_room and cell.short:
        return f'<td{named} data-short="{cell.short}"><span>{_written(cell)}</span>{said}</td>'
    return f"<td{named}>{_written(cell)}{said}</td>"


def _written(cell: Cell) -> str:
    """Return what a cell shows; of a flag a block, and its word for those who do not see it."""
    if cell.text in FLAGS:
        return f'<span aria-hidden="true">{cell.text}</span><span class="attn-sr">{FLAGS[cell.text]}</span>'
    return escape(cell.text) + (f" {letter(cell.owner)}" if cell.owner is not None else "")


def _shape(title: str, sides: Sequence[NamedSize]) -> Table:
    """Return a shape as a table of one row: the sizes under the names of their dimensions."""
    sizes = [Cell(str(size), off="wrong" if off else "") for _, size, off in sides]
    return Table(title, [sizes or [Cell("a single number")]], columns=[name or "?" for name, _, _ in sides])


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
