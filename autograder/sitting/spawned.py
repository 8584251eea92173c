"""The host's side of a worker: one process that sits paper after paper, started and reached in the same way on every system."""

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from autograder.sitting.control import FORKING, LOOPBACK, WorkerOrders
from autograder.sitting.processes import MEMORY, START_TIMEOUT, CannotSit, Child, stop, why_not_started
from autograder.sitting.wire import HELLO, WARM, Closed, Garbled, Late, Wire

ACCEPTING = 0.1
"""Seconds between two looks at whether a worker that has not called yet still lives."""

LONGEST_GREETING = 1.0
"""Seconds that a caller has to show the secret."""

LAST_BREATH = 0.05
"""Seconds that a worker whose wire is closed has to end by itself, so that its exit code can be told."""


class Worker:
    """A warm worker, until it crashes or has to be ended. It calls back over the loopback device, with a secret."""

    def __init__(self, course: Path) -> None:
        self._course = course
        self._listener = socket.create_server((LOOPBACK, 0))
        self._secret = secrets.token_bytes()
        self._process = _start(WorkerOrders(str(course), self._listener.getsockname()[1], self._secret.hex(), MEMORY))
        self._child: _WorkerChild | None = None
        self._is_over = False
        self._is_buried = False

    @property
    def pid(self) -> int:
        """The process id of the worker."""
        return self._process.pid

    @property
    def together(self) -> int:
        """One: it is its own only child."""
        return 1

    @property
    def has_ended(self) -> bool:
        """Tell whether it was ended, did not start, or has died since."""
        return self._is_over or self._process.poll() is not None

    def prepare(self, children: int) -> None:
        """Wait until the worker is warm; there is only one child, whatever is asked for. Raises CannotSit."""
        self._warm_child()

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Give the worker."""
        try:
            yield self._warm_child()
        except BaseException:
            self.end()
            raise

    def reserve(self) -> "Worker":
        """Start another worker, which imports torch once more."""
        return Worker(self._course)

    def kill(self) -> None:
        """Kill the worker, and what it has started on all systems but Windows, which has no process groups."""
        self._is_over = True
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in its group
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def end(self) -> int | None:
        """Close the wire and kill the worker, once. Returns its exit code."""
        if self._is_buried:
            return self._process.returncode  # its number may be another process's by now
        self._is_buried = True
        self._listener.close()
        if self._child:
            self._child.wire.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(LAST_BREATH)
        self.kill()
        stop(self._process)
        return self._process.returncode

    def close(self) -> None:
        """End the worker."""
        self.end()

    def _warm_child(self) -> "_WorkerChild":
        try:
            if not self._child:
                wire = self._take_call(time.monotonic() + START_TIMEOUT)
                _wait_until_warm(wire)
                self._child = _WorkerChild(self, wire)
        except (Closed, Late, Garbled) as error:
            self._is_over = True
            raise CannotSit(why_not_started(self._process, type(error).__name__)) from error
        return self._child

    def _take_call(self, deadline: float) -> Wire:
        """Wait for the worker's call; whoever else calls is turned away. Raises Closed or Late."""
        self._listener.settimeout(ACCEPTING)
        with self._listener:
            while time.monotonic() < deadline:
                with contextlib.suppress(TimeoutError):
                    connection, _ = self._listener.accept()
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a job is two frames
                    wire = Wire(connection)
                    if self._is_workers(wire):
                        return wire
                    wire.close()
                if self._process.poll() is not None:
                    raise Closed
        raise Late

    def _is_workers(self, wire: Wire) -> bool:
        wire.limit(len(self._secret))
        try:
            kind, secret = wire.receive(time.monotonic() + LONGEST_GREETING)
        except (Closed, Late, Garbled):
            return False
        return kind == HELLO and secrets.compare_digest(secret, self._secret)


class _WorkerChild:
    def __init__(self, worker: Worker, wire: Wire) -> None:
        self.wire = wire
        self._worker = worker

    def kill(self) -> None:
        self._worker.kill()

    def end(self) -> int | None:
        return self._worker.end()


def _wait_until_warm(wire: Wire) -> None:
    kind, _ = wire.receive(time.monotonic() + START_TIMEOUT)
    if kind != WARM:
        raise Garbled(f"expected to hear that it is warm, got {kind!r}")


def _start(orders: WorkerOrders) -> "subprocess.Popen[bytes]":
    """Start a worker. Its standard input brings its orders, stays open, and by its end tells it that the host is gone."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "autograder.sitting.worker"],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | FORKING,
        process_group=0,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    assert process.stdin
    with contextlib.suppress(OSError):  # it has ended already, which is noticed when it is wanted
        process.stdin.write(json.dumps(asdict(orders)).encode() + b"\n")
    return process
