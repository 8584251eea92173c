"""Marking what was saved while keys are still answered; a newer order ends the one under way."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence

from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import Marks
from autograder.sitting.host import Interruption, OnStep
from autograder.sitting.processes import CannotSit

LONG = 0.5
"""Seconds after which it is said what is under way, and that another save ends it."""

Check = Callable[[Sequence[SyllabusStep], OnStep, Interruption], Marks]
"""Marks some steps."""


class Marker:
    """Marks in threads, of which one at a time is at work."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._at_work = threading.Lock()
        self._interruption = Interruption()
        self._made: queue.SimpleQueue[tuple[Interruption, Marks | Exception]] = queue.SimpleQueue()
        self._at = "", 0.0

    def order(self, steps: Sequence[SyllabusStep]) -> None:
        """Have steps marked instead of those that are being marked."""
        self._interruption.make()
        self._interruption = Interruption()
        threading.Thread(target=self._mark, args=(steps, self._interruption), daemon=True).start()

    def wait(self, seconds: float) -> Marks | Exception | None:
        """Return what comes of the last order, if that comes in this time: marks, or why there are none."""
        with contextlib.suppress(queue.Empty):
            interruption, made = self._made.get(timeout=seconds)
            return made if interruption is self._interruption else None
        return None

    @property
    def slow(self) -> str | None:
        """The step whose check takes long, empty before the first; None if nothing takes long."""
        step, begun = self._at
        return step if time.monotonic() - begun > LONG else None

    def _mark(self, steps: Sequence[SyllabusStep], interruption: Interruption) -> None:
        made: Marks | Exception
        with self._at_work:
            self._at = "", time.monotonic()
            try:
                interruption.check()
                try:
                    made = self._check(steps, self._begin, interruption)
                except CannotSit:  # the warm process has died in mid-sitting; another takes over
                    made = self._check(steps, self._begin, interruption)
            except Exception as error:  # whoever waits says what it knows, and raises what nobody foresaw
                made = error
            self._made.put((interruption, made))

    def _begin(self, part: str, step: str) -> None:
        self._at = f"{part}.{step}", time.monotonic()
