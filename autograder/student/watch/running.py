"""The loop of the watch. Fifty times a second, it handles new marks, causes, saved files and keys."""

import functools
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.check import check
from autograder.course.errors import ExplainedError
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.render.screen import Signs
from autograder.runner.processes import Runner, open_runner
from autograder.runner.run import Interruption
from autograder.student.editing import reset
from autograder.student.practice import open_exam, read_exercises
from autograder.student.progress import load_progress, remember
from autograder.student.watch import state as reactions
from autograder.student.watch.state import LOADING, Effect, Reaction, State
from autograder.student.watch.terminal import Keyboard, Screen, keys_in
from autograder.submission.model import Submission
from autograder.workspace import Workspace

LOOK = 0.02
"""Seconds between two checks for pressed keys and saved files."""

Event = Callable[[State], Reaction]


def watch_steps(
    workspace: Workspace,
    syllabus: Syllabus,
    steps: Sequence[SyllabusStep],
    timeout: float,
    plain: bool,
    seconds: float = 0.0,
) -> None:
    """Mark steps again on every save, until q or Ctrl-C ends the watch. Raises ExplainedError."""
    screen = Screen(sys.stdout, plain)
    with closing(open_runner(workspace.root, as_daemon=True)) as runner:  # the runner imports torch meanwhile
        exam, state = open_exam(workspace.practice_exam), open_on(workspace, syllabus, steps, screen.signs)
        watch = Watch(state, exam, runner, Keyboard(), screen, timeout, seconds)
        if sys.platform != "win32":  # after Ctrl-Z and `fg`
            signal.signal(signal.SIGCONT, lambda *_: watch.take_terminal())
        try:
            watch.begin()
            while not watch.over:
                watch.attend()
        except KeyboardInterrupt:
            print()
        finally:
            watch.close()


def open_on(workspace: Workspace, syllabus: Syllabus, steps: Sequence[SyllabusStep], signs: Signs) -> State:
    """Return the first state of the watch, with the marks of earlier checks. It shows the next step."""
    progress = load_progress(workspace)
    following = progress.next_step(syllabus, steps if len(steps) < len(syllabus.steps) else ())
    here = following if following and following in steps else steps[-1]
    marks = {
        step.path: StepMarks(step.name, known.verdict, known.score, step.points)
        for step in syllabus.steps
        if (known := progress.steps.get(step.path))
    }
    return State(workspace, syllabus, steps, signs, here, marks, progress.hints)


class Worker:
    """Does one task at a time, in a thread. A new task interrupts the task that is running."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._interruption = Interruption()
        self._work: Future[Event] | None = None

    def begin(self, work: Callable[[Interruption], Event]) -> None:
        """Start a task, and interrupt the task that is running."""
        self._interruption.make()
        self._interruption = Interruption()
        self._work = self._thread.submit(work, self._interruption)

    def wait(self, seconds: float) -> Event | None:
        """Return the last task's result, or raise its exception, once; None if it runs after `seconds`."""
        if not self._work:
            time.sleep(seconds)
        elif wait_for([self._work], seconds).done:
            work, self._work = self._work, None
            return work.result()
        return None

    def close(self) -> None:
        """Interrupt the task that is running, and end the thread."""
        self._interruption.make()
        self._thread.shutdown(cancel_futures=True)


