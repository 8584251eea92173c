"""The host's side of a forker: starting it, asking it for children over a socket, taking its messages. Linux alone has it."""

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from autograder.sitting.control import CONTROL, ENDED, FORK, FORKING, KILL, READY, RESERVE, STARTED, Orders
from autograder.sitting.processes import MEMORY, START_TIMEOUT, CannotSit, Child, Died, stop, why_not_started
from autograder.sitting.sandbox import NONE, levels, seccomp
from autograder.sitting.wire import Wire

LAST_DEEDS = 1.0
"""Seconds that a forker has to end what its children have started."""

MOST_TOGETHER = 4
"""Children that sit at once, where there are as many cores."""


def start_forker(course: Path, level: str = NONE, slot: int = 0, ahead: bool = True) -> "Forker":
    """Start a forker, without waiting until it is warm.

    course: the folder of the course that it imports. level: of the sandbox. slot: which of several forkers this is. ahead: whether children are got ready and rehearse before
    anybody asks for them, so that one who waits waits less; that costs processor time, which a batch has better uses for.
    """
    ours, theirs = _control_pair()
    try:
        process = _start(theirs, course, ahead) if level == NONE else _confined(theirs, course, level, slot, ahead)
        return Forker(ours, ahead, process)
    finally:
        theirs.close()


class Forker:
    """A warm forker and its children. It is waited for at the first child.

    control: leads to it. ahead: as `start_forker` takes it. process: None for one that another forker has forked.
    """

    def __init__(self, control: socket.socket, ahead: bool, process: "subprocess.Popen[bytes] | None") -> None:
        self._control = control
        self._control.settimeout(START_TIMEOUT)
        self._process = process
        self._pid = process.pid if process else 0
        self._ahead = ahead
        self._lock = threading.Lock()
        self._asked: list[Wire] = []
        self._ready = False
        self._death: int | None = None
        self._end = ""
        self._started: list[int] = []
        self._ended: dict[int, int] = {}

    @property
    def pid(self) -> int:
        """The process id of the forker."""
        if not self._pid:
            self.prepare(0)
        return self._pid

    @property
    def together(self) -> int:
        """As many as there are cores; one in a batch, which has a forker for each core."""
        return min(MOST_TOGETHER, len(os.sched_getaffinity(0))) if self._ahead else 1

    @property
    def has_ended(self) -> bool:
        """Tell whether it did not start, or has died since."""
        with self._lock:
            self._take_news()
            return bool(self._end)

    def prepare(self, children: int) -> None:
        """Wait until this is warm, then ask for so many children, those that wait included. Raises CannotSit."""
        with self._lock:
            self._have(children if self._ahead else 0)

    def _have(self, children: int) -> None:
        try:
            self._receive_until(lambda: self._ready)
            while len(self._asked) < children:
                self._asked.append(Wire(self._ask(FORK, *socket.socketpair())))
        except OSError as error:
            raise Died from error

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Give the child that has waited longest, or a fresh one.

        The child is killed at the end, but its death, which takes a while, is not waited for.
        """
        with self._lock:
            self._bury_dead()
            self._have(1)
            self._receive_until(lambda: bool(self._started))
            child = _ForkedChild(self, self._started.pop(0), self._asked.pop(0))
        try:
            yield child
        finally:
            child.leave()

    def reserve(self) -> "Forker":
        """Have the forker fork itself: what it has loaded is there at once, and shared until one of them writes."""
        ours, theirs = _control_pair()
        with contextlib.suppress(OSError):  # an end of the forker is noticed when the reserve is wanted
            self._ask(RESERVE, ours, theirs)
        return Forker(ours, self._ahead, None)

    def close(self) -> None:
        """End the forker; its children end with it, and what they have started."""
        self._end = self._end or "it was closed"
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # another thread may be waiting at it
        self._control.close()
        death, self._death = self._death, None
        if death is not None:
            os.close(death)
        if self._process:
            if self._ready:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(LAST_DEEDS)
            stop(self._process)

    def kill(self, pid: int) -> None:
        """Kill a child, if it still lives."""
        with contextlib.suppress(OSError):
            self._control.send(CONTROL.pack(KILL, pid, 0))

    def exit_code(self, pid: int) -> int:
        """Wait for a child's end and return its exit code. Raises Died."""
        with self._lock:
            self._receive_until(lambda: pid in self._ended)
            return self._ended[pid]

    def _ask(self, kind: bytes, ours: socket.socket, theirs: socket.socket) -> socket.socket:
        """Ask for a process, which gets their end of a pair. Returns our end, before the process is there."""
        try:
            socket.send_fds(self._control, [CONTROL.pack(kind, 0, 0)], [theirs.fileno()])
        finally:
            theirs.close()
        return ours

    def _bury_dead(self) -> None:
        """Let go of children that have died while they waited."""
        self._take_news()
        for place in reversed(range(len(self._started))):
            if self._started[place] in self._ended:
                del self._started[place]
                self._asked.pop(place).close()

    def _take_news(self) -> None:
        """Take the messages that are there already, and notice its death, be its end of the socket closed or not.

        A child that it has just forked still holds that end.
        """
        while (self._ready or not self._process) and not self._end and _has_news(self._control.fileno()):
            self._receive()
        death = self._death
        if death is not None and not self._end and _has_news(death):
            self._end = "it ended"

    def _receive_until(self, arrived: Callable[[], bool]) -> None:
        """Take the forker's messages until what is waited for has arrived. Raises CannotSit or Died."""
        while not arrived():
            if not self._end:
                self._receive()
            if self._end and self._process and not self._ready:
                raise CannotSit(why_not_started(self._process, self._end))
            if self._end:
                raise Died

    def _receive(self) -> None:
        """Take one message, or notice why none will come."""
        try:
            message = self._control.recv(CONTROL.size)
        except OSError as error:
            self._end = str(error)
            return
        if not message:
            self._end = "it ended"
            return
        kind, pid, code = CONTROL.unpack(message)
        if kind == STARTED:
            self._started.append(pid)
            self._ended.pop(pid, None)  # of an earlier process with the same number
        elif kind == ENDED:
            self._ended[pid] = code
        elif kind == READY:
            self._ready, self._pid = True, self._pid or pid
            self._follow()

    def _follow(self) -> None:
        """From now on, notice its death."""
        try:
            self._death = os.pidfd_open(self._pid)
        except ProcessLookupError:
            self._end = "it ended"
        except OSError:  # too many descriptors are open: the end of the socket tells its death, if later
            self._death = None


