"""The loop of `attn watch`: saves, keys and verdicts come in, one scene after the other goes out."""

import queue
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from autograder.cli.checking import CannotCheck
from autograder.cli.digests import file_digest, file_digests
from autograder.cli.drawing import Detail
from autograder.cli.editing import CannotReset, locate, reset_step
from autograder.cli.progress import Progress, load_progress
from autograder.cli.watching import step_list
from autograder.cli.watching.display import Display
from autograder.cli.watching.events import Begun, Deaf, Event, Failed, Lost, Marked, Noticed, Pressed, Resumed, Saved
from autograder.cli.watching.keys import Keys
from autograder.cli.watching.marker import LONG, Marker
from autograder.cli.watching.place import Fared, fared_in, go_on, passed_with
from autograder.cli.watching.scene import Scene, Stage, draw_all_hints, draw_hint
from autograder.cli.watching.step_list import StepList
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.marking.marks import NOT_ATTEMPTED, PASSED, Marks
from autograder.sitting.processes import CannotSit
from autograder.workspace import Workspace

WAKE = 0.25
"""Seconds after which the loop looks whether the terminal has another size."""

AROUND_LIST = 6
"""Lines of the screen that a list of steps leaves free."""

STARTING, CHECKING = "starting torch …", "checking …"

Debug = Callable[[str, bool], None]
"""Runs a step in the foreground, plainly or not."""


