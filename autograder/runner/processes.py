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
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.errors import ExplainedError
from autograder.runner import daemon
from autograder.runner.wire import Closed, Garbled, Kind, Late, Wire, encode
from autograder.sandbox import ENVIRONMENT, NONE

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext

PROGRAM = "autograder.runner.server"

CHOICE, WORKER = "ATTN_RUNNER", "worker"
"""A variable of the environment, and the value at which a server is its own child on Linux, too: to try the other systems'."""

TOKEN = "ATTN_TOKEN"
"""A variable of a server's environment: the word that it greets its host with over the loopback device."""

LOOPBACK = "127.0.0.1"

START_TIMEOUT = 120.0
"""Seconds until a server must be warm."""

STILL_ALIVE = 0.1
"""Seconds between two looks at whether a server that says nothing still lives."""

LAST_DEEDS = 1.0
"""Seconds that a server has to end its children and what they have started."""

LAST_BREATH = 0.05
"""Seconds that a server which is its own child has to end by itself, so that its exit code can be reported."""

SOON = 0.5
"""Seconds in which a run that is interrupted may end by itself: a server that is killed is followed by one that imports torch first."""

CREDENTIALS = struct.Struct("3i")
"""Of the process at the other end of a socket: its number, its user's and its group's."""

SAFE_PATH = "PYTHONSAFEPATH"
"""The variable of the environment that is Python's option `-P`, which multiprocessing does not hand on."""


class CannotRun(ExplainedError):
    """No child can be handed out on this machine, or none that survives; the message says what to do."""


class Died(CannotRun):
    """The server, or a child before it was ready, has ended; another one may do better."""

    def __init__(self, message: str = "the process that runs the exercises has ended. Run the command again.") -> None:
        super().__init__(message)


@dataclass(frozen=True)
class Child:
    """A process that runs a student's code, at the other end of a wire.

    kill: kills it, from any thread; one that is used again only if its run does not end soon. Who listens to it finds its end of the
    wire closed. end: closes the wire, kills it if it still runs, and returns its exit code (negative: a signal), None where that is not
    known. pid: by which this process knows it, if it does.
    """

    wire: Wire
    kill: Callable[[], None]
    end: Callable[[], int | None]
    pid: int | None = None


