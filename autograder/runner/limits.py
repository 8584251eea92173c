"""What one submission may take of the judge's memory and time, over all of its parts and children, asked at every frame."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.course.answer import Answer, without_numbers
from autograder.course.verdicts import Verdict
from autograder.runner.deadline import Deadline
from autograder.runner.timeouts import TIMEOUT

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What there is for one submission; an honest one takes a twentieth of each.

    received: bytes that its children may send. kept: bytes of numbers and texts that are kept of these. children: how many
    processes it may have. timeouts: how many times what one step has of time it may take in all.
    """

    received: int = 64 * MEGABYTE
    kept: int = 16 * MEGABYTE
    children: int = 100
    timeouts: int = 10


SITTING = Limits()
"""For a submission that is marked."""

SEARCH = Limits(children=2_000)
"""For the search of one step's cause, which has a time of its own and keeps nothing afterwards."""

SHORTEST_ALLOWANCE = 1.0
"""Seconds that count as a step's time where a shorter one is asked for: an honest submission takes as long on a busy machine."""


class Spent(Exception):
    """A submission has taken all that there was for it. The message says of what; kind is the verdict on what is left of it."""

    def __init__(self, kind: Verdict, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Budget:
    """What is left for one submission, whose parts may sit in several threads. timeout: seconds a step."""

    def __init__(self, limits: Limits = SITTING, timeout: float = TIMEOUT) -> None:
        self._limits = limits
        self._seconds = limits.timeouts * max(timeout, SHORTEST_ALLOWANCE)
        self._lock = threading.Lock()
        self._received = self._kept = self._children = 0
        self._waited = 0.0

    def open_child(self) -> None:
        """Count one process more. Raises Spent, too where there is no time for one."""
        self.check_time()
        with self._lock:
            self._children += 1
        if self._children > self._limits.children:
            raise Spent(Verdict.CRASHED, f"your code has ended {self._limits.children} processes")

    def receive(self, size: int) -> None:
        """Count what comes, before it is read. Raises Spent."""
        with self._lock:
            self._received += size
        if self._received > self._limits.received:
            raise Spent(Verdict.CRASHED, f"more than {self._limits.received // MEGABYTE} MB came back from your code")

    def keep(self, answer: Answer) -> Answer:
        """Return an answer as it is kept: of its tensors the shapes alone, where there is no more room."""
        with self._lock:
            self._kept += answer.size
        return answer if self._kept <= self._limits.kept else without_numbers(answer)

    @contextlib.contextmanager
    def waiting(self, deadline: Deadline) -> Iterator[None]:
        """Count how much of a deadline is used up meanwhile."""
        before = deadline.used
        try:
            yield
        finally:
            with self._lock:
                self._waited += max(0.0, deadline.used - before)

    def check_time(self) -> None:
        """Raise Spent if there is no time left; what has begun before that has its own."""
        if self._waited >= self._seconds:
            raise Spent(
                Verdict.TIMED_OUT, f"your code has taken the {self._seconds:g} seconds that there are for all steps"
            )
