"""Run a submission in this process and its main thread, so that debuggers and Ctrl-C work.

There is no timeout and no isolation.
"""

import bdb
import contextlib
from collections.abc import Iterator
from pathlib import Path

from autograder.course import codec
from autograder.runner.child import Printer, do_job
from autograder.runner.limits import Deadline
from autograder.runner.processes import Child, Runner
from autograder.runner.wire import Wire


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
    """A replacement of `Wire` without a socket: `receive` runs the job up to the next reply."""

    def __init__(self) -> None:
        self._replies: Iterator[bytes] = iter(())

    def send(self, body: bytes) -> None:
        """Take a job."""
        printer = Printer(lambda _: None)  # sends nothing: students' code prints to the terminal
        self._replies = map(codec.encode, do_job(body, printer, passing=(bdb.BdbQuit, KeyboardInterrupt)))

    def receive(self, deadline: Deadline | None = None) -> bytes:
        """Run the student's code up to the next reply, and return it. The deadline is ignored."""
        return next(self._replies)