class Server:
    """A process that has torch, warm or not yet, until it ends: started here, or a daemon that an earlier command has left behind.

    course: the folder of the course that it imports. level: of the sandbox. slot: which of several servers this is. batch: whether
    thousands of runs are to come, one at a time; its memory is then quicker to fork. daemon: whether it may be one. forks: whether each
    child is a process of its own. together: how many children may run at once, each in a thread of the caller's.
    """

    together = 1

    def __init__(
        self,
        course: Path,
        level: str = NONE,
        slot: int = 0,
        batch: bool = False,
        as_daemon: bool = False,
        forks: bool | None = None,
    ) -> None:
        self.forks = can_fork() if forks is None else forks
        if self.forks and not batch:
            self.together = len(os.sched_getaffinity(0))
        self._is_over = self._is_warm = False
        self._lock = threading.Lock()
        self._place = daemon.place_for(course, self.forks) if as_daemon else None
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._listener: socket.socket | None = None
        self._token = os.urandom(16).hex()
        orders = {"course": str(course), "batch": batch, "place": str(self._place or ""), "idle": daemon.idle_seconds()}
        if self._place and (found := daemon.connect(self._place)):
            self._connection, self.pid = found[0], int(found[1])
        elif self.forks:
            self._connection, theirs = socket.socketpair()
            with theirs:
                self._process = _start(orders | {"control": theirs.fileno()}, self._token, level, slot)
        else:
            self._listener = socket.create_server((LOOPBACK, 0))
            self._process = _start(orders | {"port": self._listener.getsockname()[1]}, self._token)
        if self._process:
            self.pid = self._process.pid

    @property
    def has_ended(self) -> bool:
        """True if it can have no more children."""
        if self._is_over or (self._process and self._process.poll() is not None):
            return True
        return bool(self._connection and select.select([self._connection], [], [], 0)[0])  # it speaks only to a run

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Open a child for one run, once it is ready. Raises CannotRun, and OSError where the machine refuses."""
        with self._forked() if self.forks else self._lent() as child:
            if self._place:
                child.wire.send(Kind.GREETING, encode([os.getcwd(), dict(os.environ)]))
            yield child

    def close(self) -> None:
        """End it with its children and what they have started; leave it where it is a daemon."""
        stays = self._place and not self._is_over
        if self._connection and not self.forks and stays:
            self._leave(self._connection)
        self._is_over = True
        for end in (self._connection, self._listener):
            if end:
                end.close()
        if self._process and not stays:
            if self._is_warm:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(LAST_DEEDS if self.forks else LAST_BREATH)
            self._kill()
            self._process.wait()
        if self._process and self._process.stderr:
            self._process.stderr.close()

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
            pid = self._await_child(connection, wire, line)
            yield Child(wire, functools.partial(_shut, line), functools.partial(self._end_child, wire, line), pid)

    def _await_child(self, connection: socket.socket, wire: Wire, line: socket.socket) -> int | None:
        """Wait until a child is ready, and return its pid. Raises Died where there is none, and CannotRun if this never became warm."""
        deadline = time.monotonic() + START_TIMEOUT
        kind, reason, pid = b"", b"", None
        with contextlib.suppress(Closed, Garbled, OSError):
            while not kind and not self.has_ended and time.monotonic() < deadline:
                with contextlib.suppress(Late, TimeoutError):
                    connection.settimeout(STILL_ALIVE)
                    pid = _sender(connection)
                    kind, reason = wire.receive(time.monotonic() + STILL_ALIVE)
        if not kind:
            try:
                self._end_child(wire, line)
            except Died:
                raise Died if self._is_warm or not self._process else self._not_started() from None
        self._is_warm = True
        if kind != Kind.READY:
            said = reason.decode("utf-8", "replace") if kind == Kind.REFUSED else "it has ended before it was ready"
            raise Died(cannot_set_up(said))
        return pid

    def _end_child(self, wire: Wire, line: socket.socket) -> int:
        """End a child and return its exit code. Raises Died where this has ended.

        Where the server dies while it forks, the line stays open: the child that it has just forked has the other end, too.
        """
        wire.close()
        _shut(line)
        line.settimeout(STILL_ALIVE)
        deadline = time.monotonic() + START_TIMEOUT
        while not self.has_ended and time.monotonic() < deadline:
            with contextlib.suppress(TimeoutError):
                if not (code := line.recv(8)):
                    break
                return int(code)
        self._is_over = True
        raise Died

    # Its own child

    @contextlib.contextmanager
    def _lent(self) -> Iterator[Child]:
        """Open this process itself. One that is left by an exception is ended: it may be in any state."""
        timer = threading.Timer(SOON, self._kill)
        timer.daemon = True

        def kill_soon() -> None:
            with contextlib.suppress(RuntimeError):  # it is to be killed already
                timer.start()

        try:
            if not self._connection:
                self._connection = self._take_call()
            yield Child(Wire(self._connection), kill_soon, self._end, self.pid)
        except BaseException:
            self._end()
            raise
        finally:
            timer.cancel()

    def _take_call(self) -> socket.socket:
        """Wait until the server is warm, and take its call; other callers are refused. Raises CannotRun."""
        assert self._listener
        deadline = time.monotonic() + START_TIMEOUT
        self._listener.settimeout(STILL_ALIVE)
        while not self.has_ended and time.monotonic() < deadline:
            with contextlib.suppress(OSError, Closed, Garbled, Late):
                connection, _ = self._listener.accept()
                if Wire(connection).receive(time.monotonic() + daemon.ANSWER) == (Kind.READY, self._token.encode()):
                    self._listener.close()
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a job is two frames
                    self._is_warm = True
                    return connection
                connection.close()
        raise self._not_started()

    def _end(self) -> int | None:
        """End this process, and return its exit code."""
        with self._lock:
            if not self._is_over:
                self._place = None
                self.close()
        self._kill()
        return self._process.wait() if self._process else None

    def _leave(self, connection: socket.socket) -> None:
        """Have the server wait for the next command, and see it go."""
        wire = Wire(connection)
        with contextlib.suppress(Closed, Garbled, Late):
            wire.send(Kind.STAY, b"", time.monotonic() + daemon.ANSWER)
            wire.receive(time.monotonic() + daemon.ANSWER)

    # The process

    def _kill(self) -> None:
        """Kill it, and what it has started, on all systems but Windows, which has no process groups; children end with who forked them."""
        self._is_over = True
        if self._process and self._process.returncode is not None:
            return  # its number may be another process's
        if not self.forks and hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in its group
                os.killpg(self.pid, signal.SIGKILL)
        elif self._process:
            self._process.kill()

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


class Runner:
    """Keeps a server, of which each run gets a child. One that has ended is replaced when the next child is wanted.

    course: the folder of the course that is run. start: starts a server that imports it, without waiting until that is warm.
    process: the one that serves now.
    """

    def __init__(self, course: Path, start: Callable[[Path], Server]) -> None:
        self.course = course
        self._start = start
        self._lock = threading.Lock()
        self._closed = False
        self.process = self._started()

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Open a child for one run, once it is ready. What dies in being handed out is tried once more. Raises CannotRun."""
        with contextlib.ExitStack() as stack:
            try:
                child = self._handed_out(stack)
            except Died:
                try:
                    child = self._handed_out(stack)
                except Died as error:
                    raise CannotRun(str(error)) from error
            yield child

    def _handed_out(self, stack: contextlib.ExitStack) -> Child:
        """Return a child that is ready, open until the stack is closed. Raises CannotRun."""
        try:
            return stack.enter_context(self._living_process().child())
        except OSError as error:
            raise Died(cannot_set_up(error.strerror)) from error

    def _living_process(self) -> Server:
        with self._lock:
            if self._closed:
                raise CannotRun("the process that runs the exercises was closed.")
            if self.process.has_ended:
                self.process.close()
                self.process = self._started()
            return self.process

    def _started(self) -> Server:
        try:
            return self._start(self.course)
        except OSError as error:
            raise CannotRun(cannot_set_up(error.strerror)) from error

    def close(self) -> None:
        """End the server. A run that another thread waits for gets no other."""
        with self._lock:
            self._closed = True
            self.process.close()


