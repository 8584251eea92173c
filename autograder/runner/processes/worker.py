"""The host's side of a worker: one process that sits paper after paper, started and reached in the same way on every system."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from autograder.runner.processes.process import START_TIMEOUT, Child, Running, StartedProcess
from autograder.runner.processes.protocol import LOOPBACK, WARM
from autograder.runner.wire import Wire
from autograder.sandbox.environment import ENVIRONMENT

PROGRAM = "autograder.runner.processes.worker_main"

LAST_BREATH = 0.05
"""Seconds that a worker whose wire is closed has to end by itself, so that its exit code can be reported."""

SOON = 0.5
"""Seconds in which a sitting that is interrupted may end by itself: a worker that is killed is followed by one that imports torch first."""


class Worker(StartedProcess):
    """A worker, warm or not yet, until it crashes or has to be ended. It is its own only child.

    It calls over the loopback device, and says through its standard output from which port. course: the folder of the course that
    it imports.
    """

    def __init__(self, course: Path) -> None:
        listener = socket.create_server((LOOPBACK, 0))
        self._begin(_start(course, listener.getsockname()[1]), listener)

    def _begin(self, process: Running, listener: socket.socket | None = None, wire: Wire | None = None) -> None:
        """Begin with a process, and where it calls, or the wire to it if it has called already."""
        self._listener, self._wire = listener, wire
        self._at_the_end = threading.Lock()
        self._is_closed = False
        super().__init__(process)

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Open the worker itself. One that is left by an exception is ended: it may be in any state."""
        is_over = threading.Event()
        try:
            self._wire = self._wire or self._take_call()
            yield Child(self._wire, partial(self._kill_soon, is_over), self._end, self.pid)
        except BaseException:
            self.close()
            raise
        finally:
            with self._at_the_end:
                is_over.set()

    def close(self) -> None:
        """End the worker, once: its number may be another process's afterwards."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._listener:
            self._listener.close()
        if self._wire:
            self._wire.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(LAST_BREATH)
        self._kill()
        super().close()

    def _kill_soon(self, is_over: threading.Event) -> None:
        """Have the worker killed, unless its sitting is over soon."""
        timer = threading.Timer(SOON, self._kill_unless, (is_over,))
        timer.daemon = True
        timer.start()

    def _kill_unless(self, is_over: threading.Event) -> None:
        with self._at_the_end:
            if not is_over.is_set():
                self._kill()

    def _kill(self) -> None:
        """Kill the worker, and what it has started on all systems but Windows, which has no process groups."""
        self._is_over = True
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in its group
                os.killpg(self.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _end(self) -> int:
        self.close()
        return self._process.wait()

    def _take_call(self) -> Wire:
        """Wait until the worker is warm, and take its call; other callers are refused. Raises CannotSit."""
        assert self._listener
        port = self._port()
        self._listener.settimeout(START_TIMEOUT)
        try:
            while True:
                connection, caller = self._listener.accept()
                if caller == (LOOPBACK, port):
                    self._listener.close()
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a job is two frames
                    return Wire(connection)
                connection.close()
        except OSError:
            raise self._not_started() from None

    def _port(self) -> int:
        """Return the port from which the worker calls, which it says when it is warm. Raises CannotSit."""
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(WARM):
                return int(line.removeprefix(WARM))
        raise self._not_started()


def _start(course: Path, port: int) -> "subprocess.Popen[bytes]":
    """Start a worker that calls a port. The end of its standard input means that the host is gone."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", PROGRAM, str(course), str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | ENVIRONMENT,
        process_group=0,  # Ctrl-C, and Jupyter's interruption of a kernel, are not meant for it
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
