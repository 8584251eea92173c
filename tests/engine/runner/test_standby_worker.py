"""Where no process that has torch may be forked, a command leaves a warm worker behind, which serves the next one alone."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import quick_starts as starts
from processes import alive, eventually

from autograder.check import check
from autograder.exam.model import Exam
from autograder.runner.processes import Runner, daemon, daemon_worker, open_runner, stop_standby, worker
from autograder.runner.spawning import CHOICE, WORKER, can_fork
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
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The workers that commands have started for themselves, in order."""
    monkeypatch.setenv(CHOICE, WORKER)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv(daemon.VARIABLE, "60")
    monkeypatch.delenv("CI", raising=False)
    found: list[Any] = []
    with (
        starts.quick_starts(),
        mock.patch.object(worker, "_start", lambda *of: found.append(starts.start_worker(*of)) or found[-1]),
    ):
        yield found


@pytest.fixture
def left(cold: list[Any], tmp_path: Path) -> Iterator[list[Any]]:
    """The workers that commands have left behind, in order."""
    found: list[Any] = []

    def start(course: Path, place: Path, idle: float) -> Any:
        found.append(starts.start_standby_worker(course, place, idle))
        return found[-1]

    with mock.patch.object(daemon_worker, "_start", start):
        yield found
    for process in found:
        process.kill()


@pytest.fixture
def command(left: list[Any], convolution: Workspace, convolution_exam: Exam, tmp_path: Path) -> Command:
    """Let a text sit the first step as a command of its own does, and wait until the next worker stands by, if one does; return the verdict."""

    def run(text: str = RIGHT, runner: Runner | None = None, leaves_another: bool = True) -> str:
        submission = Submission("text", {PART: Source.module(f"{PART}.py", text)})
        steps = convolution_exam.syllabus.part(PART).steps[:1]
        with contextlib.closing(runner or open_runner(convolution.root, standby=True)) as opened:
            verdict = check(convolution_exam, submission, steps, opened, 60.0).parts[0].steps[0].verdict
        assert not leaves_another or eventually(lambda: bool(list(tmp_path.glob("attn-*/*.worker"))))
        return verdict

    return run


def says(text: str) -> str:
    """Return a module whose answer is right if something holds."""
    return f"import os\ndef relu(x):\n    assert {text}, os.getcwd()\n    return x.clamp(min=0)\n"


def test_later_commands_find_a_warm_worker(command: Command, cold: list[Any], left: list[Any]) -> None:
    assert [command(), command(), command("def relu(x):\n    return x\n")] == ["passed", "passed", "wrong_values"]
    assert (len(cold), len(left)) == (1, 3)


def test_it_serves_one_command_alone(command: Command, left: list[Any]) -> None:
    assert command(f"import torch\ntorch.clamp = None\n{RIGHT}") == "passed"
    assert command(f"import torch\ntorch.clamp = None\n{RIGHT}") == "passed"
    assert command("import torch\ndef relu(x):\n    return torch.clamp(x, min=0)\n") == "passed"
    assert eventually(lambda: sum(alive(process.pid) for process in left) == 1)


def test_it_runs_in_the_folder_and_environment_of_the_command(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OF_THIS_COMMAND", "yes")

    assert command(says(f"os.getcwd() == {str(tmp_path)!r}")) == "passed"
    assert command(says("os.environ['OF_THIS_COMMAND'] == 'yes'")) == "passed"


def test_code_that_ends_it_is_told(command: Command, cold: list[Any]) -> None:
    command()

    assert command("import os\ndef relu(x):\n    os._exit(3)\n") == "crashed"
    assert len(cold) == 1


def test_two_commands_at_once_leave_one_worker(convolution: Workspace, command: Command, left: list[Any]) -> None:
    both = [open_runner(convolution.root, standby=True) for _ in range(2)]

    assert [command(runner=runner) for runner in both] == ["passed", "passed"]
    assert eventually(lambda: sum(alive(process.pid) for process in left) == 1)


def test_it_ends_by_itself(command: Command, left: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(daemon.VARIABLE, "0.5")
    command()

    assert eventually(lambda: not alive(left[0].pid))


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_without_an_answer_a_command_starts_its_own(
    command: Command, cold: list[Any], left: list[Any], monkeypatch: pytest.MonkeyPatch, sent: signal.Signals
) -> None:
    monkeypatch.setattr(daemon_worker, "ANSWER", 0.3)
    command()
    os.kill(left[0].pid, sent)

    assert command(leaves_another=False) == "passed"  # one that is stopped keeps another from standing by
    assert len(cold) == 2


@pytest.mark.parametrize("spoil", [os.utime, os.unlink], ids=["edited", "deleted"])
def test_an_edit_of_what_it_has_imported_is_seen(
    command: Command, cold: list[Any], convolution: Workspace, spoil: Callable[[Path], None]
) -> None:
    command()
    imported = convolution.root / "course" / PART / "steps.py"
    kept = imported.read_bytes()
    spoil(imported)
    imported.write_bytes(kept)

    assert command() == "passed"
    assert len(cold) == 2


def test_stop_ends_it(command: Command, left: list[Any]) -> None:
    command()

    assert stop_standby() == 1
    assert eventually(lambda: not alive(left[0].pid))
    assert stop_standby() == 0


@pytest.mark.parametrize(("name", "value"), [(daemon.VARIABLE, "0"), ("CI", "true")])
def test_where_it_is_not_wanted_none_is_left(
    convolution: Workspace, left: list[Any], monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.delenv(daemon.VARIABLE)
    monkeypatch.setenv(name, value)

    open_runner(convolution.root, standby=True).close()
    assert left == []