class _ForkedChild:
    def __init__(self, forker: Forker, pid: int, wire: Wire) -> None:
        self.wire = wire
        self._forker = forker
        self._pid = pid

    def kill(self) -> None:
        self._forker.kill(self._pid)

    def leave(self) -> None:
        self.wire.close()
        self.kill()

    def end(self) -> int | None:
        self.leave()
        return self._forker.exit_code(self._pid)


def _has_news(descriptor: int) -> bool:
    """Tell whether there is something to receive, be it the end."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def _control_pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _start(connection: socket.socket, course: Path, ahead: bool) -> "subprocess.Popen[bytes]":
    orders = json.dumps(asdict(Orders(str(course), MEMORY, ahead)))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "autograder.sitting.forker", str(connection.fileno()), orders],
        pass_fds=(connection.fileno(),),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | FORKING,
        process_group=0,  # Ctrl-C, and Jupyter's interruption of a kernel, are not meant for it
    )


def _confined(connection: socket.socket, course: Path, level: str, slot: int, ahead: bool) -> "subprocess.Popen[bytes]":
    with tempfile.TemporaryFile() as compiled:
        compiled.write(seccomp.compile_filter())
        compiled.seek(0)
        confinement = levels.confinement(level, course, compiled.fileno())
        orders = json.dumps(asdict(Orders(str(course), MEMORY, ahead, confinement)))
        program = (sys.executable, "-I", "-B", "-m", "autograder.sitting.forker", str(connection.fileno()), orders)
        return subprocess.Popen(
            levels.launched(level, slot, program, course),
            pass_fds=(connection.fileno(), compiled.fileno()),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=levels.ENVIRONMENT,
            cwd="/",
        )
