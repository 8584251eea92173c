"""Run a submission: send jobs to child processes, collect answers, end children that hang.

Each part runs in its own child. If a step hangs, crashes or exhausts memory, only that step fails:
the run continues with the next step in a fresh child. `Trials` run a step again, with some of its
definitions replaced, for a diagnosis. This module does not import torch.
"""

import contextlib
import functools
import math
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from autograder.course import codec
from autograder.course.answer import Answer, Failure, Judge, cut
from autograder.course.course import read_course
from autograder.course.trace import Trace
from autograder.course.verdicts import Verdict
from autograder.exam.model import Paper, PaperCase
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.runner.answers import (
    HANG_SIGNAL,
    MOST_NOTES,
    MOST_PRINTED,
    Answered,
    Answers,
    Begun,
    Done,
    Hung,
    Job,
    Loaded,
    PartAnswers,
    Printed,
    Reply,
    Traced,
    answers_to,
    decode_reply,
)
from autograder.runner.limits import TIMEOUT, Deadline
from autograder.runner.processes import Child, Runner
from autograder.runner.wire import Closed, Garbled, Late
from autograder.submission.model import Submission

HANG_SECONDS = 0.2
"""Processor time in which a late child reports where it runs."""

TIMEOUTS = 10
"""Number of timeouts in a run after which the remaining steps are not run."""

OnStep = Callable[[str, str], None]


class Interrupted(Exception):
    """A run was interrupted before its end."""


class Interruption:
    """A condition that ends a run.

    The condition is met after `seconds`, after a call of `make` in any thread, or if the interruption
    `outer` is met.
    """

    def __init__(self, seconds: float = math.inf, outer: "Interruption | None" = None) -> None:
        self._time, self._outer = time.monotonic() + seconds, outer

    def make(self) -> None:
        """Interrupt the run: from now on, `check` raises Interrupted."""
        self._time = min(self._time, time.monotonic())

    def check(self) -> None:
        """Raise Interrupted if the run was interrupted."""
        if time.monotonic() >= self._time:
            raise Interrupted
        if self._outer:
            self._outer.check()


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
) -> Answers:
    """Run a submission on the cases of a paper.

    steps: the names of the steps to run, by part. timeout: seconds per step.
    on_step: called with the names of the part and the step, in any thread, when a step begins.
    trace: whether to trace each step up to the first failed case, without backward passes.
    Returns the answers to all cases of the steps. Raises CannotRun, Interrupted if `interruption`
    is met, and BrokenCourse if the course's own modules cannot be imported.
    """
    begun, ends, judges = time.monotonic(), Interruption(outer=interruption), read_course(runner.course).own_judges()
    part_run = functools.partial(_PartRun, runner, submission, timeout, on_step, ends, trace, judges, [])
    runs = [part_run(syllabus.part(name), paper.of(name, wanted)) for name, wanted in steps.items()]
    if runner.together == 1 or len(runs) == 1:
        found = [one.run() for one in runs]  # in this thread, as a debugger needs
    else:
        with ThreadPoolExecutor(runner.together) as pool:
            try:
                found = list(pool.map(_PartRun.run, runs))
            except BaseException:
                ends.make()  # ends the parts in other threads
                raise
    return Answers(submission.name, {one.part: one for one in found}, time.monotonic() - begun)


