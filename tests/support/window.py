"""The watch in the test's own process: a window that it draws in, keys that a test presses, and the warm process of all tests.

A test says what happens and what stands in the window then, as with `terminal.Terminal`. Nothing runs but what is waited for.
"""

import contextlib
import io
import os
import time
from unittest import mock

from command import OF_TERMINALS
from screen_text import SEQUENCE
from warm import lend

from autograder.exam.model import Exam
from autograder.student.watch import running
from autograder.student.watch.running import Watch, open_on
from autograder.student.watch.terminal import KEY, Keyboard, Screen
from autograder.workspace import Workspace

PATIENCE = 60.0


class Stream(io.StringIO):
    """What a terminal is sent."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Keys(Keyboard):
    """A keyboard that somebody may have: the watch, or a program in the foreground."""

    def __init__(self) -> None:
        self.is_there = True
        self.is_taken = False
        self.typed: list[str] = []

    def take(self) -> None:
        self.is_taken = True

    def give_back(self) -> None:
        self.is_taken = False

    def read(self, wait: bool = False) -> str:
        assert self.typed or not wait, "nobody will ever press a key"
        return self.typed.pop(0) if self.typed else ""


class Window:
    """The watch of all parts, in a window of 50 lines.

    seconds: that the search for a cause may take; none is made in none. debugged: the steps that were run in the foreground, and whether plainly.
    """

    def __init__(
        self,
        workspace: Workspace,
        exam: Exam,
        plain: bool = False,
        timeout: float = 5.0,
        seconds: float = 0.0,
    ) -> None:
        self._workspace = workspace
        self._seen = 0
        self._stream = Stream()
        self._environment = contextlib.ExitStack()
        self.keyboard = Keys()
        self.debugged: list[tuple[str, bool]] = []
        self._take_environment({"COLUMNS": "110", "LINES": "50"})
        self._environment.enter_context(contextlib.chdir(workspace.root))
        self._environment.enter_context(mock.patch.object(running, "debug", self._debug))
        screen = Screen(self._stream, plain)
        state = open_on(workspace, exam.syllabus, exam.syllabus.steps, screen.signs)
        self.watch = Watch(state, exam, lend(workspace.root), self.keyboard, screen, timeout, seconds)
        self.watch.begin()

    def _take_environment(self, given: dict[str, str]) -> None:
        others = {name: value for name, value in os.environ.items() if name not in OF_TERMINALS}
        changed = mock.patch.dict(os.environ, {**others, "TERM": "xterm-256color", **given}, clear=True)
        self._environment.enter_context(changed)

    def _debug(self, workspace: Workspace, step: str, plain: bool) -> None:
        assert not self.keyboard.is_taken
        self.debugged.append((step, plain))

    def close(self) -> None:
        """End the watch, and what it is marking."""
        self.watch.close()
        self._environment.close()

    @property
    def raw(self) -> str:
        """All that was drawn so far, as it was sent."""
        return self._stream.getvalue()

    @property
    def screen(self) -> str:
        """All that was drawn so far, as plain text."""
        return SEQUENCE.sub("", self.raw)

    @property
    def is_over(self) -> bool:
        """Whether the watch has been ended."""
        return self.watch.over

    def press(self, typed: str) -> None:
        """Press keys, by what a terminal sends for them."""
        self.keyboard.typed += KEY.findall(typed)

    def save(self, part: str, text: str) -> None:
        """Save a module as this."""
        self._workspace.exercise(part).write_text(text, encoding="utf-8")

    def append(self, part: str, text: str) -> None:
        """Save a module with more at its end."""
        self.save(part, self._workspace.exercise(part).read_text(encoding="utf-8") + text)

    def resize(self, lines: int, columns: int) -> None:
        """Give the window another size."""
        self._take_environment({"COLUMNS": str(columns), "LINES": str(lines)})

    def expect(self, text: str, seconds: float = PATIENCE) -> str:
        """Let the watch go on until a text is drawn after what was expected last; return what stands before it."""
        deadline = time.monotonic() + seconds
        while (found := self.screen.find(text, self._seen)) < 0:
            assert time.monotonic() < deadline, f"{text!r} did not come:\n{self.screen[self._seen :]}"
            assert not self.is_over, f"the watch has ended without {text!r}:\n{self.screen[self._seen :]}"
            self.watch.attend()
        before = self.screen[self._seen : found]
        self._seen = found + len(text)
        return before
