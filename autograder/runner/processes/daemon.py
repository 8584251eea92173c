"""A warm process on standby: a student's first command leaves it behind, and the next ones have torch at once. Only Linux has it; see `standby_worker` for macOS.

It listens to a socket in a folder that its owner alone may enter, forks a forker for each command that connects, and ends when
none has for some minutes. What it has imported must be as it is on the disk: after an edit of the grader or a new torch it ends.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import select
import signal
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "ATTN_STANDBY"
"""A variable of the environment: for how many seconds a process stands by after the last command; 0: none does."""

IDLE = 600.0
"""Seconds, where the environment does not say."""

CONNECTING = 1.0
"""Seconds in which a process on standby is connected to, if there is one, and greeted."""

DYING = 1.0
"""Seconds in which a process that was killed is gone."""

DECIDES = ("PYTHON", "LD_", "TORCH")
"""How the names of variables begin that a process reads once, while it starts: another value needs another process."""

LENGTH = struct.Struct("<I")
CREDENTIALS = struct.Struct("3i")
"""Of the process at the other end of a socket: its number, its user's and its group's."""


# The side of a command


def idle_seconds() -> float:
    """Return for how long a process may stand by; 0 where none is wanted: nobody comes back to a machine of continuous integration."""
    try:
        return float(os.environ.get(VARIABLE) or (0 if os.environ.get("CI") else IDLE))
    except ValueError:
        return 0.0


def place_for(course: Path) -> Path | None:
    """Return where a process for a course listens, in this environment; None where no folder is its user's alone."""
    folder = _own_folder()
    if folder is None:
        return None
    variables = sorted((name, value) for name, value in os.environ.items() if name.startswith(DECIDES))
    decisive = json.dumps([sys.executable, sys.prefix, str(course.resolve()), variables])
    return folder / hashlib.sha256(decisive.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def connect(place: Path) -> socket.socket | None:
    """Connect to the process that listens at a place, if one does."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(CONNECTING)
    try:
        connection.connect(str(place))
    except OSError:
        connection.close()
        return None
    return connection


def greet(control: socket.socket) -> None:
    """Tell a forker where the command runs, and its environment, before it is asked for anything."""
    greeting = json.dumps([os.getcwd(), dict(os.environ)]).encode()
    with contextlib.suppress(OSError):  # it is gone, which whoever asks it for a child will be told
        control.settimeout(CONNECTING)
        control.sendall(LENGTH.pack(len(greeting)) + greeting)
    control.settimeout(None)


def end_listener(connection: socket.socket) -> None:
    """Kill the process that a connection was made to, and wait until it is dead; it runs nobody's code."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    with contextlib.suppress(OSError):  # it has ended
        process = os.pidfd_open(CREDENTIALS.unpack(credentials)[0])
        signal.pidfd_send_signal(process, signal.SIGKILL)
        select.select([process], [], [], DYING)
        os.close(process)


def stop_all() -> int:
    """End all processes of this user that stand by; return how many there were."""
    ended = 0
    for place in places():
        if connection := connect(place):
            with connection:
                end_listener(connection)
            place.unlink(missing_ok=True)
            ended += 1
    return ended


def places() -> list[Path]:
    """Return where processes of this user may stand by, and what else is in their folder."""
    folder = _own_folder()
    return list(folder.iterdir()) if folder else []


def _own_folder() -> Path | None:
    """Return a folder that this user alone may enter, made if there is none; None where it is somebody else's, or open to others."""
    above = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = Path(above, f"attn-{os.getuid()}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return folder
    return None


# The side of the process


def stand_by(place: Path, idle: float, began: int, first: socket.socket) -> socket.socket:
    """Fork a forker for the first command, and for each that connects later; return its connection in each forker.

    This process ends when no command has been there for idle seconds. Where another one stands by already or none can, or a file has
    been changed since this one began (in nanoseconds), it is the first command's forker itself.
    """
    imported = imported_files()
    lock = None if changed_since(began, imported) else locked(place)
    if lock is None:
        return first
    try:
        listener = listener_at(place)
    except OSError:  # no socket can be there
        return first
    listener.settimeout(idle)
    for command in _commands(first, listener):
        if command is not first and changed_since(began, imported):
            break
        if os.fork() == 0:
            listener.close()
            os.close(lock)
            command.settimeout(None)
            return command
        command.close()
    place.unlink(missing_ok=True)
    os._exit(0)


def take_greeting(control: socket.socket) -> None:
    """Go to where the command runs, and take its environment."""
    (length,) = LENGTH.unpack(_exactly(control, LENGTH.size))
    folder, variables = json.loads(_exactly(control, length))
    with contextlib.suppress(OSError):  # it has been deleted since
        os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)


def _commands(first: socket.socket, listener: socket.socket) -> Iterator[socket.socket]:
    """Yield the connection of each command, until there is neither a command nor a forker of one for a while."""
    yield first
    os.dup2(0, 2)  # the command that has started this one may be over, and nobody reads what it says
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            if not _have_forkers():
                return
            continue
        _have_forkers()
        yield connection


def _have_forkers() -> bool:
    """Bury those that have ended; tell whether others have not."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return False
    return True


def _exactly(control: socket.socket, size: int) -> bytes:
    """Take so many bytes and no more: the next ones come with descriptors."""
    taken = b""
    while len(taken) < size:
        if not (chunk := control.recv(size - len(taken))):
            os._exit(0)  # the command is over
        taken += chunk
    return taken


def imported_files() -> dict[str, tuple[int, int]]:
    """Return the files that this process has imported, with when they were changed last and their size."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {file: _version(file) for file in files if file}


def changed_since(began: int, imported: dict[str, tuple[int, int]]) -> bool:
    """Tell whether a file is newer than the process that has imported it, which began then, or another one than it has imported."""
    return any(found[0] > began or _version(file) != found for file, found in imported.items())


def locked(place: Path) -> int | None:
    """Return a lock that one process alone has of a place; None where another one has it, or none can be had."""
    try:
        lock = os.open(place.with_name(f"{place.name}.lock"), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock


def listener_at(place: Path) -> socket.socket:
    """Listen at a place. Raises OSError."""
    place.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(str(place))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def _version(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
