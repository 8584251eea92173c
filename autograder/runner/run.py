"""The host's side of a sitting: hand a child its job, take its answers, end what does not answer.

Free of torch. A step that hangs, crashes or exhausts memory costs that step alone: the sitting goes on with the next step
in a fresh child. A part sits in the child of the part before it if all was right there; what is not all right in such a child sits
once more in a fresh one, so that nothing that one part leaves behind costs another.
"""

import contextlib
import functools
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Protocol

from autograder.course import codec
from autograder.course.answer import Answer, Failure, Judge
from autograder.course.course import read_course
from autograder.course.verdicts import Verdict
from autograder.exam.model import Paper, PaperCase
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.runner.answers import Answers, PartAnswers, answers_to
from autograder.runner.deadline import WALL, Deadline
from autograder.runner.limits import Budget, Spent
from autograder.runner.processes import Child, Runner
from autograder.runner.timeouts import TIMEOUT
from autograder.runner.wire import (
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
)
from autograder.submission.model import Submission, to_plain

GRACE = 1.0
"""Seconds that a child has to name the line where code that is traced has no time left."""

OF_AN_ERROR = 1
"""The exit code of a child that has failed with an error of its own."""

OnStep = Callable[[str, str], None]
IsRight = Callable[[str, Answer], bool]
_Part = tuple[SyllabusPart, tuple[PaperCase, ...]]


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


@dataclass(frozen=True)
class _Terms:
    """What all parts of a sitting have in common, as `sit` takes it."""

    runner: Runner
    submission: Submission
    timeout: float
    on_step: OnStep | None
    interruption: Interruption
    trace: bool
    budget: Budget
    named: Mapping[str, frozenset[str]] | None
    is_right: IsRight | None
    judges: Mapping[str, Judge]


def sit(
    runner: Runner,
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
    is_right: IsRight | None = None,
) -> Answers:
    """Let a submission sit a paper.

    steps: by part, the steps to sit. timeout: seconds a step. on_step: called with each part and step as it begins, from any thread.
    trace: whether each step is traced, without going backward, up to the first case that fails; then `timeout` is for a case.
    budget: what the submission may take; that of one submission which is marked by default. named: as `answers_to` takes it.
    is_right: tells whether the answer to a case, by its path, is right; where nobody knows, each part has a child of its own.
    Returns the answers to all cases of these steps. Raises CannotSit, Interrupted when `interruption` is made, and
    BrokenCourse if the course's own judges cannot be imported.
    """
    begun = time.monotonic()
    interruption, budget = interruption or Interruption(), budget or Budget(timeout=timeout)
    judges = read_course(runner.course).own_judges()
    shared = is_right if runner.process.forks else None
    terms = _Terms(runner, submission, timeout, on_step, interruption, trace, budget, named, shared, judges)
    cases = {name: paper.of(name, wanted) for name, wanted in steps.items()}
    longest_first = sorted(steps, key=lambda name: -len(cases[name]))
    sat = _run(terms, [(syllabus.part(name), cases[name]) for name in longest_first], runner.process.together)
    parts = {name: sat[name] for name in steps}
    return Answers(submission.name, parts, time.monotonic() - begun)


def _run(terms: _Terms, parts: Sequence[_Part], together: int) -> dict[str, PartAnswers]:
    """Let parts sit, so many at a time. If one raises, the others are not waited for."""
    waiting = iter(parts)
    if min(together, len(parts)) <= 1:
        return dict(_in_turn(terms, waiting))
    pool = ThreadPoolExecutor(together)
    try:
        turns = [pool.submit(lambda: dict(_in_turn(terms, waiting))) for _ in range(together)]
        return {name: found for turn in as_completed(turns) for name, found in turn.result().items()}
    finally:
        deque(waiting, maxlen=0)  # what nobody has taken is left
        pool.shutdown(wait=False)


