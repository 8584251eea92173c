"""A class is marked by a real Dask cluster: a scheduler and two workers on loopback, each with its own sandboxed forker."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import children, eventually
from small_class import WRONG, MakeClass

from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent
QUIET = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file")


class Cluster:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> str:
        return str(json.loads(self._file.read_text())["address"])

    @property
    def _file(self) -> Path:
        return self._folder / "scheduler.json"

    def start(self, workers: int) -> None:
        self._run("scheduler", "--port", "0")
        assert eventually(lambda: self._file.is_file() and self._file.stat().st_size > 0)
        for number in range(workers):
            self._run("worker", "--nthreads", "1", "--local-directory", str(self._folder / f"worker{number}"))

    def graders(self) -> set[int]:
        """The processes that mark: the children of the nannies."""
        nannies = [process.pid for process in self._processes[1:]]
        return {pid for nanny in nannies for pid in children(nanny) if "spawn_main" in command_line(pid)}

    def close(self) -> None:
        for process in self._processes[::-1]:
            process.terminate()
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
            process.kill()

    def _run(self, role: str, *options: str) -> None:
        with (self._folder / f"{role}{len(self._processes)}.log").open("wb") as log:
            command = [BIN / "dask", role, *QUIET, self._file, *options]
            self._processes.append(subprocess.Popen(list(map(str, command)), stdout=log, stderr=log))


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    try:
        made.start(workers=2)
        yield made
    finally:
        made.close()


@pytest.fixture
def start_grading(
    course: Workspace, tmp_path: Path, class_exam: Path
) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    started = []

    def start(folder: Path, address: str, *options: str) -> "subprocess.Popen[str]":
        out = str(tmp_path / "out")
        command = [BIN / "attn", "grade", folder, "--out", out, "--exam", class_exam, "--dask", address, *options]
        run = subprocess.Popen(
            list(map(str, command)), cwd=course.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(run)
        return run

    yield start
    for run in started:
        run.kill()
        run.communicate()


def scores(out: Path) -> dict[str, float]:
    found = [json.loads(path.read_bytes()) for path in (out / "marks").glob("*.json")]
    return {marks["submission"]: marks["score"] for marks in found}


def test_a_class_is_marked_on_the_workers(
    cluster: Cluster, make_class: MakeClass, start_grading: Callable[..., "subprocess.Popen[str]"], tmp_path: Path
) -> None:
    folder = make_class(ada=None, bob=WRONG, eve=None)

    run = start_grading(folder, cluster.address)
    shown, told = run.communicate(timeout=120)

    assert run.returncode == 0, told
    assert "3 of 3 submissions marked" in shown
    assert scores(tmp_path / "out") == {"ada": 25.0, "bob": 0.0, "eve": 25.0}


def test_a_worker_killed_in_mid_batch_loses_nothing(
    cluster: Cluster, make_class: MakeClass, start_grading: Callable[..., "subprocess.Popen[str]"], tmp_path: Path
) -> None:
    folder = make_class(**{f"s{number:02}": None for number in range(40)})

    run = start_grading(folder, cluster.address)
    assert eventually(lambda: (tmp_path / "out" / "marks").is_dir() and len(scores(tmp_path / "out")) >= 3)
    victim = min(cluster.graders())
    os.kill(victim, signal.SIGKILL)
    left = 40 - len(scores(tmp_path / "out"))
    _, told = run.communicate(timeout=240)

    assert left > 0
    assert run.returncode == 0, told
    assert scores(tmp_path / "out") == {f"s{number:02}": 25.0 for number in range(40)}


def test_no_forker_is_left_on_the_workers_when_a_batch_is_done(
    cluster: Cluster, make_class: MakeClass, start_grading: Callable[..., "subprocess.Popen[str]"]
) -> None:
    run = start_grading(make_class(ada=None, bob=None), cluster.address)
    run.communicate(timeout=120)

    assert run.returncode == 0
    assert cluster.graders()
    assert eventually(lambda: not any(children(pid) for pid in cluster.graders()))


def test_where_there_is_no_scheduler_it_is_said(
    make_class: MakeClass, start_grading: Callable[..., "subprocess.Popen[str]"]
) -> None:
    run = start_grading(make_class(ada=None), "tcp://127.0.0.1:1")
    _, told = run.communicate(timeout=120)

    assert run.returncode == 1
    assert "there is no Dask scheduler at tcp://127.0.0.1:1" in told
    assert "Traceback" not in told


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
