"""Marks in the terminal: a line for each step, and a report on each wrong step."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus
from autograder.grading.points import told as points_told
from autograder.grading.results import Diagnosis, Marks, PartMarks, Spot, StepMarks
from autograder.render.pictures import Drawing
from autograder.render.screen import Signs, sign_of

MORE = "There is more after that."

QUESTIONS = {"where": "Where is it?", "what": "What is wrong?", "how": "How to mend it"}
"""The question that a hint answers, by the level of the hint: see RUNGS."""

MARGIN = 4
"""Spaces before a line of the student's source, as in tracebacks."""


def shows_spot(traceback: str | None, cause: Diagnosis) -> bool:
    """Return whether a traceback contains the source line of a cause."""
    return bool(traceback and cause.spot and cause.spot.text.strip() in traceback)


def further(cause: Diagnosis, rungs: str) -> Iterator[tuple[str, str]]:
    """Yield the hints on a cause up to a level, each after its question. `says` is left out."""
    told = cause.rungs(rungs)
    for rung, question in QUESTIONS.items():
        if (answer := getattr(cause, rung)) in told and answer != cause.says:
            yield question, answer


@dataclass
class SpotDrawing:
    """The line of a spot, with the spot underlined; sentences if `signs.plain`."""

    spot: Spot
    signs: Signs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        spot, code = self.spot, self.spot.text.strip()
        meant = spot.text[spot.first : spot.last].strip()
        if self.signs.plain:
            yield Text(f"{spot.file}, line {spot.line}: {code}")
        else:
            yield Text(f"{spot.file}:{spot.line}", style="cyan")
            yield Text(" " * MARGIN + code.expandtabs(), no_wrap=True, overflow="crop")
        if meant != code and self.signs.plain:
            yield Text(f"In it: {meant}")
        elif meant != code:
            before = spot.text[: spot.first].lstrip().expandtabs()
            under = " " * (MARGIN + cell_len(before)) + "^" * cell_len(meant)
            yield Text(under, style="red", no_wrap=True, overflow="crop")


INDENT = 6
MOST_PRINTED = 12
FRAME, PLACE = re.compile(r"^(\S.*), line (\d+), (in .+)$", re.MULTILINE), re.compile(r"(?m)^\S.*:\d+(?= in )")
"""Patterns of a traceback frame, and of `file:line`, which terminals open at a click."""


def count_points(number: float) -> str:
    """Return points as text with their unit: `1 point`, `2 points`."""
    return f"{number:g} {'point' if number == 1 else 'points'}"


def draw_marks(marks: Marks, syllabus: Syllabus, signs: Signs, rungs: str | None = None) -> Iterator[RenderableType]:
    """Yield the drawings of all parts of a submission's marks.

    rungs: the last hint level to show at once, as in a notebook; None: no hints, but more commands
    that help.
    """
    for part in marks.parts:
        yield from draw_part(part, syllabus.part(part.part).title, signs, rungs)
        yield Text("")


def draw_summary(marks: Marks, syllabus: Syllabus, signs: Signs) -> Iterator[RenderableType]:
    """Yield a line for each part that is begun, then the notes and the report on the first wrong step."""
    begun = [part for part in marks.parts if part.notes or any(step.passed or _is_wrong(step) for step in part.steps)]
    for part in begun:
        title = Text.assemble((part.part, "bold"), f"  {syllabus.part(part.part).title}")
        passed = f"{sum(step.passed for step in part.steps)} of {len(part.steps)} passed"
        yield _line(title, f"{passed}, {part.score:g} / {part.max_score:g}", "bold", signs)
    yield from [Text("")] if begun else []
    told = [replace(part, steps=(step,)) for part in begun for step in part.steps if part.notes or _is_wrong(step)]
    first = sorted(told, key=lambda part: not _is_wrong(part.steps[0]))[:1]
    yield from draw_marks(replace(marks, parts=tuple(first)), syllabus, signs)


def draw_part(part: PartMarks, title: str, signs: Signs, rungs: str | None = None) -> Iterator[RenderableType]:
    """Yield the heading, notes and steps of a part. An error in loading replaces notes and steps."""
    score = f"{part.score:g} / {part.max_score:g}"
    yield _line(Text.assemble((part.part, "bold"), f"  {title}"), score, "bold", signs)
    if part.error:
        yield _indented(Text(part.error, style="red"), 2, signs)
        return
    yield from (_indented(Text(note, style="yellow"), 2, signs) for note in part.notes)
    after_failure = False
    for step in part.steps:
        if after_failure:
            yield Text("")
        yield from draw_step(part.part, step, signs, rungs)
        after_failure = _is_wrong(step)


