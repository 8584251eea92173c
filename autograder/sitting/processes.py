"""Warm processes that run students' code: a forker with a child a sitting, or a worker that is used again.

The host's side: starting them, reaching them over sockets, ending them. Free of torch, which they import once.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Protocol

from autograder.sitting.control import CONTROL, ENDED, FORK, FORKING, KILL, LOAD, READY, STARTED, Orders
from autograder.sitting.sandbox import NONE, levels, seccomp
from autograder.sitting.wire import COMPILER, WARM, Closed, Garbled, Late, Wire

START_TIMEOUT = 120.0
MOST_TOGETHER = 4
"""Children that sit at once, where there are as many cores."""

SPARES = 6
"""Children that are got ready after a sitting, so that the next one never waits for a fork."""

MEMORY = 4 << 30
"""Bytes of its own that a child may have."""

HAS_ENDED = "the process that runs the exercises has ended. Run the command again."


class CannotSit(Exception):
    """The warm process could not be started or did not survive; the message says what to do."""


class Child(Protocol):
    """A process that runs a student's code, at the other end of a wire."""

    wire: Wire

    def end(self) -> int | None:
        """Kill the child if it still runs. Returns its exit code (negative: a signal), None where it is not known."""
        ...


class Sitter(Protocol):
    """A warm process that can give children."""

    @property
    def pid(self) -> int:
        """The process id of the warm process."""
        ...

    @property
    def together(self) -> int:
        """How many children may sit at once, each in a thread of the caller's."""
        ...

    def prepare(self, children: int, compiler: bool = False) -> None:
        """Wait until this is warm, then have so many children got ready, without waiting for them. Raises CannotSit.

        compiler: whether they need torch's compiler, which is loaded once.
        """
        ...

    def child(self) -> contextlib.AbstractContextManager[Child]:
        """Give a child that waits for jobs."""
        ...

    def close(self) -> None:
        """End the warm process."""
        ...


def open_sitter(spawn: bool | None = None, level: str = NONE, slot: int = 0, ahead: bool = True) -> Sitter:
    """Start a warm process: a forker where forking is safe, else a worker.

    spawn: choose the worker (True) or not. level, slot, ahead: as a forker takes them; a worker has no sandbox.
    """
    can_fork = sys.platform == "linux" and hasattr(os, "pidfd_open")
    if spawn or (spawn is None and not can_fork):
        assert level == NONE, "only a forker can be confined"
        return Worker()
    return Forker(level, slot, ahead)


class Forker:
    """A warm forker and its children. Starts at once and is waited for at the first child.

    level: of the sandbox. slot: which of several forkers this is. ahead: whether children are got ready and rehearse before
    anybody asks for them, so that one who waits waits less; that costs processor time, which a batch has better uses for.
    """

    def __init__(self, level: str = NONE, slot: int = 0, ahead: bool = True) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(START_TIMEOUT)
        self._process = _start_forker(theirs, level, slot, ahead)
        self._ahead = ahead
        self._lock = threading.Lock()
        self._asked: list[Wire] = []
        self._ready = False
        self._compiler = False
        self._started: list[int] = []
        self._ended: dict[int, int] = {}

    @property
    def pid(self) -> int:
        """The process id of the forker."""
        return self._process.pid

    @property
    def together(self) -> int:
        """As many as there are cores; one in a batch, which has a forker for each core."""
        return min(MOST_TOGETHER, len(os.sched_getaffinity(0))) if self._ahead else 1

    def prepare(self, children: int, compiler: bool = False) -> None:
        """Wait until this is warm, then ask for so many children, those that wait included. Raises CannotSit."""
        with self._lock:
            if compiler and not self._compiler:
                self._load_compiler()
            self._have(children if self._ahead else 0)

    def _load_compiler(self) -> None:
        """Have the compiler loaded; children that wait without it are given up."""
        self._receive_until(lambda: self._ready and len(self._started) == len(self._asked))
        for pid, wire in zip(self._started, self._asked, strict=True):
            wire.close()
            self.kill(pid)
        self._started, self._asked = [], []
        with contextlib.suppress(OSError):  # an end of the forker is noticed at the next fork
            self._control.send(CONTROL.pack(LOAD, 0, 0))
        self._compiler = True

    def _have(self, children: int) -> None:
        try:
            self._receive_until(lambda: self._ready)
            while len(self._asked) < children:
                self._asked.append(self._ask())
        except OSError as error:
            raise CannotSit(HAS_ENDED) from error

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Give the child that has waited longest, or a fresh one.

        The child is killed at the end, but its death, which takes a while, is not waited for.
        """
        with self._lock:
            self._have(1)
            self._receive_until(lambda: bool(self._started))
            pid = self._started.pop(0)
            self._ended.pop(pid, None)  # of an earlier process with the same number
            child = _ForkedChild(self, pid, self._asked.pop(0))
        try:
            yield child
        finally:
            child.kill()

    def close(self) -> None:
        """End the forker; its children end with it."""
        self._control.close()
        _stop(self._process)

    def kill(self, pid: int) -> None:
        """Kill a child, if it still lives."""
        with contextlib.suppress(OSError):
            self._control.send(CONTROL.pack(KILL, pid, 0))

    def exit_code(self, pid: int) -> int:
        """Wait for a child's end and return its exit code."""
        with self._lock:
            self._receive_until(lambda: pid in self._ended)
            return self._ended[pid]

    def _ask(self) -> Wire:
        """Ask for a child and return the wire to it, before it is there."""
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self._control, [CONTROL.pack(FORK, 0, 0)], [theirs.fileno()])
        finally:
            theirs.close()
        return Wire(ours)

    def _receive_until(self, arrived: Callable[[], bool]) -> None:
        """Take the forker's messages until what is waited for has arrived. Raises CannotSit."""
        while not arrived():
            reason = "it ended"
            try:
                message = self._control.recv(CONTROL.size)
            except OSError as error:
                message, reason = b"", str(error)
            if not message:
                raise CannotSit(HAS_ENDED if self._ready else _why_not_started(self._process, reason))
            kind, pid, code = CONTROL.unpack(message)
            if kind == STARTED:
                self._started.append(pid)
            elif kind == ENDED:
                self._ended[pid] = code
            self._ready = self._ready or kind == READY


