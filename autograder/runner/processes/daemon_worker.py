"""A warm worker as a daemon, on macOS: it serves one command, which leaves another one behind for the next.

A process that has torch may not be forked there, so each command has a whole one, as every worker is. It listens at its place, gets warm
while nobody waits, and ends like a process on standby that forks (see `standby`): unused, or older than what it has imported.
"""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from autograder.runner.processes import daemon
from autograder.runner.processes.process import WarmProcess
from autograder.runner.processes.protocol import ANSWER, ASK, NUMBER
from autograder.runner.processes.worker import PROGRAM, Worker
from autograder.runner.wire import Wire
from autograder.sandbox.environment import ENVIRONMENT


class Adopted:
    """A process that an earlier command has started. Nobody learns its exit code: it is 0.

    line: its other end is the process's, so it is cut when either has ended.
    """

    stdin = stdout = stderr = None

    def __init__(self, pid: int, line: socket.socket) -> None:
        self.pid = pid
        self._line: socket.socket | None = line

    def poll(self) -> int | None:
        """Return 0 once it has ended."""
        return self._ended_within(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended. Raises TimeoutExpired."""
        code = self._ended_within(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(PROGRAM, timeout or 0)
        return code

    def kill(self) -> None:
        """Kill it."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _ended_within(self, seconds: float | None) -> int | None:
        if self._line:
            poll = select.poll()
            poll.register(self._line, 0)  # that it is cut is told unasked
            if not poll.poll(None if seconds is None else 1000 * seconds):
                return None
            self._line.close()
            self._line = None
        return 0


class WorkerOnStandby(Worker):
    """The worker that stands by, where there is one, else one of its own; in the end it leaves another behind.

    course: the folder of the course that it imports. place: where the one on standby listens. idle: seconds that the next one stands by.
    """

    def __init__(self, course: Path, place: Path, idle: float) -> None:
        self._leave_another = partial(_leave_behind, course, place, idle)
        if taken := _take(place):
            self._begin(taken[0], wire=taken[1])
        else:
            super().__init__(course)

    def close(self) -> None:
        """End it, and leave another behind."""
        was_open = not self._is_closed
        super().close()
        if was_open:
            self._leave_another()


def on_standby(course: Path) -> Callable[[Path], WarmProcess] | None:
    """Return what gets a worker on standby; None where none is wanted, or may be reached by others."""
    idle = daemon.idle_seconds()
    place = daemon.place_for(course) if idle else None
    return partial(WorkerOnStandby, place=place.with_name(f"{place.name}.worker"), idle=idle) if place else None


def stop_all() -> int:
    """End all workers of this user that stand by; return how many there were."""
    places = [place for place in daemon.places() if place.suffix == ".worker"]
    return sum(_dismiss(place) for place in places)


def _dismiss(place: Path) -> bool:
    """Call a worker and want nothing of it, at which it ends. Return whether there was one."""
    if connection := daemon.connect(place):
        connection.close()
        place.unlink(missing_ok=True)
    return bool(connection)


def _take(place: Path) -> tuple[Adopted, Wire] | None:
    """Take the worker that stands by; None where none answers. One that hangs is left alone, where nobody finds it again."""
    connection = daemon.connect(place)
    if not connection:
        return None
    line, theirs = socket.socketpair()
    answer = b""
    with theirs, contextlib.suppress(OSError):
        daemon.greet(connection)
        connection.settimeout(ANSWER)
        socket.send_fds(connection, [ASK], [theirs.fileno()])
        answer = connection.recv(NUMBER.size)
    if len(answer) < NUMBER.size:
        place.unlink(missing_ok=True)
        connection.close()
        line.close()
        return None
    connection.settimeout(None)
    return Adopted(NUMBER.unpack(answer)[0], line), Wire(connection)


def _leave_behind(course: Path, place: Path, idle: float) -> None:
    """Start a worker that stands by, where none does."""
    lock = daemon.locked(place)
    if lock is None:
        return
    os.close(lock)
    with contextlib.suppress(OSError):  # no more processes: the next command tries again
        _start(course, place, idle)


def _start(course: Path, place: Path, idle: float) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-P", "-m", PROGRAM, str(course), str(place), str(idle), str(time.time_ns())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | ENVIRONMENT,
        cwd="/",
        start_new_session=True,  # it outlives the terminal
    )


# The side of the process


def await_command(place: Path, idle: float, began: int, get_warm: Callable[[], None]) -> tuple[socket.socket, int]:
    """Get warm, and wait for the one command that this process serves. Return its connection, and a line that is cut when it is over.

    This process ends where another one stands by already or none can, where no command comes for idle seconds, and where a file that it
    has imported has been changed since it began (in nanoseconds).
    """
    lock = daemon.locked(place)
    if lock is None:
        os._exit(0)
    connection, imported = None, {}
    with contextlib.suppress(OSError), daemon.listener_at(place) as listener:
        get_warm()  # who calls meanwhile waits a moment
        imported = daemon.imported_files()
        listener.settimeout(idle)
        connection, _ = listener.accept()
    place.unlink(missing_ok=True)
    if connection is None or daemon.changed_since(began, imported):
        os._exit(0)
    daemon.take_greeting(connection)
    _, (line,), _, _ = socket.recv_fds(connection, len(ASK), 1)
    connection.sendall(NUMBER.pack(os.getpid()))
    os.close(lock)
    return connection, line
