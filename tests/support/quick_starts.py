"""Forkers and workers that are warm in a tenth of a second: forked from a process that has torch, where they would be started.

They are real, but for what a fresh interpreter does: reading its environment and importing torch, of which tests of their own tell.
"""

import contextlib
import io
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest import mock

from forks import forks
from processes import PATIENCE, alive

from autograder.runner.processes import fork_server, fork_server_main, worker, worker_main


@contextlib.contextmanager
def quick_starts() -> Iterator[None]:
    """Fork what would be started."""
    forks()
    with (
        mock.patch.object(fork_server, "_start", start_forker),
        mock.patch.object(worker, "_start", start_worker),
    ):
        yield


class Fork:
    """A forked process, as `subprocess.Popen` has one. stdin: leads to it. stdout: comes from it."""

    stderr = None

    def __init__(self, serve: Callable[..., None], *arguments: object) -> None:
        (reading, to_it), (from_it, writing) = os.pipe(), os.pipe()
        self.stdin, self.stdout = io.FileIO(to_it, "w"), io.FileIO(from_it)
        theirs = Connection(reading, writable=False), Connection(writing, readable=False)
        self._process = forks().Process(target=serve, args=(*theirs, *arguments), daemon=True)
        self._process.start()
        for end in theirs:
            end.close()
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


def start_forker(
    control: socket.socket, course: Path, batch: bool, standing_by: Sequence[str | float] | None = None
) -> Any:
    """Fork a fork_server, as `forker` would start one."""
    return Fork(_serve_as_forker, control, json.dumps([str(course), batch, None, standing_by]))


def start_worker(course: Path, port: int) -> Any:
    """Fork a worker, as `worker` would start one."""
    return Fork(_serve_as_worker, str(course), str(port))


def start_standby_worker(course: Path, place: Path, idle: float) -> Any:
    """Fork a worker that stands by, as `standby_worker` would start one."""
    return Fork(_serve_as_worker, str(course), str(place), str(idle), str(time.time_ns()))


def _serve_as_forker(stdin: Connection, stdout: Connection, control: socket.socket, orders: str) -> None:
    _take_standard_streams(stdin, stdout)
    sys.argv = ["forker", str(control.detach()), orders]
    fork_server_main.main()


def _serve_as_worker(stdin: Connection, stdout: Connection, *arguments: str) -> None:
    _take_standard_streams(stdin, stdout)
    sys.argv = ["worker", *arguments]
    worker_main.main()


def _take_standard_streams(stdin: Connection, stdout: Connection) -> None:
    os.setpgid(0, 0)
    for standard, stream in enumerate((stdin, stdout)):
        os.dup2(stream.fileno(), standard)
        stream.close()
