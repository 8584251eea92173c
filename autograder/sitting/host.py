"""The host's side of a sitting: start a warm process, hand it jobs, take its answers, end what does not answer.

Free of torch. A step that hangs, crashes or exhausts memory costs that step alone: the sitting goes on with the next step
in a fresh child.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from autograder.course.answer import Answer, Failure
from autograder.exam.files import paper_to_bytes
from autograder.exam.model import Paper, PaperCase
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.sitting.answers import Answers, PartAnswers
from autograder.sitting.control import CONTROL, ENDED, FORK, KILL, READY, STARTED
from autograder.sitting.forbidden import Mentions
from autograder.sitting.submission import Submission
from autograder.sitting.wire import (
    ANSWERS,
    BEGIN,
    DONE,
    JOB,
    LOADED,
    PAPER,
    PRINTED,
    Closed,
    Garbled,
    Late,
    Wire,
    decode,
    decode_answers,
    encode,
    join,
)

TIMEOUT = 5.0
"""Seconds that one step may take, and loading a part."""

START_TIMEOUT = 120.0
MOST_PRINTED = 4_000

OnStep = Callable[[str, str], None]


class CannotSit(Exception):
    """The warm process could not be started or did not survive; the message says what to do."""


class Child(Protocol):
    """A process that runs a student's code, at the other end of a wire."""

    wire: Wire

    def end(self) -> int | None:
        """Kill the child if it still runs. Returns its exit code (negative: a signal), None where it is not known."""
        ...


class Sitter(Protocol):
    """A warm process that can give children."""

    @property
    def pid(self) -> int:
        """The process id of the warm process."""
        ...

    def child(self) -> contextlib.AbstractContextManager[Child]:
        """Give a child that waits for jobs."""
        ...

    def close(self) -> None:
        """End the warm process."""
        ...


def open_sitter(spawn: bool | None = None) -> Sitter:
    """Start a warm process: a forker where forking is safe, else a worker. spawn: choose the worker (True) or not."""
    can_fork = sys.platform == "linux" and hasattr(os, "pidfd_open")
    return Worker() if spawn or (spawn is None and not can_fork) else Forker()


class Forker:
    """A warm forker and, one at a time, its children. Starts at once and is waited for at the first child."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = _start("autograder.sitting.forker", theirs)
        self._ready = False
        self._ended: dict[int, int] = {}

    @property
    def pid(self) -> int:
        """The process id of the forker."""
        return self._process.pid

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Fork a child. It is killed at the end, but its death, which takes a while, is not waited for."""
        self._wait_until_ready()
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self._control, [CONTROL.pack(FORK, 0, 0)], [theirs.fileno()])
            pid = self._expect(STARTED)
        except OSError as error:
            raise CannotSit(
                f"the process that runs the exercises has ended ({error}). Run the command again."
            ) from error
        finally:
            theirs.close()
        child = _ForkedChild(self, pid, Wire(ours))
        try:
            yield child
        finally:
            child.kill()

    def close(self) -> None:
        """End the forker; its children end with it."""
        self._control.close()
        _stop(self._process)

    def kill(self, pid: int) -> None:
        """Kill a child, if it still lives."""
        with contextlib.suppress(OSError):
            self._control.send(CONTROL.pack(KILL, pid, 0))

    def exit_code(self, pid: int) -> int:
        """Wait for a child's end and return its exit code."""
        while pid not in self._ended:
            self._receive()
        return self._ended.pop(pid)

    def _wait_until_ready(self) -> None:
        if not self._ready:
            self._control.settimeout(START_TIMEOUT)
            self._expect(READY)
            self._ready = True

    def _expect(self, wanted: bytes) -> int:
        while True:
            kind, pid = self._receive()
            if kind == wanted:
                return pid

    def _receive(self) -> tuple[bytes, int]:
        """Take one message of the forker's; the ends of children are noted."""
        reason = "it ended"
        try:
            message = self._control.recv(CONTROL.size)
        except OSError as error:
            message, reason = b"", str(error)
        if not message:
            raise CannotSit(_why_not_started(self._process, reason))
        kind, pid, code = CONTROL.unpack(message)
        if kind == ENDED:
            self._ended[pid] = code
        return kind, pid


