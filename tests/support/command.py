"""The command `attn`: here, in the test's own process, in a fork that has torch, or as the process that a user starts.

Here is the usual way. A fork is for what runs a student's code where the command runs. A process is for what only a process
shows: exit codes of a crash, encodings, pipes, Ctrl-C, imports.
"""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, chdir, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from forks import Forks
from warm import lend

from autograder.cli import main
from autograder.runner import processes
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.classroom.executors import Graders
    from autograder.classroom.grader import Conditions

SET = {"COLUMNS": "200", "ATTN_TRACEBACK": "1", "ATTN_CAUSES": "none"}
"""What a test's environment holds where it says nothing else."""

ATTN = str(Path(sys.executable).with_name("attn"))

OF_TERMINALS = (
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
    "COLORTERM",
    "PYTHONIOENCODING",
)
"""What decides in the environment how a terminal is written to; a test says it anew."""

Run = subprocess.CompletedProcess[str]


class Stream(io.TextIOWrapper):
    """A standard stream that is kept in memory. terminal: whether it says that it is one."""

    def __init__(self, encoding: str, terminal: bool = False, typed: str = "") -> None:
        super().__init__(io.BytesIO(typed.encode(encoding)), encoding=encoding, write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    @property
    def written(self) -> str:
        """All that was written to it."""
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


def attn_in(workspace: Workspace, *arguments: str, **environment: str | None) -> Run:
    """Run the command in a checkout, in this process and with warm processes, without a terminal, as from a wide one.

    environment: what is set in it; what is None is taken out.
    """
    return _run_here(workspace, arguments, environment)


def attn_at_terminal(workspace: Workspace, *arguments: str, typed: str = "", **environment: str | None) -> Run:
    """Run the command as `attn_in` does, with streams that say that they are a terminal of 110 columns. typed: by its user."""
    return _run_here(workspace, arguments, environment, terminal=True, typed=typed)


def attn_forked(workspace: Workspace, *arguments: str, timeout: float = 60, **environment: str) -> Run:
    """Run the command as `attn_in` does, in a process of its own that has torch already: for a student's code in the foreground."""
    forks = Forks()
    here, there = forks.Pipe()
    process = forks.Process(target=_send_run, args=(there, workspace, arguments, {**os.environ, **environment}))
    process.start()
    there.close()
    try:
        assert here.poll(timeout), f"attn {' '.join(arguments)} goes on after {timeout:g} s"
        found: Run = here.recv()
        return found
    finally:
        process.kill()
        process.join()


def _send_run(there: Connection, workspace: Workspace, arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    """Run the command in the fork and send what came of it."""
    os.environ.clear()
    os.environ |= environment
    there.send(attn_in(workspace, *arguments, **environment))


def attn_process(workspace: Workspace, *arguments: str, timeout: float = 120, **environment: str) -> Run:
    """Run the command in a checkout as a process, without a terminal, as from a wide one."""
    return subprocess.run(
        [ATTN, *map(str, arguments)],
        cwd=workspace.root,
        env={**os.environ, **SET, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
    )


def _run_here(
    workspace: Workspace,
    arguments: tuple[str, ...],
    environment: dict[str, str | None],
    terminal: bool = False,
    typed: str = "",
) -> Run:
    words = [*map(str, arguments)]
    encoding = environment.get("PYTHONIOENCODING") or "utf-8"
    printed, complained = Stream(encoding, terminal), Stream(encoding, terminal)
    with ExitStack() as stack:
        stack.enter_context(chdir(workspace.root))
        stack.enter_context(mock.patch.dict(os.environ))
        _set_environment(terminal, environment)
        typing = Stream("utf-8", terminal, typed)
        stack.enter_context(mock.patch.multiple(sys, stdin=typing, stdout=printed, stderr=complained))
        stack.enter_context(_with_warm_processes())
        code = _exit_code(words)
    return subprocess.CompletedProcess(["attn", *words], code, printed.written, complained.written)


def _set_environment(terminal: bool, given: dict[str, str | None]) -> None:
    """Set the environment of this process as that of a command."""
    if terminal:
        for name in OF_TERMINALS:
            os.environ.pop(name, None)
        os.environ |= {"TERM": "xterm-256color"}
    for name, value in {**SET, **({"COLUMNS": "110"} if terminal else {}), **given}.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _exit_code(words: list[str]) -> int:
    try:
        main.main(words)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


@contextmanager
def _with_warm_processes() -> Iterator[None]:
    """Let verbs sit with the warm processes of the session, a class be marked in a thread of this process, and exams be read once."""
    from autograder.classroom import (
        executors,
        grader,  # where the tests of marking a class are: on Linux
    )

    with ExitStack() as stack:
        for module in (processes, grader):
            stack.enter_context(mock.patch.object(module, "open_runner", lend))
        stack.enter_context(mock.patch.object(processes, "open_worker", lend))
        stack.enter_context(mock.patch.object(executors, "local_graders", _in_a_thread))
        yield


@contextmanager
def _in_a_thread(_: int, conditions: "Conditions") -> "Iterator[Graders]":
    from autograder.classroom.executors import Graders
    from autograder.classroom.grader import close_graders

    # Here, not in the thread: Linux ends a sandbox together with the thread that started it.
    lend(conditions.course, level=conditions.sandbox)
    with ThreadPoolExecutor(1) as executor:
        yield Graders(executor, lambda: 2)
    close_graders()
