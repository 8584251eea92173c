"""The warm forker: a process that imports torch once and then forks one child a sitting.

It gets file descriptors over a control socket and never reads a job. Run as `python -m autograder.sitting.forker FD`.
"""

import contextlib
import ctypes
import gc
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Iterable

from autograder.sitting.child import rehearse, serve
from autograder.sitting.control import CONTROL, ENDED, KILL, READY, STARTED
from autograder.sitting.warmth import warm_up

MEMORY = 4 << 30
"""Bytes that a child may map beyond what the forker has."""

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve the control socket until its other end closes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    warm_up()
    limit = _mapped() + MEMORY
    libc = ctypes.CDLL(None)
    gc.collect()
    gc.freeze()  # a child that collected what it shares with the forker would copy all of it
    control.send(CONTROL.pack(READY, os.getpid(), 0))
    children: dict[int, int] = {}
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready == control.fileno():
                message, descriptors, _, _ = socket.recv_fds(control, CONTROL.size, 1)
                if not message:
                    _kill(children.values())
                    return
                kind, pid, _ = CONTROL.unpack(message)
                if kind == KILL:
                    _kill({pid} & set(children.values()))
                    continue
                pid, watch = _fork(descriptors[0], limit, libc)
                children[watch] = pid
                poll.register(watch, select.POLLIN)
                control.send(CONTROL.pack(STARTED, pid, 0))
            else:
                poll.unregister(ready)
                os.close(ready)
                pid = children.pop(ready)
                _, status = os.waitpid(pid, 0)
                control.send(CONTROL.pack(ENDED, pid, os.waitstatus_to_exitcode(status)))


def _fork(descriptor: int, limit: int, libc: ctypes.CDLL) -> tuple[int, int]:
    """Fork a child that serves the descriptor; return its process and a descriptor that becomes ready at its end."""
    pid = os.fork()
    if pid == 0:
        _run_child(descriptor, limit, libc)
    os.close(descriptor)
    os.setpgid(pid, pid)
    return pid, os.pidfd_open(pid)


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def _run_child(descriptor: int, limit: int, libc: ctypes.CDLL) -> None:
    code = 70
    try:
        os.setpgid(0, 0)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(null, standard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        gc.disable()
        rehearse()
        serve(socket.socket(fileno=descriptor))
        code = 0
    finally:
        os._exit(code)


def _mapped() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