class Watch:
    """A screen that follows the student from step to step, by what events tell.

    steps: those that are watched. marker: marks them, and tells of it in `events`, which others put theirs into.
    """

    def __init__(
        self,
        workspace: Workspace,
        syllabus: Syllabus,
        steps: Sequence[SyllabusStep],
        display: Display,
        keys: Keys,
        marker: Marker,
        events: "queue.SimpleQueue[Event]",
        debug: Debug,
    ) -> None:
        self._workspace = workspace
        self._syllabus = syllabus
        self._steps = steps
        self._display = display
        self._keys = keys
        self._marker = marker
        self._events = events
        self._debug_step = debug
        self._over = False
        self._stage = Stage(workspace, syllabus, steps, display.signs)
        self._press: Callable[[str], None] = self._take_command
        self._list: StepList | None = None
        self._noted: tuple[Text, ...] = ()
        self._noticed: set[str] = set()
        self._revealed: Counter[str] = Counter()
        self._fared: dict[str, Fared] = {}
        self._stays = False
        self._files: dict[str, str] = {}
        self._asks = False
        self._ordered: float | None = None
        self._saying = ""
        progress = self._progress()
        passed = frozenset(step.path for step in steps if progress.passed(step.path))
        following = progress.next_step(syllabus, steps if len(steps) < len(syllabus.steps) else ())
        here = following if following and following in steps else steps[-1]
        self._scene = Scene(here, passed, hints=self._hints_of(here), keys=keys.come)

    @property
    def over(self) -> bool:
        """Whether q has ended it."""
        return self._over

    def begin(self) -> None:
        """Show the step at hand at once, and have marked what has to be."""
        self._draw()
        self._order(self._parts_to_begin_with(), STARTING)

    def attend(self) -> None:
        """Answer the next event.

        Where none comes for a while, see to a new size of the terminal and to what takes long; a Ctrl-C that came just before the
        wait ends it then.
        """
        try:
            event = self._events.get(timeout=WAKE)
        except queue.Empty:
            self._look_around()
        else:
            self._answer(event)

    def _parts_to_begin_with(self) -> list[str]:
        """Return the part of the step at hand, and those that were edited since they were marked."""
        known = self._progress().steps
        stale = {
            step.part
            for step in self._steps
            if step.path in known and known[step.path].file != file_digest(self._workspace.exercise(step.part))
        }
        return sorted(stale | {self._scene.step.part})

    def _look_around(self) -> None:
        if self._display.resized():
            self._draw()
        if self._ordered and time.monotonic() - self._ordered > LONG and not self._display.scrolls:
            self._display.tell(self._saying)

    def _answer(self, event: Event) -> None:
        match event:
            case Saved(modules):
                self._take_save(modules)
            case Begun(step):
                self._saying = f"checking {step.partition('.')[2]} … another save ends it"
            case Lost():
                self._saying = STARTING
            case Marked(marks, seconds):
                self._take(marks, seconds)
            case Failed(error):
                self._take_failure(error)
            case Noticed(text):
                self._take_notice(text)
            case Deaf():
                self._scene = replace(self._scene, deaf=True)
            case Pressed(key):
                self._press(key)
            case Resumed():
                self._keys.again()
                self._draw()

    def _take_save(self, modules: Sequence[str]) -> None:
        """Have the saved parts marked; a module that is no part may be used by the one at hand."""
        self._scene = replace(self._scene, told=self._noted, card=False, below=self._scene.below if self._asks else ())
        self._noted, self._stays = (), False
        watched = {step.part for step in self._steps}
        self._order(sorted(watched.intersection(modules)) or [self._scene.step.part])

    def _order(self, parts: Sequence[str], saying: str = CHECKING) -> None:
        """Have parts marked, and say at once that they are."""
        self._ordered, self._saying = time.monotonic(), saying
        self._display.tell(saying)
        self._files |= file_digests(self._workspace, parts)
        self._marker.order(parts)

    def _take(self, marks: Marks, seconds: float) -> None:
        """Show marks, go on to the next step if there is reason to, and remember them.

        A step that was chosen from the list stays until the next save, and with a step what was asked for about it.
        """
        before, step = self._scene.passed, self._scene.step
        now = frozenset(passed_with(before, marks))
        here = step if self._stays else go_on(step, self._steps, before, now, marks, self._fared)
        changed = tuple(self._stage.tell_change(here, before, now, marks, self._fared))
        self._fared |= fared_in(marks)
        if not self._marker.owes:
            self._ordered = None
        self._scene = replace(
            self._scene,
            step=here,
            passed=now,
            told=tuple({line.plain: line for line in (*self._scene.told, *changed)}.values()),
            marks=marks,
            seconds=seconds,
            hints=self._hints_of(here),
            card=self._scene.card and here == step,
            below=self._scene.below if self._asks or here == step else (),
        )
        if self._list:
            self._list = replace(self._list, passed=now)
        self._draw()
        self._remember(marks)
        if here.part not in {part.part for part in marks.parts}:
            self._order([here.part])

    def _remember(self, marks: Marks) -> None:
        try:
            self._progress().record(marks, self._files)
        except OSError as error:
            self._say(f"Progress could not be saved in {self._workspace.memory}: {error.strerror}.")

    def _take_failure(self, error: Exception) -> None:
        if not isinstance(error, CannotCheck | CannotSit):
            raise error
        self._ordered = None
        self._say(f"{error} Save again to try again.")

    def _progress(self) -> Progress:
        """Read the progress file. Where it cannot be read, the screen says so next."""
        return load_progress(self._workspace, lambda text: self._events.put(Noticed(text)))

    def _take_notice(self, text: str) -> None:
        """Say something, once; it stays until the next save."""
        if text in self._noticed:
            return
        self._noticed.add(text)
        line = Text(text, style="yellow")
        if self._display.scrolls:
            self._display.add([line])
        else:
            self._scene = replace(self._scene, told=(*self._scene.told, line))
            self._draw()

    def _take_command(self, key: str) -> None:
        step = self._scene.step
        match key:
            case "h":
                self._show_hint(step)
            case "s":
                self._scene = replace(self._scene, card=not self._scene.card, below=())
                self._draw()
            case "l":
                self._open_list(step)
            case "r":
                self._ask_to_reset(step)
            case "d":
                self._debug(step)
            case "q":
                self._over = True

    def _show_hint(self, step: SyllabusStep) -> None:
        """Reveal one more hint. Where that cannot be noted, this watch remembers it."""
        unnoted = []
        try:
            self._revealed[step.path] = self._progress().next_hint(step.path, len(step.hints))
        except OSError as error:
            self._revealed[step.path] = min(self._scene.hints + 1, len(step.hints))
            told = f"Which hints you have seen could not be noted in {self._workspace.memory}: {error.strerror}."
            unnoted = [Text(told, style="yellow")]
        shown = self._hints_of(step)
        self._scene = replace(self._scene, hints=shown)
        last = [draw_all_hints(step)] if shown == len(step.hints) else []
        self._show(*([draw_hint(step, shown - 1), *last] if self._display.scrolls else []), *unnoted)

    def _open_list(self, step: SyllabusStep) -> None:
        known = self._progress().steps
        failing = {path for path, one in known.items() if one.verdict not in (PASSED, NOT_ATTEMPTED)}
        self._list = StepList(self._steps, self._scene.passed, failing, self._steps.index(step))
        self._press = self._choose
        if self._display.scrolls:
            self._display.add([Text(step_list.KEYS)])
        self._draw()

    def _leave_list(self) -> None:
        self._list, self._press = None, self._take_command

    def _choose(self, key: str) -> None:
        assert self._list
        match key:
            case "enter":
                self._go_to(self._list.step)
                return
            case "escape" | "l" | "q":
                self._leave_list()
            case _:
                self._list = self._list.move(step_list.MOVES.get(key, 0))
        self._draw()

    def _go_to(self, step: SyllabusStep) -> None:
        self._leave_list()
        self._scene = replace(self._scene, step=step, told=(), hints=self._hints_of(step), card=False, below=())
        self._stays = True
        self._draw()
        self._order([step.part])

    def _ask_to_reset(self, step: SyllabusStep) -> None:
        """Ask whether to put the stub of a step back: of this one, even where a verdict moves the screen on meanwhile."""
        self._say(f"Put back the stub of {step.path}? What is there is kept as a backup. y or n")
        self._asks, self._press = True, lambda key: self._confirm_reset(step, key)

    def _confirm_reset(self, step: SyllabusStep, key: str) -> None:
        self._asks, self._press = False, self._take_command
        if key != "y":
            self._say("Nothing has been changed.")
            return
        try:
            backup = reset_step(self._workspace, self._syllabus.part(step.part), step)
        except CannotReset as error:
            self._say(str(error))
            return
        except OSError as error:
            self._say(f"{error.filename} could not be written: {error.strerror}. Nothing has been changed.")
            return
        kept = f" What was there: {backup}" if backup else ""
        self._noted = (Text(f"{step.name} is a stub again.{kept}", style="yellow"),)

    def _debug(self, step: SyllabusStep) -> None:
        """Run a step in the foreground, where `breakpoint()` works, and mark it when that is over."""
        foreground = (
            f"{step.path} in the foreground, once torch has started: `breakpoint()` in your code stops there, `c` goes on, "
            "`q` leaves it. Ctrl-C ends a loop."
        )
        with self._keys.lent():
            self._display.replace([Text(foreground, style="dim")])
            self._debug_step(step.path, self._display.signs.plain)
        self._ordered = None  # what the debugger has shown is read before a verdict takes its place
        self._display.add([Text("Any key goes back to the watch.", style="dim")])
        self._press = self._come_back

    def _come_back(self, key: str) -> None:
        self._press = self._take_command
        self._draw()
        self._order([self._scene.step.part])

    def _say(self, text: str) -> None:
        self._show(Text(text, style="yellow"))

    def _show(self, *below: RenderableType) -> None:
        """Show something below the verdict."""
        if self._display.scrolls:
            self._display.add(below)
        else:
            self._scene = replace(self._scene, below=below)
            self._draw()

    def _draw(self) -> None:
        """Draw the scene, or the list that lies over it; nothing over what the debugger has shown."""
        if self._press == self._come_back:
            return
        self._display.replace(*self._drawn())
        if self._ordered:
            self._display.tell(self._saying)

    def _drawn(self) -> Iterator[Iterable[RenderableType]]:
        """Yield drawings of what there is to show, each with less in it than the one before."""
        if self._list:
            yield self._drawn_list(self._list)
            return
        where = locate(self._workspace, self._scene.step)
        for detail in sorted(Detail, reverse=True):
            yield self._stage.draw(self._scene, where, detail)

    def _drawn_list(self, steps: StepList) -> Sequence[RenderableType]:
        signs = self._display.signs
        lines = list(steps.draw(signs, max(self._display.height - AROUND_LIST, 5)))
        bottom = [Text(""), self._stage.draw_progress(self._scene), Text(step_list.KEYS, style="dim")]
        return lines if signs.plain else [*lines, *bottom]

    def _hints_of(self, step: SyllabusStep) -> int:
        """Return how many hints of a step are shown: those noted, which the student may have edited, or revealed here."""
        return min(max(self._progress().hints.get(step.path, 0), self._revealed[step.path]), len(step.hints))
