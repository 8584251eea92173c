"""The server program: import torch once, then run students' code, on Linux in forked children.

Run as `python -m autograder.runner.server ORDERS`. ORDERS is a JSON object:
course: the folder of the course. control: the descriptor of a socket for requests for children, if
the server forks. port: the host's port, if the server does not fork. confinement: the arguments of
`linux.confinement` in a sandbox. place, idle: the path of a daemon's socket, and the seconds
that a daemon waits for another command.
"""

import contextlib
import gc
import itertools
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import jaxtyping
import torch

from autograder.course.course import read_course
from autograder.course.forbidding import guard
from autograder.course.operations import LargestTensor, without_compiler
from autograder.runner.child import serve
from autograder.runner.limits import MEMORY
from autograder.runner.processes import LOOPBACK
from autograder.runner.wire import Wire
from autograder.sandbox import linux

with contextlib.suppress(ImportError):  # on Windows
    import resource

LOOK = 0.5
"""Seconds between two checks whether the host has closed the connection."""


def main() -> None:
    """Warm up, then serve until the host ends. A daemon ends later: see `fork_children`."""
    orders = json.loads(sys.argv[1])
    warm_up(Path(orders["course"]))
    if "control" in orders:
        fork_children(orders["control"], orders.get("confinement"), orders.get("place"), orders.get("idle", 0.0))
    else:
        run_alone(orders["port"])


def warm_up(course: Path) -> None:
    """Run operations that are slow at first, and call `guard` for the functions that steps forbid.

    torch is limited to one thread: a process that has run threads must not fork.
    """
    assert jaxtyping.Float  # imported here because every stub imports it
    torch.set_num_threads(1)
    _leave_out_compiler()
    # oneDNN would compile GELU for every new shape.
    torch.backends.mkldnn.set_flags(_enabled=False)  # type: ignore[no-untyped-call]
    _rehearse()
    for name in read_course(course).parts:
        for step in read_course(course).part(name).steps:
            guard(step.forbids)


def _leave_out_compiler() -> None:
    """Replace torch functions that import torch's compiler, which takes seconds in each child."""

    def compiled(model: Any = None, **_: object) -> Any:
        return (lambda function: function) if model is None else model

    def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
        torch._C._set_deterministic_algorithms(mode, warn_only=warn_only)

    torch.compile = torch.jit.script = compiled  # type: ignore[assignment]
    torch.use_deterministic_algorithms = use_deterministic_algorithms


def _rehearse() -> None:
    layer = torch.nn.Linear(4, 4)
    with LargestTensor():
        x = torch.softmax(layer(torch.ones(2, 4, 4)).masked_fill(torch.ones(4, 4).tril() == 0, -9.0), dim=-1)
    torch.autograd.grad((x @ x.transpose(1, 2)).sum(), list(layer.parameters()), retain_graph=True)
    x.sum().backward()
    without_compiler(torch.optim.SGD)(layer.parameters(), lr=0.1).step()


# A server that is its own child


def run_alone(port: int) -> NoReturn:
    """Run the jobs of the host in this process until the host has ended."""
    connection = socket.create_connection((LOOPBACK, port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if sys.platform != "win32":
        _limit_memory()
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)

    def end() -> NoReturn:
        if sys.platform != "win32" and os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)  # with the processes that students' code has started
        os._exit(0)

    def end_with_host() -> None:
        with contextlib.suppress(OSError, ValueError):
            while not select.select([connection], [], [], 0)[0] or connection.recv(1, socket.MSG_PEEK):
                time.sleep(LOOK)
        end()

    threading.Thread(target=end_with_host, daemon=True).start()
    serve(connection)
    end()


def _limit_memory() -> None:
    """Limit the memory of this process, and disable core dumps. macOS ignores the memory limit."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# A server that forks


def fork_children(control: int, confined: dict[str, Any] | None, place: str | None, idle: float) -> NoReturn:
    """Fork a child at each request until the host closes the control connection.

    A daemon continues until no command has been connected for `idle` seconds.
    Each request carries two sockets. The child gets the data socket (`wire`), and sends an empty
    message when it is ready. The server keeps the control socket (`line`): when the host shuts it
    down, the server kills the child and writes the child's exit code to the control socket.
    control: the descriptor of the control connection. confined: the arguments of `linux.confinement`.
    place: the path of a daemon's socket, or None.
    """
    kept, enter = linux.confinement(**confined) if confined else (-1, lambda: None)
    hosts, poll = {control: socket.socket(fileno=control)}, select.poll()
    listener = _listen_at(Path(place)) if place else None
    gc.freeze()  # otherwise garbage collection in a child copies the memory shared with the server
    children: dict[int, int] = {}  # pids, by the descriptors of their control sockets
    poll.register(control, select.POLLIN)
    if listener:
        poll.register(listener, select.POLLIN)
    while ready := poll.poll(1000 * idle if listener and not hosts else None):
        number, _ = ready[0]  # only one, because handling it may reuse the descriptors of others
        if listener and number == listener.fileno():
            host, _ = listener.accept()
            hosts[host.fileno()] = host
            poll.register(host, select.POLLIN)
            continue
        if number in children:
            poll.unregister(number)
            _end(children.pop(number), number)
            continue
        _, descriptors, _, _ = socket.recv_fds(hosts[number], 1, 2)
        if not descriptors:
            poll.unregister(number)
            hosts.pop(number).close()
            if hosts or listener:
                continue
            break
        wire, line = descriptors
        child = os.fork()
        if child == 0:
            _run_child(socket.socket(fileno=wire), kept, enter)
        os.close(wire)
        os.setpgid(child, child)
        children[line] = child
        poll.register(line, select.POLLIN)
    for child in children.values():
        _kill(child)
    os._exit(0)  # a regular exit takes half a second, with torch imported


def _listen_at(place: Path) -> socket.socket:
    """Return a socket that listens at a path, in place of an older socket. Raises OSError."""
    place.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place))
    listener.listen()
    return listener


def _end(child: int, line: int) -> None:
    """Kill a child and its process group. Write its exit code to its control socket."""
    _kill(child)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):  # the host has closed the socket
        os.write(line, b"%d" % os.waitstatus_to_exitcode(status))
    os.close(line)


def _run_child(connection: socket.socket, kept: int, enter: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        os.setpgid(0, 0)
        os.dup2(0, 2)
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        end = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        for before, after in itertools.pairwise(sorted({2, kept, connection.fileno(), end} - {-1})):
            os.closerange(before + 1, after)
        _limit_memory()
        gc.disable()
        enter()
        Wire(connection).send(b"")
        serve(connection)
        code = 0
    finally:
        os._exit(code)


def _kill(child: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


if __name__ == "__main__":
    main()
