"""A process stands by between a student's commands: the next has torch at once, and whatever befalls it costs a cold start alone."""

import contextlib
import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import quick_starts as starts
from processes import alive, eventually

from autograder.check import check
from autograder.exam.model import Exam
from autograder.runner.processes import Runner, daemon, fork_server, open_runner
from autograder.runner.processes.fork_server import Forker, ForkerOnStandby
from autograder.runner.spawning import can_fork
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

pytestmark = [
    pytest.mark.skipif(not can_fork(), reason="only a forker stands by, and only Linux has one"),
    pytest.mark.slow,
]

PART = "part2_network"
RIGHT = "def relu(x):\n    return x.clamp(min=0)\n"

Command = Callable[..., str]


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """All processes that are started, in order; each is warm at once, and ended with the test."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv(daemon.VARIABLE, "60")
    monkeypatch.delenv("CI", raising=False)
    found: list[Any] = []
    with (
        starts.quick_starts(),
        mock.patch.object(
            fork_server, "_start", lambda *arguments: found.append(starts.start_forker(*arguments)) or found[-1]
        ),
    ):
        yield found
        for process in found:
            process.kill()


@pytest.fixture
def command(started: list[Any], convolution: Workspace, convolution_exam: Exam) -> Command:
    """Let a text sit the first step as a command of its own does; return its verdict."""

    def run(text: str = RIGHT, runner: Runner | None = None) -> str:
        submission = Submission("text", {PART: Source.module(f"{PART}.py", text)})
        steps = convolution_exam.syllabus.part(PART).steps[:1]
        with contextlib.closing(runner or open_runner(convolution.root, standby=True)) as opened:
            return check(convolution_exam, submission, steps, opened, 60.0).parts[0].steps[0].verdict

    return run


def says(text: str) -> str:
    """Return a module whose answer is right if something holds."""
    return f"import os\ndef relu(x):\n    assert {text}, os.getcwd()\n    return x.clamp(min=0)\n"


def test_the_second_command_starts_no_process(command: Command, started: list[Any]) -> None:
    assert [command(), command(), command("def relu(x):\n    return x\n")] == ["passed", "passed", "wrong_values"]
    assert len(started) == 1


def test_what_one_command_does_to_torch_the_next_does_not_see(command: Command) -> None:
    assert command(f"import torch\ntorch.clamp = None\n{RIGHT}") == "passed"
    assert command("import torch\ndef relu(x):\n    return torch.clamp(x, min=0)\n") == "passed"


def test_each_command_has_its_own_folder_and_environment(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OF_THIS_COMMAND", "yes")

    assert command(says(f"os.getcwd() == {str(tmp_path)!r}")) == "passed"
    assert command(says("os.environ['OF_THIS_COMMAND'] == 'yes'")) == "passed"


def test_a_command_leaves_no_other_process_than_the_one_that_stands_by(command: Command, started: list[Any]) -> None:
    for _ in range(3):
        command()

    assert eventually(lambda: not [child for child in _children(started[0].pid) if alive(child)])
    assert alive(started[0].pid)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def test_two_commands_at_once_leave_one_process(convolution: Workspace, command: Command, started: list[Any]) -> None:
    both = [open_runner(convolution.root, standby=True) for _ in range(2)]

    assert [command(runner=runner) for runner in both] == ["passed", "passed"]
    assert len(started) == 2
    assert eventually(lambda: sum(alive(process.pid) for process in started) == 1)


def test_where_a_socket_cannot_be_the_command_is_served(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (deep := tmp_path / ("deep" * 30)).mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))

    assert command() == "passed"


def test_it_ends_by_itself(command: Command, started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(daemon.VARIABLE, "0.2")
    command()

    assert eventually(lambda: not alive(started[0].pid))


def test_it_does_not_end_while_a_command_runs(
    convolution: Workspace, command: Command, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(daemon.VARIABLE, "0.2")
    long = open_runner(convolution.root, standby=True)
    with long.child():
        place = daemon.place_for(convolution.root)
        assert place
        assert not eventually(lambda: not place.exists(), seconds=1.0)

    assert command(runner=long) == "passed"
    assert eventually(lambda: not alive(started[0].pid))


def test_one_that_was_killed_is_replaced(command: Command, started: list[Any]) -> None:
    command()
    os.kill(started[0].pid, signal.SIGKILL)
    assert eventually(lambda: not alive(started[0].pid))

    assert [command(), command()] == ["passed", "passed"]
    assert len(started) == 2


def test_one_that_does_not_answer_is_killed_and_replaced(
    command: Command, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    command()
    os.kill(started[0].pid, signal.SIGSTOP)
    with monkeypatch.context() as patient:
        patient.setattr(fork_server, "ANSWER", 0.3)
        assert command() == "passed"

    assert eventually(lambda: not alive(started[0].pid))
    assert command() == "passed"
    assert len(started) == 2


def test_a_command_goes_on_when_the_process_that_stands_by_is_killed(
    convolution: Workspace, command: Command, started: list[Any]
) -> None:
    command()
    runner = open_runner(convolution.root, standby=True)
    with runner.child():
        os.kill(started[0].pid, signal.SIGKILL)
        assert eventually(lambda: not alive(started[0].pid))

    assert command(runner=runner) == "passed"
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


def test_another_environment_has_another_process(
    command: Command, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    command()
    monkeypatch.setenv("PYTHONHASHSEED", "7")

    assert command() == "passed"
    assert len(started) == 2


def test_its_folder_is_its_owners_alone(command: Command, tmp_path: Path) -> None:
    command()
    folder = next(tmp_path.glob("attn-*"))

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_in_a_folder_that_others_may_enter_nothing_stands_by(
    convolution: Workspace, started: list[Any], tmp_path: Path
) -> None:
    (tmp_path / f"attn-{os.getuid()}").mkdir()
    (tmp_path / f"attn-{os.getuid()}").chmod(0o777)

    with contextlib.closing(open_runner(convolution.root, standby=True)) as runner:
        assert type(runner.process) is Forker


@pytest.mark.parametrize(("name", "value"), [(daemon.VARIABLE, "0"), ("CI", "true"), (daemon.VARIABLE, "soon")])
def test_where_it_is_not_wanted_nothing_stands_by(
    convolution: Workspace, started: list[Any], monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    if name == "CI":
        monkeypatch.delenv(daemon.VARIABLE)
    monkeypatch.setenv(name, value)

    with contextlib.closing(open_runner(convolution.root, standby=True)) as runner:
        assert type(runner.process) is Forker


def test_a_class_is_never_marked_by_one(convolution: Workspace, started: list[Any]) -> None:
    with contextlib.closing(open_runner(convolution.root, batch=True)) as runner:
        assert not isinstance(runner.process, ForkerOnStandby)


def test_stop_ends_it(command: Command, started: list[Any]) -> None:
    command()

    assert daemon.stop_all() == 1
    assert eventually(lambda: not alive(started[0].pid))
    assert daemon.stop_all() == 0


def test_a_socket_that_nobody_listens_to_is_none(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "left"))

        assert daemon.connect(tmp_path / "left") is None
