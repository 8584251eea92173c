"""Warm processes that run students' code: a forker with a child a sitting, or a worker that is used again.

The host's side, free of torch, which they import once. What the two share, and how one that has ended is replaced; each has a
module of its own, which is imported where it is used: `forked` knows Linux alone.
"""

import contextlib
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from autograder.sitting.forking import CHOICE, WORKER, can_fork
from autograder.sitting.sandbox import NONE
from autograder.sitting.wire import Wire

START_TIMEOUT = 120.0

SPARES = 6
"""Children that are got ready after a sitting, so that the next one never waits for a fork."""

MEMORY = 4 << 30
"""Bytes of its own that a child may have."""

CLOSED = "the process that runs the exercises was closed."

OnLoss = Callable[[], None]

Given = TypeVar("Given")


class CannotSit(Exception):
    """The warm process could not be started or did not survive; the message says what to do."""


class Died(CannotSit):
    """The process was warm and has ended; another one may do better."""

    def __init__(self) -> None:
        super().__init__("the process that runs the exercises has ended. Run the command again.")


class Child(Protocol):
    """A process that runs a student's code, at the other end of a wire."""

    wire: Wire

    def kill(self) -> None:
        """Kill the child, from any thread; who listens to it finds its end of the wire closed."""
        ...

    def end(self) -> int | None:
        """Close the wire and kill the child if it still runs. Returns its exit code (negative: a signal), None where it is not known."""
        ...


class Warm(Protocol):
    """A warm process that can give children."""

    @property
    def pid(self) -> int:
        """The process id of the warm process."""
        ...

    @property
    def together(self) -> int:
        """How many children may sit at once, each in a thread of the caller's."""
        ...

    def prepare(self, children: int) -> None:
        """Wait until this is warm, then have so many children got ready, without waiting for them. Raises CannotSit."""
        ...

    def child(self) -> contextlib.AbstractContextManager[Child]:
        """Give a child that waits for jobs."""
        ...

    def close(self) -> None:
        """End the warm process."""
        ...


class Sitter(Warm, Protocol):
    """Gives children for one sitting after the other. course: the folder of the course that is sat."""

    @property
    def course(self) -> Path:
        """The folder of the course that is sat."""
        ...

    def get_ahead(self, children: int) -> None:
        """Have so many children got ready for the next sitting, and wait for nothing."""
        ...


class Mortal(Warm, Protocol):
    """A warm process that may end before it is closed."""

    @property
    def has_ended(self) -> bool:
        """Tell whether this can give no more children, after it was warm or because it never became so."""
        ...

    def reserve(self) -> "Mortal":
        """Start another like this one, without waiting until it is warm."""
        ...


def open_sitter(
    course: Path,
    spawn: bool | None = None,
    level: str = NONE,
    slot: int = 0,
    ahead: bool = True,
    standby: bool = False,
    on_loss: OnLoss | None = None,
) -> Sitter:
    """Start a warm process: a forker where forking is safe, else a worker. One that ends is replaced at the next sitting.

    course: the folder of the course that it imports. spawn: choose the worker (True) or not. level, slot, ahead: as a forker takes them; a worker has no sandbox. standby: keep
    another process warm from the first sitting on, which takes over at once. on_loss: told when one has ended, from any thread;
    until the next one is warm may take seconds.
    """
    if spawn is None:
        spawn = not can_fork() or (level == NONE and os.environ.get(CHOICE) == WORKER)
    if spawn:
        assert level == NONE, "only a forker can be confined"
        from autograder.sitting.spawned import Worker

        return Lasting(course, lambda: Worker(course), standby, on_loss)
    from autograder.sitting.forked import start_forker

    return Lasting(course, lambda: start_forker(course, level, slot, ahead), standby, on_loss)


class Lasting:
    """A sitter that outlives its process: one that has ended is replaced.

    course: the folder of the course that is sat. start: starts a process. standby: whether another one waits, from the first sitting on, to take over at once. on_loss: told
    when one has ended.
    """

    def __init__(self, course: Path, start: Callable[[], Mortal], standby: bool, on_loss: OnLoss | None) -> None:
        self.course = course
        self._start = start
        self._standby = standby
        self._on_loss = on_loss
        self._process = start()
        self._reserve: Mortal | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def pid(self) -> int:
        """The process id of the process that serves now."""
        return self._process.pid

    @property
    def together(self) -> int:
        """As many as the process can."""
        return self._process.together

    def prepare(self, children: int) -> None:
        """Have the process prepared. Raises CannotSit."""
        self._ask(lambda process: process.prepare(children))

    def get_ahead(self, children: int) -> None:
        """Have the process get children ready; where it has ended, start another one, which the next sitting waits for."""
        with self._lock, contextlib.suppress(CannotSit):  # the next sitting will tell
            if self._process.has_ended:
                self._replace()
                self._have_reserve()
                return
            self._process.prepare(children)

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Give a child of the process; afterwards, have a reserve. Raises CannotSit."""
        with contextlib.ExitStack() as stack:
            yield self._ask(lambda process: stack.enter_context(process.child()))
        with self._lock:
            self._have_reserve()

    def close(self) -> None:
        """End the process, and the one that waits. A sitting under way, in another thread, gets no other."""
        self._closed = True
        self._process.close()
        self._give_up_reserve()

    def _ask(self, what: Callable[[Mortal], Given]) -> Given:
        """Ask the process for something, and the next one where it turns out to have ended."""
        try:
            return what(self._living())
        except Died:
            return what(self._living())

    def _living(self) -> Mortal:
        """Return the process, another one if it has ended, which has a reserve at once: what ended the last may end it, too."""
        with self._lock:
            if self._process.has_ended:
                self._replace()
                self._process.prepare(0)
                self._have_reserve()
            return self._process

    def _replace(self) -> None:
        """Let the reserve take over, or one that has to get warm first. Raises CannotSit where nobody wants one any more."""
        if self._closed:
            raise CannotSit(CLOSED)
        if self._on_loss:
            self._on_loss()
        self._process.close()
        self._bury_reserve()
        self._process, self._reserve = self._reserve or self._start(), None
        if self._closed:  # meanwhile
            self._process.close()
            raise CannotSit(CLOSED)

    def _have_reserve(self) -> None:
        """Start a reserve where one is wanted and none lives."""
        self._bury_reserve()
        if self._standby and not self._reserve and not self._process.has_ended:
            self._reserve = self._process.reserve()

    def _bury_reserve(self) -> None:
        """Give up a reserve that has ended itself."""
        if self._reserve and self._reserve.has_ended:
            self._give_up_reserve()

    def _give_up_reserve(self) -> None:
        if self._reserve:
            self._reserve.close()
            self._reserve = None


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process that still runs, bury it, and close what leads to it."""
    if process.poll() is None:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stderr):
        if stream:
            stream.close()


def why_not_started(process: "subprocess.Popen[bytes]", reason: str) -> str:
    """Say why a warm process did not start, from the last line that it printed."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)
    lines = (
        process.stderr.read().decode(errors="replace").strip().splitlines()
        if process.poll() is not None and process.stderr
        else []
    )
    return f"the process that runs the exercises did not start ({lines[-1] if lines else reason}). `attn doctor` says what is missing."
