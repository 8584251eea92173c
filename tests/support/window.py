"""The watch in the test's own process: a window that it draws in, keys and saves that a test makes, and the warm process of all tests.

A test says what happens and what stands in the window then, as with `terminal.Terminal`. Nothing runs but what is waited for.
"""

import contextlib
import io
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from unittest import mock

from terminal import OF_TERMINALS, SEQUENCE
from warm import lend

from autograder.cli.watching.display import Display
from autograder.cli.watching.events import Event, Pressed, Saved, Tell
from autograder.cli.watching.keys import Keys, keys_in
from autograder.cli.watching.marker import Marker
from autograder.cli.watching.running import check_with
from autograder.cli.watching.watch import Watch
from autograder.exam.model import Exam
from autograder.marking.marks import Marks
from autograder.sitting.host import Interruption, OnStep
from autograder.sitting.processes import Sitter
from autograder.workspace import Workspace

PATIENCE = 30.0


class Screen(io.StringIO):
    """What a terminal is sent."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Keyboard:
    """A keyboard that somebody may have: the watch, or a program in the foreground."""

    def __init__(self) -> None:
        self.is_taken = False

    def __enter__(self) -> None:
        self.is_taken = True

    def __exit__(self, *_: object) -> None:
        self.is_taken = False

    def read(self) -> str:
        return ""


class _Closed(BaseException):
    """Ends the thread that marks, which otherwise goes on as long as its process."""


class Window:
    """The watch of some parts, by default of all, in a window of 50 lines.

    sitter: in place of the warm process of all tests. debugged: the steps that were run in the foreground, and whether plainly.
    """

    def __init__(
        self,
        workspace: Workspace,
        exam: Exam,
        *parts: str,
        plain: bool = False,
        timeout: float = 5.0,
        columns: int = 110,
        lines: int = 50,
        sitter: Sitter | None = None,
        **environment: str,
    ) -> None:
        self._workspace = workspace
        self._seen = 0
        self._stream = Screen()
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._environment = contextlib.ExitStack()
        self.keyboard = Keyboard()
        self.debugged: list[tuple[str, bool]] = []
        self._take_environment({"COLUMNS": str(columns), "LINES": str(lines), **environment})
        self._environment.enter_context(contextlib.chdir(workspace.root))
        steps = [step for step in exam.syllabus.steps if not parts or step.part in parts]
        self._check = check_with(sitter or lend(workspace.root), exam, workspace, steps, timeout)
        self._marker = Marker(self._check_while_open, self.tell)
        self._is_closed = False
        self._marking = threading.Thread(target=self._follow_orders, daemon=True)
        keys = Keys(self.tell, self.keyboard)
        self._environment.enter_context(keys.singly())
        display = Display(plain, self._stream)
        self._watch = Watch(workspace, exam.syllabus, steps, display, keys, self._marker, self._events, self._debug)
        self._marking.start()
        self._watch.begin()

    def _take_environment(self, given: dict[str, str]) -> None:
        others = {name: value for name, value in os.environ.items() if name not in OF_TERMINALS}
        changed = mock.patch.dict(os.environ, {**others, "TERM": "xterm-256color", **given}, clear=True)
        self._environment.enter_context(changed)

    def _check_while_open(self, parts: Sequence[str], on_step: OnStep, interruption: Interruption) -> Marks:
        if self._is_closed:
            raise _Closed
        return self._check(parts, on_step, interruption)

    def _follow_orders(self) -> None:
        with contextlib.suppress(_Closed):
            self._marker.follow()

    def _debug(self, step: str, plain: bool) -> None:
        assert not self.keyboard.is_taken
        self.debugged.append((step, plain))

    def close(self) -> None:
        """End the watch, and what it is marking."""
        self._is_closed = True
        self._marker.order([])  # ends what is under way, and then the thread
        self._marking.join(PATIENCE)
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
        return self._watch.over

    @property
    def tell(self) -> Tell:
        """Where events are told."""
        return self._events.put

    def press(self, typed: str) -> None:
        """Press keys, by what a terminal sends for them."""
        for key in keys_in(typed):
            self.tell(Pressed(key))

    def save(self, part: str, text: str) -> None:
        """Save a module as this."""
        self._workspace.exercise(part).write_text(text, encoding="utf-8")
        self.tell(Saved((part,)))

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
            self._watch.attend()
        before = self.screen[self._seen : found]
        self._seen = found + len(text)
        return before

    def go_on_until(self, holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Let the watch go on until something holds."""
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, self.screen[self._seen :]
            self._watch.attend()
