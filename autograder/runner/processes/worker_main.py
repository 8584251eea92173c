"""The warm worker, a program: it sits paper after paper, for systems on which forking is not safe.

Run as `python -m autograder.runner.processes.worker_main COURSE PORT`: the folder of a course, and where to call the host. Its
standard input stays open as long as its host lives. Or as `… COURSE PLACE IDLE BEGAN`: where a command finds it on standby, for how many
seconds, and when it began.
"""

import contextlib
import os
import socket
import sys
import threading
from functools import partial
from pathlib import Path

from autograder.runner.child import serve
from autograder.runner.processes.protocol import LOOPBACK, MEMORY, WARM
from autograder.runner.warm_up import warm_up


def main() -> None:
    """Get warm, and serve one host until the other end closes."""
    course, *standby = sys.argv[1:]
    connection, host = _called_by(course, *standby) if len(standby) > 1 else _calling(course, *standby)
    threading.Thread(target=_end_with, args=(host,), daemon=True).start()
    serve(connection)


def _calling(course: str, port: str) -> tuple[socket.socket, int]:
    """Call the host, get warm and say so. Return the connection, and standard input."""
    connection = socket.create_connection((LOOPBACK, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _get_warm(course)
    os.write(1, WARM + b"%d\n" % connection.getsockname()[1])
    host = os.dup(0)
    _leave_standard_streams()
    return connection, host


def _called_by(course: str, place: str, idle: str, began: str) -> tuple[socket.socket, int]:
    """Get warm and stand by until a command calls. Return its connection, and a line to it."""
    from autograder.runner.processes.daemon_worker import await_command  # which Windows cannot import

    return await_command(Path(place), float(idle), int(began), partial(_get_warm, course))


def _get_warm(course: str) -> None:
    warm_up(course)
    _limit_memory()


def _limit_memory() -> None:
    """Refuse memory beyond a limit, on Linux. macOS takes the limit and does not keep it, Windows has none of this kind."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _leave_standard_streams() -> None:
    """Connect the standard descriptors to nothing."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)


def _end_with(host: int) -> None:
    """End with the host, the only holder of the other end."""
    os.read(host, 1)
    os._exit(0)


if __name__ == "__main__":
    main()
