"""Warm processes that a test session starts once, and lends to whatever would start one of its own."""

import contextlib
import os
from typing import Any

from autograder.sitting.forking import CHOICE
from autograder.sitting.processes import Sitter, open_sitter
from autograder.sitting.sandbox import NONE

_warm: dict[tuple[str, bool], Sitter] = {}
"""By the level of the sandbox, and whether children are got ready ahead."""


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
        with contextlib.chdir("/"):  # a course that a test stands in is gone before the process is
            _warm[level, ahead] = open_sitter(level=level, ahead=ahead)
    return Lent(_warm[level, ahead])


def close_all() -> None:
    """End them all, with the session."""
    while _warm:
        _warm.popitem()[1].close()