class _ForkedChild:
    def __init__(self, forker: Forker, pid: int, wire: Wire) -> None:
        self.wire = wire
        self._forker = forker
        self._pid = pid

    def kill(self) -> None:
        self.wire.close()
        self._forker.kill(self._pid)

    def end(self) -> int | None:
        self.kill()
        return self._forker.exit_code(self._pid)


class Worker:
    """A warm worker that sits one paper after the other; replaced when it crashed or had to be ended."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        self._process = _start("autograder.sitting.worker", theirs)
        self._child = _WorkerChild(self._process, Wire(ours))

    @property
    def pid(self) -> int:
        """The process id of the worker that lives now."""
        return self._process.pid

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Give the worker, a new one if the last has ended."""
        if self._child.ended:
            self._start()
        try:
            yield self._child
        except BaseException:
            self._child.end()
            raise

    def close(self) -> None:
        """End the worker."""
        self._child.end()


class _WorkerChild:
    def __init__(self, process: "subprocess.Popen[bytes]", wire: Wire) -> None:
        self.wire = wire
        self.ended = False
        self._process = process

    def end(self) -> int | None:
        self.wire.close()
        self.ended = True
        if self._process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
        _stop(self._process)
        return self._process.returncode


def _start(module: str, connection: socket.socket) -> "subprocess.Popen[bytes]":
    """Start a warm process with one end of a socket pair, and close that end here."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-P", "-m", module]
    try:
        if sys.platform == "win32":
            process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, stderr=subprocess.PIPE)
            assert process.stdin
            process.stdin.write(connection.share(process.pid))
            process.stdin.close()
            return process
        return subprocess.Popen(
            [*command, str(connection.fileno())],
            pass_fds=(connection.fileno(),),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        )
    finally:
        connection.close()


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.kill()
        process.wait()
    if process.stderr:
        process.stderr.close()


def _why_not_started(process: "subprocess.Popen[bytes]", reason: str) -> str:
    """Say why the warm process did not start, from the last line that it printed."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)
    lines = (
        process.stderr.read().decode(errors="replace").strip().splitlines()
        if process.poll() is not None and process.stderr
        else []
    )
    return f"the process that runs the exercises did not start ({lines[-1] if lines else reason}). `attn doctor` says what is missing."


def sit(
    sitter: Sitter,
    submission: Submission,
    syllabus: Syllabus,
    paper: Paper,
    steps: dict[str, frozenset[str]],
    timeout: float = TIMEOUT,
    on_step: OnStep | None = None,
) -> Answers:
    """Let a submission sit a paper.

    steps: by part, the steps to sit. timeout: seconds a step. on_step: told each part and step as it begins.
    Returns the answers to all cases of these steps. Raises CannotSit.
    """
    begun = time.monotonic()
    answers = Answers(submission.name)
    for name, wanted in steps.items():
        sitting = _PartSitting(sitter, submission, syllabus.part(name), paper.of(name, wanted), timeout, on_step)
        answers.parts[name] = sitting.run()
    answers.seconds = time.monotonic() - begun
    return answers


