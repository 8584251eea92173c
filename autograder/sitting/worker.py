"""The warm worker: one process that sits paper after paper, for systems on which forking is not safe.

Run as `python -m autograder.sitting.worker FD`; on Windows the socket arrives through standard input instead.
"""

import os
import socket
import sys

from autograder.sitting.child import serve
from autograder.sitting.warmth import warm_up
from autograder.sitting.wire import WARM, Wire


def main() -> None:
    """Serve one connection until its other end closes."""
    if sys.platform == "win32":
        connection = socket.fromshare(sys.stdin.buffer.read())
    else:
        connection = socket.socket(fileno=int(sys.argv[1]))
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    warm_up()
    Wire(connection).send(WARM)
    serve(connection)


if __name__ == "__main__":
    main()
