"""A warm process that dies is replaced, at once where another one stands by, and none outlives its host."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import pytest
from processes import alive, children, descendants, eventually
from quick_starts import quick_starts

from autograder.exam.model import Exam
from autograder.marking.mark import mark
from autograder.sitting import forked, spawned
from autograder.sitting.forking import CHOICE, WORKER, can_fork
from autograder.sitting.host import sit
from autograder.sitting.processes import (
    SPARES,
    CannotSit,
    Child,
    Died,
    Lasting,
    Sitter,
    open_sitter,
)
from autograder.sitting.submission import Source, Submission
from autograder.sitting.wire import HEADER, HELLO
from autograder.workspace import COURSE

RIGHT = "def dot_product(a, b):\n    return (a * b).sum()\n"
KILLED = -signal.SIGKILL

Verdict = Callable[..., str]


STARTS = {forked: forked._start, spawned: spawned._start}


@pytest.fixture
def opened() -> Iterator[Callable[..., Sitter]]:
    """Open sitters whose processes are forked, and that are closed at the end."""
    sitters: list[Sitter] = []

    def run(kind: str, standby: bool = False) -> Sitter:
        sitters.append(open_sitter(COURSE.root, spawn=kind == "spawned", standby=standby))
        return sitters[-1]

    with quick_starts():
        yield run
        for sitter in sitters:
            sitter.close()


@pytest.fixture
def let_none_start(opened: Callable[..., Sitter]) -> Iterator[Callable[[], None]]:
    """From its call on, no process can be started any more."""
    with contextlib.ExitStack() as stack:

        def run() -> None:
            for module, start in STARTS.items():
                stack.enter_context(mock.patch.object(module, "_start", start))
            stack.enter_context(mock.patch.object(sys, "executable", shutil.which("false")))

        yield run


@pytest.fixture
def verdict(practice: Exam) -> Verdict:
    """Let a text sit the first step; return its verdict."""

    def run(sitter: Sitter, text: str = RIGHT, timeout: float = 5.0) -> str:
        submission = Submission("text", {"part1_simplified": Source.module("part1_simplified.py", text)})
        wanted = {"part1_simplified": frozenset({"dot_product"})}
        answers = sit(sitter, submission, practice.syllabus, practice.paper, wanted, timeout)
        return mark(practice, answers, submission).parts[0].steps[0].verdict

    return run


@pytest.fixture
def started_before(opened: Callable[..., Sitter]) -> set[int]:
    return descendants(os.getpid())


def kill(pid: int) -> None:
    """Kill a process and wait until it is dead; whoever has started it still learns of that."""
    os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):  # not ours: a forker has forked it
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert eventually(lambda: not alive(pid))


def killed_children(pid: int) -> set[int]:
    """Kill the children of a process; return those that it has not buried yet."""
    for child in children(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    return children(pid)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forked", "spawned"])
def test_a_process_that_was_killed_is_replaced(opened: Callable[..., Sitter], verdict: Verdict, kind: str) -> None:
    sitter = opened(kind)
    assert verdict(sitter) == "passed"
    kill(first := sitter.pid)

    assert verdict(sitter) == "passed"
    assert sitter.pid != first


def test_a_death_is_noticed_though_another_process_holds_its_end_of_the_socket() -> None:
    held: list[socket.socket] = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(quick_starts())
        start = forked._start
        holding = mock.patch.object(
            forked, "_start", lambda end, *others: held.append(end.dup()) or start(end, *others)
        )
        stack.enter_context(holding)
        forker = stack.enter_context(contextlib.closing(forked.start_forker(COURSE.root)))
        forker.prepare(0)
        kill(forker.pid)

        assert held
        assert forker.has_ended


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forked", "spawned"])
def test_one_that_stands_by_takes_over(
    opened: Callable[..., Sitter], verdict: Verdict, let_none_start: Callable[[], None], kind: str
) -> None:
    sitter = opened(kind, standby=True)
    verdict(sitter)
    verdict(sitter)  # what it needs is asked for after the other process, which is there by then
    let_none_start()
    kill(sitter.pid)

    assert verdict(sitter) == "passed"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forked", "spawned"])
def test_who_takes_over_has_a_reserve_before_its_sitting_ends(
    opened: Callable[..., Sitter], verdict: Verdict, let_none_start: Callable[[], None], kind: str
) -> None:
    sitter = opened(kind, standby=True)
    verdict(sitter)
    kill(sitter.pid)
    with sitter.child():
        let_none_start()
        kill(sitter.pid)

    assert verdict(sitter) == "passed"


@pytest.mark.slow
def test_a_reserve_has_a_reserve(opened: Callable[..., Sitter], verdict: Verdict) -> None:
    sitter = opened("forked", standby=True)
    pids = []
    for _ in range(3):
        assert verdict(sitter) == "passed"
        pids.append(sitter.pid)
        kill(sitter.pid)

    assert verdict(sitter) == "passed"
    assert len({*pids, sitter.pid}) == 4


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forked", "spawned"])
def test_without_its_reserve_a_process_is_replaced_as_well(
    opened: Callable[..., Sitter], verdict: Verdict, started_before: set[int], kind: str
) -> None:
    sitter = opened(kind, standby=True)
    verdict(sitter)
    for pid in descendants(os.getpid()) - started_before - {sitter.pid}:
        with contextlib.suppress(ProcessLookupError):  # it has ended with the one that it belonged to
            kill(pid)
    kill(sitter.pid)

    assert verdict(sitter) == "passed"


@pytest.mark.slow
def test_a_reserve_that_died_is_replaced(
    opened: Callable[..., Sitter], verdict: Verdict, let_none_start: Callable[[], None]
) -> None:
    sitter = opened("forked", standby=True)
    verdict(sitter)
    assert eventually(lambda: len(children(sitter.pid)) > SPARES)
    assert eventually(
        lambda: not killed_children(sitter.pid)
    )  # the reserve, and children that wait, one of them perhaps forked late
    verdict(sitter)
    verdict(sitter)  # what it needs is asked for after the reserve, which is there by then
    let_none_start()
    kill(sitter.pid)

    assert verdict(sitter) == "passed"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forked", "spawned"])
def test_nothing_is_left_of_a_sitter_that_was_closed(
    opened: Callable[..., Sitter], verdict: Verdict, started_before: set[int], kind: str
) -> None:
    sitter = opened(kind, standby=True)
    verdict(sitter)
    family = descendants(os.getpid()) - started_before
    assert len(family) >= 2

    sitter.close()

    assert eventually(lambda: not any(map(alive, family)))


HOST = """
import time
from autograder.sitting.processes import open_sitter
from autograder.workspace import COURSE
sitter = open_sitter(COURSE.root, spawn={spawn}, standby={standby})
with sitter.child():
    pass
