"""The watch at work: the warm process, the threads that tell of saves and keys, and what it needs of the terminal."""

import contextlib
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence

from autograder.cli.checking import CannotCheck, check_folder, open_exam
from autograder.cli.watching.display import Display
from autograder.cli.watching.events import Event, Lost, Resumed, Tell
from autograder.cli.watching.keys import Keys, open_keyboard
from autograder.cli.watching.marker import Check, Marker
from autograder.cli.watching.saves import Saves
from autograder.cli.watching.watch import Watch
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.marking.marks import Marks
from autograder.sitting.host import Interruption, OnStep
from autograder.sitting.processes import CannotSit, Sitter, open_sitter
from autograder.workspace import Workspace

ATTN = (sys.executable, "-P", "-m", "autograder")


def watch_steps(
    workspace: Workspace, syllabus: Syllabus, steps: Sequence[SyllabusStep], timeout: float, plain: bool
) -> None:
    """Watch until q or Ctrl-C. Raises CannotCheck, CannotSit."""
    if not workspace.exercises.is_dir():
        raise CannotCheck(
            f"there is no folder {workspace.exercises}. `attn reset {steps[0].part}` puts its stub there."
        )
    # The handler of a signal may put into it.
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    stop, display, keys = threading.Event(), Display(plain), Keys(events.put, open_keyboard())
    sitter = open_sitter(workspace.root, standby=True, on_loss=lambda: events.put(Lost()))
    try:
        exam = open_exam(workspace.practice_exam)
        marker = Marker(check_with(sitter, exam, workspace, steps, timeout), events.put)
        watch = Watch(
            workspace,
            syllabus,
            steps,
            display,
            keys,
            marker,
            events,
            lambda step, plainly: debug(workspace, step, plainly),
        )
        saves = Saves(workspace.exercises, events.put)
        with keys.singly(), _noticing_resumption(events.put):
            for follow in (marker.follow, lambda: saves.follow(stop), lambda: keys.follow(stop)):
                threading.Thread(target=follow, daemon=True).start()
            watch.begin()
            while not watch.over:
                watch.attend()
    except KeyboardInterrupt:
        pass
    finally:
        stop.set()
        display.leave()
        sitter.close()


def check_with(
    sitter: Sitter, exam: Exam, workspace: Workspace, steps: Sequence[SyllabusStep], timeout: float
) -> Check:
    """Return what marks those of some steps that lie in the parts that it is given."""

    def check(parts: Sequence[str], on_step: OnStep, interruption: Interruption) -> Marks:
        wanted = [step for step in steps if step.part in parts]
        order = (sitter, exam, workspace.exercises, wanted, timeout, on_step, interruption)
        try:
            return check_folder(*order)
        except CannotSit:  # the warm process has died in mid-sitting; another takes over
            return check_folder(*order)

    return check


def debug(workspace: Workspace, step: str, plain: bool) -> None:
    """Run a step in the foreground, where `breakpoint()` works and Ctrl-C is meant for the debugger."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        plainly = ["--plain"] if plain else []
        subprocess.run([*ATTN, "check", step, "--debug", *plainly], cwd=workspace.root, check=False)
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _noticing_resumption(tell: Tell) -> Iterator[None]:
    """Draw again after Ctrl-Z and `fg`, where a system has them: the shell has had the terminal meanwhile."""
    if sys.platform == "win32":
        yield
        return
    before = signal.signal(signal.SIGCONT, lambda *_: tell(Resumed()))
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, before)
