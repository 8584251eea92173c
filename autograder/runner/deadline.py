"""A deadline in processor time: neither a busy machine nor other programs on it make a student's code late."""

import contextlib
import sys
import time

WALL = 6.0
"""Seconds of wall-clock time that a process has for each second of processor time: what sleeps ends, too."""

WALL_ALONE = 2.0
"""The same where processor time is not known, as on macOS and Windows."""

SHORTEST_WAIT = 0.01


class Deadline:
    """Seconds of the processor time of a process and its threads, bounded by wall-clock time, from now on.

    pid: of the process.
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
        """Whether the processor time is used up, and not the wall-clock time alone."""
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
