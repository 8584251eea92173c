"""The host's side of students' processes: a server that has torch, and a child of it for each run. Free of torch and of NumPy.

On Linux a server forks its children; elsewhere, where a process that has torch must not be forked, it is its own only child.
"""

import contextlib
import functools
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.errors import ExplainedError
from autograder.runner import daemon
from autograder.runner.limits import Deadline
from autograder.runner.wire import Closed, Garbled, Kind, Late, Wire
from autograder.sandbox import ENVIRONMENT, NONE

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext

PROGRAM = "autograder.runner.server"

CHOICE, WORKER = "ATTN_RUNNER", "worker"
"""A variable of the environment, and the value at which a server is its own child on Linux, too: to try the other systems'."""

TOKEN = "ATTN_TOKEN"
"""A variable of a server's environment: the word that it greets its host with over the loopback device."""

LOOPBACK = "127.0.0.1"

START_TIMEOUT = 60.0
"""Seconds until a server must be warm, and at most twice as many on a busy machine."""

STILL_ALIVE = 0.1
"""Seconds between two looks at whether a server that says nothing still lives."""

LAST_DEEDS = 0.5
"""Seconds that a server has to end with its children and what they have started, so that its exit code can be reported."""

SOON = 0.5
"""Seconds in which a run that is interrupted may end by itself: a server that is killed is followed by one that imports torch first."""

CREDENTIALS = struct.Struct("3i")
"""Of the process at the other end of a socket: its number, its user's and its group's."""


class CannotRun(ExplainedError):
    """No child can be handed out on this machine, or none that survives; the message says what to do."""


class Died(CannotRun):
    """The server, or a child before it was ready, has ended; another one may do better."""

    def __init__(self, message: str = "the process that runs the exercises has ended. Run the command again.") -> None:
        super().__init__(message)


@dataclass(frozen=True)
class Child:
    """A process that runs a student's code, at the other end of a wire.

    end: closes the wire, kills it if it still runs, and returns its exit code (negative: a signal), None where that is not known.
    pid: by which this process knows it, if it does. grace: seconds that it may go on with a run that is interrupted.
    """

    wire: Wire
    end: Callable[[], int | None]
    pid: int | None = None
    grace: float = 0.0


