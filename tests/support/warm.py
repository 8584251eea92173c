"""Warm processes that a test session starts once, and lends to whatever would start one of its own."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from autograder.sitting.forking import CHOICE, can_fork
from autograder.sitting.processes import Lasting, Sitter, open_sitter
from autograder.sitting.sandbox import NONE

KNOWS_MORE_PARTS = Path(__file__).resolve().parent / "more_parts"

_warm: dict[tuple[str, bool], Sitter] = {}
"""By the level of the sandbox, and whether children are got ready ahead; the worker under its own name."""

WORKER = ("worker", False)

_more_parts = tempfile.TemporaryDirectory(prefix="attn-parts-")


FORKS = can_fork()
"""Whether this machine does, whatever a test lets the grader believe."""

if FORKS:
    from autograder.sitting.forked import _start as _start_forker


class Lent:
    """A warm process that whoever borrowed it cannot close."""

    def __init__(self, sitter: Sitter) -> None:
        self._sitter = sitter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sitter, name)

    def close(self) -> None:
        """Leave it to the next borrower."""


def lend(spawn: bool | None = None, level: str = NONE, slot: int = 0, ahead: bool = True, **others: Any) -> Any:
    """Lend a warm process in place of `open_sitter`; where more is asked of it than that, start one."""
    if spawn is not None or CHOICE in os.environ or others:
        return open_sitter(spawn, level, slot, ahead, **others)
    if (level, ahead) not in _warm:
        _warm[level, ahead] = _open(level, ahead)
    return Lent(_warm[level, ahead])


def lend_worker() -> Any:
    """Lend a warm worker, which forks nothing: for hundreds of texts, of which none hangs or ends it."""
    if WORKER not in _warm:
        with contextlib.chdir("/"):
            _warm[WORKER] = open_sitter(spawn=True)
    return Lent(_warm[WORKER])


def close_all() -> None:
    """End them all, with the session."""
    while _warm:
        _warm.popitem()[1].close()


@contextlib.contextmanager
def knowing(part: Path) -> Iterator[None]:
    """Let the warm processes sit a part that is none of the course's, by the file of its data. A sandbox hides it from them."""
    link = Path(_more_parts.name, part.name)
    link.symlink_to(part)
    try:
        yield
    finally:
        link.unlink()


def _open(level: str, ahead: bool) -> Sitter:
    if not FORKS:
        return open_sitter(level=level, ahead=ahead)
    from autograder.sitting import forked

    def start() -> forked.Forker:
        known = {"PYTHONPATH": str(KNOWS_MORE_PARTS), "MORE_PARTS": _more_parts.name, "PYTHONDONTWRITEBYTECODE": "1"}
        with (
            contextlib.chdir("/"),  # a course that a test stands in is gone before the process is
            mock.patch.dict(os.environ, known),
            mock.patch.object(forked, "_start", _start_forker),  # a test may have put `quick_starts` in its place
        ):
            return forked.start_forker(level, ahead=ahead)

    return Lasting(start, standby=False, on_loss=None)