class _PartSitting:
    """The sitting of one part: as many children, one after the other, as its steps make necessary."""

    def __init__(
        self,
        sitter: Sitter,
        submission: Submission,
        part: SyllabusPart,
        cases: tuple[PaperCase, ...],
        timeout: float,
        on_step: OnStep | None,
    ) -> None:
        self._sitter = sitter
        self._submission = submission
        self._part = part
        self._timeout = timeout
        self._on_step = on_step
        self._found = PartAnswers(part.name)
        self._cases = {step.name: [case for case in cases if case.step == step.name] for step in part.steps}
        self._waiting = [step.name for step in part.steps if self._cases[step.name]]
        self._current = ""
        self._forbidden: dict[str, tuple[str, int] | None] | None = None

    def run(self) -> PartAnswers:
        if problem := self._submission.problems.get(self._part.name):
            self._found.error = problem
            return self._found
        while self._waiting and not self._found.error:
            with self._sitter.child() as child:
                self._sit(child)
        if not self._found.error:
            self._refuse_forbidden()
        return self._found

    def _look_for_forbidden(self) -> None:
        mentions = Mentions(self._submission.modules[self._part.name].text)
        wanted = [step for step in self._part.steps if step.name in self._waiting]
        self._forbidden = {step.name: mentions.find(step.name, step.forbids) for step in wanted}

    def _refuse_forbidden(self) -> None:
        """Answer for the steps that use what they must not, whatever their code answered."""
        for step, found in (self._forbidden or {}).items():
            if found:
                name, line = found
                message = f"line {line} uses torch's own `{name}`. In this step you write that yourself."
                failed = Answer(failure=Failure("forbidden", message))
                self._found.answers |= {case.path: failed for case in self._cases[step]}

    def _sit(self, child: Child) -> None:
        """Hand a child the steps that wait and listen until it is done or has to be ended."""
        self._current = ""
        try:
            deadline = time.monotonic() + self._timeout
            self._send_job(child.wire)
            if self._forbidden is None:
                self._look_for_forbidden()  # while the child is busy
            while True:
                kind, body = child.wire.receive(deadline)
                if kind == DONE:
                    self._complete(Failure("missing", "no answer came back"))
                    return
                if self._take(kind, body):
                    deadline = time.monotonic() + self._timeout
        except Late:
            child.end()
            self._end(Failure("timed_out", f"no answer after {self._timeout:g} seconds. {_LOOP}"), _LOADING_LATE)
        except Closed:
            message = _cause_of_death(child.end())
            self._end(Failure("crashed", message), message)
        except Garbled as error:
            child.end()
            message = f"the process sent something that is no answer ({error})"
            self._end(Failure("crashed", message), message)

    def _send_job(self, wire: Wire) -> None:
        modules = {name: [source.path, source.text] for name, source in self._submission.modules.items()}
        wire.send(JOB, encode({"part": self._part.name, "steps": self._waiting, "modules": modules}))
        cases = [case for step in self._waiting for case in self._cases[step]]
        wire.send(PAPER, join(*paper_to_bytes(Paper(tuple(cases)))))

    def _take(self, kind: bytes, body: bytes) -> bool:
        """Take one frame of the child's; tell whether a new allowance of time begins with it."""
        if kind == LOADED:
            failure = decode(body)
            if failure:
                self._found.error = Failure(**failure)
            return True
        if kind == BEGIN:
            self._complete(Failure("missing", "no answer came back"))
            step = body.decode("utf-8", "replace")
            if step not in self._waiting:
                raise Garbled("an unknown step")
            self._current = step
            if self._on_step:
                self._on_step(self._part.name, step)
            return True
        if kind == PRINTED:
            text = self._found.printed.get(self._current, "") + body.decode("utf-8", "replace")
            self._found.printed[self._current] = text[:MOST_PRINTED]
            return False
        if kind == ANSWERS:
            expected = {case.path for case in self._cases.get(self._current, ())}
            self._found.answers |= {path: answer for path, answer in decode_answers(body).items() if path in expected}
            return False
        raise Garbled(f"a frame of kind {kind!r}")

    def _complete(self, missing: Failure) -> None:
        """The current step is over: what it did not answer has failed."""
        if self._current:
            self._fail(self._current, missing)
            self._current = ""

    def _fail(self, step: str, failure: Failure) -> None:
        for case in self._cases[step]:
            self._found.answers.setdefault(case.path, Answer(failure=failure))
        self._waiting.remove(step)

    def _end(self, failure: Failure, loading: str) -> None:
        """The child is gone: during a step that step has failed, before any step the whole part could not be loaded."""
        if self._current:
            self._complete(failure)
        else:
            self._found.error = Failure(failure.kind, f"loading {self._part.name} failed: {loading}")


_LOOP = "Is there a loop that never ends?"
_LOADING_LATE = "it did not finish in time. Is there a loop at the top of the file that never ends?"


def _cause_of_death(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"the process was ended by {signal.Signals(-code).name} while running this code"
    if code:
        return f"the process ended with exit code {code} while running this code: does it call `os._exit`?"
    return "the process ended while running this code: does it call `os._exit`?"
