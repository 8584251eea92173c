"""The terminal under the watch: its keys, and its screen, which replaces the last one or, in words, follows it."""

import os
import re
import shutil
import sys
from typing import Any, TextIO

from rich.console import Console, Group
from rich.control import Control
from rich.segment import ControlType, Segment, Segments
from rich.text import Text

from autograder.render.screen import console_on, signs_for
from autograder.student.watch.draw import draw
from autograder.student.watch.state import State

if sys.platform == "win32":
    import msvcrt
else:
    import select
    import termios
    import tty

KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|[\x00\xe0].|.", re.DOTALL)

NAMES = {
    **dict.fromkeys(("\x1b[A", "\x1bOA", "\x00H", "\xe0H"), "up"),
    **dict.fromkeys(("\x1b[B", "\x1bOB", "\x00P", "\xe0P"), "down"),
    **dict.fromkeys(("\x1b[5~", "\x00I", "\xe0I"), "page up"),
    **dict.fromkeys(("\x1b[6~", "\x00Q", "\xe0Q"), "page down"),
    **dict.fromkeys(("\r", "\n"), "enter"),
    "\x1b": "escape",
}
"""Keys by the characters that terminals send; on Windows these begin with one that no key has."""

LEAST_ABOVE = 6
"""Lines at the top that are always shown."""

HOME = Control.home().segment
ERASE_LINE = Segment("\x1b[K", None, [(ControlType.ERASE_IN_LINE, 0)])
ERASE_BELOW = Segment("\x1b[J", None, [(ControlType.CLEAR,)])


def keys_in(typed: str) -> list[str]:
    """Return the names of the keys that a terminal sends as this."""
    return [NAMES.get(key, key.lower()) for key in KEY.findall(typed)]


class Keyboard:
    """The keys of the terminal that standard input is; if it is not a terminal, no key ever comes."""

    def __init__(self) -> None:
        self.is_there = bool(sys.stdin) and sys.stdin.isatty()
        self._before: list[Any] = []

    def take(self) -> None:
        """Let keys come singly, without Enter."""
        if sys.platform != "win32" and self.is_there:
            self._before = self._before or termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)

    def give_back(self) -> None:
        """Leave the terminal to other programs as it was before."""
        if sys.platform != "win32" and self._before:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def read(self, wait: bool = False) -> str:
        """Return what the terminal sends for the keys that have been pressed. wait: for one at least."""
        if not self.is_there:
            return ""
        if sys.platform == "win32":
            if not wait and not msvcrt.kbhit():
                return ""
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            return key + msvcrt.getwch() if key in ("\x00", "\xe0") else key
        ready, _, _ = select.select([sys.stdin], [], [], None if wait else 0)
        return os.read(sys.stdin.fileno(), 1 << 10).decode("utf-8", "replace") if ready else ""


class Screen:
    """Draws the state of the watch, each time that it or the size of the terminal has changed.

    plain: in words, one line after the other. signs: what can be drawn there.
    """

    def __init__(self, stream: TextIO, plain: bool) -> None:
        console = console_on(stream)
        self.signs = signs_for(console, plain)
        self._stream = stream
        self._scrolls = self.signs.plain or not console.is_terminal or console.is_dumb_terminal
        self._shown: tuple[State, os.terminal_size] | None = None
        self._said: list[str] = []

    def clear(self) -> None:
        """Draw all again: another program uses the terminal, or has used it."""
        self._shown = None
        if not self._scrolls:
            console_on(self._stream).clear()

    def say(self, text: str) -> None:
        """Print a line above or below the output of another program."""
        console_on(self._stream).print(Text(text, style="dim"))

    def show(self, state: State) -> None:
        """Show a state."""
        shown, self._shown = self._shown, (state, shutil.get_terminal_size())
        if self._shown == shown:
            return
        console = console_on(self._stream)
        if self._scrolls:
            self._add(console, state, again=not shown or shown[0].latest is not state.latest)
        else:
            self._replace(console, state)

    def _add(self, console: Console, state: State, again: bool) -> None:
        """Print what is not there yet. again: print all, as new marks may repeat old text."""
        before, self._said = [] if again else self._said, []
        for one in draw(state, console.height):
            self._said.append("".join(segment.text for segment in console.render(one)))
            if self._said[-1] not in before:
                console.print(one)

    def _replace(self, console: Console, state: State) -> None:
        """Draw the screen over the last one, in one go so that nothing flickers."""
        lines = self._fit(console, state, max(console.height, 2 * LEAST_ABOVE))
        drawn = [HOME]
        for line in lines[:-1]:
            drawn += [ERASE_LINE, *line, Segment.line()]
        console.print(Segments([*drawn, ERASE_BELOW, *lines[-1]]), end="")

    def _fit(self, console: Console, state: State, most: int) -> list[list[Segment]]:
        """Return the lines of the drawing with the most in it that fits.

        If even that is too high, lines in the middle are left out: the verdict is above, the next thing to do below.
        """
        lines: list[list[Segment]] = []
        for with_picture in (True, False):
            lines = console.render_lines(Group(*draw(state, most, with_picture)), pad=False)
            if len(lines) <= most:
                return lines
        left_out = Text(f"({len(lines) - most + 1} lines left out; a taller window shows them)", style="dim")
        return [*lines[:LEAST_ABOVE], *console.render_lines(left_out, pad=False), *lines[LEAST_ABOVE + 1 - most :]]
