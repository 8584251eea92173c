"""The terminal under the watch: one screen replaces the last; where that cannot be, or is not wanted, lines follow each other."""

import shutil
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Group, RenderableType
from rich.control import Control
from rich.segment import ControlType, Segment, Segments
from rich.text import Text

from autograder.cli.screen import UNICODE, console_on, signs_for

LEAST_ABOVE = 6
"""Lines at the top that are always shown."""


class Display:
    """Shows screens. plain: in words, line after line, as a screen reader takes them. stream: None for standard output."""

    def __init__(self, plain: bool, stream: TextIO | None = None) -> None:
        self._plain = plain
        self._stream = stream or sys.stdout
        self._told = ""
        self._take_size()

    def _take_size(self) -> None:
        self._size = shutil.get_terminal_size()
        self._console = console_on(self._stream)
        self.signs = signs_for(self._console, self._plain)

    @property
    def height(self) -> int:
        """The lines of the terminal."""
        return self._size.lines

    @property
    def scrolls(self) -> bool:
        """Whether lines follow each other."""
        return self.signs.plain or not self._console.is_terminal or self._console.is_dumb_terminal

    def resized(self) -> bool:
        """Take the terminal's size of now; return whether it is another than before."""
        if shutil.get_terminal_size() == self._size:
            return False
        self._take_size()
        return True

    def replace(self, *drawings: Iterable[RenderableType]) -> None:
        """Show a whole screen, in one go so that nothing flickers: of several drawings, each with less in it, the first that fits.

        Of one that is higher than the terminal all the same, lines in the middle are left out: the verdict stands above, the next
        thing to do below.
        """
        self._told = ""
        if self.scrolls:
            self.add(drawings[0])
            return
        most = max(self._size.lines - 1, 2 * LEAST_ABOVE)  # the last line says what is under way
        lines: list[list[Segment]] = []
        for drawn in drawings:
            lines = self._console.render_lines(Group(*drawn), pad=False)
            if len(lines) <= most:
                break
        with self._console as console:
            console.clear()
            if len(lines) > most:
                left_out = f"… {len(lines) - most + 1} lines left out; a higher window shows them"
                self._print_lines(lines[:LEAST_ABOVE])
                console.print(self._readable(left_out), style="dim")
                lines = lines[LEAST_ABOVE + 1 - most :]
            self._print_lines(lines)

    def _print_lines(self, lines: list[list[Segment]]) -> None:
        for line in lines:
            self._console.print(Segments([*line, Segment.line()]), end="")

    def _readable(self, text: str) -> str:
        return text if self.signs is UNICODE else text.replace("…", "...")

    def add(self, drawn: Iterable[RenderableType]) -> None:
        """Show more below what is there."""
        with self._console as console:
            for one in drawn:
                console.print(one)

    def tell(self, text: str) -> None:
        """Say in the last line what is under way, in place of what stood there."""
        if text == self._told:
            return
        self._told = text
        with self._console as console:
            if not self.scrolls:
                console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
            line = Text(self._readable(text), style="yellow")
            if not self.scrolls:
                line.truncate(console.width - 1)  # a second line would push the screen up
            console.print(line, end="\n" if self.scrolls else "")

    def leave(self) -> None:
        """Take back what the last line said."""
        if not self.scrolls:
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
