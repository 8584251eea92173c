"""The host's side of a sitting: hand a child its job, take its answers, end what does not answer.

Free of torch. A step that hangs, crashes or exhausts memory costs that step alone: the sitting goes on with the next step
in a fresh child.
"""

import contextlib
import functools
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Protocol

from autograder.course.answer import Answer, Failure
from autograder.course.verdicts import Verdict
from autograder.exam.files import paper_to_bytes
from autograder.exam.model import Paper, PaperCase
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.sitting.answers import Answers, PartAnswers, answers_to
from autograder.sitting.budget import Budget, Spent
from autograder.sitting.processes import Child, Sitter
from autograder.sitting.submission import Submission, to_plain
from autograder.sitting.timeouts import TIMEOUT
from autograder.sitting.wire import (
    ANSWERS,
    BEGIN,
    DONE,
    JOB,
    LARGEST_SITTING,
    LOADED,
    MOST_PRINTED,
    PAPER,
    PRINTED,
    TRACED,
    Closed,
    Garbled,
    Late,
    Wire,
    decode_loaded,
    decode_trace,
    encode,
    join,
)

GRACE = 1.0
"""Seconds that a child has to name the line where code that is traced has no time left."""

OF_AN_ERROR = 1
"""The exit code of a child that has failed with an error of its own."""

OnStep = Callable[[str, str], None]


class Interrupted(Exception):
    """A sitting was interrupted before its end."""


class Killable(Protocol):
    """What ends when it is killed: a child."""

    def kill(self) -> None:
        """End it now."""


class Interruption:
    """With this, one thread ends the sitting that another waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: list[Killable] = []
        self._made = False

    def make(self) -> None:
        """Interrupt the sitting: its children are killed, and `sit` raises Interrupted."""
        with self._lock:
            self._made = True
            for child in self._children:
                child.kill()

    def check(self) -> None:
        """Raise Interrupted if the sitting was interrupted."""
        if self._made:
            raise Interrupted

    @contextlib.contextmanager
    def reaching(self, child: Killable) -> Iterator[None]:
        """Reach this child, too, while it sits."""
        with self._lock:
            self.check()
            self._children.append(child)
        try:
            yield
        finally:
            with self._lock:
                self._children.remove(child)


class TimeLimit(Interruption):
    """An interruption that is made by itself after some seconds, and with another one. Use it as a context."""

    def __init__(self, seconds: float, other: Interruption) -> None:
        super().__init__()
        self._timer = threading.Timer(seconds, self.make)
        self._timer.daemon = True
        self._reached = other.reaching(self)

    kill = Interruption.make

    def __enter__(self) -> "TimeLimit":
        self._reached.__enter__()
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._reached.__exit__(kind, error, trace)


def sit(
    sitter: Sitter,
    submission: Submission,
    syllabus: Syllabus,
    paper: Paper,
    steps: dict[str, frozenset[str]],
    timeout: float = TIMEOUT,
    on_step: OnStep | None = None,
    interruption: Interruption | None = None,
    trace: bool = False,
    budget: Budget | None = None,
    named: Mapping[str, frozenset[str]] | None = None,
) -> Answers:
    """Let a submission sit a paper.

    steps: by part, the steps to sit. timeout: seconds a step. on_step: called with each part and step as it begins, from any thread.
    trace: whether each step is traced, without going backward, up to the first case that fails; then `timeout` is for a case.
    budget: what the submission may take; that of one submission which is marked by default. named: as `answers_to` takes it.
    Returns the answers to all cases of these steps. Raises CannotSit, and Interrupted when `interruption` is made.
    """
    begun = time.monotonic()
    interruption, budget = interruption or Interruption(), budget or Budget(timeout=timeout)
    answers = Answers(submission.name)
    cases = {name: paper.of(name, wanted) for name, wanted in steps.items()}
    longest_first = sorted(steps, key=lambda name: -len(cases[name]))
    sittings = [
        _PartSitting(
            sitter, submission, syllabus.part(name), cases[name], timeout, on_step, interruption, trace, budget, named
        )
        for name in longest_first
    ]
    sat = dict(zip(longest_first, _run(sittings, sitter.process.together), strict=True))
    answers.parts |= {name: sat[name] for name in steps}
    answers.seconds = time.monotonic() - begun
    return answers


def _run(sittings: Sequence["_PartSitting"], together: int) -> list[PartAnswers]:
    """Run the sittings of parts, so many at a time. If one raises, the others are not waited for."""
    if min(together, len(sittings)) <= 1:
        return [sitting.run() for sitting in sittings]
    pool = ThreadPoolExecutor(together)
    try:
        return list(pool.map(_PartSitting.run, sittings))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


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
        interruption: Interruption,
        trace: bool,
        budget: Budget,
        named: Mapping[str, frozenset[str]] | None,
    ) -> None:
        self._sitter = sitter
        self._submission = submission
        self._part = part
        self._timeout = timeout
        self._on_step = on_step
        self._interruption = interruption
        self._trace = trace
        self._budget = budget
        self._named = named
        self._patience = timeout + GRACE if trace else timeout
        self._found = PartAnswers(part.name, frozenset(case.step for case in cases))
        self._cases = {step.name: [case for case in cases if case.step == step.name] for step in part.steps}
        self._waiting = [step.name for step in part.steps if self._cases[step.name]]
        self._current = ""
        self._loaded = False
        self._was_killed = False

    def run(self) -> PartAnswers:
        if problem := self._submission.problems.get(self._part.name):
            self._found.error = problem
            return self._found
        try:
            while self._waiting and not self._found.error:
                self._interruption.check()
                self._budget.open_child()
                with self._sitter.child() as child, self._interruption.reaching(child):
                    self._sit(child)
        except Spent as spent:
            self._give_up(spent)
        return self._found

    def _sit(self, child: Child) -> None:
        """Hand a child the steps that wait and listen until it is done or has to be ended."""
        self._current, self._loaded = "", False
        try:
            deadline = time.monotonic() + self._patience
            child.wire.limit(LARGEST_SITTING, self._budget.receive)
            self._send_job(child.wire, deadline)
            while True:
                with self._budget.waiting():
                    kind, body = child.wire.receive(deadline)
                if kind == DONE:
                    if not self._current and not self._found.error:
                        raise Garbled("done, with nothing begun")  # it would be asked again, for ever
                    self._complete(Failure(Verdict.MISSING, "no answer came back"))
                    return
                if self._take(kind, body):
                    self._budget.check_time()
                    deadline = time.monotonic() + self._patience
        except Spent:
            child.end()
            raise
        except Late:
            child.end()
            seconds = "1 second" if self._timeout == 1 else f"{self._timeout:g} seconds"
            self._end(Failure(Verdict.TIMED_OUT, f"not done after {seconds}. {_LOOP}"), _LOADING_LATE)
        except Closed:
            code = child.end()
            self._interruption.check()
            if code == -signal.SIGKILL and not self._was_killed:
                self._was_killed = True  # by a kernel without memory, perhaps, of which another's code took too much
                return
            message = _cause_of_death(code)
            self._end(Failure(Verdict.CRASHED, message), message)
        except Garbled as error:
            child.end()
            message = f"the process sent something that is no answer ({error}). {_BROKEN}"
            self._end(Failure(Verdict.CRASHED, message), message)

    def _send_job(self, wire: Wire, deadline: float) -> None:
        cases = tuple(case for step in self._waiting for case in self._cases[step])
        trace = self._timeout if self._trace else None
        send_job(wire, self._sitter.course, self._part.name, self._submission, cases, deadline, trace=trace)

    def _take(self, kind: bytes, body: bytes) -> bool:
        """Take one frame of the child's; tell whether a new allowance of time begins with it."""
        if kind == LOADED and not self._loaded:
            self._loaded = True
            self._found.error, self._found.notes = decode_loaded(body)
            return True
        if kind == BEGIN and self._loaded:
            step = body.decode("utf-8", "replace")
            if [one for one in self._waiting if one != self._current][:1] != [step]:
                raise Garbled("a step that is not the next one")
            self._complete(Failure(Verdict.MISSING, "no answer came back"))
            self._current = step
            if self._on_step:
                self._on_step(self._part.name, step)
            return True
        if kind == PRINTED:
            text = self._found.printed.get(self._current, "") + body.decode("utf-8", "replace")
            self._found.printed[self._current] = text[:MOST_PRINTED]
            return False
        cases = self._cases.get(self._current, ())
        if kind == TRACED and self._trace:
            case, trace = decode_trace(body)
            if case not in (one.path for one in cases):
                raise Garbled("a trace of a case that is not asked for")
            self._found.traces[case] = trace
            return True
        if kind == ANSWERS:
            found = answers_to(cases, body, self._named)
            self._found.answers |= {path: self._budget.keep(answer) for path, answer in found.items()}
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

    def _give_up(self, spent: Spent) -> None:
        """There is nothing left for what still waits."""
        failure = Failure(spent.kind, f"not run to its end: {spent}")
        if not self._loaded and not self._found.answers:
            self._found.error = replace(failure, message=f"{self._part.name} was {failure.message}")
            return
        self._current = ""
        for step in [*self._waiting]:
            self._fail(step, failure)

    def _end(self, failure: Failure, loading: str) -> None:
        """The child is gone: during a step that step has failed, before any step the whole part could not be loaded."""
        if self._current:
            self._complete(failure)
        else:
            self._found.error = Failure(failure.kind, f"loading {self._part.name} failed: {loading}")


