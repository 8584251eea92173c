"""A server that forks, on Linux: a child for each run, which it never reads a job of.

Over a control connection come two descriptors for each child: of its wire, which the child gets, and of a line to the host. The first
frame on the wire is READY or REFUSED, from the child or, where there is none, from here. When the host shuts the line, the child is
killed, and the line brings its exit code. As a daemon, the server listens for more control connections.
"""

import contextlib
import gc
import itertools
import os
import resource
import select
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.runner import daemon
from autograder.runner.child import MEMORY, serve
from autograder.runner.wire import Closed, Kind, Wire
from autograder.sandbox import Confinement, linux
from autograder.sandbox.confinement import Confiner

ASKED = len(daemon.STOP)
"""Bytes of a message on a control connection."""


def fork_children(orders: dict[str, Any]) -> None:
    """Fork a child whenever a host asks for one; end with the host, or as a daemon with the last command. The process is warm."""
    confiner = Confiner(Confinement(**orders["confinement"])) if "confinement" in orders else None
    if orders["batch"]:
        gc.collect()
        linux.use_large_pages(map(id, gc.get_objects()))
    control, imported = socket.socket(fileno=orders["control"]), daemon.imported_files()
    gc.freeze()  # a child that collected what it shares with the server would copy all of it
    os.dup2(0, 2)  # nobody reads what a daemon says
    listener = None
    if orders["place"] and not daemon.changed_since(orders["began"], imported):
        listener = daemon.listen_at(Path(orders["place"]))
    server = Forking(control, confiner, listener, lambda: not daemon.changed_since(orders["began"], imported))
    server.serve(orders["idle"] if listener else None)
    os._exit(0)  # the end of an interpreter that has torch takes half a second


class Forking:
    """The server's children, and the connections over which they are asked for. is_current: whether new commands are served."""

    def __init__(
        self,
        control: socket.socket,
        confiner: Confiner | None = None,
        listener: socket.socket | None = None,
        is_current: Callable[[], bool] = lambda: True,
    ) -> None:
        self._confiner, self._listener, self._is_current = confiner, listener, is_current
        self._controls: dict[int, socket.socket] = {}
        self._children: dict[int, int] = {}  # by their lines
        self._poll = select.poll()
        if listener:
            self._poll.register(listener, select.POLLIN)
        self._take(control)

    def serve(self, idle: float | None = None) -> None:
        """Serve until the last control connection is closed, then for idle seconds more where there is a listener."""
        while self._controls or self._listener:
            ready = self._poll.poll(None if idle is None else 1000 * idle)
            if not ready and not self._controls:
                break
            for number, _ in ready[:1]:  # a later one may have another number's meaning after that
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
        """Take a command's connection; none any more once what this process has imported has changed."""
        assert self._listener
        control, _ = self._listener.accept()
        if self._is_current():
            with contextlib.suppress(Closed):  # it has given up
                Wire(control).send(Kind.READY, b"%d" % os.getpid())
            self._take(control)
            return
        control.close()
        self._poll.unregister(self._listener)
        self._listener.close()
        self._listener = None

    def _ask(self, number: int) -> None:
        """Fork a child, if that is wanted of a control connection."""
        message, descriptors, _, _ = socket.recv_fds(self._controls[number], ASKED, 2)
        if message == daemon.STOP:
            os._exit(0)  # its children end with it
        if not descriptors:
            self._poll.unregister(number)
            self._controls.pop(number).close()
            return
        (wire, line), confiner = descriptors, self._confiner
        with socket.socket(fileno=wire) as connection:
            try:
                child = confiner.fork() if confiner else os.fork()
            except OSError as error:
                _refuse(connection, error)
                os.close(line)
                return
            if child == 0:
                vars(self).clear()  # what students' code may look for are not the server's connections
                _run_child(connection, confiner)
        os.setpgid(child, child)
        self._children[line] = child
        self._poll.register(line, select.POLLIN)

    def _end(self, line: int) -> None:
        """End a child and what it has started, and say how it has ended."""
        self._poll.unregister(line)
        child = self._children.pop(line)
        _kill(child)
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(OSError):  # the host listens no more
            os.write(line, b"%d" % os.waitstatus_to_exitcode(status))
        os.close(line)


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
    """Make this child ready for a run, and say so."""
    os.setpgid(0, 0)
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    kept = sorted({connection.fileno(), *(confiner.descriptors if confiner else ())})
    end = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    for before, after in itertools.pairwise((2, *kept, end)):
        os.closerange(before + 1, after)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.disable()
    if confiner:
        confiner.enter()
    Wire(connection).send(Kind.READY)


def _refuse(connection: socket.socket, error: Exception) -> None:
    """Say why there is no child, or why it cannot serve."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    with contextlib.suppress(Closed):
        Wire(connection).send(Kind.REFUSED, (reason or type(error).__name__).encode("utf-8", "backslashreplace"))


def _kill(child: int) -> None:
    """Kill a child and what it has started, which is in its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