@dataclass
class _PartRun:
    """The run of one part, in one child after another until all steps are done or loading fails.

    timeouts: the steps that have timed out, in any part; an empty name if a part was loading.
    """

    runner: Runner
    submission: Submission
    timeout: float
    on_step: OnStep | None
    interruption: Interruption
    trace: bool
    judges: Mapping[str, Judge]
    timeouts: list[str]
    part: SyllabusPart
    cases: Sequence[PaperCase]
    _current: str = ""
    _loaded: bool = False
    _was_killed: bool = False

    def __post_init__(self) -> None:
        name, asked = self.part.name, {case.step for case in self.cases}
        self._found = PartAnswers(name, frozenset(asked), error=self.submission.problems.get(name))
        self._waiting = [step.name for step in self.part.steps if step.name in asked]

    def run(self) -> PartAnswers:
        """Run the waiting steps in one child after another. Raises CannotRun, Interrupted."""
        while self._waiting and not self._found.error:
            self.interruption.check()
            if len(self.timeouts) >= TIMEOUTS:
                failure = Failure(Verdict.TIMED_OUT, f"not run: {TIMEOUTS} steps of yours have run out of time already")
                for step in [*self._waiting]:
                    self._fail(step, failure)
            else:
                with self.runner.child() as child:
                    self._listen(child)
        return self._found

    def _listen(self, child: Child) -> None:
        self._current, self._loaded, timeout = "", False, self.timeout
        new_deadline = functools.partial(Deadline, timeout, child.pid, self.interruption.check)
        try:
            deadline = new_deadline()
            cases = tuple(case for case in self.cases if case.step in self._waiting)
            _send_job(child, self.runner, self.part.name, self.submission, cases, self.trace)
            while not isinstance(reply := decode_reply(child.wire.receive(deadline)), Done):
                if self._take(reply):
                    deadline = new_deadline()
            if not self._current and not self._found.error:  # else the same steps would be sent again forever
                raise Garbled("an unexpected Done")
            self._complete(_NO_ANSWER)
        except Late:
            hung = _hung_at(child)
            child.end()
            self.timeouts.append(self._current)
            seconds = "1 second" if timeout == 1 else f"{timeout:g} seconds"
            self._end(Failure(Verdict.TIMED_OUT, f"not done after {seconds}. {_LOOP}", traceback=hung), _LOADING_LATE)
        except Closed:
            code = child.end()
            self.interruption.check()
            if code == -signal.SIGKILL and not self._was_killed:
                self._was_killed = True  # try once more: perhaps other programs used up the memory
                return
            message = _cause_of_death(code)
            self._end(Failure(Verdict.CRASHED, message), message)
        except Garbled as error:
            child.end()
            message = f"the process sent something that is no answer ({error}). {_BROKEN}"
            self._end(Failure(Verdict.CRASHED, message), message)

    def _take(self, reply: Reply) -> bool:
        """Record a reply of a child. Return whether the deadline begins again. Raises Garbled."""
        found, cases = self._found, [case for case in self.cases if case.step == self._current]
        match reply:
            case Loaded() as loaded if not self._loaded:
                self._loaded = True
                found.error = loaded.failure
                found.notes = tuple(cut(note) for note in loaded.notes[:MOST_NOTES] if note.strip())
                return True
            case Begun(step) if self._loaded:
                if [one for one in self._waiting if one != self._current][:1] != [step]:
                    raise Garbled("a step that is not the next one")
                self._complete(_NO_ANSWER)
                self._current = step
                if self.on_step:
                    self.on_step(self.part.name, step)
                return True
            case Printed(text):
                found.printed[self._current] = (found.printed.get(self._current, "") + text)[:MOST_PRINTED]
            case Traced(case, trace) if self.trace and case in (one.path for one in cases):
                is_first = case not in found.traces
                found.traces[case] = trace
                return is_first
            case Answered(answers):
                found.answers |= answers_to(cases, answers, self.judges)
            case _:
                raise Garbled(f"an unexpected {type(reply).__name__}")
        return False

    def _complete(self, missing: Failure) -> None:
        """End the current step, if any. Its cases without an answer get the failure `missing`."""
        if self._current:
            self._fail(self._current, missing)
            self._current = ""

    def _fail(self, step: str, failure: Failure) -> None:
        for case in (one for one in self.cases if one.step == step):
            self._found.answers.setdefault(case.path, Answer(failure=failure))
        self._waiting.remove(step)

    def _end(self, failure: Failure, loading: str) -> None:
        if self._current:
            self._complete(failure)
        else:
            message = f"loading {self.part.name} failed: {loading}"
            self._found.error = replace(failure, message=message)


