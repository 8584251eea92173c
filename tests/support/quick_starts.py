"""Servers that are warm in a tenth of a second: forked from a process that has torch, where they would be started.

They are real, but for what a fresh interpreter does: reading its environment and importing torch, of which tests of their own tell.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
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
    """A forked process, as `subprocess.Popen` has one."""

    stderr = None

    def __init__(self, serve: Callable[..., None], *arguments: object) -> None:
        self._process = forks().Process(target=serve, args=arguments, daemon=True)
        self._process.start()
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


def start(orders: dict[str, Any], *_: object) -> Any:
    """Fork a server, as `processes` would start one."""
    control = socket.socket(fileno=os.dup(orders["control"])) if "control" in orders else None
    forked = Fork(_serve, orders, control)
    if control:
        control.close()
    return forked


def _serve(orders: dict[str, Any], control: socket.socket | None) -> None:
    os.setpgid(0, 0)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    sys.argv = ["server", json.dumps(orders | ({"control": control.detach()} if control else {}))]
    server.main()
