"""Keeps a warm process for one sitting after another: a forker where forking is safe, else a worker.

A forker forks as many children as a sitting asks for, a worker is used again; the wire and the verdicts are the same.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from autograder.runner.processes.process import CannotSit, Child, Died, WarmProcess, cannot_set_up
from autograder.runner.processes.worker import Worker
from autograder.runner.spawning import CHOICE, WORKER, can_fork
from autograder.sandbox import NONE


class Runner:
    """Keeps a warm process, of which each sitting gets a child. One that has ended is replaced when the next child is wanted.

    course: the folder of the course that is sat. start: starts a process that imports it, without waiting until that is warm.
    process: the one that serves now.
    """

    def __init__(self, course: Path, start: Callable[[Path], WarmProcess]) -> None:
        self.course = course
        self._start = start
        self._lock = threading.Lock()
        self._closed = False
        self.process = self._started()

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Open a child for one sitting, once it is ready. What dies in being handed out is tried once more. Raises CannotSit."""
        with contextlib.ExitStack() as stack:
            try:
                child = self._handed_out(stack)
            except Died:
                try:
                    child = self._handed_out(stack)
                except Died as error:
                    raise CannotSit(str(error)) from error
            yield child

    def _handed_out(self, stack: contextlib.ExitStack) -> Child:
        """Return a child that is ready, open until the stack is closed. Raises CannotSit."""
        try:
            return stack.enter_context(self._living_process().child())
        except OSError as error:
            raise Died(cannot_set_up(error.strerror)) from error

    def _living_process(self) -> WarmProcess:
        with self._lock:
            if self._closed:
                raise CannotSit("the process that runs the exercises was closed.")
            if self.process.has_ended:
                self.process.close()
                self.process = self._started()
            return self.process

    def _started(self) -> WarmProcess:
        try:
            return self._start(self.course)
        except OSError as error:
            raise CannotSit(cannot_set_up(error.strerror)) from error

    def close(self) -> None:
        """End the process. A sitting that another thread is in gets no other."""
        with self._lock:
            self._closed = True
            self.process.close()


def open_runner(course: Path, level: str = NONE, slot: int = 0, batch: bool = False, standby: bool = False) -> Runner:
    """Start a warm process. course: the folder of the one that is sat. level, slot, batch: as a forker takes them.

    standby: whether the process may stand by for later commands, and be one that does: for students' own.
    """
    if can_fork() and (level != NONE or os.environ.get(CHOICE) != WORKER):
        from autograder.runner.processes.fork_server import Forker, on_standby  # which knows Linux alone

        start = on_standby(course) if standby else None
        return Runner(course, start or partial(Forker, level=level, slot=slot, batch=batch))
    assert level == NONE, "only a forker can be confined"
    return Runner(course, (_worker_on_standby(course) if standby else None) or Worker)


def open_worker(course: Path) -> Runner:
    """Start a worker, on any system: for hundreds of texts that are trusted not to spoil the process for each other."""
    return Runner(course, Worker)


def _worker_on_standby(course: Path) -> Callable[[Path], WarmProcess] | None:
    """Return what gets a worker on standby; None where there can be none, as on Windows, or none is wanted."""
    if sys.platform == "win32":
        return None
    from autograder.runner.processes.daemon_worker import on_standby

    return on_standby(course)


def stop_standby() -> int:
    """End all processes of this user that stand by for students' commands; return how many there were."""
    if sys.platform == "win32":
        return 0
    from autograder.runner.processes import daemon, daemon_worker

    return daemon_worker.stop_all() + (daemon.stop_all() if can_fork() else 0)
