"""Running a submission: hand a child its job, take its answers, end what does not answer.

Free of torch. A step that hangs, crashes or exhausts memory costs that step alone: the run goes on with the next step in a fresh
child. A part runs in the child of the part before it if all was right there; what is not all right in such a child runs once more in a
fresh one, so that nothing that one part leaves behind costs another. A step whose cause is searched for runs with other texts in place
of some of its definitions: `Trials`.
"""

import contextlib
import functools
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import msgspec

from autograder.course import codec
from autograder.course.answer import Answer, Failure, Judge
from autograder.course.course import read_course
from autograder.course.trace import Trace
from autograder.course.verdicts import Verdict
from autograder.exam.model import Paper, PaperCase
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.runner.answers import Answers, PartAnswers, answers_to, decode_loaded, decode_trace
from autograder.runner.limits import TIMEOUT, WALL, Budget, Deadline, Spent
from autograder.runner.processes import Child, Runner
from autograder.runner.wire import MOST_PRINTED, Closed, Garbled, Kind, Late, Wire, encode
from autograder.submission.model import Submission

LARGEST_RUN = 16 << 20
"""Bytes that one child may send."""

GRACE = 1.0
"""Seconds that a child has to name the line where code that is traced has no time left."""

OF_AN_ERROR = 1
"""The exit code of a child that has failed with an error of its own."""

OnStep = Callable[[str, str], None]
IsRight = Callable[[str, Answer], bool]
_Part = tuple[SyllabusPart, tuple[PaperCase, ...]]


class Interrupted(Exception):
    """A run was interrupted before its end."""


class Killable(Protocol):
    """What ends when it is killed: a child."""

    def kill(self) -> None:
        """End it now."""


