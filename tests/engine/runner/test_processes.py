"""A warm process gives children, is replaced when it has ended, and neither it nor they outlive who has started them."""

import contextlib
import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import pytest
from processes import PATIENCE, alive, children, descendants, eventually
from quick_starts import quick_starts

from autograder.check import check
from autograder.exam.model import Exam
from autograder.runner import forking, processes
from autograder.runner.processes import CHOICE, WORKER, CannotRun, Child, Died, Runner, Server, open_runner
from autograder.runner.wire import Closed
from autograder.submission.model import Source, Submission
from autograder.workspace import COURSE, Workspace

PART = "part2_network"
RIGHT = "def relu(x):\n    return x.clamp(min=0)\n"
KILLED = -signal.SIGKILL

Opened = Callable[[bool], Runner]
Verdict = Callable[..., str]

START = processes._start

either = pytest.mark.parametrize("forks", [True, False], ids=["forks", "spawns"])


def server(forks: bool) -> Callable[[Path], Server]:
    return lambda course: Server(course, forks=forks)


@pytest.fixture
def opened(convolution: Workspace) -> Iterator[Opened]:
    """Open runners whose processes are forked, and that are closed at the end."""
    with quick_starts(), contextlib.ExitStack() as stack:
        yield lambda forks: stack.enter_context(contextlib.closing(Runner(convolution.root, server(forks))))


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


class Process(Server):
    """A process that has ended, or one that gives no child."""

    def __init__(self, has_ended: bool) -> None:
        self._is_over = has_ended
        self.closed = False

    @property
    def has_ended(self) -> bool:
        return self._is_over

    def child(self) -> contextlib.AbstractContextManager[Child]:
        raise Died

    def close(self) -> None:
        self.closed = True


def test_a_process_that_has_ended_is_replaced_when_a_child_is_wanted() -> None:
    ended, following = Process(has_ended=True), Process(has_ended=False)
    started = iter((ended, following))
    runner = Runner(COURSE.root, lambda _: next(started))

    with pytest.raises(CannotRun), runner.child():
        pass
    assert runner.process is following
    assert ended.closed


def test_a_sitter_that_was_closed_starts_nothing_any_more() -> None:
    started = iter([Process(has_ended=True)])
    runner = Runner(COURSE.root, lambda _: next(started))
    runner.close()

    with pytest.raises(CannotRun, match="was closed"), runner.child():
        pass


@pytest.mark.slow
@either
def test_a_process_that_was_killed_is_replaced(opened: Opened, verdict: Verdict, forks: bool) -> None:
    runner = opened(forks)
    assert verdict(runner) == "passed"
    kill(first := runner.process.pid)

    assert verdict(runner) == "passed"
    assert runner.process.pid != first


def test_who_waits_for_a_child_learns_of_a_death_though_another_process_holds_the_server_s_end(opened: Opened) -> None:
    held: list[int] = []
    start = processes._start
    holding = mock.patch.object(
        processes, "_start", lambda orders, *others: held.append(os.dup(orders["control"])) or start(orders, *others)
    )
    with holding, ThreadPoolExecutor(1) as waiting:
        runner = opened(True)
        with runner.child():
            os.kill(runner.process.pid, signal.SIGSTOP)  # it forks no more
        asked = waiting.submit(runner.process.child().__enter__)
        kill(runner.process.pid)

        with pytest.raises(Died):
            asked.result(PATIENCE)
    assert runner.process.has_ended
    os.close(held[0])


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
from autograder.runner.processes import Runner, Server
from autograder.runner.run import run
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

