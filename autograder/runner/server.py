"""The server, a program: it imports torch once and then runs students' code, on Linux in children that it forks, elsewhere itself.

Run as `python -m autograder.runner.server ORDERS`, JSON of: course, its folder; control, the descriptor over which children are asked
for, or port, where the host is called; batch, confinement, as `forking` takes them; place, where it then listens as a daemon, if it
does, and idle, for how many seconds; began, when it was started, in nanoseconds.
"""

import contextlib
import json
import os
import select
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from autograder.runner import daemon
from autograder.runner.child import MEMORY, serve
from autograder.runner.processes import LOOPBACK, PROGRAM, TOKEN
from autograder.runner.warm_up import warm_up
from autograder.runner.wire import Kind, Wire

LOOK = 0.5
"""Seconds from one look at whether the host lives to the next."""


def main() -> None:
    """Get warm, and serve until the host is gone; as a daemon, until no command comes."""
    orders, token = json.loads(sys.argv[1]), os.environ.pop(TOKEN, "")
    environment = dict(os.environ)
    if "control" in orders:
        from autograder.runner.forking import fork_children  # which knows Linux alone

        warm_up(orders["course"])
        fork_children(orders)
    connection = _call(orders, token) if orders["port"] else _await_command(orders)
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    stays = serve(connection)
    if stays and orders["place"]:
        os.chdir("/")
        following = json.dumps(orders | {"port": 0, "began": time.time_ns()})
        os.execve(sys.executable, [sys.executable, "-P", "-m", PROGRAM, following], environment)
    os._exit(0)  # the end of an interpreter that has torch takes half a second


def _call(orders: dict[str, Any], token: str) -> socket.socket:
    """Get warm, and call the host."""
    _get_warm(orders["course"])
    connection = socket.create_connection((LOOPBACK, orders["port"]))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    Wire(connection).send(Kind.READY, token.encode())
    return connection


def _await_command(orders: dict[str, Any]) -> socket.socket:
    """Get warm, and wait for the one command that this process serves. It ends where none comes, or a file that it has imported has changed."""
    connection = None
    if listener := daemon.listen_at(Path(orders["place"])):
        with listener, contextlib.suppress(OSError):
            _get_warm(orders["course"])  # who calls meanwhile waits a moment
            imported = daemon.imported_files()
            listener.settimeout(orders["idle"])
            connection, _ = listener.accept()
        Path(orders["place"]).unlink(missing_ok=True)
    if connection is None or daemon.changed_since(orders["began"], imported):
        os._exit(0)
    Wire(connection).send(Kind.READY, b"%d" % os.getpid())
    return connection


def _get_warm(course: str) -> None:
    """Get warm, and leave the standard streams. Refuse memory beyond a limit, on Linux: macOS does not keep it, Windows has none of this kind."""
    warm_up(course)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)


def _end_with(connection: socket.socket) -> None:
    """End once there is nobody at the other end."""
    with contextlib.suppress(OSError, ValueError):
        while not select.select([connection], [], [], 0)[0] or connection.recv(1, socket.MSG_PEEK):
            time.sleep(LOOK)
    os._exit(0)


if __name__ == "__main__":
    main()
