"""The list of all steps to choose from, in a window that follows the choice."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from autograder.cli.drawing import count_points
from autograder.cli.screen import Signs
from autograder.exam.syllabus import SyllabusStep

KEYS = "up, down, page up, page down or j, k   enter goes there   escape goes back"

MOVES = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -10, "page down": 10}
"""By key, how many steps further it chooses."""


@dataclass(frozen=True)
class StepList:
    """Some steps and the one that is chosen. failing: those that were tried and have not passed."""

    steps: Sequence[SyllabusStep]
    passed: Collection[str]
    failing: Collection[str]
    chosen: int

    def move(self, by: int) -> "StepList":
        """Choose another step; there is none before the first and none after the last."""
        return replace(self, chosen=max(0, min(self.chosen + by, len(self.steps) - 1)))

    @property
    def step(self) -> SyllabusStep:
        """The step that is chosen."""
        return self.steps[self.chosen]

    def draw(self, signs: Signs, height: int) -> Iterator[Text]:
        """Yield the lines around the chosen step, as many as fit; in words the chosen one alone."""
        if signs.plain:
            yield self._draw_line(self.chosen, signs)
            return
        top = max(0, min(self.chosen - height // 2, len(self.steps) - height))
        for number in range(top, min(top + height, len(self.steps))):
            line = self._draw_line(number, signs)
            line.stylize("reverse" if number == self.chosen else "")
            yield line

    def _draw_line(self, number: int, signs: Signs) -> Text:
        step = self.steps[number]
        sign, style = (
            (signs.passed, "green")
            if step.path in self.passed
            else (signs.failed, "red")
            if step.path in self.failing
            else (signs.open, "dim")
        )
        pointer = signs.arrow if number == self.chosen else " " * len(signs.arrow)
        pointer = "" if signs.plain else f"{pointer} "
        line = Text.assemble(pointer, (f"{sign} ", style), f"{step.path}  {count_points(step.points)}")
        line.no_wrap, line.overflow = True, "ellipsis"
        return line