class Runner:
    """Gives a child for each run, of a server that has torch, warm or not yet. One that has ended is replaced.

    The server is started here, or a daemon that an earlier command has left behind.
    course: the folder of the course that is run. level: of the sandbox. slot: which of several servers this is. as_daemon: whether
    it may be one. forks: whether each child is a process of its own. together: how many children may run at once, each in a thread of
    the caller's.
    """

    def __init__(
        self, course: Path, level: str = NONE, slot: int = 0, as_daemon: bool = False, forks: bool | None = None
    ) -> None:
        self.course = course
        self.forks = can_fork() if forks is None else forks
        self.together = len(os.sched_getaffinity(0)) if self.forks and level == NONE else 1
        self._level, self._slot, self._is_daemon = level, slot, as_daemon
        self._lock = threading.Lock()
        self._is_closed = False
        self._start()

    @property
    def surroundings(self) -> dict[str, object]:
        """The folder and the environment of this command, which a daemon has to take over."""
        return {"folder": os.getcwd(), "environment": dict(os.environ)} if self._place else {}

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Open a child for one run, once it is ready. What dies in being handed out is tried once more. Raises CannotRun."""
        with contextlib.ExitStack() as stack:
            try:
                child = self._opened(stack)
            except Died:
                try:
                    child = self._opened(stack)
                except Died as error:
                    raise CannotRun(str(error)) from error
            yield child

    def close(self) -> None:
        """End the server with its children and what they have started; leave it where it is a daemon. There is no other then."""
        with self._lock:
            self._is_closed = True
            self._end(stays=self._place is not None)

    def _opened(self, stack: contextlib.ExitStack) -> Child:
        """Return a child that is ready, open until the stack is closed. Raises CannotRun."""
        with self._lock:
            if self._is_closed:
                raise CannotRun("the process that runs the exercises was closed.")
            if self._has_ended:
                self._end()
                self._start()
        try:
            return stack.enter_context(self._forked() if self.forks else self._lent())
        except OSError as error:
            raise Died(cannot_set_up(error.strerror)) from error

    # The server

    def _start(self) -> None:
        """Find a server, or start one, without waiting until it is warm. Raises CannotRun."""
        self._is_over = self._is_warm = False
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._listener: socket.socket | None = None
        self._token = os.urandom(16).hex()
        self._place = daemon.place_for(self.course, self.forks) if self._is_daemon else None
        if self._place and (found := daemon.connect(self._place)):
            self._connection, self.pid = found
            self._is_warm = True
            return
        orders = {"course": str(self.course), "place": str(self._place or ""), "idle": daemon.idle_seconds()}
        try:
            if self.forks:
                self._connection, theirs = socket.socketpair()
                with theirs:
                    self._process = _start(orders | {"control": theirs.fileno()}, self._token, self._level, self._slot)
            else:
                self._listener = socket.create_server((LOOPBACK, 0))
                self._process = _start(orders | {"port": self._listener.getsockname()[1]}, self._token)
        except OSError as error:
            raise CannotRun(cannot_set_up(error.strerror)) from error
        self.pid = self._process.pid

    @property
    def _has_ended(self) -> bool:
        """True if the server can have no more children."""
        if self._is_over or (self._process and self._process.poll() is not None):
            return True
        return bool(self._connection and select.select([self._connection], [], [], 0)[0])  # it speaks only to a run

    def _end(self, stays: bool = False) -> int | None:
        """End the server, unless it stays for other commands, and return its exit code."""
        if not self._is_over:
            self._is_over = True
            for end in filter(None, (self._connection, self._listener)):
                end.close()
            if self._process and not stays:
                if self._is_warm:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        self._process.wait(LAST_DEEDS)
                self._kill(self._process)
                self._process.wait()
                if self._process.stderr:
                    self._process.stderr.close()
        return self._process.returncode if self._process else None

    def _kill(self, process: "subprocess.Popen[bytes]") -> None:
        """Kill it, and what it has started, on all systems but Windows, which has no process groups; children end with who forked them."""
        if self.forks or sys.platform == "win32":
            process.kill()
        elif process.returncode is None:  # else its number may be another process's
            with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in its group
                os.killpg(process.pid, signal.SIGKILL)

    def _not_started(self) -> CannotRun:
        """Return the reason why it did not become warm, from the last line that it printed."""
        assert self._process
        self._process.kill()
        reasons = [f"exit code {self._process.wait()}"]
        with contextlib.suppress(ValueError):  # it was closed in another thread
            if self._process.stderr:
                reasons += self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return CannotRun(
            f"the process that runs the exercises did not start ({reasons[-1]}). `attn doctor` says what is missing."
        )

    # A child that is forked

    @contextlib.contextmanager
    def _forked(self) -> Iterator[Child]:
        (connection, theirs), (line, their_line) = socket.socketpair(), socket.socketpair()
        with connection, line:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with theirs, their_line, contextlib.suppress(OSError):  # a server that has ended
                assert self._connection
                socket.send_fds(self._connection, [b"?"], [theirs.fileno(), their_line.fileno()])
            wire = Wire(connection)
            try:
                connection.settimeout(2 * START_TIMEOUT)
                pid = _sender(connection)
                wire.receive()
            except (OSError, Closed, Garbled):
                raise self._no_child(wire, line) from None
            self._is_warm = True
            yield Child(wire, functools.partial(_end_child, wire, line), pid)

    def _no_child(self, wire: Wire, line: socket.socket) -> CannotRun:
        """Return Died where another try may do better, and why the server has not started if it has never become warm."""
        try:
            _end_child(wire, line)
        except Died as error:
            return error if self._is_warm else self._not_started()
        return Died(cannot_set_up("it has ended before it was ready"))

    # A server that is its own child

    @contextlib.contextmanager
    def _lent(self) -> Iterator[Child]:
        """Open the server itself. One that is left by an exception is ended: it may be in any state."""
        if not self._connection:
            self._connection = self._take_call()
        try:
            yield Child(Wire(self._connection), self._end_lent, self.pid, SOON)
        except BaseException:
            self._end_lent()
            raise

    def _end_lent(self) -> int | None:
        with self._lock:
            return self._end()

    def _take_call(self) -> socket.socket:
        """Wait until the server is warm, and take its call; other callers are refused. Raises CannotRun."""
        assert self._listener
        deadline = Deadline(START_TIMEOUT)
        self._listener.settimeout(STILL_ALIVE)
        while deadline.remaining() and not self._has_ended:
            with contextlib.suppress(OSError, Closed, Garbled, Late):
                connection, _ = self._listener.accept()
                if Wire(connection).receive(Deadline(daemon.ANSWER)) == (Kind.READY, self._token.encode()):
                    self._listener.close()
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a job is two frames
                    self._is_warm = True
                    return connection
                connection.close()
        raise self._not_started()


def open_runner(course: Path, level: str = NONE, slot: int = 0, as_daemon: bool = False) -> Runner:
    """Start a server. course: the folder of the one that is run. level, slot: as a runner takes them.

    as_daemon: whether the server may be a daemon, for later commands: for students' own.
    """
    forks = can_fork() and (level != NONE or os.environ.get(CHOICE) != WORKER)
    assert forks or level == NONE, "only a server that forks can be confined"
    return Runner(course, level, slot, as_daemon, forks)


def open_worker(course: Path) -> Runner:
    """Start a server that is its own child, on any system: for hundreds of texts that are trusted not to spoil it for each other."""
    return Runner(course, forks=False)


def stop_daemons() -> int:
    """End all daemons of this user; return how many there were."""
    return 0 if sys.platform == "win32" else daemon.stop_all()


def can_fork() -> bool:
    """Return whether a process may be forked here that has torch: macOS says no, and Windows has no fork."""
    return sys.platform == "linux"


def cannot_set_up(reason: str | None) -> str:
    """Return the message that there is no process for students' code, and why."""
    return f"no process that runs the exercises can be set up on this machine: {reason}. `attn doctor` says what is missing."


