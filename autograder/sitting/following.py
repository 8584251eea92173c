"""Following a student's step through its cases, in a process of its own: it may hang, crash and print.

What comes back is JSON, never objects.
"""

import contextlib
import io
import json
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from typing import Any

from autograder.course.answer import Failure
from autograder.course.flow import Flow, from_plain, to_plain
from autograder.exam.files import paper_from_bytes, paper_to_bytes
from autograder.exam.model import Paper
from autograder.sitting.control import ON_CPU
from autograder.sitting.processes import START_TIMEOUT, CannotSit
from autograder.sitting.submission import Submission
from autograder.sitting.submission import from_plain as modules_from_plain
from autograder.sitting.submission import to_plain as modules_to_plain

PROCESSES = multiprocessing.get_context("spawn")
"""How processes begin, on every system alike: with nothing of who starts them."""

READY = b"ready"

GRACE = 1.0
"""Seconds after which a process that cannot even say which line is still running is taken for stuck."""


def follow_cases(submission: Submission, paper: Paper, timeout: float) -> Iterator[Flow]:
    """Yield the flow of shapes of each case, up to the first that fails. paper: the cases of one step.

    timeout: seconds for loading the module and the first case, and for each further one. Raises CannotSit.
    """
    part = paper.cases[0].part
    if part in submission.problems:
        yield Flow((), failure=submission.problems[part])
        return
    here, there = PROCESSES.Pipe()
    job = (modules_to_plain(submission.modules), paper_to_bytes(paper), timeout)
    process = PROCESSES.Process(target=_serve, args=(there, *job), daemon=True)
    process.start()
    there.close()
    try:
        _wait_until_ready(here)  # until torch is there, nobody's time runs
        for _ in paper.cases:
            flow = _receive(here, timeout)
            yield flow
            if flow.failure:
                return
    finally:
        process.kill()
        process.join()


def _wait_until_ready(connection: Connection) -> None:
    """Raise CannotSit where the process did not come so far."""
    try:
        said = connection.recv_bytes() if connection.poll(START_TIMEOUT) else b"it took too long"
    except (EOFError, OSError):
        said = b"it ended"
    if said != READY:
        raise CannotSit(
            f"the process that runs the exercises did not start ({said.decode()}). `attn doctor` says what is missing."
        )


def _receive(connection: Connection, timeout: float) -> Flow:
    try:
        if not connection.poll(timeout + GRACE):
            return Flow((), failure=Failure("timed_out", f"your code was still running after {timeout:g} s"))
        return from_plain(json.loads(connection.recv_bytes()))
    except (EOFError, OSError):  # Windows tells the end of a process already while it is waited for
        return Flow((), failure=Failure("crashed", "the process that ran it has ended, without an error of Python's"))


def _end_with_parent() -> None:
    """End when the process that waits has ended, however it did: a loop would go on for ever."""
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os._exit(1)


def _serve(connection: Connection, modules: Mapping[str, Any], paper: tuple[bytes, bytes], timeout: float) -> None:
    """Run in the new process: import what takes long, say so, and send one flow after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the process that waits, and that ends this one
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ |= ON_CPU
    try:
        from autograder.sitting.follower import Follower
    except Exception as error:  # whatever a broken torch raises
        connection.send_bytes(f"{type(error).__name__}: {error}".encode())
        return

    def send(flow: Flow) -> None:
        connection.send_bytes(json.dumps(to_plain(flow)).encode())

    follower = Follower(paper_from_bytes(*paper), modules_from_plain(modules), timeout, send)
    connection.send_bytes(READY)
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for flow in follower.flows():
            send(flow)
