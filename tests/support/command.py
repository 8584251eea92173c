"""The command `attn`: here, in the test's own process, or as the process that a user starts.

Here is the usual way. A process is for what only a process shows: exit codes of a crash, encodings, pipes, Ctrl-C, imports.
"""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from unittest import mock

from warm import lend

from autograder.cli import main
from autograder.sitting import processes
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.classroom.executors import LocalWorkers

ATTN = str(Path(sys.executable).with_name("attn"))

Run = subprocess.CompletedProcess[str]


def attn_in(workspace: Workspace, *arguments: str, **environment: str) -> Run:
    """Run the command in a checkout, in this process and with warm processes, without a terminal, as from a wide one."""
    words = [*map(str, arguments)]
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    printed, complained = _stream(encoding), _stream(encoding)
    with ExitStack() as stack:
        stack.enter_context(chdir(workspace.root))
        stack.enter_context(mock.patch.dict(os.environ, _environment(environment)))
        stack.enter_context(mock.patch.multiple(sys, stdin=_nothing(stack), stdout=printed, stderr=complained))
        stack.enter_context(_with_warm_processes())
        code = _exit_code(words)
    return subprocess.CompletedProcess(["attn", *words], code, _text(printed), _text(complained))


def attn_process(workspace: Workspace, *arguments: str, timeout: float = 120, **environment: str) -> Run:
    """Run the command in a checkout as a process, without a terminal, as from a wide one."""
    return subprocess.run(
        [ATTN, *map(str, arguments)],
        cwd=workspace.root,
        env={**os.environ, **_environment(environment)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
    )


def _environment(given: dict[str, str]) -> dict[str, str]:
    return {"COLUMNS": "200", "ATTN_TRACEBACK": "1", **given}


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
    """Let verbs sit with the warm processes of the session, and a class be marked in a thread of this process."""
    from autograder.classroom import executors, grader  # where the tests of marking a class are: on Linux
    from autograder.cli import proving

    with ExitStack() as stack:
        for module in (processes, proving, grader):
            stack.enter_context(mock.patch.object(module, "open_sitter", lend))
        stack.enter_context(mock.patch.object(executors.LocalWorkers, "executor", _in_a_thread))
        yield


@contextmanager
def _in_a_thread(workers: "LocalWorkers") -> Iterator[Executor]:
    from autograder.classroom.grading import forget, learn

    learn(workers.conditions, slot=0)
    with ThreadPoolExecutor(1) as executor:
        yield executor
    forget(workers.conditions)


def _nothing(stack: ExitStack) -> TextIO:
    return stack.enter_context(open(os.devnull, encoding="utf-8"))


def _stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode(stream.encoding)
