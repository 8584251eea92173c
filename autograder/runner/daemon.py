"""A server as a daemon: a student's first command leaves it behind, and the next ones have torch at once.

It listens to a socket in a folder that its owner alone may enter, and ends when no command has come for some minutes. The socket is
named by all that a server depends on: after an edit of the grader, or with another torch, a command starts another one.
"""

import contextlib
import hashlib
import json
import os
import signal
import socket
import stat
import sys
import sysconfig
import tempfile
from pathlib import Path

import autograder
from autograder.course.course import released_files
from autograder.runner.limits import Deadline
from autograder.runner.wire import Closed, Garbled, Late, Wire
from autograder.sandbox import ROOMS

VARIABLE = "ATTN_STANDBY"
"""A variable of the environment: the seconds that a daemon stays after the last command; 0: there is none."""

IDLE = 600.0
"""Seconds, where the environment does not say."""

ANSWER = 1.0
"""Seconds in which a daemon answers; a command starts another where it does not."""

DECIDES = ("PYTHON", "LD_", "TORCH")
"""Prefixes of the variables that a process reads once, while it starts: another value needs another process."""


def idle_seconds() -> float:
    """Return the seconds that a daemon may stay; 0 where none is wanted: nobody comes back to a machine of continuous integration."""
    try:
        return float(os.environ.get(VARIABLE) or (0 if os.environ.get("CI") else IDLE))
    except ValueError:
        return 0.0


def place_for(course: Path, forks: bool) -> Path | None:
    """Return the socket of a course's daemon in this environment; None where none is wanted, or no folder is its user's alone."""
    folder = _own_folder() if sys.platform != "win32" and idle_seconds() else None
    if folder is None:
        return None
    variables = sorted((name, value) for name, value in os.environ.items() if name.startswith(DECIDES))
    package = Path(autograder.__file__).parent
    files = [path for room in ROOMS for path in (package / room).rglob("*.py")] + sorted(released_files(course))
    times = [path.stat().st_mtime_ns for path in (*files, Path(sysconfig.get_path("purelib"))) if path.exists()]
    decisive = json.dumps([sys.executable, str(course.resolve()), forks, variables, [*map(str, files)], times])
    return folder / hashlib.sha256(decisive.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def connect(place: Path) -> tuple[socket.socket, int] | None:
    """Connect to the daemon at a place; return the connection and the daemon's pid, None where none answers."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(ANSWER)
    try:
        connection.connect(str(place))
        _, pid = Wire(connection).receive(Deadline(ANSWER))
        return connection, int(pid)
    except (OSError, ValueError, Closed, Garbled, Late):
        connection.close()
        return None


def stop_all() -> int:
    """End all daemons of this user; return how many there were."""
    ended = 0
    for place in (_own_folder() or Path(os.devnull)).glob("*"):
        if found := connect(place):
            connection, pid = found
            with connection, contextlib.suppress(OSError):
                os.kill(pid, signal.SIGTERM)
            ended += 1
        place.unlink(missing_ok=True)
    return ended


def listen_at(place: Path) -> socket.socket | None:
    """Listen at a place, in place of whoever did; None where no socket can be."""
    listener = socket.socket(socket.AF_UNIX)
    try:
        place.unlink(missing_ok=True)
        listener.bind(str(place))
        listener.listen()
    except OSError:
        listener.close()
        return None
    return listener


def _own_folder() -> Path | None:
    """Return a folder that this user alone may enter, made if there is none; None where it is somebody else's, or open to others."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir(), f"attn-{os.getuid()}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return folder
    return None
