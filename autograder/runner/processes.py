"""Start server processes, and connect this process, the host, to children that run students' code.

A server imports torch once. On Linux the server forks a child for each run. On other systems a
process with torch must not be forked, so the server itself runs the code and acts as the child.
This module imports neither torch nor NumPy.

A forking server may stay as a daemon, so that a student's next commands need not import torch. The
daemon listens on a Unix socket in a folder that only its user may enter, and ends if no command
comes for some minutes. The socket's name is a hash of the course and the server's source files. If
one of these changes, the next command starts a new daemon.
"""

import contextlib
import functools
import hashlib
import json
import os
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import autograder
from autograder.course.errors import ExplainedError
from autograder.runner.limits import Deadline
from autograder.runner.wire import Closed, Garbled, Wire
from autograder.sandbox import ENVIRONMENT, NONE, ROOMS

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext

PROGRAM = "autograder.runner.server"

CHOICE, WORKER = "ATTN_RUNNER", "worker"
"""An environment variable and its value. With these, tests start a server that does not fork."""

VARIABLE = "ATTN_STANDBY"
"""An environment variable: the seconds that a daemon waits for a command. 0: no daemon."""

IDLE = 600.0

PEER = struct.Struct("3i")
"""Layout of a socket peer's credentials: process ID, user ID, group ID."""

LOOPBACK = "127.0.0.1"

START_TIMEOUT = 60.0
"""The seconds that a server may take to import torch and be ready; doubled if the server forks."""

STILL_ALIVE = 0.1
"""Seconds between two checks whether a starting server has ended."""

LAST_DEEDS = 0.5
"""Seconds that a server has to end its children and itself before the host kills the server."""


class CannotRun(ExplainedError):
    """No child can be started on this machine. The message explains what to do."""


class Died(CannotRun):
    """The server, or a child that was not ready yet, has ended. Another attempt may succeed."""

    def __init__(self, message: str = "the process that runs the exercises has ended. Run the command again.") -> None:
        super().__init__(message)


@dataclass(frozen=True)
class Child:
    """A process that runs a student's code, and the connection to the process.

    wire: sends and receives messages. end: kills the process if it still runs, and returns the exit
    code: negative for a signal, None if unknown. pid: the process ID on the host; None if unknown.
    """

    wire: Wire
    end: Callable[[], int | None]
    pid: int | None = None


