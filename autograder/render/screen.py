"""Consoles of Rich, and the signs of drawings in Unicode, in ASCII or as words."""

import io
import os
import re
import sys
from dataclasses import dataclass
from typing import TextIO, cast

from rich.console import Console

from autograder.course.model import CONTROLS
from autograder.course.verdicts import Verdict

TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
OBEYED = re.compile(f"[{CONTROLS}]")
"""Characters that control a terminal or reverse the direction of text."""
NARROWEST, WIDEST, WITHOUT_A_TERMINAL = 40, 110, 80

PLAIN_EVERYWHERE = "ATTN_PLAIN"
"""The environment variable that replaces pictures by sentences, unless its value is empty or 0."""


@dataclass(frozen=True)
class Signs:
    """The signs of a drawing. shades: for small to large values. plain: True for sentences only."""

    passed: str
    failed: str
    open: str
    arrow: str
    bar: str
    rest: str
    shades: str
    plain: bool = False


UNICODE = Signs("✓", "✗", "·", "→", "━", "─", "░▒▓█")
ASCII = Signs("ok", "X", "-", "->", "#", "-", ".:*#")
PLAIN = Signs("passed", "failed", "open", "", "", "", "", plain=True)


def sign_of(verdict: str, signs: Signs) -> tuple[str, str]:
    """Return the sign of a verdict and the sign's style in Rich."""
    if verdict == Verdict.PASSED:
        return signs.passed, "green"
    return (signs.open, "dim") if verdict == Verdict.NOT_ATTEMPTED else (signs.failed, "red")


class _Trimmed(io.TextIOBase):
    """A stream that removes trailing spaces, because Rich fills lines with spaces."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def write(self, text: str) -> int:
        self._stream.write(TRAILING.sub("", text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()


def make_console(stderr: bool = False) -> Console:
    """Return a console on standard output, or on standard error if `stderr`."""
    return console_on(sys.stderr if stderr else sys.stdout)


def console_on(stream: TextIO) -> Console:
    """Return a console on a stream: with 80 columns and no colours if this is no terminal."""
    console = Console(file=stream if stream.isatty() else cast(TextIO, _Trimmed(stream)), highlight=False)
    width = console.width if console.is_terminal else WITHOUT_A_TERMINAL
    console.width = max(NARROWEST, min(width, WIDEST))
    return console


def signs_for(console: Console, plain: bool = False) -> Signs:
    """Return the signs that a console can show; words if `plain` or PLAIN_EVERYWHERE is set."""
    if plain or os.environ.get(PLAIN_EVERYWHERE, "0") not in ("", "0"):
        return PLAIN
    return UNICODE if console.encoding.lower().startswith("utf") else ASCII


def say_error(message: str) -> None:
    """Print a message to standard error, with its control characters escaped."""
    console = make_console(stderr=True)
    told = OBEYED.sub(lambda found: ascii(found[0])[1:-1], message)
    console.print(told, style="red", markup=False, soft_wrap=not sys.stderr.isatty())
