"""Marking what was saved while keys are still answered; a newer save ends what is under way."""

import queue
import time
from collections.abc import Callable, Sequence

from autograder.cli.watching.events import Begun, Failed, Marked, Tell
from autograder.marking.marks import Marks
from autograder.sitting.host import Interrupted, Interruption, OnStep

Check = Callable[[Sequence[str], OnStep, Interruption], Marks]
"""Marks some parts."""


class Marker:
    """Marks in a thread of its own, one order after the other."""

    def __init__(self, check: Check, tell: Tell) -> None:
        self._check = check
        self._tell = tell
        self._orders: queue.Queue[tuple[tuple[str, ...], Interruption]] = queue.Queue()
        self._interruption = Interruption()

    def order(self, parts: Sequence[str]) -> None:
        """Have some parts marked, and give up what was ordered before."""
        self._interruption.make()
        self._interruption = Interruption()
        self._orders.put((tuple(parts), self._interruption))

    def follow(self) -> None:
        """Carry out orders for as long as the watch runs."""
        while True:
            try:
                self._mark(*self._orders.get())
            except Interrupted:
                continue
            except Exception as error:  # the loop tells what it knows, and raises what nobody foresaw
                self._tell(Failed(error))

    def _mark(self, parts: tuple[str, ...], interruption: Interruption) -> None:
        interruption.check()
        begun = time.monotonic()
        marks = self._check(parts, lambda part, step: self._tell(Begun(f"{part}.{step}")), interruption)
        self._tell(Marked(marks, time.monotonic() - begun))
