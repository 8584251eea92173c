"""An alarm for code that is traced: when its time is over, the code is interrupted where it is, so that the line can be named."""

import _thread
import contextlib
import signal
import threading
from collections.abc import Iterator

from autograder.course.probing import Overtime


@contextlib.contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise Overtime in what the main thread is at when its time is over, between two of Python's instructions."""

    def ring(*_: object) -> None:
        raise Overtime(f"this line was still running after {seconds:g} s")

    before = signal.signal(signal.SIGINT, ring)
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
