"""Marking again on every save, with torch kept warm."""

import contextlib
import queue
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from watchfiles import watch as watch_files

from autograder.cli.checking import CannotCheck, check_folder, open_exam
from autograder.cli.drawing import draw_part, points
from autograder.cli.editing import CannotReset, locate, reset_step
from autograder.cli.progress import load_progress
from autograder.cli.screen import make_console, signs_for
from autograder.cli.showing import draw_step_card
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.marking.marks import Marks, PartMarks
from autograder.sitting.processes import open_sitter
from autograder.workspace import Workspace

SAVED = "saved "
"""Begins an event; the name of the saved part follows. Any other event is a key."""

DEBOUNCE_MS, STEP_MS = 60, 10
KEYS = "h hint   s show   r reset   q quit"


class Watch:
    """A screen that follows the student: the first step that has not passed, marked again on every save."""

    def __init__(self, workspace: Workspace, syllabus: Syllabus, steps: Sequence[SyllabusStep], timeout: float) -> None:
        self._workspace = workspace
        self._syllabus = syllabus
        self._steps = steps
        self._timeout = timeout
        self._console = make_console()
        self._signs = signs_for(self._console)
        self._events: queue.Queue[str] = queue.Queue()
        self._stop = threading.Event()

    def run(self) -> None:
        """Watch until q or Ctrl-C. Raises CannotCheck."""
        if not self._workspace.exercises.is_dir():
            part = self._steps[0].part
            raise CannotCheck(
                f"there is no folder {self._workspace.exercises}. `attn reset {part}` puts its stub there."
            )
        sitter = open_sitter()
        exam = open_exam(self._workspace.practice_exam)
        threads = [threading.Thread(target=self._watch_files, daemon=True)]
        try:
            with _single_keys() as keys:
                if keys:
                    threads.append(threading.Thread(target=self._read_keys, daemon=True))
                for thread in threads:
                    thread.start()
                event = SAVED + self._current.part
                while event != "q":
                    if event.startswith(SAVED):
                        self._say("checking …")
                        begun = time.monotonic()
                        part = event.removeprefix(SAVED)
                        part_steps = [one for one in self._steps if one.part == part]
                        marks = check_folder(sitter, exam, self._workspace.exercises, part_steps, self._timeout)
                        self._take(marks, time.monotonic() - begun)
                    else:
                        self._answer_key(event)
                    event = self._next_event()
        except KeyboardInterrupt:
            pass
        finally:
            self._stop.set()
            sitter.close()

    @property
    def _current(self) -> SyllabusStep:
        """The first step that has not passed, the last one when all have."""
        progress = load_progress(self._workspace)
        return next((step for step in self._steps if not progress.passed(step.path)), self._steps[-1])

    def _take(self, marks: Marks, seconds: float) -> None:
        """Show the part's marks up to its first open step, and go on with the next part when there is none."""
        load_progress(self._workspace).record(marks, self._workspace)
        part, following = marks.parts[0], self._current
        focus = next((one.step for one in part.steps if not one.passed), "")
        shown = [one for one in part.steps if one.passed or one.step == focus]
        self._clear()
        for drawn in draw_part(
            PartMarks(part.part, part.error, tuple(shown)), self._syllabus.part(part.part).title, self._signs
        ):
            self._console.print(drawn)
        self._console.print()
        if not focus and len(part.steps) == len(self._syllabus.part(part.part).steps):
            self._say(f"{part.part} is complete: {points(part.score)} points.")
        where = locate(self._workspace, following).shown(self._workspace.root)
        self._console.print(f"{following.path}  {where}", style="cyan", markup=False)
        self._console.print(f"{KEYS}   ({1000 * seconds:.0f} ms)", style="dim", markup=False)
        if following.part != part.part and not load_progress(self._workspace).steps.get(following.path):
            self._events.put(SAVED + following.part)

    def _answer_key(self, key: str) -> None:
        step = self._current
        if key == "h":
            shown = load_progress(self._workspace).next_hint(step.path, len(step.hints))
            for number, text in enumerate(step.hints[:shown], start=1):
                self._console.print(f"{number}. {text}", markup=False)
        elif key == "s":
            for drawn in draw_step_card(self._workspace, self._syllabus.part(step.part), step):
                self._console.print(drawn)
        elif key == "r":
            self._say(f"Put back the stub of {step.path}? y or n")
            if self._next_key() == "y":
                try:
                    backup = reset_step(self._workspace, self._syllabus.part(step.part), step)
                    self._say(f"It is a stub again. What was there: {backup}")
                except CannotReset as error:
                    self._say(str(error))
            else:
                self._say("Nothing has been changed.")

    def _next_event(self) -> str:
        """Wait for an event; waking up now and then, so that a Ctrl-C that came just before the wait is noticed."""
        while True:
            with contextlib.suppress(queue.Empty):
                return self._events.get(timeout=0.5)

    def _next_key(self) -> str:
        """Wait for a key; a save that comes first is marked afterwards."""
        saved = []
        while (event := self._next_event()).startswith(SAVED):
            saved.append(event)
        for earlier in dict.fromkeys(saved):
            self._events.put(earlier)
        return event

    def _say(self, text: str) -> None:
        self._console.print(text, style="dim", markup=False)

    def _clear(self) -> None:
        if self._console.is_terminal:
            self._console.clear()

    def _watch_files(self) -> None:
        parts = {step.part for step in self._steps}
        for changes in watch_files(
            self._workspace.exercises, debounce=DEBOUNCE_MS, step=STEP_MS, stop_event=self._stop, raise_interrupt=False
        ):
            saved = {Path(path).stem for _, path in changes}
            for part in sorted(saved & parts) or [self._current.part]:
                self._events.put(SAVED + part)

    def _read_keys(self) -> None:
        while not self._stop.is_set():
            key = sys.stdin.read(1)
            if not key:
                return
            self._events.put(key.lower())


@contextlib.contextmanager
def _single_keys() -> Iterator[bool]:
    """Let single keys come through without Enter, where standard input is a terminal that can."""
    if not sys.stdin.isatty() or sys.platform == "win32":
        yield False
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield True
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
