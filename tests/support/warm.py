"""Warm processes that a test session starts once, and lends to whatever would start one of its own."""

import contextlib
import os
from filecmp import cmp
from pathlib import Path
from typing import Any
from unittest import mock

from autograder.course.course import released_files
from autograder.runner import processes
from autograder.runner.processes import CHOICE, Runner, can_fork, open_runner, open_worker
from autograder.sandbox import NONE
from autograder.workspace import COURSE

PATIENCE = 60.0
"""Seconds that a step may take where its time-out is not what is tested: the machine may be busy."""

_warm: dict[str, Runner] = {}
"""By the level of the sandbox; the worker under its own name."""

WORKER = "worker"

FORKS = can_fork()
"""Whether this machine does, whatever a test lets the grader believe."""

_start = processes._start


class Lent:
    """A warm process that whoever borrowed it cannot close. course: the one that is sat, which it may have to import first."""

    def __init__(self, runner: Runner, course: Path) -> None:
        self._runner = runner
        self.course = COURSE.root if _is_copy(course) else course

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    def close(self) -> None:
        """Leave it to the next borrower."""


def _is_copy(course: Path) -> bool:
    """Tell whether a course is a copy of the one that the warm processes have imported."""
    files = [path.relative_to(COURSE.root) for path in released_files(COURSE.root)]
    return all((course / file).is_file() and cmp(course / file, COURSE.root / file) for file in files)


def lend(course: Path, level: str = NONE, as_daemon: bool = False) -> Any:
    """Lend a warm process in place of `open_runner`."""
    if CHOICE in os.environ:
        return open_runner(course, level)
    if level not in _warm:
        # A test may stand in a course that is gone before the process is, or have put `quick_starts` in its place.
        with contextlib.chdir("/"), mock.patch.object(processes, "_start", _start):
            _warm[level] = Runner(COURSE.root, level, forks=FORKS)
    return Lent(_warm[level], course)


def lend_worker() -> Any:
    """Lend a warm worker, which forks nothing: for hundreds of right texts, which leave torch as it is."""
    if WORKER not in _warm:
        with contextlib.chdir("/"):
            _warm[WORKER] = open_worker(COURSE.root)
    return Lent(_warm[WORKER], COURSE.root)


def close_all() -> None:
    """End them all, with the session."""
    while _warm:
        _warm.popitem()[1].close()
