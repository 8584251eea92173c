"""The loop of the watch. Fifty times a second, it handles new marks and causes, keys and saves."""

import functools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from autograder.check import check
from autograder.course.errors import ExplainedError
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.results import Marks, StepMarks
from autograder.render.screen import Signs
from autograder.runner.processes import CannotRun, Runner, open_runner
from autograder.runner.run import Interruption
from autograder.student.editing import CannotReset, reset
from autograder.student.practice import open_exam, read_exercises
from autograder.student.progress import load_progress, remember
from autograder.student.watch.state import (
    LOADING,
    Effect,
    Explained,
    Reaction,
    State,
    explained,
    marked,
    noticed,
    order,
    pressed,
    saved,
)
from autograder.student.watch.terminal import Keyboard, Screen, keys_in
from autograder.submission.model import Submission
from autograder.workspace import Workspace

LOOK = 0.02
"""Seconds between two checks of keys and files."""

SUFFIXES = (".py", ".ipynb")

Made = Marks | Explained | ExplainedError
"""The result of an order, or the error that prevents it."""


def watch_steps(
    workspace: Workspace,
    syllabus: Syllabus,
    steps: Sequence[SyllabusStep],
    timeout: float,
    plain: bool,
    seconds: float = 0.0,
) -> None:
    """Watch until q or Ctrl-C. seconds: the limit of a search for one cause. Raises CannotCheck, CannotRun."""
    keyboard, screen, runner = Keyboard(), Screen(sys.stdout, plain), open_runner(workspace.root, as_daemon=True)
    marker = None
    try:
        marker = Marker(runner, open_exam(workspace.practice_exam), workspace.exercises, timeout, seconds)
        state = open_on(workspace, syllabus, steps, screen.signs, causes=seconds > 0)
        watch = Watch(state, marker, keyboard, screen)
        if sys.platform != "win32":  # after Ctrl-Z and `fg`
            signal.signal(signal.SIGCONT, lambda *_: watch.take_terminal())
        watch.begin()
        while not watch.over:
            watch.attend()
    except KeyboardInterrupt:
        print()
    finally:
        keyboard.give_back()
        if marker:
            marker.close()
        runner.close()


def open_on(
    workspace: Workspace,
    syllabus: Syllabus,
    steps: Sequence[SyllabusStep],
    signs: Signs,
    causes: bool = False,
) -> State:
    """Return the first state. It shows the next step and waits for the marks of its part."""
    progress = load_progress(workspace)
    watched = {step.part for step in steps}
    following = progress.next_step(syllabus, steps if len(watched) < len(syllabus.parts) else ())
    here = following if following and following in steps else steps[-1]
    marks = {
        step.path: StepMarks(step.name, known.verdict, known.score, step.points)
        for step in syllabus.steps
        if (known := progress.steps.get(step.path))
    }
    state = State(workspace, syllabus, steps, signs, here, marks, progress.hints, frozenset({here.part}))
    return replace(state, causes=causes, last_rung=workspace.course.causes.rungs)


class Marker:
    """Marks the modules of a folder and searches for causes, in a thread. A newer order interrupts an older one.

    timeout: seconds a step may take. seconds: the limit of the search for one cause.
    """

    def __init__(self, runner: Runner, exam: Exam, folder: Path, timeout: float, seconds: float) -> None:
        self._runner, self._exam, self._folder = runner, exam, folder
        self._timeout, self._seconds = timeout, seconds
        self._marked: dict[str, tuple[Submission, Marks]] = {}
        self._thread = ThreadPoolExecutor(1)
        self._interruption = Interruption()
        self._work: Future[Made] | None = None

    def order(self, steps: Sequence[SyllabusStep]) -> None:
        """Start to mark steps, and interrupt the work that is going on."""
        self._begin(functools.partial(self._check, steps))

    def explain(self, step: SyllabusStep) -> None:
        """Start to search for a step's cause in its marked text, and interrupt the work that is going on."""
        self._begin(functools.partial(self._explain, step))

    def wait(self, seconds: float) -> Made | None:
        """Return the result of the last order once, or None if there is none after this time."""
        if not self._work:
            time.sleep(seconds)
        elif wait_for([self._work], seconds).done:
            work, self._work = self._work, None
            return work.result()
        return None

    def close(self) -> None:
        """Interrupt the work that is going on."""
        self._interruption.make()
        self._thread.shutdown(cancel_futures=True)

    def _begin(self, work: Callable[[Interruption], Made]) -> None:
        self._interruption.make()
        self._interruption = Interruption()
        self._work = self._thread.submit(self._do, work, self._interruption)

    def _do(self, work: Callable[[Interruption], Made], interruption: Interruption) -> Made:
        interruption.check()
        try:
            try:
                return work(interruption)
            except CannotRun:  # the process died during a run; a new one tries again
                return work(interruption)
        except ExplainedError as error:
            return error

    def _check(self, steps: Sequence[SyllabusStep], interruption: Interruption) -> Marks:
        submission = read_exercises(self._folder, steps)
        marks = check(self._exam, submission, steps, self._runner, self._timeout, None, interruption)
        self._marked |= {part.part: (submission, replace(marks, parts=(part,))) for part in marks.parts}
        return marks

    def _explain(self, step: SyllabusStep, interruption: Interruption) -> Explained:
        from autograder.diagnosis.find import find_causes  # slow to import

        submission, marks = self._marked[step.part]
        (part,) = marks.parts
        alone = replace(marks, parts=(replace(part, steps=tuple(one for one in part.steps if one.step == step.name)),))
        found = find_causes(alone, self._exam, submission, self._runner, self._seconds, self._timeout, interruption)
        return Explained(step.path, found.parts[0].steps[0])