class Runner:
    """A server process, which imports torch once, and the children that it provides for runs.

    The server is new, or is a daemon of an earlier command. A new server replaces one that has ended.
    level: the sandbox's level, one of LEVELS. forks: whether the server forks a child for each run;
    None: on Linux only. as_daemon: whether the server may be a daemon. together: the number of
    children that may run at once, each used by its own thread.
    """

    def __init__(self, course: Path, level: str = NONE, forks: bool | None = None, as_daemon: bool = False) -> None:
        self.course = course
        self.forks = can_fork() if forks is None else forks
        self.together = len(os.sched_getaffinity(0)) if self.forks and level == NONE else 1
        self._level, self._as_daemon = level, as_daemon and self.forks
        self._lock = threading.Lock()
        self._is_closed = False
        self._start()

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Open a child for one run. After Died, there is a second attempt. Raises CannotRun."""
        with contextlib.ExitStack() as stack:
            try:
                child = self._opened(stack)
            except Died:
                child = self._opened(stack)
            yield child

    def close(self) -> None:
        """End the server, unless the server is a daemon. No child can be opened afterwards."""
        with self._lock:
            self._is_closed = True
            self._end(stays=self._place is not None)

    def _opened(self, stack: contextlib.ExitStack) -> Child:
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
        """Connect to a daemon, or start a server without waiting for it. Raises CannotRun."""
        self._is_over = self._is_warm = False
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._listener: socket.socket | None = None
        orders: dict[str, object] = {"course": str(self.course)}
        self._place = place_for(self.course) if self._as_daemon else None
        if self._place:
            self._connection = connect(self._place)
            if self._connection:
                self._is_warm = True
                return
            orders |= {"place": str(self._place), "idle": idle_seconds()}
        try:
            if self.forks:
                self._connection, theirs = socket.socketpair()
                with theirs:
                    self._process = _start(orders | {"control": theirs.fileno()}, self._level)
            else:
                self._listener = socket.create_server((LOOPBACK, 0))
                self._process = _start(orders | {"port": self._listener.getsockname()[1]})
        except OSError as error:
            raise CannotRun(cannot_set_up(error.strerror)) from error

    @property
    def pid(self) -> int | None:
        """The process ID of the server; None for a daemon of an earlier command."""
        return self._process.pid if self._process else None

    @property
    def _has_ended(self) -> bool:
        if self._is_over or (self._process and self._process.poll() is not None):
            return True
        return bool(self._connection and select.select([self._connection], [], [], 0)[0])  # readable only once closed

    def _end(self, stays: bool = False) -> int | None:
        if not self._is_over:
            self._is_over = True
            for end in filter(None, (self._connection, self._listener)):
                end.close()
            if self._process and not stays:
                if self._is_warm:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        self._process.wait(LAST_DEEDS)
                if sys.platform == "win32":
                    self._process.kill()
                elif self._process.returncode is None:  # else its pid may belong to a new process
                    with contextlib.suppress(ProcessLookupError, PermissionError):  # no process is left in the group
                        os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
                if self._process.stderr:
                    self._process.stderr.close()
        return self._process.returncode if self._process else None

    def _not_started(self) -> CannotRun:
        assert self._process
        self._process.kill()
        reasons = [f"exit code {self._process.wait()}"]
        with contextlib.suppress(ValueError):  # another thread has closed the stream
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
            with theirs, their_line, contextlib.suppress(OSError):  # the server has ended
                assert self._connection
                socket.send_fds(self._connection, [b"?"], [theirs.fileno(), their_line.fileno()])
            wire = Wire(connection)
            try:
                connection.settimeout(2 * START_TIMEOUT)
                _, told, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(PEER.size), socket.MSG_PEEK)
                pid = PEER.unpack(told[0][2])[0] or None if told else None  # 0: the process is not visible here
                wire.receive()
            except (OSError, Closed, Garbled) as error:
                if not self._is_warm and (self._has_ended or isinstance(error, TimeoutError)):
                    raise self._not_started() from None
                raise Died(cannot_set_up("it has ended before it was ready")) from None
            self._is_warm = True
            yield Child(wire, functools.partial(_end_child, wire, line), pid)

    # A server that is its own child

    @contextlib.contextmanager
    def _lent(self) -> Iterator[Child]:
        """Yield the server as the child. End the server after an exception: its state is unknown."""
        if not self._connection:
            self._connection = self._take_call()
        try:
            yield Child(Wire(self._connection), self._end_lent, self.pid)
        except BaseException:
            self._end_lent()
            raise

    def _end_lent(self) -> int | None:
        with self._lock:
            return self._end()

    def _take_call(self) -> socket.socket:
        assert self._listener
        deadline = Deadline(START_TIMEOUT)
        self._listener.settimeout(STILL_ALIVE)
        while deadline.remaining() and not self._has_ended:
            with contextlib.suppress(OSError):
                connection, _ = self._listener.accept()
                self._listener.close()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._is_warm = True
                return connection
        raise self._not_started()


def open_runner(course: Path, level: str = NONE, as_daemon: bool = False) -> Runner:
    """Start a server, or connect to a daemon if `as_daemon`. level: see Runner. Raises CannotRun."""
    forks = can_fork() and (level != NONE or os.environ.get(CHOICE) != WORKER)
    assert forks or level == NONE, "only a server that forks can be confined"
    return Runner(course, level, forks, as_daemon)


def open_worker(course: Path) -> Runner:
    """Start a server that does not fork, for trusted code: all runs share one process."""
    return Runner(course, forks=False)


def can_fork() -> bool:
    """Return whether a process that has imported torch may be forked: on Linux only."""
    return sys.platform == "linux"


def cannot_set_up(reason: str | None) -> str:
    """Return the message if a process cannot be set up. reason: the message of the system."""
    return f"no process that runs the exercises can be set up on this machine: {reason}. `attn doctor` says what is missing."


def spawning() -> "SpawnContext":
    """Return a "spawn" context of multiprocessing without imports from the current folder.

    A student's file may have the name of a standard module, such as `pickle.py`.
    """
    import multiprocessing

    os.environ["PYTHONSAFEPATH"] = "1"  # Python's option -P, which multiprocessing does not pass on
    return multiprocessing.get_context("spawn")


def _end_child(wire: Wire, line: socket.socket) -> int:
    wire.close()
    with contextlib.suppress(OSError, ValueError):
        line.settimeout(START_TIMEOUT)
        line.shutdown(socket.SHUT_WR)  # at this, the server kills the child
        return int(line.recv(8))
    raise Died


def _start(orders: dict[str, object], level: str = NONE) -> "subprocess.Popen[bytes]":
    """Start a server process. orders: the JSON object of `server`. level: the sandbox's level."""
    command, environment = [sys.executable, "-P", "-m", PROGRAM, json.dumps(orders)], os.environ | ENVIRONMENT
    if level != NONE:
        from autograder.sandbox import levels

        course = Path(str(orders["course"]))
        orders |= {"confinement": levels.confinement(course)}
        command = levels.launched(level, ("-I", "-B", "-m", PROGRAM, json.dumps(orders)), course)
        environment = levels.ENVIRONMENT
    apart, folder = level != NONE or "place" in orders, "/" if level != NONE else str(orders["course"])
    return subprocess.Popen(
        command,
        pass_fds=[int(str(orders["control"]))] if "control" in orders else [],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=folder if apart else None,
        start_new_session=apart,  # a daemon outlives the terminal; a session is one program to the scheduler
        process_group=None if apart else 0,  # so that Ctrl-C does not reach the server
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


# Daemons


def idle_seconds() -> float:
    """Return the seconds that a daemon waits for a command; 0, the default in CI, for no daemon."""
    try:
        return float(os.environ.get(VARIABLE) or (0 if os.environ.get("CI") else IDLE))
    except ValueError:
        return 0.0


def place_for(course: Path) -> Path | None:
    """Return the path of the socket of a course's daemon; None if daemons are off or unsupported."""
    from autograder.course.course import released_files  # `attn doctor` reads this module without msgspec

    folder = _own_folder() if sys.platform == "linux" and idle_seconds() else None
    if folder is None:
        return None
    package = Path(autograder.__file__).parent
    files = [path for room in ROOMS for path in (package / room).rglob("*.py")] + sorted(released_files(course))
    times = [path.stat().st_mtime_ns for path in (*files, Path(sysconfig.get_path("purelib"))) if path.exists()]
    decisive = json.dumps([sys.executable, str(course.resolve()), [*map(str, files)], times])
    return folder / hashlib.sha256(decisive.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def connect(place: Path) -> socket.socket | None:
    """Return a connection to the daemon at a path; None if no daemon listens there."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(place))
    except OSError:
        connection.close()
        return None
    return connection


def stop_all() -> int:
    """End all daemons of this user. Return their number."""
    ended = 0
    for place in (_own_folder() or Path(os.devnull)).glob("*") if sys.platform == "linux" else ():
        if connection := connect(place):
            with connection, contextlib.suppress(OSError):
                credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size)
                os.kill(PEER.unpack(credentials)[0], signal.SIGTERM)
                ended += 1
        place.unlink(missing_ok=True)
    return ended


def _own_folder() -> Path | None:
    """Return this user's private folder, created if missing; None if other users can access it."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir(), f"attn-{os.getuid()}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return folder
    return None
