"""A batch loses nothing, marks nothing twice, and goes on whatever happens to its graders."""

import contextlib
import json
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from small_class import WRONG, MakeClass

from autograder.classroom.batch import BROKE_IT, Batch
from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.executors import LocalWorkers
from autograder.classroom.grader import Conditions
from autograder.classroom.marking_process import grade, marks_without_answers
from autograder.classroom.results import Results, to_bytes
from autograder.classroom.tally import Tally
from autograder.exam.files import read_exam
from autograder.marking.marks import Marks
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
    """Stand-ins for graders: those of some students die, and take the whole executor with them where it is shared."""

    broken: tuple[type[Exception], ...] = (BrokenExecutor,)

    def __init__(self, conditions: Conditions, *deadly: str, width: int = 4) -> None:
        self.conditions = conditions
        self.width = width
        self.marked: list[str] = []
        self.handed_out = 0
        self.most_at_once = 0
        self._deadly = deadly

    @contextlib.contextmanager
    def executor(self) -> Iterator[Executor]:
        with ThreadPoolExecutor(1) as threads:
            yield _Fragile(self, threads)

    def run(self, function: object, name: str) -> bytes:
        if function is grade:
            self.marked.append(name)
        note = BROKE_IT if function is marks_without_answers else "marked"
        return to_bytes(Marks(name, "", "", "", 0.0, "none", (), (note,)))

    def kills(self, function: object, name: str) -> bool:
        return function is grade and name in self._deadly


class _Fragile(Executor):
    def __init__(self, workers: FragileWorkers, threads: Executor) -> None:
        self._workers = workers
        self._threads = threads
        self._broken = False

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        name = arguments[1].name
        if self._broken:
            raise BrokenExecutor
        self._workers.handed_out += 1
        at_once = self._workers.handed_out - len(self._workers.marked)
        self._workers.most_at_once = max(self._workers.most_at_once, at_once)
        if self._workers.kills(function, name):
            self._broken = True
            lost: Future[Any] = Future()
            lost.set_exception(BrokenExecutor())
            return lost
        return self._threads.submit(self._workers.run, function, name)


def notes_by_student(out: Path) -> dict[str, str]:
    found = [json.loads(path.read_text()) for path in (out / "marks").iterdir()]
    return {marks["submission"]: marks["notes"][0] for marks in found}


def test_what_has_marks_is_not_marked_again(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions
) -> None:
    folder = make_class(ada=None, bob=WRONG)
    make_batch(folder).run(FragileWorkers(conditions))

    again = FragileWorkers(conditions)
    batch = make_batch(folder)
    batch.run(again)

    assert again.marked == []
    assert batch.kept == batch.tally.submissions == 2


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


def test_the_one_that_kills_its_grader_is_found_and_the_others_get_marks(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(9)})

    make_batch(folder).run(FragileWorkers(conditions, "s3"))

    notes = notes_by_student(tmp_path / "out")
    assert notes == {f"s{number}": BROKE_IT if number == 3 else "marked" for number in range(9)}


def test_several_that_kill_their_graders_are_all_found(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(9)})

    make_batch(folder).run(FragileWorkers(conditions, "s0", "s1", "s8"))

    notes = notes_by_student(tmp_path / "out")
    assert {name for name, note in notes.items() if note == BROKE_IT} == {"s0", "s1", "s8"}
    assert len(notes) == 9


def test_no_more_is_handed_out_than_graders_can_take(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(20)})
    workers = FragileWorkers(conditions, width=3)

    make_batch(folder).run(workers)

    assert len(workers.marked) == 20
    assert workers.most_at_once <= 3


@pytest.mark.slow
def test_a_grader_that_is_killed_loses_nothing(
    make_class: MakeClass, make_batch: MakeBatch, conditions: Conditions, tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(6)})
    killed: list[int | None] = []

    def kill_one(tally: Tally) -> None:
        if tally.submissions == 2 and not killed:
            victim = multiprocessing.active_children()[0]
            victim.kill()
            killed.append(victim.pid)

    batch = make_batch(folder, on_marks=kill_one)
    batch.run(LocalWorkers(conditions, jobs=2))

    assert killed
    assert batch.tally.submissions == 6
    assert batch.tally.verdicts == {"passed": 30}
    assert len(list((tmp_path / "out" / "marks").iterdir())) == 6