class Interruption:
    """With this, one thread ends the run that another waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: list[Killable] = []
        self._made = False

    def make(self) -> None:
        """Interrupt the run: its children are killed, and it raises Interrupted."""
        with self._lock:
            self._made = True
            for child in self._children:
                child.kill()

    kill = make

    def check(self) -> None:
        """Raise Interrupted if the run was interrupted."""
        if self._made:
            raise Interrupted

    @contextlib.contextmanager
    def reaching(self, child: Killable) -> Iterator[None]:
        """Reach this child, too, while it runs."""
        with self._lock:
            self.check()
            self._children.append(child)
        try:
            yield
        finally:
            with self._lock:
                self._children.remove(child)

    @contextlib.contextmanager
    def limited(self, seconds: float) -> Iterator["Interruption"]:
        """Give an interruption that is made by itself after some seconds, and with this one."""
        limit = Interruption()
        timer = threading.Timer(seconds, limit.make)
        timer.daemon = True
        with self.reaching(limit):
            timer.start()
            try:
                yield limit
            finally:
                timer.cancel()


@dataclass(frozen=True)
class _Terms:
    """The arguments of `run` that all parts of a run share."""

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


def run(
    runner: Runner,
    submission: Submission,
    syllabus: Syllabus,
    paper: Paper,
    steps: dict[str, frozenset[str]],
    timeout: float = TIMEOUT,
    on_step: OnStep | None = None,
    interruption: Interruption | None = None,
    trace: bool = False,
    named: Mapping[str, frozenset[str]] | None = None,
    is_right: IsRight | None = None,
) -> Answers:
    """Run a submission on the cases of a paper.

    steps: by part, the steps to run. timeout: seconds a step. on_step: called with each part and step as it begins, from any thread.
    trace: whether each step is traced, without going backward, up to the first case that fails; then `timeout` is for a case.
    named: as `answers_to` takes it.
    is_right: tells whether the answer to a case, by its path, is right; where nobody knows, each part has a child of its own.
    Returns the answers to all cases of these steps. Raises CannotRun, Interrupted when `interruption` is made, and
    BrokenCourse if the course's own judges cannot be imported.
    """
    begun = time.monotonic()
    interruption, budget = interruption or Interruption(), Budget(timeout)
    judges = read_course(runner.course).own_judges()
    shared = is_right if runner.process.forks else None
    terms = _Terms(runner, submission, timeout, on_step, interruption, trace, budget, named, shared, judges)
    cases = {name: paper.of(name, wanted) for name, wanted in steps.items()}
    longest_first = sorted(steps, key=lambda name: -len(cases[name]))
    found = _run_parts(terms, [(syllabus.part(name), cases[name]) for name in longest_first], runner.process.together)
    parts = {name: found[name] for name in steps}
    return Answers(submission.name, parts, time.monotonic() - begun)


def _run_parts(terms: _Terms, parts: Sequence[_Part], together: int) -> dict[str, PartAnswers]:
    """Run parts, so many at a time. If one raises, the others are not waited for."""
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
    """Run one part after the other until none waits, in the child of the one before as long as all is right there."""
    with contextlib.ExitStack() as kept:
        child: Child | None = None
        for part, cases in waiting:
            part_run = _PartRun(terms, part, cases)
            if not (child and part_run.is_right_in(child)):
                kept.close()
                part_run = _PartRun(terms, part, cases)
                child = part_run.run(kept)
            yield part.name, part_run.found


class _NotRight(Exception):
    """Something is not right in a child in which other parts have run."""


class _PartRun:
    """The run of one part: as many children, one after the other, as its steps make necessary."""

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
        """Run in a child in which other parts have run, up to what is not right there. Tell whether all is."""
        self._is_alone = False
        with contextlib.suppress(_NotRight, Spent):
            if not self.found.error:
                self._listen(child)
        return self._is_all_right

    def run(self, kept: contextlib.ExitStack) -> Child | None:
        """Run in fresh children. Return the last one if all is right in it: then it goes on until `kept` is closed."""
        try:
            while self._waiting and not self.found.error:
                self._interruption.check()
                self._budget.check_time()
                with contextlib.ExitStack() as own:
                    child = own.enter_context(self._terms.runner.child())
                    own.enter_context(self._interruption.reaching(child))
                    self._listen(child)
                    if self._is_all_right:
                        kept.enter_context(own.pop_all())
                        return child
        except Spent as spent:
            self._give_up(spent)
        return None

    @property
    def _is_all_right(self) -> bool:
        return self._is_right and not self._waiting and not self.found.error

    def _listen(self, child: Child) -> None:
        """Hand a child the steps that wait and listen until it is done or has to be ended."""
        self._current, self._loaded = "", False
        try:
            deadline, received = Deadline(self._patience, child.pid), 0
            cases = tuple(case for step in self._waiting for case in self._cases[step])
            terms, trace = self._terms, self._timeout if self._terms.trace else None
            _send_job(child.wire, terms.runner.course, self._part.name, terms.submission, cases, deadline, trace)
            while True:
                with self._budget.waiting(deadline):
                    kind, body = child.wire.receive(deadline)
                self._budget.receive(len(body))
                received += len(body)
                if received > LARGEST_RUN:
                    raise Garbled(f"more than {LARGEST_RUN >> 20} MB")
                if kind == Kind.DONE:
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

    def _take(self, kind: bytes, body: bytes) -> bool:
        """Take one frame of the child's; tell whether a new allowance of time begins with it."""
        if kind == Kind.LOADED and not self._loaded:
            self._loaded = True
            self.found.error, self.found.notes = decode_loaded(body)
            self._judge(not self.found.error and not self.found.notes)
            return True
        if kind == Kind.BEGIN and self._loaded:
            step = body.decode("utf-8", "replace")
            if [one for one in self._waiting if one != self._current][:1] != [step]:
                raise Garbled("a step that is not the next one")
            self._complete(Failure(Verdict.MISSING, "no answer came back"))
            self._current = step
            if self._terms.on_step:
                self._terms.on_step(self._part.name, step)
            return True
        if kind == Kind.PRINTED:
            text = self.found.printed.get(self._current, "") + body.decode("utf-8", "replace")
            self.found.printed[self._current] = text[:MOST_PRINTED]
            return False
        cases = self._cases.get(self._current, ())
        if kind == Kind.TRACED and self._terms.trace:
            self.found.traces |= decode_trace(body, cases)
            return True
        if kind == Kind.ANSWERS:
            found = answers_to(cases, body, self._terms.named, self._terms.judges)
            self.found.answers |= found
            is_right = self._terms.is_right
            self._judge(is_right is not None and all(is_right(path, answer) for path, answer in found.items()))
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