def _in_turn(terms: _Terms, waiting: Iterator[_Part]) -> Iterator[tuple[str, PartAnswers]]:
    """Let one part after the other sit until none waits, in the child of the one before as long as all is right there."""
    with contextlib.ExitStack() as kept:
        child: Child | None = None
        for part, cases in waiting:
            sitting = _PartRun(terms, part, cases)
            if not (child and sitting.is_right_in(child)):
                kept.close()
                sitting = _PartRun(terms, part, cases)
                child = sitting.run(kept)
            yield part.name, sitting.found


class _NotRight(Exception):
    """Something is not right in a child in which other parts have sat."""


class _PartRun:
    """The sitting of one part: as many children, one after the other, as its steps make necessary."""

    def __init__(self, terms: _Terms, part: SyllabusPart, cases: Sequence[PaperCase]) -> None:
        self._terms = terms
        self._part = part
        self._budget = terms.budget
        self._interruption = terms.interruption
        self._timeout = terms.timeout
        self._patience = terms.timeout + GRACE if terms.trace else terms.timeout
        self.found = PartAnswers(
            part.name, frozenset(case.step for case in cases), error=terms.submission.problems.get(part.name)
        )
        self._cases = {step.name: [case for case in cases if case.step == step.name] for step in part.steps}
        self._waiting = [step.name for step in part.steps if self._cases[step.name]]
        self._current = ""
        self._loaded = False
        self._was_killed = False
        self._is_alone = True
        self._is_right = terms.is_right is not None

    def is_right_in(self, child: Child) -> bool:
        """Sit in a child in which other parts have sat, up to what is not right there. Tell whether all is."""
        self._is_alone = False
        with contextlib.suppress(_NotRight, Spent):
            if not self.found.error:
                self._sit(child)
        return self._is_all_right

    def run(self, kept: contextlib.ExitStack) -> Child | None:
        """Sit in fresh children. Return the last one if all is right in it: then it goes on until `kept` is closed."""
        try:
            while self._waiting and not self.found.error:
                self._interruption.check()
                self._budget.open_child()
                with contextlib.ExitStack() as own:
                    child = own.enter_context(self._terms.runner.child())
                    own.enter_context(self._interruption.reaching(child))
                    self._sit(child)
                    if self._is_all_right:
                        kept.enter_context(own.pop_all())
                        return child
        except Spent as spent:
            self._give_up(spent)
        return None

    @property
    def _is_all_right(self) -> bool:
        return self._is_right and not self._waiting and not self.found.error

    def _sit(self, child: Child) -> None:
        """Hand a child the steps that wait and listen until it is done or has to be ended."""
        self._current, self._loaded = "", False
        try:
            deadline = Deadline(self._patience, child.pid)
            child.wire.limit(LARGEST_SITTING, self._budget.receive)
            self._send_job(child.wire, deadline)
            while True:
                with self._budget.waiting(deadline):
                    kind, body = child.wire.receive(deadline)
                if kind == DONE:
                    if not self._current and not self.found.error:
                        raise Garbled("done, with nothing begun")  # it would be asked again, for ever
                    self._complete(Failure(Verdict.MISSING, "no answer came back"))
                    return
                if self._take(kind, body):
                    self._budget.check_time()
                    deadline = Deadline(self._patience, child.pid)
        except (Spent, _NotRight):
            child.end()
            raise
        except Late:
            limit, reason = (self._timeout, _LOOP) if deadline.is_computed else (WALL * self._timeout, _SLEEP)
            child.end()
            seconds = "1 second" if limit == 1 else f"{limit:g} seconds"
            self._end(Failure(Verdict.TIMED_OUT, f"not done after {seconds}. {reason}"), _LOADING_LATE)
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

    def _send_job(self, wire: Wire, deadline: Deadline) -> None:
        cases = tuple(case for step in self._waiting for case in self._cases[step])
        terms = self._terms
        trace = terms.timeout if terms.trace else None
        send_job(wire, terms.runner.course, self._part.name, terms.submission, cases, deadline, trace=trace)

    def _take(self, kind: bytes, body: bytes) -> bool:
        """Take one frame of the child's; tell whether a new allowance of time begins with it."""
        if kind == LOADED and not self._loaded:
            self._loaded = True
            self.found.error, self.found.notes = decode_loaded(body)
            self._judge(not self.found.error and not self.found.notes)
            return True
        if kind == BEGIN and self._loaded:
            step = body.decode("utf-8", "replace")
            if [one for one in self._waiting if one != self._current][:1] != [step]:
                raise Garbled("a step that is not the next one")
            self._complete(Failure(Verdict.MISSING, "no answer came back"))
            self._current = step
            if self._terms.on_step:
                self._terms.on_step(self._part.name, step)
            return True
        if kind == PRINTED:
            text = self.found.printed.get(self._current, "") + body.decode("utf-8", "replace")
            self.found.printed[self._current] = text[:MOST_PRINTED]
            return False
        cases = self._cases.get(self._current, ())
        if kind == TRACED and self._terms.trace:
            case, trace = decode_trace(body)
            if case not in (one.path for one in cases):
                raise Garbled("a trace of a case that is not asked for")
            self.found.traces[case] = trace
            return True
        if kind == ANSWERS:
            found = answers_to(cases, body, self._terms.named, self._terms.judges)
            kept = {path: self._budget.keep(answer) for path, answer in found.items()}
            self.found.answers |= kept
            is_right = self._terms.is_right
            self._judge(is_right is not None and all(is_right(path, answer) for path, answer in kept.items()))
            return False
        raise Garbled(f"a frame of kind {kind!r}")

    def _judge(self, is_right: bool) -> None:
        """Take note of whether what came is right. Raises _NotRight if it is not, and may be so for what other parts have left behind."""
        self._is_right &= is_right
        if not is_right and not self._is_alone:
            raise _NotRight

    def _complete(self, missing: Failure) -> None:
        """The current step is over: what it did not answer has failed."""
        if self._current:
            self._fail(self._current, missing)
            self._current = ""

    def _fail(self, step: str, failure: Failure) -> None:
        for case in self._cases[step]:
            if case.path not in self.found.answers:
                self.found.answers[case.path] = Answer(failure=failure)
                self._is_right = False
        self._waiting.remove(step)

    def _give_up(self, spent: Spent) -> None:
        """There is nothing left for what still waits."""
        failure = Failure(spent.kind, f"not run to its end: {spent}")
        if not self._loaded and not self.found.answers:
            self.found.error = replace(failure, message=f"{self._part.name} was {failure.message}")
            return
        self._current = ""
        for step in [*self._waiting]:
            self._fail(step, failure)

    def _end(self, failure: Failure, loading: str) -> None:
        """The child is gone: during a step that step has failed, before any step the whole part could not be loaded."""
        if self._current:
            self._complete(failure)
        else:
            self.found.error = Failure(failure.kind, f"loading {self._part.name} failed: {loading}")


def send_job(
    wire: Wire,
    course: Path,
    part: str,
    submission: Submission,
    cases: tuple[PaperCase, ...],
    deadline: Deadline | float,
    trace: float | None = None,
    texts: Sequence[str] = (),
) -> None:
    """Hand a job to a child: to sit some cases of a part.

    trace: seconds a case, if it is to be traced. texts: definitions with each of which the cases are sat, in place of the submission's own.
    """
    modules = to_plain(submission.code_of(part))
    job = {"course": str(course), "part": part, "modules": modules, "trace": trace, "texts": list(texts)}
    wire.send(JOB, encode(job), deadline)
    wire.send(PAPER, _frame_of(cases), deadline)


@functools.lru_cache(maxsize=64)
def _frame_of(cases: tuple[PaperCase, ...]) -> bytes:
    """Return cases as the body of a frame; a class sits the same ones again and again."""
    return codec.encode(Paper(cases))


_LOOP = "Is there a loop that never ends?"
_SLEEP = "Is there a loop that never ends, or does it sleep?"
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
