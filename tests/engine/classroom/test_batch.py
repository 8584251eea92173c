"""A batch loses nothing, marks nothing twice, and goes on whatever happens to its graders."""

import contextlib
import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from small_class import WRONG, MakeClass

from autograder.classroom import executors
from autograder.classroom.batch import BROKE_IT, Batch
from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.executors import Graders, local_graders
from autograder.classroom.grader import Conditions, Unmarked, grade
from autograder.classroom.results import Results, to_bytes
from autograder.exam.files import read_exam
from autograder.grading.results import Marks
from autograder.runner.processes import CannotRun
from autograder.workspace import COURSE

PARTS = ("part1_simplified",)

MakeBatch = Callable[..., Batch]


@pytest.fixture
def conditions(class_exam: Path) -> Conditions:
    return Conditions(COURSE.root, class_exam.read_bytes(), PARTS, "none", 60.0)


@pytest.fixture
def make_batch(tmp_path: Path, class_exam: Path) -> MakeBatch:
    def make(folder: Path, **options: Any) -> Batch:
        return Batch(read_class_folder(folder), Results(tmp_path / "out"), read_exam(class_exam), PARTS, **options)

    return make


class Fragile:
    """Stand-ins for graders: those of some students die, and take the whole executor with them.

    fails: raised for students by their names.
    """

    def __init__(self, *deadly: str, width: int = 4, fails: Mapping[str, Exception] = MappingProxyType({})) -> None:
        self.width = width
        self.marked: list[str] = []
        self.handed_out = 0
        self.most_at_once = 0
        self._deadly = deadly
        self._fails = fails

    @contextlib.contextmanager
    def start(self, _: Conditions) -> Iterator[Graders]:
        with ThreadPoolExecutor(1) as threads:
            yield Graders(_Fragile(self, threads), lambda: self.width)

    def run(self, name: str) -> bytes:
        if name in self._fails:
            raise self._fails[name]
        self.marked.append(name)
        return to_bytes(Marks(name, "", "", "", 0.0, "none", ()))

    def kills(self, name: str) -> bool:
        return name in self._deadly


class _Fragile(Executor):
    def __init__(self, graders: Fragile, threads: Executor) -> None:
        self._graders = graders
        self._threads = threads
        self._broken = False

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        assert function is grade
        name = arguments[1].name
        if self._broken:
            raise BrokenExecutor
        self._graders.handed_out += 1
        at_once = self._graders.handed_out - len(self._graders.marked)
        self._graders.most_at_once = max(self._graders.most_at_once, at_once)
        if self._graders.kills(name):
            self._broken = True
            lost: Future[Any] = Future()
            lost.set_exception(BrokenExecutor())
            return lost
        return self._threads.submit(self._graders.run, name)


def marked_in(out: Path) -> set[str]:
    return {json.loads(path.read_text())["submission"] for path in (out / "marks").iterdir()}


def test_what_has_marks_is_not_marked_again(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions
) -> None:
    folder = make_class(ada=None, bob=WRONG)
    make_batch(folder).run(conditions, Fragile().start)

    again = Fragile()
    batch = make_batch(folder)
    batch.run(conditions, again.start)

    assert again.marked == []
    assert batch.kept == len(batch.done) == 2


def test_a_changed_submission_alone_is_marked_again(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions
) -> None:
    folder = make_class(ada=None, bob=WRONG)
    make_batch(folder).run(conditions, Fragile().start)
    make_class(bob=WRONG + "\n# again\n")

    again = Fragile()
    make_batch(folder).run(conditions, again.start)

    assert again.marked == ["bob"]


def test_force_marks_all_again(make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions) -> None:
    folder = make_class(ada=None, bob=WRONG)
    make_batch(folder).run(conditions, Fragile().start)

    again = Fragile()
    make_batch(folder, force=True).run(conditions, again.start)

    assert again.marked == ["ada", "bob"]


def test_the_one_that_kills_its_grader_is_found_and_the_others_alone_get_marks(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(9)})

    batch = make_batch(folder)
    batch.run(conditions, Fragile("s3").start)

    assert batch.unmarked == {"s3": BROKE_IT}
    assert marked_in(tmp_path / "out") == {f"s{number}" for number in range(9) if number != 3}


def test_what_the_grader_failed_on_has_no_marks_and_a_later_run_tries_again(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(ada=None, bob=WRONG)
    first = make_batch(folder)
    first.run(conditions, Fragile(fails={"bob": Unmarked("no")}).start)
    second = make_batch(folder)
    second.run(conditions, (again := Fragile()).start)

    assert first.unmarked == {"bob": "no"}
    assert second.unmarked == {}
    assert again.marked == ["bob"]


def test_where_no_submission_can_be_marked_the_batch_stops_and_goes_on_later(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(ada=None, bob=WRONG, eve=None)
    stopped = Fragile(width=1, fails={"bob": CannotRun("no processes are left")})
    with pytest.raises(CannotRun, match="no processes are left"):
        make_batch(folder).run(conditions, stopped.start)
    make_batch(folder).run(conditions, (again := Fragile()).start)

    assert stopped.marked == ["ada"]
    assert again.marked == ["bob", "eve"]


def test_several_that_kill_their_graders_are_all_found(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(9)})

    batch = make_batch(folder)
    batch.run(conditions, Fragile("s0", "s1", "s8").start)

    assert batch.unmarked.keys() == {"s0", "s1", "s8"}
    assert len(marked_in(tmp_path / "out")) == 6


def test_no_more_is_handed_out_than_graders_can_take(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(20)})
    workers = Fragile(width=3)

    make_batch(folder).run(conditions, workers.start)

    assert len(workers.marked) == 20
    assert workers.most_at_once <= 3


@pytest.mark.slow
def test_graders_run_on_every_core(conditions: Conditions) -> None:
    with local_graders(1, conditions) as graders:
        assert graders.executor.submit(os.sched_getaffinity, 0).result() == os.sched_getaffinity(0)


@pytest.mark.slow
def test_graders_that_die_before_any_students_code_stop_the_batch(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_end_with", os._exit)
    batch = make_batch(make_class(ada=None))
    with pytest.raises(CannotRun, match="died before they were ready"):
        batch.run(conditions, partial(local_graders, 1))

    assert not batch.done
    assert not batch.unmarked


@pytest.mark.world
def test_a_grader_that_is_killed_loses_nothing(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(3)})
    killed: list[int | None] = []

    def kill_one(done: int) -> None:
        if done == 1 and not killed:
            victim = multiprocessing.active_children()[0]
            victim.kill()
            killed.append(victim.pid)

    batch = make_batch(folder, on_marks=kill_one)
    batch.run(conditions, partial(local_graders, 1))

    assert killed
    assert len(batch.done) == 3
    assert len(list((tmp_path / "out" / "marks").iterdir())) == 3
