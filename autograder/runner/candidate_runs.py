"""Trials: a step sits its cases again and again, each time with another text in place of some of its definitions.

They run in a child like any sitting, and are bounded like one: a text that hangs or crashes costs itself alone.
"""

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType

from autograder.course.answer import Answer
from autograder.course.course import read_course
from autograder.course.trace import Trace
from autograder.exam.model import PaperCase
from autograder.runner.answers import answers_to
from autograder.runner.limits import SEARCH, Budget, Spent
from autograder.runner.processes import Child, Runner
from autograder.runner.run import Interruption, send_job
from autograder.runner.wire import (
    ANSWERS,
    DONE,
    LARGEST_SITTING,
    TRACED,
    Closed,
    Garbled,
    Late,
    decode_trace,
)
from autograder.submission.model import Submission

LOADING, TRIAL = 2.0, 0.5
"""Seconds that loading the module may take, and a text on all cases."""


@dataclass(frozen=True)
class Trial:
    """What came of one text: its answers by case path, and its traces, where they were asked for."""

    answers: Mapping[str, Answer] = field(default_factory=dict)
    traces: Mapping[str, Trace] = field(default_factory=dict)


class Trials:
    """Trials of one part of a submission, in one child for as long as it lives.

    Use it as a context. deadline: a time of `time.monotonic`, after which nothing begins. budget: what they may take, after which
    nothing begins either.
    """

    def __init__(
        self,
        runner: Runner,
        submission: Submission,
        part: str,
        deadline: float,
        interruption: Interruption | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._budget = budget or Budget(SEARCH)
        self._is_spent = False
        self._runner, self._submission, self._part = runner, submission, part
        self._judges = read_course(runner.course).own_judges()
        self._deadline = deadline
        self._interruption = interruption or Interruption()
        self._stack = contextlib.ExitStack()
        self._child: Child | None = None

    def __enter__(self) -> "Trials":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def is_over(self) -> bool:
        """Whether there is no time left, or nothing else that they take."""
        return self._is_spent or time.monotonic() > self._deadline

    def run(self, texts: Sequence[str], cases: tuple[PaperCase, ...], traced: bool = False) -> list[Trial]:
        """Return what comes of each text on some cases of a step, nothing of one that hangs or crashes; fewer if time runs out.

        A few texts at a time: they are all run. Raises CannotSit, and Interrupted when the interruption is made.
        """
        found: list[Trial] = []
        while len(found) < len(texts) and not self.is_over:
            self._interruption.check()
            try:
                self._run(texts[len(found) :], cases, traced, found)
            except (Late, Closed, Garbled, Spent) as error:
                self._is_spent = isinstance(error, Spent)
                self._drop()
                self._interruption.check()
                if len(found) < len(texts):  # else it went wrong only once all had answered
                    found.append(Trial())
        return found

    def _run(self, texts: Sequence[str], cases: tuple[PaperCase, ...], traced: bool, found: list[Trial]) -> None:
        """Have a child run the texts, and add what comes of each when it comes."""
        wire, waiting, traces = self._open().wire, len(texts), dict[str, Trace]()
        deadline, trace = time.monotonic() + LOADING, TRIAL if traced else None
        wire.limit(LARGEST_SITTING, self._budget.receive)
        asked = [case.path for case in cases]
        send_job(wire, self._runner.course, self._part, self._submission, cases, deadline, trace, texts)
        while True:
            kind, body = wire.receive(deadline + TRIAL)
            if kind == DONE and not waiting:
                return
            if kind == TRACED and traced and waiting:
                case, trace_of_case = decode_trace(body)
                if case not in asked:
                    raise Garbled("a trace of a case that is not asked for")
                traces[case] = trace_of_case
            elif kind == ANSWERS and waiting:
                found.append(Trial(answers_to(cases, body, judges=self._judges), traces))
                waiting, traces = waiting - 1, {}
            else:
                raise Garbled(f"a frame of kind {kind!r}")
            deadline = time.monotonic()

    def _open(self) -> Child:
        """Return the child that is there, else a new one."""
        if not self._child:
            self._budget.open_child()
            self._child = self._stack.enter_context(self._runner.child())
            self._stack.enter_context(self._interruption.reaching(self._child))
        return self._child

    def _drop(self) -> None:
        """End the child: it hangs, or has crashed."""
        if self._child:
            self._child.end()
            self._stack.close()
            self._child = None
