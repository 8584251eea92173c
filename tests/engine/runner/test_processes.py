"""A warm process gives children, is replaced when it has ended, and neither it nor they outlive who has started them."""

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import pytest
from processes import alive, children, descendants, eventually
from quick_starts import quick_starts

from autograder.check import check
from autograder.exam.model import Exam
from autograder.runner import processes
from autograder.runner.processes import CHOICE, WORKER, CannotRun, Runner
from autograder.submission.model import Source, Submission
from autograder.workspace import COURSE, Workspace

PART = "part2_network"
RIGHT = "def relu(x):\n    return x.clamp(min=0)\n"

Opened = Callable[[bool], Runner]
Verdict = Callable[..., str]

START = processes._start

either = pytest.mark.parametrize("forks", [True, False], ids=["forks", "spawns"])


@pytest.fixture
def opened(convolution: Workspace) -> Iterator[Opened]:
    """Open runners whose processes are forked, and that are closed at the end."""
    with quick_starts(), contextlib.ExitStack() as stack:
        yield lambda forks: stack.enter_context(contextlib.closing(Runner(convolution.root, forks=forks)))


@pytest.fixture
def let_none_start(opened: Opened) -> Iterator[Callable[[], None]]:
    """From its call on, no process can be started any more."""
    with contextlib.ExitStack() as stack:

        def run() -> None:
            stack.enter_context(mock.patch.object(processes, "_start", START))
            stack.enter_context(mock.patch.object(sys, "executable", shutil.which("false")))

        yield run


@pytest.fixture
def verdict(convolution_exam: Exam) -> Verdict:
    """Let a text sit the first step; return its verdict."""

    def run(runner: Runner, text: str = RIGHT, timeout: float = 5.0) -> str:
        submission = Submission("text", {PART: Source.module(f"{PART}.py", text)})
        steps = convolution_exam.syllabus.part(PART).steps[:1]
        return check(convolution_exam, submission, steps, runner, timeout).parts[0].steps[0].verdict

    return run


@pytest.fixture
def started_before(opened: Opened) -> set[int]:
    return descendants(os.getpid())


def kill(pid: int) -> None:
    """Kill a process and wait until it is dead; whoever has started it still learns of that."""
    os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):  # not ours: another process has forked it
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert eventually(lambda: not alive(pid))


# A process that has ended


def test_a_runner_that_was_closed_starts_nothing_any_more() -> None:
    runner = Runner(COURSE.root)
    runner.close()

    with pytest.raises(CannotRun, match="was closed"), runner.child():
        pass


@pytest.mark.slow
@either
def test_a_process_that_was_killed_is_replaced(opened: Opened, verdict: Verdict, forks: bool) -> None:
    runner = opened(forks)
    assert verdict(runner) == "passed"
    kill(first := runner.pid)

    assert verdict(runner) == "passed"
    assert runner.pid != first


@either
def test_a_process_that_does_not_start_is_told(opened: Opened, let_none_start: Callable[[], None], forks: bool) -> None:
    let_none_start()

    with pytest.raises(CannotRun, match="did not start"), opened(forks).child():
        pass


# What is left behind


@pytest.mark.slow
@either
def test_nothing_is_left_of_a_sitter_that_was_closed(opened: Opened, started_before: set[int], forks: bool) -> None:
    runner = opened(forks)
    with runner.child():
        family = descendants(os.getpid()) - started_before
        assert len(family) >= (2 if forks else 1)
        runner.close()

    assert eventually(lambda: not any(map(alive, family)))


LOOPS = "from pathlib import Path\nPath('running').touch()\nwhile True: pass\n"

HOST = """
import sys
from pathlib import Path
from autograder.exam.files import read_exam
from autograder.runner.processes import Runner
from autograder.runner.run import run
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

course = Workspace(Path(sys.argv[1]))
exam = read_exam(course.practice_exam)
submission = Submission("text", {{"part2_network": Source.module("part2_network.py", {text!r})}})
wanted = {{"part2_network": frozenset({{"relu"}})}}
runner = Runner(course.root, forks={forks})
run(runner, submission, exam.syllabus, exam.paper, wanted, timeout=600.0)
"""