with sitter.child():
    print("sitting", flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("spawn", "family_of"), [(False, 3), (True, 1)], ids=["forked", "spawned"])
def test_no_warm_process_outlives_a_host_that_was_killed(spawn: bool, family_of: int) -> None:
    # A standby is forked from a forker, but is a worker like the first.
    program = HOST.format(spawn=spawn, standby=not spawn)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as host:
        assert host.stdout
        assert host.stdout.readline() == b"sitting\n"
        assert len(family := descendants(host.pid)) >= family_of
        host.kill()

    assert eventually(lambda: not any(map(alive, family)))


SLEEPS = """
import subprocess, sys

def dot_product(a, b):
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open({path!r}, "w") as file:
        file.write(str(sleeper.pid))
    {then}
"""


@pytest.mark.slow
@pytest.mark.parametrize("then", ["return (a * b).sum()", "while True: pass"], ids=["returns", "hangs"])
@pytest.mark.parametrize("kind", ["forked", "spawned"])
def test_what_a_step_has_started_ends_with_the_process(
    opened: Callable[..., Sitter], verdict: Verdict, tmp_path: Path, kind: str, then: str
) -> None:
    sitter, sleeper = opened(kind), tmp_path / "pid"
    verdict(sitter, SLEEPS.format(path=str(sleeper), then=then), timeout=1.0)

    sitter.close()

    assert eventually(lambda: not alive(int(sleeper.read_text())))


@pytest.mark.slow
def test_children_that_die_while_they_wait_are_passed_over(opened: Callable[..., Sitter], verdict: Verdict) -> None:
    sitter = opened("forked")
    verdict(sitter)
    assert eventually(lambda: len(children(sitter.pid)) >= SPARES)
    for pid in children(sitter.pid):
        kill(pid)
    assert eventually(lambda: not children(sitter.pid))  # they are buried

    assert verdict(sitter) == "passed"


@pytest.mark.parametrize("spawn", [False, True], ids=["forked", "spawned"])
def test_an_interrupt_from_the_terminal_does_not_reach_the_process(spawn: bool) -> None:
    with contextlib.closing(open_sitter(COURSE.root, spawn=spawn)) as sitter:
        assert os.getpgid(sitter.pid) != os.getpgrp()


class Process:
    """A process that has ended, or one that is not warm yet."""

    pid, together = 0, 1

    def __init__(self, has_ended: bool) -> None:
        self.has_ended = has_ended
        self.closed = False

    def prepare(self, children: int) -> None:
        pytest.fail("this would wait until torch is imported")

    def child(self) -> contextlib.AbstractContextManager[Child]:
        raise Died

    def reserve(self) -> "Process":
        return Process(has_ended=False)

    def close(self) -> None:
        self.closed = True


def test_a_sitter_that_was_closed_starts_nothing_any_more() -> None:
    ended = Process(has_ended=True)
    sitter = Lasting(COURSE.root, lambda: ended, standby=False, on_loss=None)
    sitter.close()

    with pytest.raises(CannotSit, match="was closed"), sitter.child():
        pass


