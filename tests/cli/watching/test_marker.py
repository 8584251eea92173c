"""What was saved is marked, even where other saves come meanwhile."""

import queue
import threading
from collections.abc import Sequence

import pytest

from autograder.cli.watching import marker
from autograder.cli.watching.events import Begun, Event, Failed, Marked
from autograder.cli.watching.marker import Marker
from autograder.marking.marks import Marks, PartMarks
from autograder.sitting.host import Interruption, OnStep

PATIENCE = 30.0


class Desk:
    """A marker whose marking takes as long as a test wants it to. long: the seconds from which on that is long."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, long: float = 2 * PATIENCE) -> None:
        monkeypatch.setattr(marker, "LONG", long)
        self.events: queue.Queue[Event] = queue.Queue()
        self.arrived: queue.Queue[tuple[str, ...]] = queue.Queue()
        self.let_go = threading.Semaphore(0)
        self.marker = Marker(self._check, self.events.put)
        threading.Thread(target=self.marker.follow, daemon=True).start()

    def _check(self, parts: Sequence[str], on_step: OnStep, interruption: Interruption) -> Marks:
        on_step(parts[0], "step")
        self.arrived.put(tuple(parts))
        assert self.let_go.acquire(timeout=PATIENCE)
        interruption.check()
        if "broken" in parts:
            raise ValueError("nothing to mark")
        return Marks("", "", "", "", 0.0, "", tuple(PartMarks(part, None, ()) for part in parts))

    def next_order(self) -> tuple[str, ...]:
        """Return the parts that marking has come to."""
        return self.arrived.get(timeout=PATIENCE)

    def next_marked(self) -> tuple[str, ...]:
        """Let marking end and return the parts whose marks come next."""
        self.let_go.release(2)
        while not isinstance(event := self.events.get(timeout=PATIENCE), Marked):
            assert isinstance(event, Begun)
        return tuple(part.part for part in event.marks.parts)


def test_an_order_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch)
    desk.marker.order(["one"])
    assert desk.next_marked() == ("one",)


def test_a_part_saved_while_another_is_marked_is_marked_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch)
    desk.marker.order(["two"])
    assert desk.next_order() == ("two",)
    desk.marker.order(["one"])
    assert desk.next_marked() == ("one", "two")


def test_a_part_that_has_its_marks_is_not_marked_again_with_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch)
    desk.marker.order(["one"])
    desk.next_marked()
    desk.marker.order(["two"])
    assert desk.next_marked() == ("two",)


def test_a_step_that_takes_long_is_given_up_for_what_is_saved_next(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch, long=0.0)
    desk.marker.order(["endless"])
    assert desk.next_order() == ("endless",)
    desk.marker.order(["one"])
    assert desk.next_marked() == ("one",)


def test_a_part_that_waits_is_not_given_up_with_what_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch, long=0.0)
    desk.marker.order(["endless"])
    desk.next_order()
    desk.marker.order(["one"])
    desk.marker.order(["two"])
    assert desk.next_marked() == ("one", "two")


def test_what_could_not_be_marked_is_marked_with_the_next_save(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(monkeypatch)
    desk.marker.order(["broken"])
    desk.let_go.release()
    while not isinstance(event := desk.events.get(timeout=PATIENCE), Failed):
        assert isinstance(event, Begun)
    assert str(event.error) == "nothing to mark"
    desk.marker.order(["one"])
    desk.next_order()
    assert desk.next_order() == ("broken", "one")
