"""A warm process and its children, as a sitting sees them."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, Protocol

from autograder.course.errors import ExplainedError
from autograder.runner.wire import Wire

START_TIMEOUT = 120.0
"""Seconds until a process must be warm."""


class CannotSit(ExplainedError):
    """No child can be handed out on this machine, or none that survives; the message says what to do."""


class Died(CannotSit):
    """The warm process, or a child before it was ready, has ended; another one may do better."""

    def __init__(self, message: str = "the process that runs the exercises has ended. Run the command again.") -> None:
        super().__init__(message)


@dataclass(frozen=True)
class Child:
    """A process that runs a student's code, at the other end of a wire.

    kill: kills it, from any thread; one that is used again only if its sitting does not end soon. Who listens to it finds its end of the
    wire closed. end: closes the wire, kills it if it still runs, and returns its exit code (negative: a signal). pid: by which this
    process knows it, if it does.
    """

    wire: Wire
    kill: Callable[[], None]
    end: Callable[[], int]
    pid: int | None = None


def cannot_set_up(reason: str | None) -> str:
    """Say that there is no process for students' code, and why."""
    return f"no process that runs the exercises can be set up on this machine: {reason}. `attn doctor` says what is missing."


class WarmProcess(ABC):
    """What students' code runs in, or in children of it, until it ends.

    together: how many children may sit at once, each in a thread of the caller's. forks: whether each child is a process of its own.
    """

    together = 1
    forks = False

    @property
    @abstractmethod
    def has_ended(self) -> bool:
        """Whether it can have no more children."""

    @abstractmethod
    def child(self) -> AbstractContextManager[Child]:
        """Open a child for one sitting, once this is warm and the child is ready. Raises CannotSit, and OSError where the machine refuses."""

    @abstractmethod
    def close(self) -> None:
        """End it, and close the connections to it."""


class Running(Protocol):
    """A process, as `subprocess.Popen` has it."""

    @property
    def pid(self) -> int:
        """Its process id."""

    @property
    def stdin(self) -> IO[bytes] | None:
        """What it reads, where that is ours."""

    @property
    def stdout(self) -> IO[bytes] | None:
        """What it writes, where that is ours."""

    @property
    def stderr(self) -> IO[bytes] | None:
        """What it complains of, where that is ours."""

    def poll(self) -> int | None:
        """Return its exit code; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, and return its exit code. Raises TimeoutExpired."""

    def kill(self) -> None:
        """Kill it."""


class StartedProcess(WarmProcess):
    """A process that was started, and is warm after seconds."""

    def __init__(self, process: Running) -> None:
        self._process = process
        self._is_over = False

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it was ended, or has ended by itself."""
        return self._is_over or self._process.poll() is not None

    def close(self) -> None:
        """End it, and close the connections to it."""
        self._is_over = True
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()

    def _not_started(self) -> CannotSit:
        """Say why it did not become warm, from the last line that it printed."""
        self._process.kill()
        reasons = [f"exit code {self._process.wait()}"]
        with contextlib.suppress(ValueError):  # it was closed in another thread
            if self._process.stderr:
                reasons += self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return CannotSit(
            f"the process that runs the exercises did not start ({reasons[-1]}). `attn doctor` says what is missing."
        )
