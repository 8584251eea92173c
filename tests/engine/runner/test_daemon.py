"""A daemon: a student's first command leaves it behind, and the next ones have torch at once."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import quick_starts as starts
from processes import alive, eventually

from autograder.check import check
from autograder.exam.model import Exam
from autograder.runner import processes
from autograder.runner.processes import CHOICE, Runner, can_fork, open_runner
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

pytestmark = [
    pytest.mark.skipif(not can_fork(), reason="its processes are forked here, to be warm at once"),
    pytest.mark.slow,
]

PART = "part2_network"
RIGHT = "def relu(x):\n    return x.clamp(min=0)\n"

Command = Callable[..., str]


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """All processes that are started, in order; each is warm at once, and ended with the test."""
    monkeypatch.delenv(CHOICE, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv(processes.VARIABLE, "60")
    monkeypatch.delenv("CI", raising=False)
    found: list[Any] = []
    with (
        starts.quick_starts(),
        mock.patch.object(processes, "_start", lambda *of: found.append(starts.start(*of)) or found[-1]),
    ):
        yield found
        processes.stop_all()
        for process in found:
            process.kill()


@pytest.fixture
def command(started: list[Any], convolution: Workspace, convolution_exam: Exam, tmp_path: Path) -> Command:
    """Let a text run as a command of its own does, and wait until a daemon listens, if one does; return the verdict."""

    def run(text: str = RIGHT, runner: Runner | None = None, leaves_one: bool = True) -> str:
        submission = Submission("text", {PART: Source.module(f"{PART}.py", text)})
        steps = convolution_exam.syllabus.part(PART).steps[:1]
        with contextlib.closing(runner or open_runner(convolution.root, as_daemon=True)) as opened:
            verdict = check(convolution_exam, submission, steps, opened, 60.0).parts[0].steps[0].verdict
        assert not leaves_one or eventually(lambda: any(tmp_path.glob("attn-*/*")))
        return verdict

    return run


def test_the_second_command_starts_no_process(command: Command, started: list[Any]) -> None:
    assert [command(), command(), command("def relu(x):\n    return x\n")] == ["passed", "passed", "wrong_values"]
    assert len(started) == 1


@pytest.mark.parametrize("spoil", [os.utime, os.unlink], ids=["edited", "deleted"])
def test_an_edit_of_what_it_has_imported_is_seen(
    command: Command, started: list[Any], convolution: Workspace, spoil: Callable[[Path], None]
) -> None:
    command()
    imported = convolution.root / "course" / PART / "steps.py"
    kept = imported.read_bytes()
    spoil(imported)
    imported.write_bytes(kept)

    assert command() == "passed"
    assert len(started) == 2


def test_another_course_has_another_daemon(started: list[Any], convolution: Workspace, tmp_path: Path) -> None:
    assert processes.place_for(convolution.root) != processes.place_for(tmp_path)


def test_it_ends_by_itself(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(processes.VARIABLE, "0.2")
    command()

    assert eventually(lambda: processes.stop_all() == 0)


def test_it_does_not_end_while_a_command_runs(
    convolution: Workspace, command: Command, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(processes.VARIABLE, "0.2")
    long = open_runner(convolution.root, as_daemon=True)
    with long.child():
        assert not eventually(lambda: not alive(started[0].pid), seconds=1.0)

    assert command(runner=long, leaves_one=False) == "passed"
    assert len(started) == 1


def test_in_a_folder_that_others_may_enter_there_is_none(command: Command, tmp_path: Path) -> None:
    (tmp_path / f"attn-{os.getuid()}").mkdir()
    (tmp_path / f"attn-{os.getuid()}").chmod(0o777)

    assert command(leaves_one=False) == "passed"
    assert not any(tmp_path.glob("attn-*/*"))


@pytest.mark.parametrize(("name", "value"), [(processes.VARIABLE, "0"), ("CI", "true"), (processes.VARIABLE, "soon")])
def test_where_it_is_not_wanted_there_is_none(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.delenv(processes.VARIABLE)
    monkeypatch.setenv(name, value)

    assert command(leaves_one=False) == "passed"
    assert not any(tmp_path.glob("attn-*/*"))


def test_stop_ends_it(command: Command) -> None:
    command()

    assert processes.stop_all() == 1
    assert processes.stop_all() == 0