def test_a_process_that_was_started_while_its_sitter_was_closed_is_closed() -> None:
    ended, following = Process(has_ended=True), Process(has_ended=False)
    processes = iter((ended, following))
    sitter = Lasting(COURSE.root, lambda: next(processes), standby=False, on_loss=lambda: sitter.close())

    with pytest.raises(CannotSit, match="was closed"), sitter.child():
        pass
    assert following.closed


def test_after_a_sitting_nobody_waits_for_the_next_process() -> None:
    ended, following = Process(has_ended=True), Process(has_ended=False)
    processes = iter((ended, following))
    sitter = Lasting(COURSE.root, lambda: next(processes), standby=False, on_loss=None)

    sitter.get_ahead(SPARES)

    assert ended.closed
    assert next(processes, None) is None


@pytest.mark.slow
def test_fifty_gigabytes_are_refused_in_a_worker(opened: Callable[..., Sitter], verdict: Verdict) -> None:
    text = "import torch\ndef dot_product(a, b):\n    return torch.ones(50 * 2**30, dtype=torch.uint8).sum()\n"

    assert verdict(opened("spawned"), text) == "out_of_memory"


@pytest.mark.slow
def test_what_a_sitting_sets_in_torch_is_undone_before_the_next(
    opened: Callable[..., Sitter], verdict: Verdict
) -> None:
    sitter = opened("spawned")
    sets = "import torch\ntorch.set_default_device('meta')\ntorch.use_deterministic_algorithms(True)\n"
    assert verdict(sitter, sets + RIGHT, timeout=60.0) == "passed"

    makes = "import torch\ndef dot_product(a, b):\n    return (a * b * torch.ones(1)).sum()\n"
    assert verdict(sitter, makes) == "passed"


@pytest.mark.parametrize("spawn", [False, True], ids=["forked", "spawned"])
def test_a_gpu_is_hidden_from_students_code(monkeypatch: pytest.MonkeyPatch, spawn: bool) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    environments: list[dict[str, str]] = []
    start = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *words, **more: environments.append(more["env"]) or start(*words, **more)
    )
    open_sitter(COURSE.root, spawn=spawn).close()

    assert [environment["CUDA_VISIBLE_DEVICES"] for environment in environments] == ["-1"]


@pytest.mark.slow
def test_a_child_that_cannot_be_set_up_is_not_the_students_fault(
    opened: Callable[..., Sitter], verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forked, "MEMORY", "no number")

    with pytest.raises(CannotSit, match="could not be set up"):
        verdict(opened("forked"))


@pytest.mark.slow
def test_the_end_of_a_child_that_was_killed_is_told(opened: Callable[..., Sitter], verdict: Verdict) -> None:
    sitter = opened("spawned")
    with sitter.child() as child:
        child.kill()
        assert child.end() == KILLED


def test_a_stranger_who_calls_instead_of_the_worker_is_turned_away(
    opened: Callable[..., Sitter], verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    listeners: list[socket.socket] = []
    listen = socket.create_server
    monkeypatch.setattr(socket, "create_server", lambda *where: listeners.append(listen(*where)) or listeners[-1])
    sitter = opened("spawned")
    with socket.create_connection(listeners[0].getsockname()) as stranger:
        stranger.sendall(HEADER.pack(HELLO, 32) + bytes(32))

        assert verdict(sitter) == "passed"
        assert stranger.recv(1) == b""


@pytest.mark.parametrize("kind", ["forked", "spawned"])
def test_a_process_that_does_not_start_is_told(
    opened: Callable[..., Sitter], let_none_start: Callable[[], None], kind: str
) -> None:
    let_none_start()
    sitter = opened(kind)

    with pytest.raises(CannotSit, match="did not start"):
        sitter.prepare(1)


@pytest.mark.parametrize("spawn", [False, True], ids=["forked", "spawned"])
def test_a_process_is_started_before_numpy_is_imported(spawn: bool) -> None:
    program = (
        "import sys; from autograder.sitting.processes import open_sitter; from autograder.workspace import COURSE\n"
        f"sitter = open_sitter(COURSE.root, spawn={spawn}); print('numpy' in sys.modules); sitter.close()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


def test_a_kernel_that_follows_no_process_gets_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int) -> int:
        raise PermissionError

    assert can_fork()
    monkeypatch.setattr(os, "pidfd_open", refuse)
    assert not can_fork()


@pytest.mark.parametrize(("chosen", "module"), [(WORKER, "worker"), ("", "forker")])
def test_the_environment_chooses_the_worker(monkeypatch: pytest.MonkeyPatch, chosen: str, module: str) -> None:
    monkeypatch.setenv(CHOICE, chosen)
    sitter = open_sitter(COURSE.root)
    command = Path(f"/proc/{sitter.pid}/cmdline")

    assert eventually(lambda: f"autograder.sitting.{module}\0" in command.read_text(encoding="utf-8"))
    sitter.close()
