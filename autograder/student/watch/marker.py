"""Marking what was saved, and searching for a cause, while keys are still answered; a newer order ends the one under way."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence

from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks, StepMarks
from autograder.runner.processes import CannotRun
from autograder.runner.run import Interruption, OnStep
from autograder.student.watch.state import Explained

LONG = 0.5
"""Seconds after which it is said what is under way, and that another save ends it."""

Check = Callable[[Sequence[SyllabusStep], OnStep, Interruption], Marks]
"""Marks some steps."""

Explain = Callable[[SyllabusStep, Interruption], StepMarks]
"""Searches for the cause of a step that was marked, and returns its marks with what is found."""


Made = Marks | Explained | Exception
"""What comes of an order, or why nothing does."""


class Marker:
    """Marks and searches in threads, of which one at a time is at work."""

    def __init__(self, check: Check, explain: Explain) -> None:
        self._check, self._explain = check, explain
        self._at_work = threading.Lock()
        self._interruption = Interruption()
        self._made: queue.SimpleQueue[tuple[Interruption, Made]] = queue.SimpleQueue()
        self._at = "", 0.0

    def order(self, steps: Sequence[SyllabusStep]) -> None:
        """Have steps marked instead of what is under way."""
        self._begin(lambda interruption: self._check(steps, self._note, interruption))

    def explain(self, step: SyllabusStep) -> None:
        """Have the cause of a step that was marked searched for instead of what is under way."""
        self._begin(lambda interruption: Explained(step.path, self._explain(step, interruption)))

    def end(self) -> None:
        """End what is under way; nothing comes of it."""
        self._interruption.make()
        self._interruption = Interruption()

    def wait(self, seconds: float) -> Made | None:
        """Return what comes of the last order, if that comes in this time."""
        with contextlib.suppress(queue.Empty):
            interruption, made = self._made.get(timeout=seconds)
            return made if interruption is self._interruption else None
        return None

    @property
    def slow(self) -> str | None:
        """The step whose check takes long, empty before the first; None if nothing takes long."""
        step, begun = self._at
        return step if time.monotonic() - begun > LONG else None

    def _begin(self, work: Callable[[Interruption], Made]) -> None:
        self.end()
        threading.Thread(target=self._do, args=(work, self._interruption), daemon=True).start()

    def _do(self, work: Callable[[Interruption], Made], interruption: Interruption) -> None:
        made: Made
        with self._at_work:
            self._at = "", time.monotonic()
            try:
                interruption.check()
                try:
                    made = work(interruption)
                except CannotRun:  # the warm process has died in mid-sitting; another takes over
                    made = work(interruption)
            except Exception as error:  # whoever waits says what it knows, and raises what nobody foresaw
                made = error
            self._made.put((interruption, made))

    def _note(self, part: str, step: str) -> None:
        self._at = f"{part}.{step}", time.monotonic()