def _hung_at(child: Child) -> str:
    """Return the traceback of a child that is late; "" if it sends none."""
    with contextlib.suppress(OSError, Late, Closed, Garbled):
        if HANG_SIGNAL and child.pid:
            os.kill(child.pid, HANG_SIGNAL)
            deadline = Deadline(HANG_SECONDS)
            while not isinstance(reply := decode_reply(child.wire.receive(deadline)), Hung):
                continue
            return cut(reply.traceback)
    return ""


def _send_job(
    child: Child,
    runner: Runner,
    part: str,
    submission: Submission,
    cases: tuple[PaperCase, ...],
    traced: bool = False,
    texts: Sequence[str] = (),
) -> None:
    course, code = str(runner.course), submission.code_of(part)
    job = Job(course, part, code, _encoded(cases), traced, tuple(texts))
    child.wire.send(codec.encode(job))


@functools.lru_cache(maxsize=64)
def _encoded(cases: tuple[PaperCase, ...]) -> bytes:
    return codec.encode(Paper(cases))


_NO_ANSWER = Failure(Verdict.MISSING, "no answer came back")
_LOOP = "Is there a loop that never ends, or does it sleep?"
_BROKEN = (
    "Does this code change something of Python's, torch's or the grader's own, such as `builtins.len`? Take that out."
)
_LOADING_LATE = "it did not finish in time. Is there a loop, or other long work, outside your functions?"


def _cause_of_death(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"the process was ended by {signal.Signals(-code).name} while running this code"
    ended = f"ended with exit code {code}" if code else "ended"
    return f"the process {ended} while running this code: does it call `os._exit`?"


LOADING, TRIAL = 2.0, 0.5
"""Time limits in seconds: of loading a module, and of a step with one text or one traced case."""


@dataclass(frozen=True)
class Trial:
    """The answers and traces of a step run with replaced definitions, by case path.

    Both are empty if the run hung or crashed. traces: also empty if no traces were requested.
    """

    answers: Mapping[str, Answer] = field(default_factory=dict)
    traces: Mapping[str, Trace] = field(default_factory=dict)


class Trials(contextlib.ExitStack):
    """A context manager that runs a part of a submission with definitions replaced by source texts.

    All texts run in one child. If a text hangs or crashes, the next text runs in a fresh child.
    """

    def __init__(self, runner: Runner, submission: Submission, part: str, interruption: Interruption) -> None:
        super().__init__()
        self._runner, self._submission, self._part = runner, submission, part
        self._judges = read_course(runner.course).own_judges()
        self._interruption = interruption
        self._child: Child | None = None

    def run(self, texts: Sequence[str], cases: tuple[PaperCase, ...], traced: bool = False) -> list[Trial]:
        """Run some cases of one step once for each text, with the text's definitions.

        Returns one trial per text, in order. Raises CannotRun, and Interrupted if the interruption is met.
        """
        found: list[Trial] = []
        while len(found) < len(texts):
            self._interruption.check()
            self._child = self._child or self.enter_context(self._runner.child())
            try:
                self._run(self._child, texts[len(found) :], cases, traced, found)
            except (Late, Closed, Garbled):
                self._child.end()
                self._child = None
                self.close()
                if len(found) < len(texts):  # else the error came after the answers to the last text
                    found.append(Trial())
        return found

    def _run(
        self, child: Child, texts: Sequence[str], cases: tuple[PaperCase, ...], traced: bool, found: list[Trial]
    ) -> None:
        within = functools.partial(Deadline, pid=child.pid, check=self._interruption.check)
        waiting, traces, deadline = len(texts), dict[str, Trace](), within(LOADING + TRIAL)
        _send_job(child, self._runner, self._part, self._submission, cases, traced, texts)
        while True:
            match decode_reply(child.wire.receive(deadline)):
                case Done() if not waiting:
                    return
                case Traced(case, one) if traced and waiting and case in (asked.path for asked in cases):
                    traces[case] = one
                case Answered(answers) if waiting:
                    found.append(Trial(answers_to(cases, answers, self._judges), traces))
                    waiting, traces = waiting - 1, {}
                case reply:
                    raise Garbled(f"an unexpected {type(reply).__name__}")
            deadline = within(TRIAL)
