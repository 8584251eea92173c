"""Running something that may take all memory, or never end, and telling how much it took. No other process decides what is found."""

import contextlib
import resource
import signal
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

ROOM = 3 << 30
"""Bytes of addresses after which an allocation fails: far more than is allowed, far less than a machine has."""
PAGE = resource.getpagesize()


class Endless(BaseException):
    """It took too many seconds of this process's own time."""


@contextlib.contextmanager
def bounded(seconds: float = 60.0) -> Iterator[None]:
    """Let allocations fail before the machine's memory ends. Raises Endless after so many seconds of the processor's time."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
    with contextlib.ExitStack() as undone:

        def end(number: int, frame: FrameType | None) -> None:
            undone.close()  # here, since it may be raised on the way out, before this function goes on
            raise Endless

        undone.callback(resource.setrlimit, resource.RLIMIT_AS, before)
        resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
        undone.callback(signal.signal, signal.SIGPROF, signal.signal(signal.SIGPROF, end))
        undone.callback(signal.setitimer, signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        yield


class Peak:
    """The most memory, in bytes, that was taken within `measured`."""

    taken = 0


@contextlib.contextmanager
def measured() -> Iterator[Peak]:
    """Measure what Python and NumPy take beyond what they had."""
    peak = Peak()
    tracemalloc.start()
    try:
        yield peak
    finally:
        peak.taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
