"""The little of Windows' `msvcrt` that the grader uses, on a pseudo-terminal."""

import os
import select
import termios
import tty

LK_LOCK, LK_NBLCK, LK_UNLCK = 1, 2, 0

_before: list[object] = []


def kbhit() -> bool:
    """Tell whether a key waits."""
    _leave_lines()
    return bool(select.select([0], [], [], 0)[0])


def getwch() -> str:
    """Wait for a key; nothing is shown for it."""
    _leave_lines()
    return os.read(0, 1).decode()


def locking(descriptor: int, mode: int, size: int) -> None:
    """Take a lock. Nobody else wants it here."""


def _leave_lines() -> None:
    """Windows gives keys as they are pressed; here that is a setting of the terminal."""
    if not _before and os.isatty(0):
        _before.append(termios.tcgetattr(0))
        tty.setcbreak(0)