def open_runner(course: Path, level: str = NONE, slot: int = 0, batch: bool = False, as_daemon: bool = False) -> Runner:
    """Start a server. course: the folder of the one that is run. level, slot, batch: as a server takes them.

    as_daemon: whether the server may be a daemon, for later commands: for students' own.
    """
    forks = can_fork() and (level != NONE or os.environ.get(CHOICE) != WORKER)
    assert forks or level == NONE, "only a server that forks can be confined"
    return Runner(
        course,
        functools.partial(Server, level=level, slot=slot, batch=batch, as_daemon=as_daemon, forks=forks),
    )


def open_worker(course: Path) -> Runner:
    """Start a server that is its own child, on any system: for hundreds of texts that are trusted not to spoil it for each other."""
    return Runner(course, functools.partial(Server, forks=False))


def stop_daemons() -> int:
    """End all daemons of this user; return how many there were."""
    return 0 if sys.platform == "win32" else daemon.stop_all()


def can_fork() -> bool:
    """Return whether a process may be forked here that has torch: macOS says no, and Windows has no fork."""
    return sys.platform == "linux"


def cannot_set_up(reason: str | None) -> str:
    """Return the message that there is no process for students' code, and why."""
    return f"no process that runs the exercises can be set up on this machine: {reason}. `attn doctor` says what is missing."


@contextlib.contextmanager
def spawning() -> Iterator["SpawnContext"]:
    """Give a context of multiprocessing, whose processes are to be started within this one.

    They look for no module in the current folder, where `pickle.py` may be a student's work.
    """
    import multiprocessing

    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield multiprocessing.get_context("spawn")
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _sender(connection: socket.socket) -> int | None:
    """Return the pid of the sender of what comes next, as the kernel knows it here, outside of its namespace; None where it has none."""
    _, told, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size), socket.MSG_PEEK)
    return CREDENTIALS.unpack(told[0][2])[0] or None if told else None


def _shut(connection: socket.socket) -> None:
    """Have the server kill the child at the other end of a connection."""
    with contextlib.suppress(OSError):  # it has ended, or its run is over
        connection.shutdown(socket.SHUT_WR)


def _start(orders: dict[str, object], token: str, level: str = NONE, slot: int = 0) -> "subprocess.Popen[bytes]":
    """Start a server. orders: as the program takes them."""
    with contextlib.ExitStack() as stack:
        descriptors = [int(str(orders["control"]))] if "control" in orders else []
        words, environment = [sys.executable, "-P", "-m", PROGRAM], os.environ | ENVIRONMENT | {TOKEN: token}
        if level != NONE:
            from autograder.sandbox import levels, seccomp

            compiled = stack.enter_context(tempfile.TemporaryFile())
            compiled.write(seccomp.compile_filter())
            compiled.seek(0)
            descriptors.append(compiled.fileno())
            orders |= {"confinement": asdict(levels.confinement(level, Path(str(orders["course"])), compiled.fileno()))}
            words, environment = [sys.executable, "-I", "-B", "-m", PROGRAM], levels.ENVIRONMENT
        words.append(json.dumps(orders | {"began": time.time_ns()}))
        if level != NONE:
            words = levels.launched(level, slot, tuple(words), Path(str(orders["course"])))
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
