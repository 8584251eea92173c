"""The keyboard and the screen of the watch. In plain mode, new lines are printed below the old ones."""

import os
import re
import shutil
import sys
from typing import Any, TextIO

from rich.console import Console, Group
from rich.control import Control
from rich.segment import ControlType, Segment, Segments

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
"""A pattern for the characters of one key. On Windows, an arrow key sends two characters."""

NAMES = {
    **dict.fromkeys(("\x1b[A", "\x1bOA", "\x00H", "\xe0H"), "up"),
    **dict.fromkeys(("\x1b[B", "\x1bOB", "\x00P", "\xe0P"), "down"),
}

LEAST_BELOW = 8
"""Lines at the bottom that are shown even if the screen is too high for the terminal."""

HOME = Control.home().segment
ERASE_LINE = Segment("\x1b[K", None, [(ControlType.ERASE_IN_LINE, 0)])
ERASE_BELOW = Segment("\x1b[J", None, [(ControlType.CLEAR,)])


def keys_in(typed: str) -> list[str]:
    """Return the names of the pressed keys. typed: the characters that the terminal has sent."""
    return [NAMES.get(key, key.lower()) for key in KEY.findall(typed)]


class Keyboard:
    """Reads keys from standard input. If that is not a terminal, no key ever comes."""

    def __init__(self) -> None:
        self.is_there = bool(sys.stdin) and sys.stdin.isatty()
        self._before: list[Any] = []

    def take(self) -> None:
        """Make the terminal deliver each key at once, without Enter."""
        if sys.platform != "win32" and self.is_there:
            self._before = self._before or termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)

    def give_back(self) -> None:
        """Restore the settings of the terminal for other programs."""
        if sys.platform != "win32" and self._before:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def read(self, wait: bool = False) -> str:
        """Return the characters of the keys that have been pressed. wait: wait for at least one key."""
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
    """Draws the state of the watch whenever the state or the size of the terminal has changed.

    plain: print words, each line below the last. signs: the symbols that the terminal can show.
    """

    def __init__(self, stream: TextIO, plain: bool) -> None:
        console = console_on(stream)
        self.signs = signs_for(console, plain)
        self._stream = stream
        self._scrolls = self.signs.plain or not console.is_terminal or console.is_dumb_terminal
        self._shown: tuple[State, os.terminal_size] | None = None
        self._said: list[str] = []

    def clear(self) -> None:
        """Make the next `show` draw everything, on an empty screen except in plain mode."""
        self._shown = None
        if not self._scrolls:
            console_on(self._stream).clear()

    def say(self, text: str) -> None:
        """Print a line before or after another program uses the terminal."""
        console_on(self._stream).print(text, style="dim", markup=False)

    def show(self, state: State) -> None:
        """Draw a state, unless it is on the screen already."""
        shown, self._shown = self._shown, (state, shutil.get_terminal_size())
        if self._shown == shown:
            return
        console = console_on(self._stream)
        if self._scrolls:
            self._add(console, state, again=not shown or shown[0].latest is not state.latest)
        else:
            self._replace(console, state, max(console.height, LEAST_BELOW + 2))

    def _add(self, console: Console, state: State, again: bool) -> None:
        """Print the lines that are new. again: print all lines, because new marks may repeat old text."""
        before, self._said = [] if again else self._said, []
        for one in draw(state, console.height):
            self._said.append("".join(segment.text for segment in console.render(one)))
            if self._said[-1] not in before:
                console.print(one)

    def _replace(self, console: Console, state: State, most: int) -> None:
        """Draw the screen over the last one, in a single write, so that nothing flickers.

        If it has more than `most` lines, leave out the picture, then lines above the bottom ones.
        """
        for with_picture in (True, False):
            lines = console.render_lines(Group(*draw(state, most, with_picture)), pad=False)
            if len(lines) <= most:
                break
        else:
            above = [*lines[: most - LEAST_BELOW - 1], [Segment("(a taller window shows more)")]]
            lines = [*above, *lines[-LEAST_BELOW:]]
        drawn = [HOME]
        for line in lines[:-1]:
            drawn += [ERASE_LINE, *line, Segment.line()]
        console.print(Segments([*drawn, ERASE_BELOW, *lines[-1]]), end="")