class _ForkedChild:
    def __init__(self, forker: Forker, pid: int, wire: Wire) -> None:
        self.wire = wire
        self._forker = forker
        self._pid = pid

    def kill(self) -> None:
        self.wire.close()
        self._forker.kill(self._pid)

    def end(self) -> int | None:
        self.kill()
        return self._forker.exit_code(self._pid)


class Worker:
    """A warm worker that sits one paper after the other; replaced when it crashed or had to be ended."""

    def __init__(self) -> None:
        self._compiler = False
        self._start()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        self._process = _start("autograder.sitting.worker", theirs)
        self._child = _WorkerChild(self._process, Wire(ours))

    @property
    def pid(self) -> int:
        """The process id of the worker that lives now."""
        return self._process.pid

    @property
    def together(self) -> int:
        """One: there is one worker."""
        return 1

    def prepare(self, children: int, compiler: bool = False) -> None:
        """Wait until the worker is warm; there is only one, whatever is asked for. Raises CannotSit."""
        self._compiler = self._compiler or compiler
        self._child.wait_until_ready(self._compiler)

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Give the worker, a new one if the last has ended."""
        if self._child.ended:
            self._start()
        try:
            self._child.wait_until_ready(self._compiler)
            yield self._child
        except BaseException:
            self._child.end()
            raise

    def close(self) -> None:
        """End the worker."""
        self._child.end()


class _WorkerChild:
    def __init__(self, process: "subprocess.Popen[bytes]", wire: Wire) -> None:
        self.wire = wire
        self.ended = False
        self._process = process
        self._ready = False
        self._compiler = False

    def wait_until_ready(self, compiler: bool) -> None:
        try:
            if not self._ready:
                self._ready = self._is_warm()
            if compiler and not self._compiler:
                self.wire.send(COMPILER)
                self._compiler = self._is_warm()
        except (Closed, Late, Garbled) as error:
            raise CannotSit(_why_not_started(self._process, type(error).__name__)) from error

    def _is_warm(self) -> bool:
        kind, _ = self.wire.receive(time.monotonic() + START_TIMEOUT)
        return kind == WARM

    def end(self) -> int | None:
        self.wire.close()
        self.ended = True
        if self._process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
        _stop(self._process)
        return self._process.returncode


def _start_forker(connection: socket.socket, level: str, slot: int, ahead: bool) -> "subprocess.Popen[bytes]":
    if level == NONE:
        orders = json.dumps(asdict(Orders(MEMORY, ahead)))
        return _start("autograder.sitting.forker", connection, orders)
    with tempfile.TemporaryFile() as compiled:
        compiled.write(seccomp.compile_filter())
        compiled.seek(0)
        confinement = levels.confinement(level, compiled.fileno())
        orders = json.dumps(asdict(Orders(MEMORY, ahead, confinement)))
        program = (sys.executable, "-I", "-B", "-m", "autograder.sitting.forker", str(connection.fileno()), orders)
        try:
            return subprocess.Popen(
                levels.launched(level, slot, program),
                pass_fds=(connection.fileno(), compiled.fileno()),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=levels.ENVIRONMENT,
                cwd="/",
            )
        finally:
            connection.close()


def _start(module: str, connection: socket.socket, *arguments: str) -> "subprocess.Popen[bytes]":
    """Start a warm process with one end of a socket pair, and close that end here."""
    environment = os.environ | FORKING
    command = [sys.executable, "-P", "-m", module]
    try:
        if sys.platform == "win32":
            process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, stderr=subprocess.PIPE)
            assert process.stdin
            process.stdin.write(connection.share(process.pid))
            process.stdin.close()
            return process
        return subprocess.Popen(
            [*command, str(connection.fileno()), *arguments],
            pass_fds=(connection.fileno(),),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        )
    finally:
        connection.close()


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.kill()
        process.wait()
    if process.stderr:
        process.stderr.close()


def _why_not_started(process: "subprocess.Popen[bytes]", reason: str) -> str:
    """Say why the warm process did not start, from the last line that it printed."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)
    lines = (
        process.stderr.read().decode(errors="replace").strip().splitlines()
        if process.poll() is not None and process.stderr
        else []
    )
    return f"the process that runs the exercises did not start ({lines[-1] if lines else reason}). `attn doctor` says what is missing."
