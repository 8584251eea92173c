"""Mark saved modules and search for causes in threads. A newer order interrupts an older one."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.check import check
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks
from autograder.runner.processes import CannotRun, Runner
from autograder.runner.run import Interruption
from autograder.student.practice import read_exercises
from autograder.student.watch.state import Explained
from autograder.submission.model import Submission

LONG = 0.5
"""Seconds after which the screen says what is running and that another save ends it."""

Made = Marks | Explained | Exception
"""The result of an order, or the error that prevents it."""


class Marker:
    """Marks the modules of a folder and searches for causes, in threads that work one at a time.

    timeout: seconds a step may take. seconds: the limit of the search for one cause.
    """

    def __init__(self, runner: Runner, exam: Exam, folder: Path, timeout: float, seconds: float) -> None:
        self._runner, self._exam, self._folder = runner, exam, folder
        self._timeout, self._seconds = timeout, seconds
        self._marked: dict[str, tuple[Submission, Marks]] = {}
        self._at_work = threading.Lock()
        self._interruption = Interruption()
        self._made: queue.SimpleQueue[tuple[Interruption, Made]] = queue.SimpleQueue()
        self._at = "", 0.0

    def order(self, steps: Sequence[SyllabusStep]) -> None:
        """Start to mark steps, and interrupt the work that is going on."""
        self._begin(lambda interruption: self._check(steps, interruption))

    def explain(self, step: SyllabusStep) -> None:
        """Start to search for a step's cause in its marked text, and interrupt the work that is going on."""
        self._begin(lambda interruption: self._explain(step, interruption))

    def wait(self, seconds: float) -> Made | None:
        """Return the result of the last order, or None if it is not there after this time."""
        with contextlib.suppress(queue.Empty):
            interruption, made = self._made.get(timeout=seconds)
            return made if interruption is self._interruption else None
        return None

    @property
    def slow(self) -> str | None:
        """The step whose check takes long, or an empty string before the first step; None if none does."""
        step, begun = self._at
        return step if time.monotonic() - begun > LONG else None

    def _begin(self, work: Callable[[Interruption], Made]) -> None:
        self._interruption.make()
        self._interruption = Interruption()
        threading.Thread(target=self._do, args=(work, self._interruption), daemon=True).start()

    def _do(self, work: Callable[[Interruption], Made], interruption: Interruption) -> None:
        made: Made
        with self._at_work:
            self._at = "", time.monotonic()
            try:
                interruption.check()
                try:
                    made = work(interruption)
                except CannotRun:  # the process died during a run; a new one tries again
                    made = work(interruption)
            except Exception as error:  # the receiver explains known errors and raises others
                made = error
            self._made.put((interruption, made))

    def _note(self, part: str, step: str) -> None:
        self._at = f"{part}.{step}", time.monotonic()

    def _check(self, steps: Sequence[SyllabusStep], interruption: Interruption) -> Marks:
        submission = read_exercises(self._folder, steps)
        marks = check(self._exam, submission, steps, self._runner, self._timeout, self._note, interruption)
        self._marked |= {part.part: (submission, replace(marks, parts=(part,))) for part in marks.parts}
        return marks

    def _explain(self, step: SyllabusStep, interruption: Interruption) -> Explained:
        from autograder.diagnosis.find import find_causes  # slow to import

        submission, marks = self._marked[step.part]
        (part,) = marks.parts
        alone = replace(marks, parts=(replace(part, steps=tuple(one for one in part.steps if one.step == step.name)),))
        found = find_causes(alone, self._exam, submission, self._runner, self._seconds, self._timeout, interruption)
        return Explained(step.path, found.parts[0].steps[0])