def send_job(
    wire: Wire,
    course: Path,
    part: str,
    submission: Submission,
    cases: tuple[PaperCase, ...],
    deadline: float,
    trace: float | None = None,
    texts: Sequence[str] = (),
) -> None:
    """Hand a job to a child: to sit some cases of a part.

    trace: seconds a case, if it is to be traced. texts: definitions with each of which the cases are sat, in place of the submission's own.
    """
    modules = to_plain(submission.modules_for(part))
    job = {"course": str(course), "part": part, "modules": modules, "trace": trace, "texts": list(texts)}
    wire.send(JOB, encode(job), deadline)
    wire.send(PAPER, _frame_of(cases), deadline)


@functools.lru_cache(maxsize=64)
def _frame_of(cases: tuple[PaperCase, ...]) -> bytes:
    """Return cases as the body of a frame; a class sits the same ones again and again."""
    return join(*paper_to_bytes(Paper(cases)))


_LOOP = "Is there a loop that never ends?"
_BROKEN = (
    "Does this code change something of Python's, torch's or the grader's own, such as `builtins.len`? Take that out."
)
_LOADING_LATE = "it did not finish in time. Is there a loop, or other long work, outside your functions?"


def _cause_of_death(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"the process was ended by {signal.Signals(-code).name} while running this code"
    if code:
        asked = f"does it call `os._exit`?{f' {_BROKEN}' if code == OF_AN_ERROR else ''}"
        return f"the process ended with exit code {code} while running this code: {asked}"
    return "the process ended while running this code: does it call `os._exit`?"
