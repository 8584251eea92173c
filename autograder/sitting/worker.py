"""The warm worker: one process that sits paper after paper, for systems on which forking is not safe.

Run as `python -m autograder.sitting.worker`; its orders come through standard input, which stays open as long as its host lives.
"""

import contextlib
import json
import os
import socket
import sys
import threading

from autograder.sitting.child import serve
from autograder.sitting.control import LOOPBACK, WorkerOrders
from autograder.sitting.warmth import warm_up
from autograder.sitting.wire import HELLO, WARM, Wire


def main() -> None:
    """Call the host, get warm, and serve until the other end closes."""
    orders = WorkerOrders(**json.loads(sys.stdin.buffer.readline()))
    connection = socket.create_connection((LOOPBACK, orders.port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    wire = Wire(connection)
    wire.send(HELLO, bytes.fromhex(orders.secret))
    warm_up(orders.course)
    _limit_memory(orders.memory)
    _leave_standard_streams()
    wire.send(WARM)
    serve(connection)


def _limit_memory(size: int) -> None:
    """Refuse memory beyond a limit, on Linux. macOS takes the limit and does not keep it, Windows has none of this kind."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _leave_standard_streams() -> None:
    """Let the standard descriptors lead nowhere, and end with the host, which alone holds the other end of standard input."""
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
