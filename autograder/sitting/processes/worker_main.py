"""The warm worker, a program: it sits paper after paper, for systems on which forking is not safe.

Run as `python -m autograder.sitting.processes.worker_main COURSE PORT`: the folder of a course, and where to call the host. Its
standard input stays open as long as its host lives.
"""

import contextlib
import os
import socket
import sys
import threading

from autograder.sitting.child import serve
from autograder.sitting.processes.protocol import LOOPBACK, MEMORY, WARM
from autograder.sitting.rehearsal import warm_up


def main() -> None:
    """Call the host, get warm, and serve until the other end closes."""
    connection = socket.create_connection((LOOPBACK, int(sys.argv[2])))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    warm_up(sys.argv[1])
    _limit_memory()
    os.write(1, WARM + b"%d\n" % connection.getsockname()[1])
    _leave_standard_streams()
    serve(connection)


def _limit_memory() -> None:
    """Refuse memory beyond a limit, on Linux. macOS takes the limit and does not keep it, Windows has none of this kind."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _leave_standard_streams() -> None:
    """Connect the standard descriptors to nothing, and end with the host, the only holder of the other end of standard input."""
    host = os.dup(0)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    threading.Thread(target=_end_with, args=(host,), daemon=True).start()


def _end_with(host: int) -> None:
    os.read(host, 1)
    os._exit(0)


if __name__ == "__main__":
    main()
