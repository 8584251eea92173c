"""Marks in the terminal: each step a line, each wrong one with its message, its cause and its picture."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from autograder.course.verdicts import Verdict
from autograder.grading.points import told as points_told
from autograder.grading.results import Diagnosis, Marks, PartMarks, Spot, StepMarks
from autograder.render.pictures import BoxDrawing, Drawing
from autograder.render.screen import Signs, sign_of

MORE = "There is more after that."

QUESTIONS = {"where": "Where is it?", "what": "What is wrong?", "how": "How to mend it"}
"""The question that each hint level of a cause answers."""

MARGIN = 4
"""Columns before the student's line, as tracebacks have them."""

BEFORE = 8
"""Columns before what is meant that are kept of a line that is too long."""


def shows_spot(traceback: str | None, cause: Diagnosis) -> bool:
    """Return whether a traceback shows the line that a cause means."""
    return bool(traceback and cause.spot and cause.spot.text.strip() in traceback)


def further(cause: Diagnosis, rungs: str) -> Iterator[tuple[str, str]]:
    """Yield what may be asked about a cause, and the answers, as far as they are not said already. rungs: how far they go."""
    told = cause.rungs(rungs)
    for rung, question in QUESTIONS.items():
        if (answer := getattr(cause, rung)) in told and answer != cause.says:
            yield question, answer


def draw_cause(
    cause: Diagnosis, signs: Signs, with_spot: bool, below: Iterable[RenderableType] = ()
) -> Iterator[RenderableType]:
    """Yield the sentence that goes with the verdict, and the place that it means.

    with_spot: whether the place is drawn; a traceback may show it already. below: what else is told of the cause.
    """
    yield Text.assemble(("Likely cause: " if signs.plain else f"{signs.arrow} ", "bold"), cause.says)
    if cause.spot and with_spot:
        yield SpotDrawing(cause.spot, signs)
    yield from below
    if cause.more:
        yield Text(MORE, style="dim")


@dataclass
class SpotDrawing:
    """A line of a student's code with what is meant underlined; in words where asked for."""

    spot: Spot
    signs: Signs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        spot, code = self.spot, self.spot.text.strip()
        if self.signs.plain:
            yield Text(f"{spot.file}, line {spot.line}: {code}")
            if meant := self._part():
                yield Text(f"In it: {meant}")
            return
        yield Text(f"{spot.file}:{spot.line}", style="cyan")
        yield from self._underlined(options.max_width)

    def _part(self) -> str:
        """Return what is meant of the line; nothing if that is all of it."""
        meant = self.spot.text[self.spot.first : self.spot.last].strip()
        return "" if meant == self.spot.text.strip() else meant

    def _underlined(self, width: int) -> Iterator[Text]:
        """Yield the line and the signs below it. Of one that is too long the part around what is meant stays."""
        text, meant = self.spot.text, self._part()
        begin = len(text) - len(text.lstrip())
        before = text[begin : self.spot.first].expandtabs() if meant else ""
        code, room = text[begin:].rstrip().expandtabs(), width - MARGIN
        if cell_len(code) > room and (cut := max(len(before) - BEFORE, 0)):
            dots = "…" if self.signs.arrow == "→" else "..."
            code, before = dots + code[cut:], dots + before[cut:]
        line = Text(" " * MARGIN + code, no_wrap=True)
        line.truncate(width)
        yield line
        if meant:
            under = Text(" " * (MARGIN + cell_len(before)) + "^" * cell_len(meant), style="red", no_wrap=True)
            under.truncate(width)
            yield under


INDENT = 6
MOST_PRINTED = 12
FRAME = re.compile(r"(\S.*), line (\d+), (in .+)")
"""A line of a traceback: file, line and function."""


class Detail(IntEnum):
    """How much of a failure is drawn: a low window has no room for all of it."""

    WORDS = 0
    NO_DIFFERENCE = 1
    ALL = 2


def points(number: float) -> str:
    """Write points without needless zeros."""
    return f"{number:g}"


def count_points(number: float) -> str:
    """Write how many points these are."""
    return f"{points(number)} {'point' if number == 1 else 'points'}"


def draw_marks(
    marks: Marks, titles: Mapping[str, str], signs: Signs, rungs: str | None = None
) -> Iterator[RenderableType]:
    """Yield the drawing of all parts of some marks.

    rungs: how far causes are told at once, of code that no command runs, such as a notebook's; None leaves that to the commands, which are named.
    """
    for part in marks.parts:
        yield from draw_part(part, titles.get(part.part, ""), signs, rungs)
        yield Text("")


def draw_part(part: PartMarks, title: str, signs: Signs, rungs: str | None = None) -> Iterator[RenderableType]:
    """Yield the drawing of one part: a heading, then its steps, or why it could not be loaded. rungs: as `draw_marks` takes them."""
    score = f"{points(part.score)} / {points(part.max_score)}"
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
    """Yield the drawing of one step. rungs: as `draw_marks` takes them."""
    yield draw_heading(step, signs)
    if _is_wrong(step):
        told = further(step.diagnosis, rungs) if step.diagnosis and rungs else ()
        yield from draw_failure(step, signs, below_cause=[Text(f"{question} {answer}") for question, answer in told])
        if _has_picture(step) and not signs.plain:
            yield Text("")
        for purpose, verb in _what_helps(step, with_commands=rungs is None):
            command = f"attn {verb} {part}.{step.step}"
            yield _indented(Text(f"{purpose}: {command}" if signs.plain else command, style="cyan"), INDENT, signs)