def spawning() -> "SpawnContext":
    """Return a context of multiprocessing, whose processes look for no module in the current folder: `pickle.py` may be a student's."""
    import multiprocessing

    os.environ["PYTHONSAFEPATH"] = "1"  # Python's option -P, which multiprocessing does not hand on
    return multiprocessing.get_context("spawn")


def _sender(connection: socket.socket) -> int | None:
    """Return the pid of the sender of what comes next, as the kernel knows it here, outside of its namespace; None where it has none."""
    _, told, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size), socket.MSG_PEEK)
    return CREDENTIALS.unpack(told[0][2])[0] or None if told else None


def _end_child(wire: Wire, line: socket.socket) -> int:
    """End a child that was forked, and return its exit code. Raises Died where its server has ended."""
    wire.close()
    with contextlib.suppress(OSError, ValueError):
        line.settimeout(START_TIMEOUT)
        line.shutdown(socket.SHUT_WR)  # at which the server kills it
        return int(line.recv(8))
    raise Died


def _start(orders: dict[str, object], token: str, level: str = NONE, slot: int = 0) -> "subprocess.Popen[bytes]":
    """Start a server. orders: as the program takes them."""
    with contextlib.ExitStack() as stack:
        descriptors = [int(str(orders["control"]))] if "control" in orders else []
        words, environment = [sys.executable, "-P", "-m", PROGRAM], os.environ | ENVIRONMENT | {TOKEN: token}
        if level != NONE:
            from autograder.sandbox import levels, seccomp

            course, compiled = Path(str(orders["course"])), stack.enter_context(tempfile.TemporaryFile())
            compiled.write(seccomp.compile_filter())
            compiled.seek(0)
            descriptors.append(compiled.fileno())
            orders |= {"confinement": asdict(levels.confinement(level, course, compiled.fileno()))}
            words, environment = [sys.executable, "-I", "-B", "-m", PROGRAM, json.dumps(orders)], levels.ENVIRONMENT
            words = levels.launched(level, slot, tuple(words), course)
        else:
            words.append(json.dumps(orders))
        apart = level != NONE or bool(orders["place"])
        return subprocess.Popen(
            words,
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            cwd="/" if apart else None,
            start_new_session=apart,  # a daemon outlives the terminal; to the scheduler, a confined server is one program
            process_group=None if apart else 0,  # Ctrl-C, and Jupyter's interruption of a kernel, are not meant for it
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
