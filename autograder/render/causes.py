"""Drawing causes: what a student is told of one, and the place in their code that is meant, underlined."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from autograder.grading.results import Diagnosis, Spot
from autograder.render.screen import Signs

MORE = "There is more after that."

QUESTIONS = {"where": "Where is it?", "what": "What is wrong?", "how": "How to mend it"}
"""What a student asks to be told a rung of a cause."""

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
