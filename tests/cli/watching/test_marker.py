"""What was saved is marked, even where other saves come meanwhile."""

import queue
import threading
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from autograder.cli.watching import marker
from autograder.cli.watching.events import Begun, Event, Failed, Marked
from autograder.cli.watching.marker import LONG, Marker
from autograder.marking.marks import Marks, PartMarks
from autograder.sitting.host import Interruption, OnStep

PATIENCE = 30.0


class Desk:
    """A marker whose steps take as long as a test wants them to.

    steps: how many an order has. now: the time.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 1
        self.now = 0.0
        self.events: queue.Queue[Event] = queue.Queue()
        self._begun: queue.Queue[tuple[str, ...]] = queue.Queue()
        self._may_end = threading.Semaphore(0)
        self.marker = Marker(self._check, self.events.put)
        monkeypatch.setattr(marker, "time", SimpleNamespace(monotonic=lambda: self.now))
        threading.Thread(target=self.marker.follow, daemon=True).start()

    def _check(self, parts: Sequence[str], on_step: OnStep, interruption: Interruption) -> Marks:
        for _ in range(self.steps):
            on_step(parts[0], "step")
            self._begun.put(tuple(parts))
            assert self._may_end.acquire(timeout=PATIENCE)
            interruption.check()
        if "broken" in parts:
            raise ValueError("nothing to mark")
        return Marks("", "", "", "", 0.0, "", tuple(PartMarks(part, None, ()) for part in parts))

    def next_step(self) -> tuple[str, ...]:
        """Return the parts whose step has begun."""
        return self._begun.get(timeout=PATIENCE)

    def end_step(self) -> None:
        """Let the step that has begun end."""
        self._may_end.release()

    def next_end(self) -> Marked | Failed:
        """Return what comes of the order under way."""
        while isinstance(event := self.events.get(timeout=PATIENCE), Begun):
            pass
        assert isinstance(event, Marked | Failed)
        return event


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def parts_of(event: Marked | Failed) -> tuple[str, ...]:
    assert isinstance(event, Marked)
    return tuple(part.part for part in event.marks.parts)


def test_an_order_is_marked(desk: Desk) -> None:
    desk.marker.order(["one"])
    desk.end_step()
    assert parts_of(desk.next_end()) == ("one",)


def test_a_part_saved_while_another_is_marked_is_marked_with_it(desk: Desk) -> None:
    desk.marker.order(["two"])
    desk.next_step()
    desk.marker.order(["one"])
    desk.end_step()
    assert desk.next_step() == ("one", "two")


def test_a_part_that_has_its_marks_is_not_marked_again_with_the_next(desk: Desk) -> None:
    desk.marker.order(["one"])
    assert desk.next_step() == ("one",)
    desk.end_step()
    desk.next_end()
    desk.marker.order(["two"])
    assert desk.next_step() == ("two",)


def test_a_step_that_takes_long_is_given_up_for_what_is_saved_next(desk: Desk) -> None:
    desk.marker.order(["endless"])
    desk.next_step()
    desk.now += 2 * LONG
    desk.marker.order(["one"])
    desk.end_step()
    assert desk.next_step() == ("one",)


def test_steps_that_take_long_together_are_not_given_up(desk: Desk) -> None:
    desk.steps = 2
    desk.marker.order(["two"])
    desk.next_step()
    desk.now += 2 * LONG
    desk.end_step()
    desk.next_step()
    desk.marker.order(["one"])
    desk.end_step()
    assert desk.next_step() == ("one", "two")


def test_a_part_that_waits_is_not_given_up_with_what_takes_long(desk: Desk) -> None:
    desk.marker.order(["endless"])
    desk.next_step()
    desk.now += 2 * LONG
    desk.marker.order(["one"])
    desk.marker.order(["two"])
    desk.end_step()
    assert desk.next_step() == ("one", "two")


def test_what_could_not_be_marked_is_marked_with_the_next_save(desk: Desk) -> None:
    desk.marker.order(["broken"])
    desk.next_step()
    desk.end_step()
    assert isinstance(desk.next_end(), Failed)
    desk.now += 2 * LONG
    desk.marker.order(["one"])
    assert desk.next_step() == ("broken", "one")


def test_it_owes_marks_until_they_come(desk: Desk) -> None:
    desk.marker.order(["one"])
    desk.next_step()
    owed = desk.marker.owes
    desk.end_step()
    desk.next_end()
    assert (owed, desk.marker.owes) == (True, False)
