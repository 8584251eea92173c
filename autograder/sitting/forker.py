"""The warm forker: a process that imports torch once and then forks one child a sitting.

It gets file descriptors over a control socket and never reads a job. Run as `python -m autograder.sitting.forker FD ORDERS`.
"""

import contextlib
import gc
import itertools
import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Iterable

from autograder.sitting.child import rehearse, serve
from autograder.sitting.control import (
    CONTROL,
    ENDED,
    FORK,
    KILL,
    NOT_SET_UP,
    READY,
    RESERVE,
    STARTED,
    Orders,
    orders_from,
)
from autograder.sitting.sandbox import linux
from autograder.sitting.sandbox.confinement import Confiner
from autograder.sitting.warmth import warm_up


def main() -> None:
    """Get warm, then serve the control socket until its other end closes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    orders = orders_from(json.loads(sys.argv[2]))
    warm_up(orders.course)
    confiner = Confiner(orders.confinement) if orders.confinement else None
    _settle(orders)
    _serve(control, orders, confiner)
    os._exit(0)  # the end of an interpreter that has torch takes half a second


def _serve(control: socket.socket, orders: Orders, confiner: Confiner | None) -> None:
    """Serve until the other end closes; then end all children, and what they have started."""
    children: dict[int, int] = {}
    with contextlib.suppress(ConnectionError):  # the host has closed its end with messages unread
        _follow_orders(control, orders, confiner, children)
    _kill(children.values())


def _follow_orders(control: socket.socket, orders: Orders, confiner: Confiner | None, children: dict[int, int]) -> None:
    """Do what the messages ask for. children: by the descriptor that becomes ready at their end."""
    control.send(CONTROL.pack(READY, os.getpid(), 0))
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready == control.fileno():
                message, descriptors, _, _ = socket.recv_fds(control, CONTROL.size, 1)
                if not message:
                    return
                kind, pid, _ = CONTROL.unpack(message)
                if kind == KILL:
                    _kill({pid} & set(children.values()))
                    continue
                pid, watch = (
                    _fork_reserve(descriptors[0], orders)
                    if kind == RESERVE
                    else _fork(descriptors[0], orders, confiner)
                )
                children[watch] = pid
                poll.register(watch, select.POLLIN)
                if kind == FORK:
                    control.send(CONTROL.pack(STARTED, pid, 0))
            else:
                poll.unregister(ready)
                os.close(ready)
                pid = children.pop(ready)
                _kill([pid])  # what it has started
                _, status = os.waitpid(pid, 0)
                control.send(CONTROL.pack(ENDED, pid, os.waitstatus_to_exitcode(status)))


def _settle(orders: Orders) -> None:
    """Make what is loaded cheap to share with children."""
    gc.collect()
    if not orders.rehearse:  # a class is coming: thousands of forks
        linux.use_large_pages(map(id, gc.get_objects()))
    gc.freeze()  # a child that collected what it shares with the forker would copy all of it


def _fork(descriptor: int, orders: Orders, confiner: Confiner | None) -> tuple[int, int]:
    """Fork a child that serves the descriptor; return its process and a descriptor that becomes ready at its end."""
    pid = confiner.fork() if confiner else os.fork()
    if pid == 0:
        _run_child(descriptor, orders, confiner)
    return _follow(pid, descriptor)


def _fork_reserve(descriptor: int, orders: Orders) -> tuple[int, int]:
    """Fork a forker that serves the descriptor, and goes on when this one dies; return as `_fork` does.

    Only who watches has one, unconfined.
    """
    assert not orders.confinement
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            _close_all_but([descriptor])
            _serve(socket.socket(fileno=descriptor), orders, None)
        finally:
            os._exit(0)
    return _follow(pid, descriptor)


def _follow(pid: int, descriptor: int) -> tuple[int, int]:
    """Leave a descriptor to the child that has it; return the child and a descriptor that becomes ready at its end."""
    os.close(descriptor)
    os.setpgid(pid, pid)
    return pid, os.pidfd_open(pid)


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def _run_child(descriptor: int, orders: Orders, confiner: Confiner | None) -> None:
    code = NOT_SET_UP
    try:
        os.setpgid(0, 0)
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        _close_all_but(sorted({descriptor, *(confiner.descriptors if confiner else ())}))
        connection = socket.socket(fileno=descriptor)
        resource.setrlimit(resource.RLIMIT_DATA, (orders.memory, orders.memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        gc.disable()
        if orders.rehearse:
            rehearse()
        if confiner:
            confiner.enter()
        code = 1
        serve(connection)
        code = 0
    finally:
        os._exit(code)


def _close_all_but(kept: list[int]) -> None:
    """Keep no descriptor of the forker's but these; the standard ones lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    end = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    for before, after in itertools.pairwise((2, *kept, end)):
        os.closerange(before + 1, after)


if __name__ == "__main__":
    main()
