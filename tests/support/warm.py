"""Warm processes that a test session starts once, and lends to whatever would start one of its own."""

import contextlib
import os
from filecmp import cmp
from pathlib import Path
from typing import Any
from unittest import mock

from autograder.course.course import released_files
from autograder.sitting.forking import CHOICE, can_fork
from autograder.sitting.processes import Lasting, Sitter, open_sitter
from autograder.sitting.sandbox import NONE
from autograder.workspace import COURSE

_warm: dict[tuple[str, bool], Sitter] = {}
"""By the level of the sandbox, and whether children are got ready ahead; the worker under its own name."""

WORKER = ("worker", False)

FORKS = can_fork()
"""Whether this machine does, whatever a test lets the grader believe."""

if FORKS:
    from autograder.sitting.forked import _start as _start_forker


class Lent:
    """A warm process that whoever borrowed it cannot close. course: the one that is sat, which it may have to import first."""

    def __init__(self, sitter: Sitter, course: Path) -> None:
        self._sitter = sitter
        self.course = COURSE.root if _is_copy(course) else course

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sitter, name)

    def close(self) -> None:
        """Leave it to the next borrower."""


def _is_copy(course: Path) -> bool:
    """Tell whether a course is a copy of the one that the warm processes have imported."""
    files = [path.relative_to(COURSE.root) for path in released_files(COURSE.root)]
    return all((course / file).is_file() and cmp(course / file, COURSE.root / file) for file in files)


def lend(
    course: Path, spawn: bool | None = None, level: str = NONE, slot: int = 0, ahead: bool = True, **others: Any
) -> Any:
    """Lend a warm process in place of `open_sitter`; where more is asked of it than that, start one."""
    if spawn is not None or CHOICE in os.environ or others:
        return open_sitter(course, spawn, level, slot, ahead, **others)
    if (level, ahead) not in _warm:
        _warm[level, ahead] = _open(level, ahead)
    return Lent(_warm[level, ahead], course)


def lend_worker() -> Any:
    """Lend a warm worker, which forks nothing: for hundreds of texts, of which none hangs or ends it."""
    if WORKER not in _warm:
        with contextlib.chdir("/"):
            _warm[WORKER] = open_sitter(COURSE.root, spawn=True)
    return Lent(_warm[WORKER], COURSE.root)


def close_all() -> None:
    """End them all, with the session."""
    while _warm:
        _warm.popitem()[1].close()


def _open(level: str, ahead: bool) -> Sitter:
    with contextlib.chdir("/"):  # a course that a test stands in is gone before the process is
        if not FORKS:
            return open_sitter(COURSE.root, level=level, ahead=ahead)
        from autograder.sitting import forked

        def start() -> forked.Forker:
            # A test may have put `quick_starts` in its place.
            with contextlib.chdir("/"), mock.patch.object(forked, "_start", _start_forker):
                return forked.start_forker(COURSE.root, level, ahead=ahead)

        return Lasting(COURSE.root, start, standby=False, on_loss=None)