course = Workspace(Path(sys.argv[1]))
exam = read_exam(course.practice_exam)
submission = Submission("text", {{"part2_network": Source.module("part2_network.py", {text!r})}})
wanted = {{"part2_network": frozenset({{"relu"}})}}
runner = Runner(course.root, lambda course: Server(course, forks={forks}))
run(runner, submission, exam.syllabus, exam.paper, wanted, timeout=600.0)
"""


@pytest.mark.slow
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
    with contextlib.closing(Server(COURSE.root, forks=forks)) as process:
        assert os.getpgid(process.pid) != os.getpgrp()


# Children


@pytest.mark.slow
@either
def test_the_end_of_a_child_that_was_killed_is_told(opened: Opened, forks: bool) -> None:
    with opened(forks).child() as child:
        child.kill()
        with pytest.raises(Closed):
            child.wire.receive()
        assert child.end() == KILLED


@pytest.mark.slow
def test_a_worker_whose_sitting_ends_soon_is_not_killed(opened: Opened, verdict: Verdict) -> None:
    runner = opened(False)
    with runner.child() as child:
        first = runner.process
        child.kill()

    assert verdict(runner) == "passed"
    assert runner.process is first


@pytest.mark.slow
def test_who_kills_a_child_leaves_the_others(opened: Opened) -> None:
    runner = opened(True)
    with runner.child() as one, runner.child():
        family = children(runner.process.pid)
        one.end()

        assert len(children(runner.process.pid) & family) == 1


@pytest.mark.slow
def test_a_child_ends_with_its_sitting(opened: Opened) -> None:
    runner = opened(True)
    with runner.child():
        assert children(runner.process.pid)

    assert eventually(lambda: not children(runner.process.pid))


class NoChildren:
    """A confiner that gives none, as where processes or memory have run out."""

    descriptors = ()

    def fork(self) -> int:
        raise OSError(errno.EAGAIN, "no processes are left")


class NoConfinement(NoChildren):
    """A confiner of children that cannot be confined."""

    def fork(self) -> int:
        return os.fork()

    def enter(self) -> None:
        raise OSError(errno.ENOMEM, "there is no memory")


class ServerHere(threading.Thread):
    """A server in a thread, as `subprocess.Popen` has one."""

    stdin = stdout = stderr = returncode = None
    pid = 0

    def __init__(self, control: int, confiner: NoChildren) -> None:
        self._control = socket.socket(fileno=os.dup(control))
        super().__init__(target=forking.Forking(self._control, confiner).serve, daemon=True)
        self.start()

    def poll(self) -> int | None:
        return None if self.is_alive() else 0

    def wait(self, timeout: float | None = None) -> int:
        self.join(timeout)
        self.returncode = 0
        return 0

    def kill(self) -> None:
        with contextlib.suppress(OSError):  # it has ended
            self._control.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def confined_by(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[NoChildren], Runner]]:
    """Open a runner whose server, in this process, has this confiner."""
    with contextlib.ExitStack() as stack:

        def run(confiner: NoChildren) -> Runner:
            monkeypatch.setattr(processes, "_start", lambda orders, *_: ServerHere(orders["control"], confiner))
            return stack.enter_context(contextlib.closing(Runner(COURSE.root, server(True))))

        yield run


@pytest.mark.parametrize(
    ("confiner", "reason"), [(NoChildren, "no processes are left"), (NoConfinement, "there is no memory")]
)
def test_where_no_child_can_be_set_up_it_is_said_why(
    confined_by: Callable[[NoChildren], Runner], confiner: type[NoChildren], reason: str
) -> None:
    told = f"no process that runs the exercises can be set up on this machine: {reason}"
    with pytest.raises(CannotRun, match=told) as refused, confined_by(confiner()).child():
        pass

    assert not isinstance(refused.value, Died)  # which would be tried again


class OnceNoChildren(NoChildren):
    """A confiner that gives none the first time."""

    def __init__(self) -> None:
        self.asked = 0

    def fork(self) -> int:
        self.asked += 1
        return super().fork() if self.asked == 1 else os.fork()

    def enter(self) -> None:
        pass


def test_a_child_that_could_not_be_set_up_is_tried_once_more_by_the_same_forker(
    confined_by: Callable[[NoChildren], Runner],
) -> None:
    runner = confined_by(confiner := OnceNoChildren())
    first = runner.process
    with runner.child() as child:
        assert child.end() in (0, KILLED)  # its wire is closed first, at which it ends by itself

    assert confiner.asked == 2
    assert runner.process is first


class KilledUnready(OnceNoChildren):
    """A confiner whose children are killed before they are ready, as by a kernel that has no memory left."""

    fork = NoConfinement.fork

    def enter(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_child_that_dies_before_it_is_ready_is_not_the_students_fault(
    confined_by: Callable[[NoChildren], Runner],
) -> None:
    with pytest.raises(CannotRun, match="ended before it was ready"), confined_by(KilledUnready()).child():
        pass


def test_a_machine_that_starts_no_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", mock.Mock(side_effect=OSError(errno.ENOMEM, "there is no memory")))

    with pytest.raises(CannotRun, match="there is no memory"):
        Runner(COURSE.root, server(True))


def test_a_machine_without_descriptors_is_told(
    confined_by: Callable[[NoChildren], Runner], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = confined_by(NoChildren())
    monkeypatch.setattr(socket, "socketpair", mock.Mock(side_effect=OSError(errno.EMFILE, "too many open files")))

    with pytest.raises(CannotRun, match="too many open files"), runner.child():
        pass


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


def test_a_stranger_who_calls_instead_of_the_worker_is_turned_away(
    opened: Opened, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    listeners: list[socket.socket] = []
    listen = socket.create_server
    monkeypatch.setattr(socket, "create_server", lambda *where: listeners.append(listen(*where)) or listeners[-1])
    runner = opened(False)
    with socket.create_connection(listeners[0].getsockname()) as stranger:
        assert verdict(runner) == "passed"
        assert stranger.recv(1) == b""


@either
def test_a_gpu_is_hidden_from_students_code(monkeypatch: pytest.MonkeyPatch, forks: bool) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    environments: list[dict[str, str]] = []
    start = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *words, **more: environments.append(more["env"]) or start(*words, **more)
    )
    Server(COURSE.root, forks=forks).close()

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


@pytest.mark.parametrize(("chosen", "forks"), [(WORKER, False), ("", True)])
def test_the_environment_chooses_the_worker(monkeypatch: pytest.MonkeyPatch, chosen: str, forks: bool) -> None:
    monkeypatch.setenv(CHOICE, chosen)
    with contextlib.closing(open_runner(COURSE.root)) as runner:
        assert runner.process.forks == forks
