"""Limits on a child: maximum memory, and deadlines in processor time and wall-clock time."""

import contextlib
import sys
import time
from collections.abc import Callable

MEMORY = 4 << 30
"""Maximum bytes of data (RLIMIT_DATA) of a process that runs students' code."""

TIMEOUT = 5.0
"""Default timeout of a step and of loading a part, in seconds."""

SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 0.1, 86_400.0
"""Allowed range of a timeout, in seconds: at most a day."""

WALL, WALL_ALONE = 6.0, 2.0
"""Maximum wall-clock seconds per second of a deadline; WALL_ALONE if processor time is unknown."""

SHORTEST_WAIT, LONGEST_WAIT = 0.01, 0.05
"""Range of the seconds between two checks of a deadline."""


class Deadline:
    """A deadline in processor time of a process and its threads, bounded by wall-clock time.

    Processor time does not count the time that other programs use on a busy machine.
    seconds: the time from now. pid: the process's ID. If None, or if the processor time is unknown,
    only wall-clock time counts. check: called by `remaining`; may raise an exception to end a wait.
    """

    def __init__(self, seconds: float, pid: int | None = None, check: Callable[[], None] = lambda: None) -> None:
        self._seconds, self._pid, self._check = seconds, pid, check
        self._begun = time.monotonic()
        self._computed = processor_time(pid)
        self._wall = WALL if self._computed else WALL_ALONE

    def remaining(self) -> float:
        """Return the seconds to wait before the next check; 0 once the deadline has passed."""
        self._check()
        computed, waited = processor_time(self._pid) - self._computed, time.monotonic() - self._begun
        left = self._seconds - max(computed, waited / self._wall)
        return min(max(left, SHORTEST_WAIT), LONGEST_WAIT) if left > 0 else 0.0


def processor_time(pid: int | None) -> float:
    """Return the processor time of a process and its threads in seconds; 0 if unknown."""
    if pid and sys.platform == "linux":
        with contextlib.suppress(OSError):  # the process has ended
            return time.clock_gettime(~pid << 3 | 2)  # the id of the clock, as in clock_getcpuclockid(3)
    return 0.0