def draw_step(part: str, step: StepMarks, signs: Signs, rungs: str | None = None) -> Iterator[RenderableType]:
    """Yield the line of a step, and, if the step is wrong, the report and the commands that help."""
    yield draw_heading(step, signs)
    if _is_wrong(step):
        told = further(step.diagnosis, rungs) if step.diagnosis and rungs else ()
        yield from draw_failure(step, signs, below_cause=[Text(f"{question} {answer}") for question, answer in told])
        if step.picture and not signs.plain:
            yield Text("")
        for purpose, verb in _what_helps(step, with_commands=rungs is None):
            command = f"attn {verb} {part}.{step.step}"
            yield _indented(Text(f"{purpose}: {command}" if signs.plain else command, style="cyan"), INDENT, signs)


def draw_heading(step: StepMarks, signs: Signs) -> RenderableType:
    """Return the line of a step: its name, its verdict and its points."""
    sign, style = sign_of(step.verdict, signs)
    said = "" if step.passed else step.words
    name = Text.assemble("  ", (f"{sign} ", style), (step.step, "bold" if said else ""), (f"  {said}", style))
    plain = Text(f"{step.step}: {sign}" + (f", {said}" if said else ""))
    return _line(plain if signs.plain else name, f"{step.score:g} / {step.max_score:g}", style, signs)


def draw_failure(
    step: StepMarks,
    signs: Signs,
    most_printed: int = MOST_PRINTED,
    with_picture: bool = True,
    below_cause: Sequence[RenderableType] = (),
) -> Iterator[RenderableType]:
    """Yield the report on a wrong step: message, likely cause, traceback, picture, printed text.

    with_picture: False for a note in place of the picture. below_cause: drawings after the cause.
    """
    for one in _draw_failure(step, signs, most_printed, with_picture, below_cause):
        yield _indented(one, INDENT, signs)


def _is_wrong(step: StepMarks) -> bool:
    return not step.passed and step.verdict != Verdict.NOT_ATTEMPTED


def _what_helps(step: StepMarks, with_commands: bool) -> Iterator[tuple[str, str]]:
    """Yield the purpose and verb of each command that helps with a wrong step."""
    is_unexplained = step.verdict == Verdict.WRONG_VALUES and not step.diagnosis
    if with_commands and (step.verdict in (Verdict.RAISED, Verdict.WRONG_SHAPE) or is_unexplained):
        yield "Its tensors line by line", "trace"
    yield "For a hint", "hint"


def _draw_failure(
    step: StepMarks, signs: Signs, most_printed: int, with_picture: bool, below_cause: Sequence[RenderableType]
) -> Iterator[RenderableType]:
    failure, cause = step.first_failure, step.diagnosis
    if failure:
        yield Text.assemble((f"case {failure.case}: ", "dim"), failure.message)
    if cause:
        yield Text.assemble(("Likely cause: " if signs.plain else f"{signs.arrow} ", "bold"), cause.says)
        if cause.spot and not shows_spot(step.traceback, cause):
            yield SpotDrawing(cause.spot, signs)
    yield from below_cause
    if cause and cause.more:
        yield Text(MORE, style="dim")
    if lost := points_told(step):
        yield Text(lost, style="dim")
    if step.traceback:
        text = Text(FRAME.sub(r"\1:\2 \3", step.traceback))
        text.highlight_regex(PLACE, "cyan")
        yield text
    if step.picture and with_picture:
        gap = [] if signs.plain else [Text("")]
        yield Group(*gap, Drawing(step.picture, signs), *(gap if step.printed else ()))
    elif step.picture:
        yield Text("A taller window shows the picture.", style="dim")
    if step.printed:
        yield Text("your code printed:", style="dim")
        kept = step.printed.rstrip("\n").split("\n")
        more = [f"… and {len(kept) - most_printed} lines more"] if len(kept) > most_printed else []
        yield Text("\n".join(kept[:most_printed] + more), style="dim")


def _indented(drawn: RenderableType, columns: int, signs: Signs) -> RenderableType:
    return drawn if signs.plain else Padding(drawn, (0, 0, 0, columns), expand=False)


def _line(left: Text, right: str, style: str, signs: Signs) -> RenderableType:
    if signs.plain:
        return Text.assemble(left, f", {right.replace('/', 'of')} points")
    columns = Column(ratio=1, no_wrap=True), Column(no_wrap=True)
    line = Table.grid(*columns, expand=True, padding=(0, 1, 0, 0))
    line.add_row(left, Text(right, style))
    return line
