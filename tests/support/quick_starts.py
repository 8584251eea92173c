"""Servers that are warm in a tenth of a second: forked from a process that has torch, where they would be started.

They are real, but for what a fresh interpreter does: reading its environment and importing torch, of which tests of their own tell.
"""

import contextlib
import io
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any
from unittest import mock

from forks import forks
from processes import PATIENCE, alive

from autograder.runner import processes, server


@contextlib.contextmanager
def quick_starts() -> Iterator[None]:
    """Fork what would be started."""
    forks()
    with mock.patch.object(processes, "_start", start):
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


def start(orders: dict[str, Any], token: str, *_: object) -> Any:
    """Fork a server, as `processes` would start one."""
    control = socket.socket(fileno=os.dup(orders["control"])) if "control" in orders else None
    forked = Fork(_serve, orders, token, control)
    if control:
        control.close()
    return forked


def _serve(
    stdin: Connection, stdout: Connection, orders: dict[str, Any], token: str, control: socket.socket | None
) -> None:
    _take_standard_streams(stdin, stdout)
    os.environ[processes.TOKEN] = token
    os.execve = _begin_again  # type: ignore[assignment]
    sys.argv = ["server", json.dumps(orders | ({"control": control.detach()} if control else {}))]
    server.main()


def _begin_again(_: str, words: list[str], environment: dict[str, str]) -> None:
    """Run a server's program in a process that has nothing of this one but what it has imported."""
    if os.fork():
        os._exit(0)
    os.closerange(3, 256)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["server", words[-1]]
    server.main()


def _take_standard_streams(stdin: Connection, stdout: Connection) -> None:
    os.setpgid(0, 0)
    for standard, stream in enumerate((stdin, stdout)):
        os.dup2(stream.fileno(), standard)
        stream.close()