@pytest.mark.world
@either
def test_no_warm_process_outlives_a_host_that_was_killed(forks: bool, convolution: Workspace, tmp_path: Path) -> None:
    program = HOST.format(forks=forks, text=LOOPS)
    (tmp_path / "host.py").write_text(program, encoding="utf-8")
    with subprocess.Popen([sys.executable, "host.py", convolution.root], cwd=tmp_path) as host:
        assert eventually((tmp_path / "running").exists)
        assert len(family := descendants(host.pid)) == (2 if forks else 1)
        host.kill()

    assert eventually(lambda: not any(map(alive, family)))


SLEEPS = """
import subprocess, sys

def relu(x):
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open({path!r}, "w") as file:
        file.write(str(sleeper.pid))
    {then}
"""


@pytest.mark.slow
@pytest.mark.parametrize("then", ["return x.clamp(min=0)", "while True: pass"], ids=["returns", "hangs"])
@either
def test_what_a_step_has_started_ends_with_the_process(
    opened: Opened, verdict: Verdict, tmp_path: Path, forks: bool, then: str
) -> None:
    runner, sleeper = opened(forks), tmp_path / "pid"
    verdict(runner, SLEEPS.format(path=str(sleeper), then=then), timeout=1.0)

    runner.close()

    assert eventually(lambda: not alive(int(sleeper.read_text())))


@either
def test_an_interrupt_from_the_terminal_does_not_reach_the_process(forks: bool) -> None:
    with contextlib.closing(Runner(COURSE.root, forks=forks)) as process:
        assert os.getpgid(process.pid) != os.getpgrp()


# Children


@pytest.mark.slow
def test_a_child_ends_with_its_sitting(opened: Opened) -> None:
    runner = opened(True)
    with runner.child():
        assert children(runner.pid)

    assert eventually(lambda: not children(runner.pid))


def test_a_machine_that_starts_no_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", mock.Mock(side_effect=OSError(errno.ENOMEM, "there is no memory")))

    with pytest.raises(CannotRun, match="there is no memory"):
        Runner(COURSE.root, forks=True)


@pytest.mark.slow
def test_fifty_gigabytes_are_refused_in_a_worker(opened: Opened, verdict: Verdict) -> None:
    text = "import torch\ndef relu(x):\n    return torch.ones(50 * 2**30, dtype=torch.uint8).sum()\n"

    assert verdict(opened(False), text) == "out_of_memory"


@pytest.mark.slow
def test_what_a_sitting_sets_in_torch_is_undone_before_the_next(opened: Opened, verdict: Verdict) -> None:
    runner = opened(False)
    sets = "import torch\ntorch.set_default_device('meta')\ntorch.use_deterministic_algorithms(True)\n"
    assert verdict(runner, sets + RIGHT, timeout=60.0) == "passed"

    makes = "import torch\ndef relu(x):\n    return x.clamp(min=0) * torch.ones(1)\n"
    assert verdict(runner, makes) == "passed"


# How processes are started


@either
def test_a_gpu_is_hidden_from_students_code(monkeypatch: pytest.MonkeyPatch, forks: bool) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    environments: list[dict[str, str]] = []
    start = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *words, **more: environments.append(more["env"]) or start(*words, **more)
    )
    Runner(COURSE.root, forks=forks).close()

    assert [environment["CUDA_VISIBLE_DEVICES"] for environment in environments] == ["-1"]


@pytest.mark.parametrize("chosen", [WORKER, ""])
def test_a_process_is_started_before_numpy_is_imported(chosen: str) -> None:
    program = (
        "import sys; from autograder.runner.processes import open_runner; from autograder.workspace import COURSE\n"
        "runner = open_runner(COURSE.root); print('numpy' in sys.modules); runner.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {CHOICE: chosen}, capture_output=True, text=True, check=True
    )

    assert done.stdout == "False\n"
