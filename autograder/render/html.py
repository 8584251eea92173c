"""Marks and tables of tensors as HTML, for notebooks, the class report and the lectures.

The larger a value, the stronger its background. Colours suit light and dark pages.
"""

import re
from collections.abc import Sequence
from html import escape
from textwrap import wrap

from autograder.course.course import RUNGS
from autograder.course.verdicts import Verdict
from autograder.grading.pictures import View
from autograder.grading.results import Spot, StepMarks
from autograder.render.pictures import Cell, Table, tables_of
from autograder.render.results import MORE, further, shows_spot

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
"""The style sheet of pictures. A notebook or report contains the style sheet once."""

MANY_COLUMNS = 4
"""The most columns of a table with full texts on a phone. A wider table has short texts there."""

LONGEST_LABEL = 9
"""The most characters in a line of a row's name on a narrow screen, if words permit."""

SMALLER = 0.75
"""The font size of column names on a narrow screen, as a share of the font size of values."""


def draw_failure(step: StepMarks, rungs: str = RUNGS[-1]) -> str:
    """Return the report on a step. rungs: the last hint level. Each hint contains the next, folded."""
    failure = None if step.verdict == Verdict.NOT_ATTEMPTED else step.first_failure
    cause, content = step.diagnosis, []
    if failure:
        content.append(f'<p><span class="attn-case">case {escape(failure.case)}:</span> {coded(failure.message)}</p>')
    if cause:
        spot = draw_spot(cause.spot) if cause.spot and not shows_spot(step.traceback, cause) else ""
        more = f"<p>{MORE}</p>" if cause.more else ""
        said = f"<p><strong>Likely cause.</strong> {coded(cause.says)}</p>"
        content.append(f'<div class="attn-cause">{said}{spot}{_further(list(further(cause, rungs)))}{more}</div>')
    if step.traceback:
        content.append(draw_text(step.traceback))
    if failure and step.picture:
        content.append(draw_picture(step.picture, step.step))
    if step.printed:
        content.append(f'<p class="attn-printed">Your code printed:</p>{draw_text(step.printed)}')
    return "".join(content)


def draw_spot(spot: Spot) -> str:
    """Return the line of a spot. The spot is underlined, and marked in words for screen readers."""
    parts = spot.text[: spot.first].lstrip(), spot.text[spot.first : spot.last], spot.text[spot.last :].rstrip()
    before, meant, after = map(escape, parts)
    if meant and (before or after):
        told = '<span class="attn-sr"> (this is meant: </span>', '<span class="attn-sr">) </span>'
        meant = f"<mark>{told[0]}{meant}{told[1]}</mark>"
    place = f'<span class="attn-case">{escape(spot.file)}, line {spot.line}:</span>'
    return f'<p class="attn-spot">{place} <code>{before}{meant}{after}</code></p>'


def draw_text(text: str) -> str:
    """Return lines of text in a box that scrolls."""
    return f'<pre class="attn-text" tabindex="0">{escape(text)}</pre>'


def draw_picture(view: View, subject: str) -> str:
    """Return a picture as tables. subject: the step's name, for the label for screen readers."""
    heading, below = (f"<p>{escape(text)}</p>" if text else "" for text in (view.heading, view.left_out))
    drawn = "".join(map(draw_table, tables_of(view)))
    return scrolling(f"{heading}{drawn}{below}", f"{subject}: expected, yours", "attn-picture")


def draw_table(table: Table) -> str:
    """Return a table as HTML, with its measures as CSS variables.

    --wide, --short: characters of the longest cell on wide and on narrow screens. --columns: the
    number of columns. --label: characters of the longest line in the names of rows.
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
        f'<table class="attn-tensor" style="--wide:{wide};--short:{short:g};--columns:{width};--label:{label}">'
        f"{f'<caption>{escape(table.title)}</caption>' if table.title else ''}"
        f"{f'<thead><tr>{corner}{names}</tr></thead>' if names else ''}"
        f"<tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"
    )


def scrolling(content: str, label: str, kind: str = "scrolling") -> str:
    """Return content in a box that scrolls. label: text for screen readers. kind: a CSS class."""
    return f'<div class="{kind}" tabindex="0" role="group" aria-label="{escape(label)}">{content}</div>'


def coded(text: str) -> str:
    """Return a text as HTML, with the parts between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _further(asked: Sequence[tuple[str, str]]) -> str:
    if not asked:
        return ""
    (question, answer), *others = asked
    return f"<details><summary>{question}</summary><p>{coded(answer)}</p>{_further(others)}</details>"


def _cell(cell: Cell, has_little_room: bool) -> str:
    kind = f"{cell.kind} off".strip() if cell.wrong else cell.kind
    named = f' class="{kind}"' * bool(kind) + ("" if cell.wrong else f' style="--share:{cell.share:.2f}"')
    said, text = '<span class="attn-sr"> wrong</span>' * cell.wrong, escape(cell.text)
    if has_little_room and cell.short:
        return f'<td{named} data-short="{cell.short}"><span>{text}</span>{said}</td>'
    return f"<td{named}>{text}{said}</td>"