def draw_heading(step: StepMarks, signs: Signs) -> RenderableType:
    """Draw the line of a step: its name, its verdict and its points."""
    sign, style = sign_of(step.verdict, signs)
    said = "" if step.passed else step.words
    name = Text.assemble("  ", (f"{sign} ", style), (step.step, "bold" if said else ""), (f"  {said}", style))
    plain = Text(f"{step.step}: {sign}" + (f", {said}" if said else ""))
    return _line(plain if signs.plain else name, f"{points(step.score)} / {points(step.max_score)}", style, signs)


def draw_failure(
    step: StepMarks,
    signs: Signs,
    most_printed: int = MOST_PRINTED,
    detail: Detail = Detail.ALL,
    below_cause: Sequence[RenderableType] = (),
) -> Iterator[RenderableType]:
    """Yield the report on a wrong step: the message, the likely cause, where it raised, the picture, what it printed.

    most_printed: lines of the last. detail: how much of the picture. below_cause: what else is told of the cause, or in its place.
    """
    for one in _draw_failure(step, signs, most_printed, detail, below_cause):
        yield _indented(one, INDENT, signs)


def _is_wrong(step: StepMarks) -> bool:
    return not step.passed and step.verdict != Verdict.NOT_ATTEMPTED


def _has_picture(step: StepMarks) -> bool:
    failure = step.first_failure
    return bool(step.picture or (failure and failure.boxes))


def _what_helps(step: StepMarks, with_commands: bool) -> Iterator[tuple[str, str]]:
    """Yield the verbs that help with a wrong step, and what for. with_commands: also those that run its code.

    Its numbers help with wrong values where no cause says already what is wrong with them.
    """
    parts_company = step.verdict in (Verdict.RAISED, Verdict.WRONG_SHAPE)
    if with_commands and parts_company:
        yield "Its shapes line by line", "shapes"
    if with_commands and (parts_company or (step.verdict == Verdict.WRONG_VALUES and not step.diagnosis)):
        yield "Its numbers line by line", "values"
    yield "For a hint", "hint"


def _draw_failure(
    step: StepMarks, signs: Signs, most_printed: int, detail: Detail, below_cause: Sequence[RenderableType]
) -> Iterator[RenderableType]:
    failure = step.first_failure
    if failure:
        yield Text.assemble((f"case {failure.case}: ", "dim"), failure.message)
    if step.diagnosis:
        with_spot = not shows_spot(step.traceback, step.diagnosis)
        yield from draw_cause(step.diagnosis, signs, with_spot, below_cause)
    else:
        yield from below_cause
    if lost := points_told(step):
        yield Text(lost, style="dim")
    if step.traceback:
        yield _draw_traceback(step.traceback)
    if failure and _has_picture(step) and detail == Detail.WORDS:
        yield Text("A taller window shows the picture.", style="dim")
    elif failure and _has_picture(step):
        has_cause = bool(step.diagnosis or below_cause)  # which says more than the difference, and should stay in sight
        difference = detail == Detail.ALL and not has_cause
        pictures: list[RenderableType] = [Drawing(step.picture, signs, difference)] if step.picture else []
        pictures += [BoxDrawing(failure.boxes, signs)] if failure.boxes else []
        gap = [] if signs.plain else [Text("")]
        yield Group(*gap, *pictures, *(gap if step.printed else ()))
    if step.printed:
        yield Text("your code printed:", style="dim")
        yield Text(_head(step.printed, most_printed), style="dim")


def _draw_traceback(traceback: str) -> Text:
    """Draw a traceback with each place as `file:line`, which terminals and editors open at a click."""
    lines = []
    for line in traceback.split("\n"):
        frame = FRAME.fullmatch(line)
        place = Text.assemble((f"{frame[1]}:{frame[2]}", "cyan"), (f" {frame[3]}", "dim")) if frame else Text(line)
        lines.append(place)
    return Text("\n").join(lines)


def _head(text: str, lines: int) -> str:
    kept = text.rstrip("\n").split("\n")
    return "\n".join(kept[:lines] + ([f"… and {len(kept) - lines} lines more"] if len(kept) > lines else []))


def _indented(drawn: RenderableType, columns: int, signs: Signs) -> RenderableType:
    return drawn if signs.plain else Padding(drawn, (0, 0, 0, columns), expand=False)


def _line(left: Text, right: str, style: str, signs: Signs) -> RenderableType:
    """Return a text with points at the right edge; after it if words are asked for."""
    if signs.plain:
        return Text.assemble(left, f", {right.replace('/', 'of')} points")
    columns = Column(ratio=1, no_wrap=True), Column(no_wrap=True)
    line = Table.grid(*columns, expand=True, padding=(0, 1, 0, 0))
    line.add_row(left, Text(right, style))
    return line
