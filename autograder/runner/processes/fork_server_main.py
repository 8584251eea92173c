"""The warm forker, a program: it imports torch once and then forks a child for each sitting.

It never reads a job. Over its control socket come two descriptors for each child: of the wire, which the child gets, and of a line
to the host. The first frame on the wire is READY or REFUSED, from the child or, where there is none, from here. When the host shuts the
line, the child is killed, and the line brings its exit code.
Run as `python -m autograder.runner.processes.fork_server_main CONTROL ORDERS`; the orders are the folder of the course, whether a batch
is to come, how children are confined, and where and how long it stands by for later commands, if it does.
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
from pathlib import Path

from autograder.runner.child import serve
from autograder.runner.processes.daemon import stand_by, take_greeting
from autograder.runner.processes.protocol import ASK, MEMORY, NUMBER
from autograder.runner.warm_up import warm_up
from autograder.runner.wire import READY, REFUSED, Closed, Wire
from autograder.sandbox import Confinement, linux
from autograder.sandbox.confinement import Confiner


def main() -> None:
    """Get warm, then fork a child whenever the host asks for one. When the host is gone, all children end."""
    control = socket.socket(fileno=int(sys.argv[1]))
    course, batch, confinement, standby = json.loads(sys.argv[2])
    warm_up(course)
    confiner = Confiner(Confinement(**confinement)) if confinement else None
    if batch:
        gc.collect()
        linux.use_large_pages(map(id, gc.get_objects()))
    gc.freeze()  # a child that collected what it shares with the forker would copy all of it
    if standby:
        place, idle, began = standby
        control = stand_by(Path(place), idle, began, control)
        take_greeting(control)
    _serve(control, confiner)
    os._exit(0)  # the end of an interpreter that has torch takes half a second


def _serve(control: socket.socket, confiner: Confiner | None) -> None:
    children: dict[int, int] = {}  # by their lines
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready in children:
                poll.unregister(ready)
                _end(children.pop(ready), ready)
                continue
            _, descriptors, _, _ = socket.recv_fds(control, len(ASK), 2)
            if not descriptors:
                for child in children.values():
                    _kill(child)
                return
            wire, line = descriptors
            if forked := _fork(wire, confiner):
                children[line] = forked
                poll.register(line, select.POLLIN)
            else:
                os.close(line)


def _fork(wire: int, confiner: Confiner | None) -> int | None:
    """Return a child that serves the wire; None where none can be forked, which is said there."""
    with socket.socket(fileno=wire) as connection:
        try:
            child = confiner.fork() if confiner else os.fork()
        except OSError as error:
            _refuse(connection, error)
            return None
        if child == 0:
            _run_child(connection, confiner)
    os.setpgid(child, child)
    return child


def _run_child(connection: socket.socket, confiner: Confiner | None) -> None:
    code = 1
    try:
        try:
            _set_up(connection, confiner)
        except Exception as error:
            _refuse(connection, error)
        else:
            serve(connection)
            code = 0
    finally:
        os._exit(code)


def _set_up(connection: socket.socket, confiner: Confiner | None) -> None:
    """Make this child ready for a sitting, and say so."""
    os.setpgid(0, 0)
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    _close_all_but(sorted({connection.fileno(), *(confiner.descriptors if confiner else ())}))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.disable()
    if confiner:
        confiner.enter()
    Wire(connection).send(READY)


def _refuse(connection: socket.socket, error: Exception) -> None:
    """Say why there is no child, or why it cannot serve."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    with contextlib.suppress(Closed):
        Wire(connection).send(REFUSED, (reason or type(error).__name__).encode("utf-8", "backslashreplace"))


def _close_all_but(kept: list[int]) -> None:
    """Keep no descriptor of the forker's but these, and the standard ones, which lead nowhere."""
    os.dup2(0, 2)
    end = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    for before, after in itertools.pairwise((2, *kept, end)):
        os.closerange(before + 1, after)


def _end(child: int, line: int) -> None:
    """End a child, and say how it has ended."""
    _kill(child)
    _, status = os.waitpid(child, 0)
    _say(line, os.waitstatus_to_exitcode(status))
    os.close(line)


def _kill(child: int) -> None:
    """Kill a child and what it has started, which is in its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def _say(line: int, number: int) -> None:
    with contextlib.suppress(OSError):  # the host listens no more
        os.write(line, NUMBER.pack(number))


if __name__ == "__main__":
    main()
