"""A class is marked on a Dask cluster: one of threads in this process, and one of a worker that is a process and is killed."""

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path

import pytest
from command import attn_in
from distributed import LocalCluster
from distributed.comm.core import CommClosedError
from processes import children, eventually
from small_class import WRONG, MakeClass
from warm import lend

from autograder.classroom import executors
from autograder.classroom.batch import Batch
from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.executors import dask_graders
from autograder.classroom.grader import Conditions
from autograder.classroom.results import Results
from autograder.exam.files import read_exam
from autograder.runner.processes import CannotRun
from autograder.sandbox import FULL
from autograder.workspace import COURSE, Workspace

pytestmark = [pytest.mark.slow, pytest.mark.system]

PARTS = ("part1_simplified",)


def cluster_of_one(folder: Path, processes: bool) -> LocalCluster:
    """Start a scheduler and a worker with one thread, which is a process of its own or not."""
    return LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=processes,
        protocol="tcp://",
        dashboard_address=None,
        local_directory=str(folder),
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler whose worker is a process, which is started again where it dies."""
    with cluster_of_one(tmp_path_factory.mktemp("dask"), processes=True) as cluster:
        yield cluster.scheduler_address


def worker_of(address: str) -> int:
    """Return the process that marks."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(1)
        (pid,) = client.run(os.getpid).values()
    return int(pid)


def scores(out: Path) -> dict[str, float]:
    found = [json.loads(path.read_bytes()) for path in (out / "marks").glob("*.json")]
    return {marks["submission"]: marks["score"] for marks in found}


def test_a_class_is_marked_on_the_workers(
    make_class: MakeClass, course: Workspace, class_exam: Path, tmp_path: Path
) -> None:
    # Here, not in the worker's thread: Linux ends a sandbox together with the thread that started it.
    lend(course.root, level=FULL)
    folder = make_class(ada=None, bob=WRONG, eve=None)

    with cluster_of_one(tmp_path, processes=False) as cluster:
        options = ("--out", tmp_path / "out", "--exam", class_exam, "--dask", cluster.scheduler_address)
        done = attn_in(course, "grade", *map(str, (folder, *options)))

    assert done.returncode == 0, done.stderr
    assert "3 of 3 submissions marked" in done.stdout
    assert scores(tmp_path / "out") == {"ada": 25.0, "bob": 4.0, "eve": 25.0}


@pytest.mark.world
def test_a_worker_killed_in_mid_batch_loses_nothing_and_leaves_no_forker_when_the_batch_is_done(
    address: str, make_class: MakeClass, class_exam: Path, tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number}": None for number in range(6)})
    killed: list[int] = []

    def kill_it(done: int) -> None:
        if done == 2 and not killed:
            killed.append(worker_of(address))
            os.kill(killed[0], signal.SIGKILL)

    batch = Batch(read_class_folder(folder), Results(tmp_path / "out"), read_exam(class_exam), PARTS, on_marks=kill_it)
    conditions = Conditions(COURSE.root, class_exam.read_bytes(), PARTS, FULL, 60.0)
    batch.run(conditions, partial(dask_graders, address))

    assert killed
    assert scores(tmp_path / "out") == {f"s{number}": 25.0 for number in range(6)}
    successor = worker_of(address)
    assert successor != killed[0]
    assert eventually(lambda: not children(successor))


@pytest.mark.parametrize("lost", [CancelledError, CommClosedError])
def test_a_scheduler_that_is_gone_stops_the_batch_and_is_nobodys_fault(
    address: str, class_exam: Path, lost: type[Exception]
) -> None:
    conditions = Conditions(COURSE.root, class_exam.read_bytes(), PARTS, FULL, 60.0)

    with pytest.raises(CannotRun, match=f"the Dask cluster at {address} cannot be"), dask_graders(address, conditions):
        raise lost


def test_where_there_is_no_scheduler_it_is_said(
    make_class: MakeClass, course: Workspace, class_exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "CONNECT_TIMEOUT", 0.2)
    options = ("--out", tmp_path / "out", "--exam", class_exam, "--dask", "tcp://127.0.0.1:1")

    done = attn_in(course, "grade", *map(str, (make_class(ada=None), *options)))

    assert done.returncode == 1
    assert "the Dask cluster at tcp://127.0.0.1:1 cannot be used" in done.stderr
    assert "Traceback" not in done.stderr
