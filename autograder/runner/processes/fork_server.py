"""The host's side of a forker: starting it, and asking it for a child per sitting. Only Linux has it."""

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from autograder.runner.processes import daemon
from autograder.runner.processes.daemon import CREDENTIALS
from autograder.runner.processes.process import START_TIMEOUT, CannotSit, Child, Died, StartedProcess, cannot_set_up
from autograder.runner.processes.protocol import ANSWER, ASK, NUMBER
from autograder.runner.wire import READY, REFUSED, Closed, Garbled, Late, Wire
from autograder.sandbox import NONE, levels, seccomp
from autograder.sandbox.environment import ENVIRONMENT

PROGRAM = "autograder.runner.processes.fork_server_main"

STILL_ALIVE = 0.1
"""Seconds between two looks at whether a forker that says nothing still lives."""

LAST_DEEDS = 1.0
"""Seconds that a forker has to end its children and what they have started."""


class Forker(StartedProcess):
    """A forker, warm or not yet. It forks a child for each sitting, so it survives whatever one does.

    course: the folder of the course that it imports. level: of the sandbox. slot: which of several forkers this is. batch: whether
    thousands of sittings are to come, one at a time; it then makes its memory quicker to fork.
    """

    forks = True

    def __init__(self, course: Path, level: str = NONE, slot: int = 0, batch: bool = False) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            super().__init__(
                _start(theirs, course, batch) if level == NONE else _start_confined(theirs, course, level, slot, batch)
            )
        self._is_warm = False
        self._patience = START_TIMEOUT
        self.together = 1 if batch else len(os.sched_getaffinity(0))

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Have a child forked, which is killed at the end."""
        (connection, their_connection), (line, their_line) = socket.socketpair(), socket.socketpair()
        with connection, line:
            with their_connection, their_line, contextlib.suppress(OSError):  # a line that nobody has has ended
                socket.send_fds(self._control, [ASK], [their_connection.fileno(), their_line.fileno()])
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            wire = Wire(connection)
            pid = self._await_child(connection, wire, line)
            yield Child(wire, partial(_shut, line), partial(self._end, wire, line), pid)

    def close(self) -> None:
        """End the forker; its children end with it, and what they have started."""
        self._is_over = True
        self._control.close()
        if self._is_warm:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(LAST_DEEDS)
        super().close()

    def _await_child(self, connection: socket.socket, wire: Wire, line: socket.socket) -> int | None:
        """Wait until a child says that it is ready, and return its pid. Raises Died where there is none, and CannotSit if this never became warm."""
        deadline = time.monotonic() + self._patience
        kind, reason, pid = b"", b"", None
        with contextlib.suppress(Closed, Garbled, OSError):
            while not kind and not self.has_ended and time.monotonic() < deadline:
                with contextlib.suppress(Late, TimeoutError):
                    connection.settimeout(STILL_ALIVE)
                    pid = _sender(connection)
                    kind, reason = wire.receive(time.monotonic() + STILL_ALIVE)
        if not kind:
            try:
                self._end(wire, line, deadline)
            except Died:
                raise Died if self._is_warm else self._not_started() from None
        self._is_warm, self._patience = True, START_TIMEOUT
        if kind != READY:
            said = reason.decode("utf-8", "replace") if kind == REFUSED else "it has ended before it was ready"
            raise Died(cannot_set_up(said))
        return pid

    def _end(self, wire: Wire, line: socket.socket, deadline: float | None = None) -> int:
        """End a child and return its exit code, which the forker says until a deadline. Raises Died."""
        wire.close()
        _shut(line)
        return self._receive(line, deadline or time.monotonic() + self._patience)

    def _receive(self, line: socket.socket, deadline: float) -> int:
        """Wait until the forker says how a child has ended. Raises Died.

        Where the forker dies while it forks, the line stays open: the child that it has just forked has the other end, too.
        """
        line.settimeout(STILL_ALIVE)
        while not self.has_ended and time.monotonic() < deadline:
            with contextlib.suppress(TimeoutError):
                if not (message := line.recv(NUMBER.size)):
                    break
                return int(NUMBER.unpack(message)[0])
        self._is_over = True
        raise Died


class ForkerOnStandby(Forker):
    """A forker that a process on standby forks for this command; that process is started, and left behind, where there is none.

    course: the folder of the course that it imports. place: where that process listens. idle: seconds that one started here stands by.
    """

    def __init__(self, course: Path, place: Path, idle: float) -> None:
        self._connected = daemon.connect(place)
        if self._connected:
            self._control = self._connected
        else:
            self._control, theirs = socket.socketpair()
            with theirs:
                StartedProcess.__init__(self, _start(theirs, course, False, [str(place), idle, time.time_ns()]))
        daemon.greet(self._control)
        self._is_over = self._is_warm = False
        self._patience = ANSWER if self._connected else START_TIMEOUT
        self.together = len(os.sched_getaffinity(0))

    @property
    def has_ended(self) -> bool:
        """Whether it was left, or its forker has ended, whatever the process on standby does."""
        return self._is_over or _is_cut(self._control)

    def close(self) -> None:
        """Leave it: its forker ends, with its children and what they have started."""
        self._is_over = True
        self._control.close()
        if not self._connected and self._process.stderr:
            self._process.stderr.close()

    def _not_started(self) -> CannotSit:
        if not self._connected:
            return super()._not_started()
        daemon.end_listener(self._connected)
        return Died()


def on_standby(course: Path) -> Callable[[Path], ForkerOnStandby] | None:
    """Return what gets a forker of a process on standby; None where none is wanted, or may be reached by others."""
    idle = daemon.idle_seconds()
    place = daemon.place_for(course) if idle else None
    return partial(ForkerOnStandby, place=place, idle=idle) if place else None


def _is_cut(control: socket.socket) -> bool:
    """Tell whether there is nobody at the other end."""
    poll = select.poll()
    poll.register(control, select.POLLRDHUP)
    return bool(poll.poll(0))


def _sender(connection: socket.socket) -> int | None:
    """Return the pid of what sends next, as the kernel knows it here, outside of the sender's namespace; None where it has none."""
    _, told, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size), socket.MSG_PEEK)
    return CREDENTIALS.unpack(told[0][2])[0] or None if told else None