def _send_job(
    wire: Wire,
    course: Path,
    part: str,
    submission: Submission,
    cases: tuple[PaperCase, ...],
    deadline: Deadline | float,
    trace: float | None = None,
    texts: Sequence[str] = (),
) -> None:
    """Hand a job to a child: to run some cases of a part.

    trace: seconds a case, if it is to be traced. texts: definitions with each of which the cases are run, in place of the submission's own.
    """
    modules = msgspec.to_builtins(submission.code_of(part))
    job = {"course": str(course), "part": part, "modules": modules, "trace": trace, "texts": list(texts)}
    wire.send(Kind.JOB, encode(job), deadline)
    wire.send(Kind.PAPER, _frame_of(cases), deadline)


@functools.lru_cache(maxsize=64)
def _frame_of(cases: tuple[PaperCase, ...]) -> bytes:
    """Return cases as the body of a frame; a class runs the same ones again and again."""
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


LOADING, TRIAL = 2.0, 0.5
"""Seconds that loading the module may take, and a text on all cases."""


@dataclass(frozen=True)
class Trial:
    """What came of one text: its answers by case path, and its traces, where they were asked for."""

    answers: Mapping[str, Answer] = field(default_factory=dict)
    traces: Mapping[str, Trace] = field(default_factory=dict)


class Trials(contextlib.ExitStack):
    """Trials of one part of a submission, in one child for as long as it lives: a text that hangs or crashes costs itself alone.

    Use it as a context. deadline: a time of `time.monotonic`, after which nothing begins.
    """

    def __init__(
        self,
        runner: Runner,
        submission: Submission,
        part: str,
        deadline: float,
        interruption: Interruption | None = None,
    ) -> None:
        super().__init__()
        self._runner, self._submission, self._part = runner, submission, part
        self._judges = read_course(runner.course).own_judges()
        self._deadline = deadline
        self._interruption = interruption or Interruption()
        self._child: Child | None = None

    @property
    def is_over(self) -> bool:
        """Whether there is no time left."""
        return time.monotonic() > self._deadline

    def run(self, texts: Sequence[str], cases: tuple[PaperCase, ...], traced: bool = False) -> list[Trial]:
        """Return what comes of each text on some cases of a step, nothing of one that hangs or crashes; fewer if time runs out.

        A few texts at a time: they are all run. Raises CannotRun, and Interrupted when the interruption is made.
        """
        found: list[Trial] = []
        while len(found) < len(texts) and not self.is_over:
            self._interruption.check()
            try:
                self._run(texts[len(found) :], cases, traced, found)
            except (Late, Closed, Garbled):
                if self._child:
                    self._child.end()
                self.close()
                self._child = None
                self._interruption.check()
                if len(found) < len(texts):  # else it went wrong only once all had answered
                    found.append(Trial())
        return found

    def _run(self, texts: Sequence[str], cases: tuple[PaperCase, ...], traced: bool, found: list[Trial]) -> None:
        """Have a child run the texts, and add what comes of each when it comes."""
        if not self._child:
            self._child = self.enter_context(self._runner.child())
            self.enter_context(self._interruption.reaching(self._child))
        wire, waiting, traces = self._child.wire, len(texts), dict[str, Trace]()
        deadline, trace = time.monotonic() + LOADING, TRIAL if traced else None
        _send_job(wire, self._runner.course, self._part, self._submission, cases, deadline, trace, texts)
        while True:
            kind, body = wire.receive(deadline + TRIAL)
            if kind == Kind.DONE and not waiting:
                return
            if kind == Kind.TRACED and traced and waiting:
                traces |= decode_trace(body, cases)
            elif kind == Kind.ANSWERS and waiting:
                found.append(Trial(answers_to(cases, body, judges=self._judges), traces))
                waiting, traces = waiting - 1, {}
            else:
                raise Garbled(f"a frame of kind {kind!r}")
            deadline = time.monotonic()
