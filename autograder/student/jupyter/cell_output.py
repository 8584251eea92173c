"""Show marks below a cell as HTML, or as the command line's text where HTML is not shown."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from autograder.course.course import RUNGS
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus
from autograder.grading.points import told
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.render.html import STYLE, coded, draw_failure, draw_text

NOT_RUN = "Run the cell of a step before you check it; after a restart, run all cells."

LOOK = """\
.attn-marks { max-width: 70rem; overflow-wrap: anywhere; }
.attn-marks > * { margin: .4rem 0; }
.attn-marks .attn-line { display: flex; flex-wrap: wrap; gap: 0 .6rem; max-width: 40rem; }
.attn-marks .attn-points { margin-left: auto; }
.attn-marks .attn-sign { width: 1.4rem; text-align: center; border-radius: 2px; }
.attn-marks .attn-passed .attn-sign { background: rgb(40 150 90 / 35%); }
.attn-marks .attn-failed .attn-sign { background: rgb(214 69 48 / 38%); }
.attn-marks .attn-open { opacity: .8; }
.attn-marks .attn-told { margin: .4rem 0 1rem 2rem; }
.attn-marks .attn-told > * { margin: .5rem 0; }
.attn-marks .attn-cause { padding: .4rem .8rem; border-left: 3px solid #47799f; background: rgb(60 130 200 / 10%); }
.attn-marks pre.attn-text { padding: .4rem .8rem; border: 0; border-left: 3px solid rgb(128 128 128 / 50%);
  background: none; color: inherit; font-size: .9em; }
.attn-marks summary { cursor: pointer; }
"""


@dataclass(frozen=True)
class Shown:
    """Marks to be displayed. brief: leave out the headings of parts.

    rungs: the last hint level of a cause that is shown. below: a last line of text.
    """

    marks: Marks
    syllabus: Syllabus
    brief: bool = False
    rungs: str = RUNGS[-1]
    below: str = ""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the marks as text and as HTML, by MIME type."""
        return {"text/plain": "\n".join(self._lines()), "text/html": "".join(self._html())}

    def _lines(self) -> Iterator[str]:
        from rich.console import Console, Group

        from autograder.render.results import draw_marks, draw_step
        from autograder.render.screen import WITHOUT_A_TERMINAL, signs_for

        console = Console(file=io.StringIO(), width=WITHOUT_A_TERMINAL, highlight=False, force_jupyter=False)
        signs, titles = signs_for(console), {part.name: part.title for part in self.syllabus.parts}
        drawn = draw_marks(self.marks, titles, signs, self.rungs)
        if self.brief:
            steps = [(part.part, step) for part in self.marks.parts for step in part.steps]
            drawn = (line for part, step in steps for line in draw_step(part, step, signs, self.rungs))
        with console.capture() as captured:
            console.print(Group(*drawn))
        yield from (line.rstrip() for line in captured.get().rstrip().split("\n"))
        yield from self._below()

    def _html(self) -> Iterator[str]:
        yield f'<style>{STYLE}{LOOK}</style><div class="attn-marks">'
        for part in self.marks.parts:
            if not self.brief:
                yield _heading(part, self.syllabus.part(part.part).title)
            yield from map(draw_text, part.notes)
            yield draw_text(part.error) if part.error else "".join(_step(step, self.rungs) for step in part.steps)
        yield from (f'<p class="attn-open">{escape(line)}</p>' for line in self._below())
        yield "</div>"

    def _below(self) -> Iterator[str]:
        verdicts = {step.verdict for part in self.marks.parts for step in part.steps}
        if Verdict.MISSING in verdicts and not self.brief:
            yield NOT_RUN
        if self.below:
            yield self.below


def _heading(part: PartMarks, title: str) -> str:
    said = f"<strong>{escape(part.part)}</strong> <span>{escape(title)}</span>"
    return f'<p class="attn-line">{said} {_points(part)}</p>'


def _step(step: StepMarks, rungs: str) -> str:
    """Return one step: one line if it passed or was not attempted, else that line and the report."""
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
