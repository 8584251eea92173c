"""Run a submission in this process and its main thread, so that debuggers and Ctrl-C work.

There is no timeout and no isolation.
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
    """A runner whose child is this process.

    A run raises BdbQuit when the user quits the debugger, and KeyboardInterrupt at Ctrl-C.
    course: the folder of the course.
    """

    def __init__(self, course: Path) -> None:
        self.course, self.together, self._place = course, 1, None

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Yield this process as the child."""
        yield Child(_WireInMemory(), end=lambda: 0)

    def close(self) -> None:
        """Do nothing: this process goes on."""


class _WireInMemory(Wire):
    """A replacement of `Wire` without a socket: `receive` runs the job up to the next message."""

    def __init__(self) -> None:
        self._sent: list[bytes] = []
        self._frames: Iterator[Frame] | None = None

    def send(self, kind: bytes, body: bytes = b"") -> None:
        """Store the body of a JOB or PAPER message."""
        self._sent.append(body)

    def receive(self, deadline: Deadline | None = None) -> Frame:
        """Run the student's code up to the next message, and return it. The deadline is ignored."""
        if self._frames is None:
            job, paper = self._sent
            printer = Printer(lambda *_: None)  # sends nothing: students' code prints to the terminal
            self._frames = do_job(job, paper, printer, passing=(bdb.BdbQuit, KeyboardInterrupt))
        return next(self._frames)