class Saves:
    """Finds saved modules by their times and sizes, because many network drives report no changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known = self._seen = self._stamps()

    def look(self) -> set[str]:
        """Return the modules saved since the last result, once two calls in a row have seen the same files.

        Before that, a file may be half written, or missing because an editor is replacing it.
        """
        before, self._seen = self._seen, self._stamps()
        if self._seen != before:
            return set()
        changed, self._known = self._known.items() ^ before.items(), before
        return {name for name, _ in changed}

    def _stamps(self) -> dict[str, tuple[int, int, int]]:
        """Return the time of the last change, size and inode of each module, by name."""
        with suppress(OSError):  # a file was just deleted; the next call sees the others
            found = {path.stem: path.stat() for path in self._folder.glob("*.py") if path.is_file()}
            return {name: (one.st_mtime_ns, one.st_size, one.st_ino) for name, one in found.items()}
        return {}


@dataclass(eq=False)
class Watch:
    """The loop: calls the reaction to each event, shows the new state, and carries out the effects.

    timeout: seconds that a step may run. seconds: the time limit of the search for one cause.
    """

    state: State
    exam: Exam
    runner: Runner
    keyboard: Keyboard
    screen: Screen
    timeout: float
    seconds: float
    over: bool = False
    _worker: Worker = field(default_factory=Worker)
    _marked: dict[str, tuple[Submission, Marks]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._saves = Saves(self.state.workspace.exercises)

    def begin(self) -> None:
        """Show the current step, and start to mark its part."""
        self.take_terminal()
        self._take(reactions.order(self.state, [self.state.step.part], LOADING))

    def attend(self) -> None:
        """Handle finished tasks, saved modules and pressed keys. Show the state."""
        try:
            if event := self._worker.wait(LOOK):
                self._take(event(self.state))
        except ExplainedError as error:
            self._take(reactions.failed(self.state, str(error)))
        if modules := self._saves.look():
            self._take(reactions.saved(self.state, modules))
        for key in keys_in(self.keyboard.read()):
            self._take(reactions.pressed(self.state, key))
        self.screen.show(self.state)

    def take_terminal(self) -> None:
        """Set up keyboard and screen, at the start and after another program has used the terminal."""
        self.keyboard.take()
        self.screen.clear()

    def close(self) -> None:
        """Restore the terminal's settings, and interrupt the task that is running."""
        self.keyboard.give_back()
        self._worker.close()

    def _take(self, reaction: Reaction) -> None:
        self.state, effects = reaction
        if "mark" in effects:  # before drawing, which takes time
            owed = [step for step in self.state.steps if step.part in self.state.owed]
            self._worker.begin(functools.partial(self._check, owed))
        self.screen.show(self.state)
        for effect in effects:
            try:
                self._do(effect, self.state)
            except ExplainedError as error:
                self._notice(str(error))
            except OSError as error:
                where = error.filename or self.state.workspace.memory
                self._notice(f"{where} could not be written: {error.strerror}.")

    def _do(self, effect: Effect, state: State) -> None:
        match effect:
            case "remember" if state.latest:
                remember(state.workspace, state.latest, self._notice)
            case "explain":
                self._worker.begin(functools.partial(self._explain, state))
            case "note hint":
                progress = load_progress(state.workspace)
                progress.reveal(state.workspace, progress.hints, state.step.path, len(state.all_hints))
            case "restore":
                reset(state.workspace, state.syllabus.part(state.step.part), state.step)
            case "debug":
                self._debug(state)
            case "quit":
                self.over = True

    def _check(self, steps: Sequence[SyllabusStep], interruption: Interruption) -> Event:
        submission = read_exercises(self.state.workspace.exercises, steps)
        marks = check(self.exam, submission, steps, self.runner, self.timeout, None, interruption)
        self._marked |= {part.part: (submission, marks) for part in marks.parts}
        return functools.partial(reactions.marked, made=marks)

    def _explain(self, state: State, interruption: Interruption) -> Event:
        """Search for the cause of the current step's error in the text that was marked."""
        step = state.step
        submission, marks = self._marked[step.part]
        marks = replace(marks, parts=(PartMarks(step.part, None, (state.marks_of(step),)),))
        if self.seconds:
            from autograder.diagnosis.find import find_causes  # slow to import

            limits = self.seconds, self.timeout, interruption
            marks = find_causes(marks, self.exam, submission, self.runner, *limits)
        return functools.partial(reactions.explained, step=step, marks=marks.parts[0].steps[0])

    def _notice(self, text: str) -> None:
        self.state = reactions.noticed(self.state, text)

    def _debug(self, state: State) -> None:
        """Let a debugger use the terminal, then wait for a key."""
        self.screen.clear()
        self.screen.say(
            f"{state.step.path} in the foreground, once torch has started: `breakpoint()` in your code stops there, "
            "`c` goes on, `q` leaves it. Ctrl-C ends a loop."
        )
        self.keyboard.give_back()
        debug(state.workspace, state.step.path, state.signs.plain)
        self.keyboard.take()
        self.screen.say("Any key goes back to the watch.")
        self.keyboard.read(wait=True)
        self.take_terminal()


def debug(workspace: Workspace, step: str, plain: bool) -> None:
    """Run a step in the foreground, so that `breakpoint()` works and Ctrl-C reaches the debugger."""
    command = [sys.executable, "-P", "-m", "autograder", "check", step, "--debug", *(["--plain"] if plain else [])]
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        subprocess.run(command, cwd=workspace.root, check=False)
    finally:
        signal.signal(signal.SIGINT, before)
