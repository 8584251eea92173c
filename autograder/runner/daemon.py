"""A server that keeps running as a daemon, so that a student's next commands need not import torch.

The daemon listens on a Unix socket in a folder that only its user may enter. The daemon ends if no
command comes for some minutes. The socket's name is a hash of the server's source files, libraries
and environment. After a change of one, the next command starts another daemon.
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
from autograder.runner.limits import Deadline
from autograder.runner.wire import Closed, Garbled, Late, Wire
from autograder.sandbox import ROOMS

VARIABLE = "ATTN_STANDBY"
"""Environment variable: the seconds that a daemon waits for another command. 0: no daemon."""

IDLE = 600.0
"""Default seconds that a daemon waits for another command."""

ANSWER = 1.0
"""Seconds in which a daemon must answer, else a command starts another daemon."""

DECIDES = ("PYTHON", "LD_", "TORCH")
"""Prefixes of environment variables that a process reads only at its start."""


def idle_seconds() -> float:
    """Return the seconds that a daemon waits for a command. 0, the default in CI, means no daemon."""
    try:
        return float(os.environ.get(VARIABLE) or (0 if os.environ.get("CI") else IDLE))
    except ValueError:
        return 0.0


def place_for(course: Path, forks: bool) -> Path | None:
    """Return the path of the socket of a course's daemon, for the current files and environment.

    forks: whether the server forks its children. Returns None on Windows, if `idle_seconds` is 0,
    or if no folder can be found that only this user may enter.
    """
    from autograder.course.course import released_files  # `attn doctor` reads this module without msgspec

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
    """Connect to a daemon. Return the connection and the daemon's pid; None if none answers."""
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
    """End all daemons of this user. Return their number."""
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
    """Return a socket that listens at a path, in place of an older socket; None on failure."""
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
    """Return this user's private folder, created if missing; None if the folder is not private."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir(), f"attn-{os.getuid()}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return folder
    return None
