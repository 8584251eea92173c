"""A batch loses nothing, marks nothing twice, and goes on whatever happens to its graders."""

import contextlib
import errno
import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from small_class import WRONG, MakeClass

from autograder.classroom import executors
from autograder.classroom.batch import BROKE_IT, Batch
from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.executors import LocalWorkers
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


class FragileWorkers:
    """Stand-ins for graders: those of some students die, and take the whole executor with them where it is shared.

    fails: raised for students by their names.
    """

    broken: tuple[type[Exception], ...] = (BrokenExecutor,)

    def __init__(
        self,
        conditions: Conditions,
        *deadly: str,
        width: int = 4,
        fails: Mapping[str, Exception] = MappingProxyType({}),
    ) -> None:
        self.given = conditions
        self.width = width
        self.marked: list[str] = []
        self.handed_out = 0
        self.most_at_once = 0
        self._deadly = deadly
        self._fails = fails

    @contextlib.contextmanager
    def executor(self) -> Iterator[Executor]:
        with ThreadPoolExecutor(1) as threads:
            yield _Fragile(self, threads)

    def run(self, name: str) -> bytes:
        if name in self._fails:
            raise self._fails[name]
        self.marked.append(name)
        return to_bytes(Marks(name, "", "", "", 0.0, "none", ()))

    def kills(self, name: str) -> bool:
        return name in self._deadly


class _Fragile(Executor):
    def __init__(self, workers: FragileWorkers, threads: Executor) -> None:
        self._workers = workers
        self._threads = threads
        self._broken = False

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        assert function is grade
        name = arguments[1].name
        if self._broken:
            raise BrokenExecutor
        self._workers.handed_out += 1
        at_once = self._workers.handed_out - len(self._workers.marked)
        self._workers.most_at_once = max(self._workers.most_at_once, at_once)
        if self._workers.kills(name):
            self._broken = True
            lost: Future[Any] = Future()
            lost.set_exception(BrokenExecutor())
            return lost
        return self._threads.submit(self._workers.run, name)


def marked_in(out: Path) -> set[str]:
    return {json.loads(path.read_text())["submission"] for path in (out / "marks").iterdir()}


def test_what_has_marks_is_not_marked_again(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions
) -> None:
    folder = make_class(ada=None, bob=WRONG)
    make_batch(folder).run(FragileWorkers(conditions))

    again = FragileWorkers(conditions)
    batch = make_batch(folder)
    batch.run(again)

    assert again.marked == []
    assert batch.kept == len(batch.done) == 2


def test_a_changed_submission_alone_is_marked_again(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions
) -> None:
    folder = make_class(ada=None, bob=WRONG)
    make_batch(folder).run(FragileWorkers(conditions))
    make_class(bob=WRONG + "\n# again\n")

    again = FragileWorkers(conditions)
    make_batch(folder).run(again)

    assert again.marked == ["bob"]


def test_force_marks_all_again(make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions) -> None:
    folder = make_class(ada=None, bob=WRONG)
    make_batch(folder).run(FragileWorkers(conditions))

    again = FragileWorkers(conditions)
    make_batch(folder, force=True).run(again)

    assert again.marked == ["ada", "bob"]


def test_the_one_that_kills_its_grader_is_found_and_the_others_alone_get_marks(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(9)})

    batch = make_batch(folder)
    batch.run(FragileWorkers(conditions, "s3"))

    assert batch.unmarked == {"s3": BROKE_IT}
    assert marked_in(tmp_path / "out") == {f"s{number}" for number in range(9) if number != 3}


def test_what_the_grader_failed_on_has_no_marks_and_a_later_run_tries_again(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(ada=None, bob=WRONG)
    first = make_batch(folder)
    first.run(FragileWorkers(conditions, fails={"bob": Unmarked("no")}))
    second = make_batch(folder)
    second.run(again := FragileWorkers(conditions))

    assert first.unmarked == {"bob": "no"}
    assert second.unmarked == {}
    assert again.marked == ["bob"]


def test_where_no_submission_can_be_marked_the_batch_stops_and_goes_on_later(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(ada=None, bob=WRONG, eve=None)
    stopped = FragileWorkers(conditions, width=1, fails={"bob": CannotRun("no processes are left")})
    with pytest.raises(CannotRun, match="no processes are left"):
        make_batch(folder).run(stopped)
    make_batch(folder).run(again := FragileWorkers(conditions))

    assert stopped.marked == ["ada"]
    assert again.marked == ["bob", "eve"]


def test_several_that_kill_their_graders_are_all_found(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(9)})

    batch = make_batch(folder)
    batch.run(FragileWorkers(conditions, "s0", "s1", "s8"))

    assert batch.unmarked.keys() == {"s0", "s1", "s8"}
    assert len(marked_in(tmp_path / "out")) == 6


def test_no_more_is_handed_out_than_graders_can_take(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(20)})
    workers = FragileWorkers(conditions, width=3)

    make_batch(folder).run(workers)

    assert len(workers.marked) == 20
    assert workers.most_at_once <= 3


def test_a_machine_that_starts_no_grader_is_told(conditions: Conditions, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EAGAIN, "no processes are left")

    monkeypatch.setattr(SpawnProcess, "start", refuse)
    workers = LocalWorkers(conditions, jobs=2)
    with pytest.raises(CannotRun, match="no grader could be started: no processes are left"), workers.executor():
        pass


@pytest.mark.slow
def test_graders_run_on_every_core(conditions: Conditions) -> None:
    with LocalWorkers(conditions, jobs=1).executor() as executor:
        assert executor.submit(os.sched_getaffinity, 0).result() == os.sched_getaffinity(0)


@pytest.mark.slow
def test_graders_that_die_before_any_students_code_stop_the_batch(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_end_with", os._exit)
    batch = make_batch(make_class(ada=None))
    with pytest.raises(CannotRun, match="died before they were ready"):
        batch.run(LocalWorkers(conditions, jobs=1))

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
    batch.run(LocalWorkers(conditions, jobs=1))

    assert killed
    assert len(batch.done) == 3
    assert len(list((tmp_path / "out" / "marks").iterdir())) == 3
