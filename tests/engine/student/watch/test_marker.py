"""What was ordered last is marked."""

import queue
import threading
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import Marks, StepMarks
from autograder.runner.processes import CannotRun
from autograder.runner.run import Interruption, OnStep
from autograder.student.watch import marker
from autograder.student.watch.marker import LONG, Marker
from autograder.student.watch.state import Explained, State

PATIENCE = 30.0


class Desk:
    """A marker whose steps take as long as a test wants them to. now: the time. deaths: how many processes die."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.deaths = 0
        self._begun: queue.Queue[str] = queue.Queue()
        self._may_end = threading.Semaphore(0)
        self.marker = Marker(self._check, self._explain)
        monkeypatch.setattr(marker, "time", SimpleNamespace(monotonic=lambda: self.now))

    def _check(self, steps: Sequence[SyllabusStep], on_step: OnStep, interruption: Interruption) -> Marks:
        for step in steps:
            on_step(step.part, step.name)
            self._begun.put(step.name)
            assert self._may_end.acquire(timeout=PATIENCE)
            interruption.check()
        self.deaths -= 1
        if self.deaths >= 0:
            raise CannotRun("the process has died.")
        return Marks(",".join(step.name for step in steps), "", "", "", 0.0, "", ())

    def _explain(self, step: SyllabusStep, interruption: Interruption) -> StepMarks:
        self._check([step], lambda *_: None, interruption)
        return StepMarks(f"{step.name} explained", Verdict.WRONG_VALUES, 0.0, 1.0)

    def next_step(self) -> str:
        """Return the step that has begun."""
        return self._begun.get(timeout=PATIENCE)

    def end_step(self) -> None:
        """Let the step that has begun end."""
        self._may_end.release()

    def result(self) -> str:
        """Return what comes of the last order: the steps that were marked or explained, or why they were not."""
        made = self.marker.wait(PATIENCE)
        if isinstance(made, Explained):
            return made.marks.step
        return made.submission if isinstance(made, Marks) else str(made)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_an_order_is_marked(desk: Desk, state: State) -> None:
    desk.marker.order(state.steps[:1])
    desk.end_step()
    assert desk.result() == "dot_product"


def test_an_order_ends_the_one_under_way(desk: Desk, state: State) -> None:
    desk.marker.order(state.steps[:2])
    desk.next_step()
    desk.marker.order(state.steps[2:3])
    desk.end_step()
    assert desk.next_step() == "softmax"
    desk.end_step()
    assert [desk.marker.wait(PATIENCE), desk.result()] == [None, "softmax"]  # nothing comes of the first


def test_the_cause_of_a_step_is_searched_for(desk: Desk, state: State) -> None:
    desk.marker.explain(state.steps[0])
    desk.end_step()
    assert desk.result() == "dot_product explained"


def test_an_order_ends_the_search_and_nothing_comes_of_that(desk: Desk, state: State) -> None:
    desk.marker.explain(state.steps[0])
    desk.next_step()
    desk.marker.order(state.steps[2:3])
    desk.end_step()
    assert desk.next_step() == "softmax"
    desk.end_step()
    assert [desk.marker.wait(PATIENCE), desk.result()] == [None, "softmax"]


def test_nothing_comes_of_what_was_ended(desk: Desk, state: State) -> None:
    desk.marker.explain(state.steps[0])
    desk.next_step()
    desk.marker.end()
    desk.end_step()
    assert desk.marker.wait(PATIENCE) is None


def test_a_process_that_dies_in_mid_sitting_is_passed_over(desk: Desk, state: State) -> None:
    desk.deaths = 1
    desk.marker.order(state.steps[:1])
    desk.end_step()
    desk.end_step()
    assert desk.result() == "dot_product"


def test_the_step_that_takes_long_is_known(desk: Desk, state: State) -> None:
    desk.marker.order(state.steps[:1])
    desk.next_step()
    at_first = desk.marker.slow
    desk.now += 2 * LONG
    assert (at_first, desk.marker.slow) == (None, "part1_simplified.dot_product")
    desk.end_step()
