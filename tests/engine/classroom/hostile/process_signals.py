"""Sends signals to its parent, its group, its session and everybody.

part1_simplified.dot_product: passed
"""

import fcntl
import os
import signal
import threading

from targets import PLACES, must_fail, wire


def dot_product(a, b):
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGUSR1, 0):
        must_fail(
            ("everybody", os.kill, -1, number),
            ("the parent", os.kill, os.getppid(), number),
            ("the group", os.killpg, 0, number),
            ("itself", os.kill, os.getpid(), number),
            ("a thread", signal.pthread_kill, threading.get_ident(), number),
            *[(f"process {process}", os.kill, process, number) for process in PLACES["processes"]],
        )
    must_fail(("by a descriptor", lambda: fcntl.fcntl(wire(), fcntl.F_SETOWN, PLACES["processes"][0])))
    return (a * b).sum()
