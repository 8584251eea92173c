"""The loop of the watch. Fifty times a second, it handles new marks and causes, keys and saves."""

import functools
import signal
import subprocess
import sys
from collections.abc import Sequence

from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.results import StepMarks
from autograder.render.screen import Signs
from autograder.runner.processes import open_runner
from autograder.student.after_marking import remember
from autograder.student.editing import CannotReset, reset
from autograder.student.practice import open_exam
from autograder.student.progress import Progress, file_digests, load_progress, was_edited
from autograder.student.watch.marker import Marker
from autograder.student.watch.react import LOADING, explained, marked, noticed, order, pressed, saved, waited
from autograder.student.watch.saves import Saves
from autograder.student.watch.state import Effect, Explained, Reaction, State
from autograder.student.watch.terminal import Keyboard, Screen, keys_in
from autograder.workspace import Workspace

LOOK = 0.02
"""Seconds between two checks of keys and files."""


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
    try:
        marker = Marker(runner, open_exam(workspace.practice_exam), workspace.exercises, timeout, seconds)
        state = open_on(workspace, syllabus, steps, screen.signs, keyboard.is_there, causes=seconds > 0)
        watch = Watch(state, marker, keyboard, screen)
        if sys.platform != "win32":  # after Ctrl-Z and `fg`
            signal.signal(signal.SIGCONT, lambda *_: watch.lose_terminal())
        watch.begin()
        while not watch.over:
            watch.attend()
    except KeyboardInterrupt:
        print()
    finally:
        keyboard.give_back()
        runner.close()


def open_on(
    workspace: Workspace,
    syllabus: Syllabus,
    steps: Sequence[SyllabusStep],
    signs: Signs,
    keys: bool,
    causes: bool = False,
) -> State:
    """Return the first state. It shows the next step and waits for marks of its part and edited parts."""
    notices: list[str] = []
    progress = load_progress(workspace, notices.append)
    watched = {step.part for step in steps}
    following = progress.next_step(syllabus, steps if len(watched) < len(syllabus.parts) else ())
    here = following if following and following in steps else steps[-1]
    edited = {part.name for part in syllabus.parts if part.name in watched and was_edited(workspace, part, progress)}
    marks = {
        step.path: StepMarks(step.name, known.verdict, known.score, step.points)
        for step in syllabus.steps
        if (known := progress.steps.get(step.path))
    }
    owed = frozenset(edited | {here.part})
    state = State(
        workspace,
        syllabus,
        steps,
        signs,
        keys,
        here,
        here,
        marks,
        progress.hints,
        owed,
        causes=causes,
        rungs=workspace.course.causes.rungs,
    )
    return functools.reduce(noticed, notices, state)


class Watch:
    """The loop: passes events to `react`, shows the new state, and carries out the effects."""

    def __init__(self, state: State, marker: Marker, keyboard: Keyboard, screen: Screen) -> None:
        self.over = False
        self._state = state
        self._marker = marker
        self._keyboard = keyboard
        self._screen = screen
        self._saves = Saves(state.workspace.exercises)
        self._has_terminal = False
        self._files: dict[str, str] = {}

    def begin(self) -> None:
        """Show the current step at once, and order the marks that the state waits for."""
        self._take_terminal()
        self._take(order(self._state, (), LOADING))

    def attend(self) -> None:
        """Handle what has happened since the last call."""
        if not self._has_terminal:
            self._take_terminal()
        if made := self._marker.wait(LOOK):
            self._take(explained(self._state, made) if isinstance(made, Explained) else marked(self._state, made))
        if modules := self._saves.look():
            self._take(saved(self._state, modules))
        for key in keys_in(self._keyboard.read()):
            self._take(pressed(self._state, key))
        self._take((waited(self._state, self._marker.slow), ()))

    def lose_terminal(self) -> None:
        """Note that another program has used the terminal, so that the screen is drawn again."""
        self._has_terminal = False

    def _take_terminal(self) -> None:
        self._has_terminal = True
        self._keyboard.take()
        self._screen.clear()

    def _take(self, reaction: Reaction) -> None:
        self._state, effects = reaction
        if Effect.MARK in effects:  # before drawing, which takes time
            self._mark(self._state)
        self._screen.show(self._state)
        for effect in effects:
            self._do(effect, self._state)

    def _mark(self, state: State) -> None:
        self._files |= file_digests(state.workspace, state.owed)
        self._marker.order([step for step in state.steps if step.part in state.owed])

    def _do(self, effect: Effect, state: State) -> None:
        try:
            match effect:
                case Effect.REMEMBER if state.latest:
                    remember(state.workspace, self._progress(), state.latest, self._files, self._notice)
                case Effect.EXPLAIN:
                    self._marker.explain(state.step)
                case Effect.NOTE_HINT:
                    self._progress().next_hint(state.step.path, len(state.hints_of(state.step)))
                case Effect.RESTORE:
                    reset(state.workspace, state.syllabus.part(state.chosen.part), state.chosen)
                case Effect.DEBUG:
                    self._debug(state.step)
                case Effect.QUIT:
                    self.over = True
        except CannotReset as error:
            self._notice(str(error))
        except OSError as error:
            where = error.filename or state.workspace.memory
            self._notice(f"{where} could not be written: {error.strerror}. `attn doctor` says what to do.")

    def _notice(self, text: str) -> None:
        self._state = noticed(self._state, text)

    def _progress(self) -> Progress:
        return load_progress(self._state.workspace, self._notice)

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
        self.lose_terminal()


def debug(workspace: Workspace, step: str, plain: bool) -> None:
    """Run a step in the foreground, so that `breakpoint()` works and Ctrl-C reaches the debugger."""
    command = [sys.executable, "-P", "-m", "autograder", "check", step, "--debug", *(["--plain"] if plain else [])]
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        subprocess.run(command, cwd=workspace.root, check=False)
    finally:
        signal.signal(signal.SIGINT, before)
