"""Forkers and workers that are warm in a tenth of a second: forked from a process that has torch, where they would be started.

They are real, but for what a fresh interpreter does: reading its environment and importing torch, of which tests of their own tell.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest import mock

from forks import forks
from processes import PATIENCE, alive

from autograder.sitting import forked, forker, spawned, worker
from autograder.sitting.control import Orders, WorkerOrders


@contextlib.contextmanager
def quick_starts() -> Iterator[None]:
    """Fork what would be started."""
    forks()
    with (
        mock.patch.object(forked, "_start", start_forker),
        mock.patch.object(spawned, "_start", start_worker),
    ):
        yield


class Fork:
    """A forked process, as `subprocess.Popen` has one. stdin: leads to it."""

    stderr = None

    def __init__(self, serve: Callable[..., None], *arguments: object) -> None:
        theirs, self.stdin = _pipe()
        self._process = forks().Process(target=serve, args=(theirs, *arguments), daemon=True)
        self._process.start()
        theirs.close()
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended, if it has."""
        return self._process.exitcode

    def poll(self) -> int | None:
        if not alive(self.pid):
            self._process.join(PATIENCE)  # until the process that has forked it tells how it ended
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("a fork", timeout or 0.0)
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()


def start_forker(connection: socket.socket, course: Path, ahead: bool) -> Any:
    """Fork a forker, as `forked` would start one."""
    return Fork(_serve_as_forker, connection, json.dumps(asdict(Orders(str(course), forked.MEMORY, ahead))))


def start_worker(orders: WorkerOrders) -> Any:
    """Fork a worker, as `spawned` would start one."""
    process = Fork(_serve_as_worker)
    with contextlib.suppress(OSError):  # it has ended already
        process.stdin.write(json.dumps(asdict(orders)).encode() + b"\n")
    return process


def _serve_as_forker(_: Connection, connection: socket.socket, orders: str) -> None:
    os.setpgid(0, 0)
    sys.argv = ["forker", str(connection.detach()), orders]
    forker.main()


def _serve_as_worker(stdin: Connection) -> None:
    os.setpgid(0, 0)
    os.dup2(stdin.fileno(), 0)
    stdin.close()
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    worker.main()


def _pipe() -> tuple[Connection, Any]:
    reading, writing = os.pipe()
    return Connection(reading, writable=False), open(writing, "wb", buffering=0)
