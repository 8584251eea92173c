"""The screen: one Rich console, and the few signs that are drawn, in words where the terminal knows only ASCII."""

import sys
from dataclasses import dataclass

from rich.console import Console

NARROWEST, WIDEST, WITHOUT_A_TERMINAL = 40, 110, 80


@dataclass(frozen=True)
class Signs:
    """The signs of a drawing. shades: from nearly right to far off."""

    passed: str
    failed: str
    open: str
    dot: str
    arrow: str
    bar: str
    rest: str
    shades: str


UNICODE = Signs("✓", "✗", "·", "·", "→", "━", "─", "░▒▓█")
ASCII = Signs("ok", "X", "-", ".", "->", "#", "-", ".:*#")


def make_console(stderr: bool = False) -> Console:
    """Return a console; without a terminal it is 80 columns wide and colourless."""
    console = Console(stderr=stderr, highlight=False, soft_wrap=False)
    width = console.width if console.is_terminal else WITHOUT_A_TERMINAL
    console.width = max(NARROWEST, min(width, WIDEST))
    return console


def signs_for(console: Console) -> Signs:
    """Return the signs that the console's encoding can show."""
    return UNICODE if console.encoding.lower().startswith("utf") else ASCII


def say_error(message: str) -> None:
    """Print a message about what could not be done, to standard error."""
    console = make_console(stderr=True)
    console.print(message, style="red", markup=False, soft_wrap=not sys.stderr.isatty())