def _shut(line: socket.socket) -> None:
    """Have the forker kill the child at the other end of a line."""
    with contextlib.suppress(OSError):  # it has ended, or its sitting is over
        line.shutdown(socket.SHUT_WR)


def _start(
    control: socket.socket, course: Path, batch: bool, standing_by: Sequence[str | float] | None = None
) -> "subprocess.Popen[bytes]":
    orders = json.dumps([str(course), batch, None, standing_by])
    return subprocess.Popen(
        [sys.executable, "-P", "-m", PROGRAM, str(control.fileno()), orders],
        pass_fds=(control.fileno(),),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | ENVIRONMENT,
        cwd="/" if standing_by else None,
        start_new_session=bool(standing_by),  # it outlives the terminal
        process_group=None
        if standing_by
        else 0,  # Ctrl-C, and Jupyter's interruption of a kernel, are not meant for it
    )


def _start_confined(
    control: socket.socket, course: Path, level: str, slot: int, batch: bool
) -> "subprocess.Popen[bytes]":
    with tempfile.TemporaryFile() as compiled:
        compiled.write(seccomp.compile_filter())
        compiled.seek(0)
        confinement = levels.confinement(level, course, compiled.fileno())
        orders = json.dumps([str(course), batch, asdict(confinement), None])
        program = (sys.executable, "-I", "-B", "-m", PROGRAM, str(control.fileno()), orders)
        return subprocess.Popen(
            levels.launched(level, slot, program, course),
            pass_fds=(control.fileno(), compiled.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=levels.ENVIRONMENT,
            cwd="/",
            start_new_session=True,  # to Linux's scheduler, its threads then are one program beside others
        )
