"""Limits on time: of a step in processor time, and of whatever else is waited for."""

import contextlib
import sys
import time
from collections.abc import Callable

TIMEOUT = 5.0
"""Seconds that a step may take, and loading a part, by default."""

SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 0.1, 86_400.0
"""Seconds that may be asked for: a day at most."""

WALL = 6.0
"""Seconds of wall-clock time for each second of processor time: what sleeps ends, too."""

WALL_ALONE = 2.0
"""The same where processor time is not known, as on macOS and Windows."""

SHORTEST_WAIT, LONGEST_WAIT = 0.01, 0.05
"""Seconds from one look at a deadline to the next."""


class Deadline:
    """Seconds of the processor time of a process and its threads, bounded by wall-clock time, from now on.

    Neither a busy machine nor other programs on it make a student's code late. pid: of the process; without one, or where its
    processor time is not known, wall-clock time alone counts. check: called at each look; what it raises ends the wait.
    """

    def __init__(self, seconds: float, pid: int | None = None, check: Callable[[], None] = lambda: None) -> None:
        self._seconds, self._pid, self._check = seconds, pid, check
        self._begun = time.monotonic()
        self._computed = processor_time(pid)
        self._wall = WALL if self._computed else WALL_ALONE

    def remaining(self) -> float:
        """Return for how long to wait before another look; 0 once it is over."""
        self._check()
        computed, waited = processor_time(self._pid) - self._computed, time.monotonic() - self._begun
        left = self._seconds - max(computed, waited / self._wall)
        return min(max(left, SHORTEST_WAIT), LONGEST_WAIT) if left > 0 else 0.0


def processor_time(pid: int | None) -> float:
    """Return the processor time of a process and its threads in seconds; 0 where it is not known."""
    if pid and sys.platform == "linux":
        with contextlib.suppress(OSError):  # it has ended
            return time.clock_gettime(~pid << 3 | 2)  # the clock of a process, as clock_getcpuclockid(3) makes it
    return 0.0
