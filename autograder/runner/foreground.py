"""This process as its own child, in the main thread and at the terminal: `breakpoint()`, a debugger and Ctrl-C work there.

No time-out, no isolation.
"""

import bdb
import contextlib
from collections.abc import Iterator
from pathlib import Path

from autograder.runner.child import Printer, do_job
from autograder.runner.limits import Deadline
from autograder.runner.processes import Child, Runner
from autograder.runner.wire import Frame, Wire


class Foreground(Runner):
    """A run in it raises BdbQuit when the debugger is left, and KeyboardInterrupt at Ctrl-C. course: its folder."""

    def __init__(self, course: Path) -> None:
        self.course, self.together, self._place = course, 1, None

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Open this process itself."""
        yield Child(_WireInMemory(), end=lambda: 0)

    def close(self) -> None:
        """Leave this process as it is."""


class _WireInMemory(Wire):
    """The host's end of a wire. What is received from it is computed at that moment."""

    def __init__(self) -> None:
        self._sent: list[bytes] = []
        self._frames: Iterator[Frame] | None = None

    def send(self, kind: bytes, body: bytes = b"") -> None:
        """Take a frame of a job."""
        self._sent.append(body)

    def receive(self, deadline: Deadline | None = None) -> Frame:
        """Run the student's code up to the next frame, however long that takes."""
        if self._frames is None:
            job, paper = self._sent
            printer = Printer(lambda *_: None)  # to which nothing is printed: standard output stays the terminal's
            self._frames = do_job(job, paper, printer, passing=(bdb.BdbQuit, KeyboardInterrupt))
        return next(self._frames)
