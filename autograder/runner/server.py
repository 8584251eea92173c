"""The server program: import torch once, then run students' code, on Linux in forked children.

Run as `python -m autograder.runner.server ORDERS`, where ORDERS is a JSON object:
course: the folder of the course. control: the descriptor of a socket for requests of children, if
the server forks. port: the host's port, if the server does not fork; 0: listen at `place` instead.
confinement: the settings of the sandbox, if any. place: the path of a daemon's socket, or empty.
idle: seconds that a daemon waits for another command.
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
from pathlib import Path
from typing import Any

import jaxtyping
import torch

from autograder.course.course import read_course
from autograder.course.forbidding import guard
from autograder.course.operations import LargestTensor, without_compiler
from autograder.runner import daemon
from autograder.runner.child import serve
from autograder.runner.processes import LOOPBACK, PROGRAM, TOKEN
from autograder.runner.wire import Closed, Kind, Wire
from autograder.sandbox import Confinement, linux

with contextlib.suppress(ImportError):  # on Windows
    import resource

    from autograder.sandbox.confinement import Confiner

MEMORY = 4 << 30
"""Maximum bytes of data (RLIMIT_DATA) of a process that runs students' code."""

LOOK = 0.5
"""Seconds between two checks whether the host has closed the connection."""


def main() -> None:
    """Warm up, then serve until the host has ended. A daemon serves until no command comes in time."""
    orders, token = json.loads(sys.argv[1]), os.environ.pop(TOKEN, "")
    environment = dict(os.environ)
    warm_up(Path(orders["course"]))
    if "control" in orders:
        fork_children(orders)
    else:
        run_alone(orders, token, environment)
    os._exit(0)  # a regular exit of Python with torch takes half a second


def warm_up(course: Path) -> None:
    """Run operations that are slow the first time, and guard torch functions that steps forbid.

    torch is limited to one thread: a process that has run threads must not fork.
    """
    assert jaxtyping.Float  # every stub imports it
    torch.set_num_threads(1)
    _leave_out_compiler()
    # oneDNN would compile GELU for every new shape.
    torch.backends.mkldnn.set_flags(_enabled=False)  # type: ignore[no-untyped-call]
    _rehearse()
    for name in read_course(course).parts:
        for step in read_course(course).part(name).steps:
            guard(step.forbids)


def _leave_out_compiler() -> None:
    """Replace torch's compile functions by functions that return the model or function unchanged.

    The import of the compiler would take seconds in each child, within the timeout of a step.
    """

    def compiled(model: Any = None, **_: object) -> Any:
        return (lambda function: function) if model is None else model

    def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
        torch._C._set_deterministic_algorithms(mode, warn_only=warn_only)

    torch.compile = torch.jit.script = compiled  # type: ignore[assignment]
    torch.use_deterministic_algorithms = use_deterministic_algorithms


def _rehearse() -> None:
    """Run some operations that students use: forward, backward, and a step of an optimizer."""
    layer = torch.nn.Linear(4, 4)
    with LargestTensor():
        x = torch.softmax(layer(torch.ones(2, 4, 4)).masked_fill(torch.ones(4, 4).tril() == 0, -9.0), dim=-1)
    torch.autograd.grad((x @ x.transpose(1, 2)).sum(), list(layer.parameters()), retain_graph=True)
    x.sum().backward()
    without_compiler(torch.optim.SGD)(layer.parameters(), lr=0.1).step()


# A server that is its own child


def run_alone(orders: dict[str, Any], token: str, environment: dict[str, str]) -> None:
    """Serve one command in this process, then end.

    A daemon does not end: a fresh process replaces the daemon and waits for the next command.
    token: the secret to send to the host. environment: the variables of the fresh process.
    """
    connection = _call(orders["port"], token) if orders["port"] else _await_command(orders)
    if sys.platform != "win32":
        _limit_memory()
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)

    def end() -> None:
        if orders["place"]:
            os.chdir("/")
            following = json.dumps(orders | {"port": 0})
            os.execve(sys.executable, [sys.executable, "-P", "-m", PROGRAM, following], environment)
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