class Saves:
    """Notices saved modules by their times and sizes, because many network drives report no changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known = self._seen = self._stamps()

    def look(self) -> set[str]:
        """Return the modules that were saved since the last result, once two calls in turn see the same files.

        At the first call a file may be half written, or missing because an editor is replacing it.
        """
        before, self._seen = self._seen, self._stamps()
        if self._seen != before:
            return set()
        changed, self._known = self._known.items() ^ before.items(), before
        return {Path(name).stem for name, _ in changed}

    def _stamps(self) -> dict[str, tuple[int, int, int]]:
        """Return the time of the last change, the size and the inode of each module."""
        stamps = {}
        with suppress(OSError):
            for file in os.scandir(self._folder):
                if file.name.endswith(SUFFIXES):
                    with suppress(OSError):  # it has just gone
                        found = os.stat(file)
                        stamps[file.name] = (found.st_mtime_ns, found.st_size, found.st_ino)
        return stamps


class Watch:
    """The loop: passes events to the reactions, shows the new state, and carries out the effects."""

    def __init__(self, state: State, marker: Marker, keyboard: Keyboard, screen: Screen) -> None:
        self.over = False
        self._state = state
        self._marker = marker
        self._keyboard = keyboard
        self._screen = screen
        self._saves = Saves(state.workspace.exercises)

    def begin(self) -> None:
        """Show the current step at once, and order the marks that the state waits for."""
        self.take_terminal()
        self._take(order(self._state, (), LOADING))

    def attend(self) -> None:
        """Handle what has happened since the last call."""
        if made := self._marker.wait(LOOK):
            self._take(explained(self._state, made) if isinstance(made, Explained) else marked(self._state, made))
        if modules := self._saves.look():
            self._take(saved(self._state, modules))
        for key in keys_in(self._keyboard.read()):
            self._take(pressed(self._state, key))
        self._screen.show(self._state)

    def take_terminal(self) -> None:
        """Read keys one by one and draw the whole screen, after another program has used the terminal."""
        self._keyboard.take()
        self._screen.clear()

    def _take(self, reaction: Reaction) -> None:
        self._state, effects = reaction
        if Effect.MARK in effects:  # before drawing, which takes time
            self._marker.order([step for step in self._state.steps if step.part in self._state.owed])
        self._screen.show(self._state)
        for effect in effects:
            self._do(effect, self._state)

    def _do(self, effect: Effect, state: State) -> None:
        try:
            match effect:
                case Effect.REMEMBER if state.latest:
                    remember(state.workspace, state.latest, self._notice)
                case Effect.EXPLAIN:
                    self._marker.explain(state.step)
                case Effect.NOTE_HINT:
                    progress = load_progress(state.workspace)
                    progress.reveal(progress.hints, state.step.path, len(state.hints_of(state.step)))
                case Effect.RESTORE:
                    reset(state.workspace, state.syllabus.part(state.step.part), state.step)
                case Effect.DEBUG:
                    self._debug(state.step)
                case Effect.QUIT:
                    self.over = True
        except CannotReset as error:
            self._notice(str(error))
        except OSError as error:
            where = error.filename or state.workspace.memory
            self._notice(f"{where} could not be written: {error.strerror}.")

    def _notice(self, text: str) -> None:
        self._state = noticed(self._state, text)

    def _debug(self, step: SyllabusStep) -> None:
        """Leave the terminal to the debugger, and then wait for a key."""
        self._screen.clear()
        self._screen.say(
            f"{step.path} in the foreground, once torch has started: `breakpoint()` in your code stops there, `c` goes on, "
            "`q` leaves it. Ctrl-C ends a loop."
        )
        self._keyboard.give_back()
        debug(self._state.workspace, step.path, self._state.signs.plain)
        self._keyboard.take()
        self._screen.say("Any key goes back to the watch.")
        self._keyboard.read(wait=True)
        self.take_terminal()


def debug(workspace: Workspace, step: str, plain: bool) -> None:
    """Run a step in the foreground, so that `breakpoint()` works and Ctrl-C reaches the debugger."""
    command = [sys.executable, "-P", "-m", "autograder", "check", step, "--debug", *(["--plain"] if plain else [])]
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        subprocess.run(command, cwd=workspace.root, check=False)
    finally:
        signal.signal(signal.SIGINT, before)
