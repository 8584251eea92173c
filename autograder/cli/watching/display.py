"""The terminal under the watch: one screen replaces the last; where that cannot be, or is not wanted, lines follow each other."""

import shutil
from collections.abc import Iterable

from rich.console import RenderableType
from rich.control import Control
from rich.segment import ControlType

from autograder.cli.screen import make_console, signs_for


class Display:
    """Shows screens. plain: in words, line after line, as a screen reader takes them."""

    def __init__(self, plain: bool) -> None:
        self._plain = plain
        self._told = ""
        self._take_size()

    def _take_size(self) -> None:
        self._size = shutil.get_terminal_size()
        self._console = make_console()
        self.signs = signs_for(self._console, self._plain)

    @property
    def height(self) -> int:
        """The lines of the terminal."""
        return self._size.lines

    @property
    def scrolls(self) -> bool:
        """Whether lines follow each other."""
        return self.signs.plain or not self._console.is_terminal

    def resized(self) -> bool:
        """Take the terminal's size of now; return whether it is another than before."""
        if shutil.get_terminal_size() == self._size:
            return False
        self._take_size()
        return True

    def replace(self, drawn: Iterable[RenderableType]) -> None:
        """Show a whole screen, in one go so that nothing flickers."""
        self._told = ""
        with self._console as console:
            if not self.scrolls:
                console.clear()
            for one in drawn:
                console.print(one)

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
            console.print(text, style="yellow", markup=False, end="\n" if self.scrolls else "")

    def leave(self) -> None:
        """Take back what the last line said."""
        if not self.scrolls:
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