def _call(port: int, token: str) -> socket.socket:
    connection = socket.create_connection((LOOPBACK, port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    Wire(connection).send(Kind.READY, token.encode())
    return connection


def _await_command(orders: dict[str, Any]) -> socket.socket:
    """Wait for a command, and return its connection. End this process if no command comes in time."""
    if listener := daemon.listen_at(Path(orders["place"])):
        listener.settimeout(orders["idle"])
        with listener, contextlib.suppress(TimeoutError):
            connection, _ = listener.accept()
            Path(orders["place"]).unlink(missing_ok=True)
            Wire(connection).send(Kind.READY, b"%d" % os.getpid())
            return connection
    os._exit(0)


def _limit_memory() -> None:
    """Limit the memory of this process, and disable core dumps. macOS ignores the memory limit."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# A server that forks


def fork_children(orders: dict[str, Any]) -> None:
    """Fork a child at each request, until the host has ended.

    A daemon continues until no command has been connected for `idle` seconds.
    """
    confiner = Confiner(Confinement(**orders["confinement"])) if "confinement" in orders else None
    control = socket.socket(fileno=orders["control"])
    gc.freeze()  # else garbage collection in a child copies the memory shared with the server
    listener = daemon.listen_at(Path(orders["place"])) if orders["place"] else None
    Forking(control, confiner, listener).serve(orders["idle"])


class Forking:
    """The forked children of a server, and the connections on which commands request children.

    Each request carries two sockets. The child gets the data socket (`wire`), and sends READY on
    the data socket. The server keeps the control socket (`line`): when the host shuts it down, the
    server kills the child and writes the child's exit code to the control socket.
    control: the first connection. confiner: confines each child. listener: of a daemon.
    """

    def __init__(
        self, control: socket.socket, confiner: "Confiner | None" = None, listener: socket.socket | None = None
    ) -> None:
        self._confiner, self._listener = confiner, listener
        self._controls: dict[int, socket.socket] = {}
        self._children: dict[int, int] = {}  # pids, by the descriptors of their control sockets
        self._poll = select.poll()
        if listener:
            self._poll.register(listener, select.POLLIN)
        self._take(control)

    def serve(self, idle: float) -> None:
        """Serve requests until the last connection is closed, then kill the children.

        With a listener, continue until no connection has been open for `idle` seconds.
        """
        while self._controls or self._listener:
            ready = self._poll.poll(None if self._controls else 1000 * idle)
            if not ready:
                break
            number, _ = ready[0]  # handling one may reuse the descriptors of later ones
            if number in self._controls:
                self._ask(number)
            elif number in self._children:
                self._end(number)
            else:
                self._accept()
        for child in self._children.values():
            _kill(child)

    def _take(self, control: socket.socket) -> None:
        self._controls[control.fileno()] = control
        self._poll.register(control, select.POLLIN)

    def _accept(self) -> None:
        """Accept the connection of a command, and send READY to the command."""
        assert self._listener
        control, _ = self._listener.accept()
        with contextlib.suppress(Closed):  # the command has closed it
            Wire(control).send(Kind.READY, b"%d" % os.getpid())
        self._take(control)

    def _ask(self, number: int) -> None:
        """Fork a child for a request, or remove a closed connection. number: the descriptor."""
        _, descriptors, _, _ = socket.recv_fds(self._controls[number], 1, 2)
        if not descriptors:
            self._poll.unregister(number)
            self._controls.pop(number).close()
            return
        (wire, line), confiner = descriptors, self._confiner
        with socket.socket(fileno=wire) as connection:
            child = confiner.fork() if confiner else os.fork()
            if child == 0:
                vars(self).clear()  # hides the server's connections from students' code
                _run_child(connection, confiner)
        os.setpgid(child, child)
        self._children[line] = child
        self._poll.register(line, select.POLLIN)

    def _end(self, line: int) -> None:
        """Kill a child and its process group. Write its exit code to its control socket."""
        self._poll.unregister(line)
        child = self._children.pop(line)
        _kill(child)
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(OSError):  # the host has closed the socket
            os.write(line, b"%d" % os.waitstatus_to_exitcode(status))
        os.close(line)


def _run_child(connection: socket.socket, confiner: "Confiner | None") -> None:
    code = 1
    try:
        _set_up(connection, confiner)
        serve(connection)
        code = 0
    finally:
        os._exit(code)


def _set_up(connection: socket.socket, confiner: "Confiner | None") -> None:
    """Set up this child: process group, descriptors, memory limit, confinement. Then send READY."""
    os.setpgid(0, 0)
    os.dup2(0, 2)
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    kept = sorted({connection.fileno(), *(confiner.descriptors if confiner else ())})
    end = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    for before, after in itertools.pairwise((2, *kept, end)):
        os.closerange(before + 1, after)
    _limit_memory()
    gc.disable()
    if confiner:
        confiner.enter()
    Wire(connection).send(Kind.READY)


def _kill(child: int) -> None:
    """Kill a child and the processes in its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


if __name__ == "__main__":
    main()
