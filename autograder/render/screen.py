"""The screen: one Rich console, and the signs that are drawn, in ASCII or words where needed."""

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
"""Characters that command a terminal or turn a line."""
NARROWEST, WIDEST, WITHOUT_A_TERMINAL = 40, 110, 80

PLAIN_EVERYWHERE = "ATTN_PLAIN"
"""The variable of the environment that asks for words instead of pictures; empty and 0 do not."""


@dataclass(frozen=True)
class Signs:
    """The signs of a drawing.

    shades: from nearly right to far off. plain: whether sentences take the place of pictures.
    """

    passed: str
    failed: str
    open: str
    dot: str
    arrow: str
    bar: str
    rest: str
    shades: str
    plain: bool = False


UNICODE = Signs("✓", "✗", "·", "·", "→", "━", "─", "░▒▓█")
ASCII = Signs("ok", "X", "-", ".", "->", "#", "-", ".:*#")
PLAIN = Signs("passed", "failed", "open", "", "", "", "", "", plain=True)


def sign_of(verdict: str, signs: Signs) -> tuple[str, str]:
    """Return the sign of a verdict and its style."""
    if verdict == Verdict.PASSED:
        return signs.passed, "green"
    return (signs.open, "dim") if verdict == Verdict.NOT_ATTEMPTED else (signs.failed, "red")


class _Trimmed(io.TextIOBase):
    """A stream without the trailing spaces with which Rich fills a terminal's width."""

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
    """Return a console on standard output, or on standard error."""
    return console_on(sys.stderr if stderr else sys.stdout)


def console_on(stream: TextIO) -> Console:
    """Return a console; without a terminal 80 columns wide, colourless, without trailing spaces."""
    console = Console(file=stream if stream.isatty() else cast(TextIO, _Trimmed(stream)), highlight=False)
    width = console.width if console.is_terminal else WITHOUT_A_TERMINAL
    console.width = max(NARROWEST, min(width, WIDEST))
    return console


def signs_for(console: Console, plain: bool = False) -> Signs:
    """Return the signs that the console can show; words if asked for, or by the environment."""
    if plain or os.environ.get(PLAIN_EVERYWHERE, "0") not in ("", "0"):
        return PLAIN
    return UNICODE if console.encoding.lower().startswith("utf") else ASCII


def say_error(message: str) -> None:
    """Print an error to standard error, the control characters in it escaped."""
    console = make_console(stderr=True)
    told = OBEYED.sub(lambda found: ascii(found[0])[1:-1], message)
    console.print(told, style="red", markup=False, soft_wrap=not sys.stderr.isatty())
