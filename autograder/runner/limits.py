"""Limits on a step's time, and on one submission's time and bytes."""

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

from autograder.course.verdicts import Verdict

TIMEOUT = 5.0
"""Seconds that a step may take, and loading a part, by default."""

SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 0.1, 86_400.0
"""Seconds that may be asked for: a day at most."""

WALL = 6.0
"""Seconds of wall-clock time that a process has for each second of processor time: what sleeps ends, too."""

WALL_ALONE = 2.0
"""The same where processor time is not known, as on macOS and Windows."""

SHORTEST_WAIT = 0.01

MEGABYTE = 1 << 20
MOST_RECEIVED = 64 * MEGABYTE
"""Bytes that all children of one submission may send; those of an honest one send a twentieth."""

TIMEOUTS = 10
"""One submission may take so many times what one step has of time."""

SHORTEST_ALLOWANCE = 1.0
"""Seconds that count as a step's time where a shorter one is asked for: an honest submission takes as long on a busy machine."""


class Deadline:
    """Seconds of the processor time of a process and its threads, bounded by wall-clock time, from now on.

    Neither a busy machine nor other programs on it make a student's code late. pid: of the process.
    """

    def __init__(self, seconds: float, pid: int | None) -> None:
        self._seconds = seconds
        self._pid = pid
        self._begun = time.monotonic()
        self._computed = processor_time(pid)
        self._wall = WALL if self._computed else WALL_ALONE

    @property
    def used(self) -> float:
        """The seconds used up: of processor time, or the share of wall-clock time that is larger."""
        return max(processor_time(self._pid) - self._computed, (time.monotonic() - self._begun) / self._wall)

    @property
    def is_computed(self) -> bool:
        """True if the processor time is used up, and not the wall-clock time alone."""
        return processor_time(self._pid) - self._computed >= self._seconds

    def remaining(self) -> float:
        """Return for how long to wait before another look; 0 once it is over."""
        left = self._seconds - self.used
        return max(left, SHORTEST_WAIT) if left > 0 else 0.0


def processor_time(pid: int | None) -> float:
    """Return the processor time of a process and its threads in seconds; 0 where it is not known."""
    if pid and sys.platform == "linux":
        with contextlib.suppress(OSError):  # it has ended
            return time.clock_gettime(~pid << 3 | 2)  # the clock of a process, as clock_getcpuclockid(3) makes it
    return 0.0


class Spent(Exception):
    """A submission has taken all that there was for it. The message says of what; kind is the verdict on what is left of it."""

    def __init__(self, kind: Verdict, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Budget:
    """The judge's time and memory that is left for one submission, whose parts may run in several threads. timeout: seconds a step."""

    def __init__(self, timeout: float) -> None:
        self._seconds = TIMEOUTS * max(timeout, SHORTEST_ALLOWANCE)
        self._lock = threading.Lock()
        self._left = MOST_RECEIVED
        self._waited = 0.0

    def receive(self, size: int) -> None:
        """Count the bytes that have come. Raises Spent."""
        with self._lock:
            self._left -= size
        if self._left < 0:
            raise Spent(Verdict.CRASHED, f"more than {MOST_RECEIVED // MEGABYTE} MB came back from your code")

    @contextlib.contextmanager
    def waiting(self, deadline: Deadline) -> Iterator[None]:
        """Count how much of a deadline is used up meanwhile."""
        before = deadline.used
        try:
            yield
        finally:
            with self._lock:
                self._waited += max(0.0, deadline.used - before)

    def check_time(self) -> None:
        """Raise Spent if there is no time left; what has begun before that has its own."""
        if self._waited >= self._seconds:
            raise Spent(
                Verdict.TIMED_OUT, f"your code has taken the {self._seconds:g} seconds that there are for all steps"
            )
