"""Show marks below a cell as HTML, or as the text of `attn check` if the editor shows no HTML."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from rich.console import Console, Group

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus
from autograder.grading.points import told
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.render.html import STYLE, coded, draw_failure, draw_text
from autograder.render.results import draw_marks
from autograder.render.screen import WITHOUT_A_TERMINAL, signs_for

NOT_RUN = "Run the cell of a step before you check it; after a restart, run all cells."

LOOK = """\
.attn-marks { max-width: 70rem; overflow-wrap: anywhere; }
.attn-marks > *, .attn-told > * { margin: .4rem 0; }
.attn-marks .attn-line { display: flex; flex-wrap: wrap; gap: 0 .6rem; max-width: 40rem; }
.attn-marks .attn-points { margin-left: auto; }
.attn-marks .attn-sign { width: 1.4rem; text-align: center; }
.attn-marks .attn-passed .attn-sign { background: rgb(40 150 90 / 35%); }
.attn-marks .attn-failed .attn-sign { background: rgb(214 69 48 / 38%); }
.attn-marks .attn-told { margin: .4rem 0 1rem 2rem; }
.attn-marks .attn-cause { padding: .4rem .8rem; border-left: 3px solid #47799f; background: rgb(60 130 200 / 10%); }
.attn-marks pre.attn-text { padding: .4rem .8rem; border: 0; border-left: 3px solid rgb(128 128 128 / 50%);
  background: none; color: inherit; font-size: .9em; }
"""


@dataclass(frozen=True)
class Shown:
    """Marks to be displayed. rungs: the last text about a cause to show: `where`, `what` or `how`."""

    marks: Marks
    syllabus: Syllabus
    rungs: str

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the marks as text and as HTML, by MIME type."""
        return {"text/plain": self._text(), "text/html": "".join(self._html())}

    def _text(self) -> str:
        console = Console(file=io.StringIO(), width=WITHOUT_A_TERMINAL, highlight=False, force_jupyter=False)
        with console.capture() as captured:
            console.print(Group(*draw_marks(self.marks, self.syllabus, signs_for(console), self.rungs)))
        return "\n".join([*map(str.rstrip, captured.get().rstrip().split("\n")), *self._missing()])

    def _html(self) -> Iterator[str]:
        yield f'<style>{STYLE}{LOOK}</style><div class="attn-marks">'
        for part in self.marks.parts:
            if len(part.steps) > 1:
                title = f"<strong>{escape(part.part)}</strong> {escape(self.syllabus.part(part.part).title)}"
                yield f'<p class="attn-line"><span>{title}</span> {_points(part)}</p>'
            yield from map(draw_text, part.notes)
            yield draw_text(part.error) if part.error else "".join(_step(step, self.rungs) for step in part.steps)
        yield from (f"<p>{line}</p>" for line in self._missing())
        yield "</div>"

    def _missing(self) -> list[str]:
        steps = (step for part in self.marks.parts for step in part.steps)
        return [NOT_RUN] if any(step.verdict == Verdict.MISSING for step in steps) else []


def _step(step: StepMarks, rungs: str) -> str:
    """Return the HTML of a step: a line, and the report unless the step passed or was not attempted."""
    signs = {Verdict.PASSED: ("passed", "✓"), Verdict.NOT_ATTEMPTED: ("open", "·")}
    kind, sign = signs.get(step.verdict, ("failed", "✗"))
    line = (
        f'<p class="attn-line attn-{kind}"><span class="attn-sign" aria-hidden="true">{sign}</span>'
        f" <code>{escape(step.step)}</code> <span>{escape(step.words)}</span> {_points(step)}</p>"
    )
    if kind != "failed":
        return line
    lost = f"<p>{escape(told(step))}</p>" if told(step) else ""
    hint = f"<details><summary>A hint</summary>{coded(step.hint)}</details>" if step.hint else ""
    return f'{line}<div class="attn-told">{draw_failure(step, rungs)}{lost}{hint}</div>'


def _points(marks: PartMarks | StepMarks) -> str:
    return f'<span class="attn-points">{marks.score:g} / {marks.max_score:g}</span>'
