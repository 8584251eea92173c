"""Marking what was saved while keys are still answered; a newer save ends what is under way."""

import queue
import threading
import time
from collections.abc import Callable, Sequence

from autograder.cli.watching.events import Begun, Failed, Marked, Tell
from autograder.marking.marks import Marks
from autograder.sitting.host import Interrupted, Interruption, OnStep

LONG = 0.5
"""Seconds after which it is said which step is being checked, and that another save ends it."""

Check = Callable[[Sequence[str], OnStep, Interruption], Marks]
"""Marks some parts."""


class Marker:
    """Marks in a thread of its own, one order after the other."""

    def __init__(self, check: Check, tell: Tell) -> None:
        self._check = check
        self._tell = tell
        self._orders: queue.Queue[tuple[tuple[str, ...], Interruption]] = queue.Queue()
        self._lock = threading.Lock()
        self._interruption = Interruption()
        self._owed: frozenset[str] = frozenset()
        self._begun: float | None = None

    @property
    def owes(self) -> bool:
        """Whether marks are still to come."""
        return bool(self._owed)

    def order(self, parts: Sequence[str]) -> None:
        """Have some parts marked, together with those whose marks are still to come; what takes long is given up."""
        with self._lock:
            self._interruption.make()
            self._interruption = Interruption()
            if self._begun is not None and time.monotonic() - self._begun > LONG:
                self._owed = frozenset()
            self._begun = None
            self._owed |= frozenset(parts)
            self._orders.put((tuple(sorted(self._owed)), self._interruption))

    def follow(self) -> None:
        """Carry out orders for as long as the watch runs."""
        while True:
            try:
                self._mark(*self._orders.get())
            except Interrupted:
                continue
            except Exception as error:  # the loop tells what it knows, and raises what nobody foresaw
                self._begun = None
                self._tell(Failed(error))

    def _mark(self, parts: tuple[str, ...], interruption: Interruption) -> None:
        interruption.check()
        ordered = time.monotonic()

        def begin(part: str, step: str) -> None:
            with self._lock:
                if interruption is self._interruption:
                    self._begun = time.monotonic()
            self._tell(Begun(f"{part}.{step}"))

        marks = self._check(parts, begin, interruption)
        with self._lock:
            interruption.check()
            self._owed = frozenset()
            self._begun = None
            self._tell(Marked(marks, time.monotonic() - ordered))
