"""A forking server that stays as a daemon, so that a student's next commands need not import torch.

The daemon listens on a Unix socket in a folder that only its user may enter, and ends if no command
comes for some minutes. The socket's name is a hash of the course and the server's source files. If
one of these changes, the next command starts a new daemon.
"""

import contextlib
import hashlib
import json
import os
import signal
import socket
import stat
import struct
import sys
import sysconfig
import tempfile
from pathlib import Path

import autograder
from autograder.sandbox import ROOMS

VARIABLE = "ATTN_STANDBY"
"""Environment variable: the seconds that a daemon waits for another command. 0: no daemon."""

IDLE = 600.0

PEER = struct.Struct("3i")
"""Layout of the credentials of a socket's peer: process ID, user ID, group ID."""


def idle_seconds() -> float:
    """Return the seconds that a daemon waits for a command. 0, the default in CI, means no daemon."""
    try:
        return float(os.environ.get(VARIABLE) or (0 if os.environ.get("CI") else IDLE))
    except ValueError:
        return 0.0


def place_for(course: Path) -> Path | None:
    """Return the path of the socket of a course's daemon; None if there can be no daemon."""
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


def listen_at(place: Path) -> socket.socket:
    """Return a socket that listens at a path, in place of an older socket. Raises OSError."""
    place.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place))
    listener.listen()
    return listener


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
    """Return this user's private folder, created if missing; None if the folder is not private."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir(), f"attn-{os.getuid()}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return folder
    return None
