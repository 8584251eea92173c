"""The session of a notebook: `check`, and the marking of each step after its cell has run.

The cells that the kernel has run are marked like a module, in a child process.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from autograder.course.errors import FILE, ExplainedError
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.runner.limits import LONGEST_TIMEOUT, TIMEOUT
from autograder.student.jupyter.history import History, defined_in
from autograder.workspace import Workspace, find_workspace, here

if TYPE_CHECKING:
    from autograder.exam.model import Exam
    from autograder.grading.results import Diagnosis, Marks
    from autograder.runner.processes import Runner

PRACTICE = "practice"
PLACE = "this notebook"

FILE_OF_NOTEBOOK = "JPY_SESSION_NAME"
"""The environment variable in which a Jupyter server gives a kernel the path of its notebook."""

FILE_IN_VSCODE = "__vsc_ipynb_file__"
"""The variable of the kernel in which Visual Studio Code gives this path."""


class CannotCheck(Exception):
    """Checking cannot begin; the message says why and what to do. Jupyter shows the message without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Turn an ExplainedError, and an error of an import, into CannotCheck with a message."""
    try:
        yield
    except ExplainedError as error:
        raise CannotCheck(str(error)) from None
    except Exception as error:
        from autograder.student.advice import broken_install, came_of_importing

        if not came_of_importing(error):
            raise
        raise CannotCheck(broken_install(error)) from None


@functools.cache
def session_of(shell: Any) -> Session:
    """Return the only session of a shell, because `%load_ext` may be called twice."""
    session = Session(shell)
    atexit.register(session.close)
    return session


class Session:
    """The state of one kernel: its runner, the exams it has read, and the steps its cell has checked."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._history = History(shell)
        self._runner: Runner | None = None
        self._exams: dict[Path, Exam] = {}
        self._cell: Any = None
        self._checked: set[str] = set()
        self._follows = False

    def follow(self) -> None:
        """From now on, mark each step after its cell has run."""
        if not self._follows:
            if workspace := find_workspace(Path.cwd()):
                self._warm(workspace)  # imports torch while the first cells run
            self._shell.events.register("pre_run_cell", self._before_cell)
            self._shell.events.register("post_run_cell", self._after_cell)
            self._follows = True

    def unfollow(self) -> None:
        """From now on, mark only when `check` is called."""
        if self._follows:
            self._shell.events.unregister("pre_run_cell", self._before_cell)
            self._shell.events.unregister("post_run_cell", self._after_cell)
            self._follows, self._cell = False, None

    def check(self, *targets: str, exam: str = PRACTICE, timeout: float = TIMEOUT) -> float:
        """Mark steps or parts of this notebook, by default its whole part, show the marks, and return the points.

        targets: as on the command line, `part1.step` or `part1`. exam: the name of an exam. timeout:
        seconds a step may take. Raises CannotCheck. nbgrader takes what is returned as the points of the cell.
        """
        workspace = _workspace()
        named = all(isinstance(target, str) for target in targets)
        if not named or not isinstance(timeout, int | float) or not 0 < timeout <= LONGEST_TIMEOUT:
            raise CannotCheck(
                f'`check` takes names of steps or parts, such as `check("{workspace.course.parts[0]}")`, and a timeout above 0 and of at '
                f"most {LONGEST_TIMEOUT:g} seconds (a day)."
            )
        with _explained():
            from autograder.student.targets import find_steps

            found = self._exam(exam, workspace)
            steps = find_steps(found.syllabus, targets) if targets else self._own_steps(found.syllabus)
            self._checked |= {step.name for step in steps}
            return self._show_marks(workspace, steps, found, timeout, counts=exam == PRACTICE).score

    def close(self) -> None:
        """End the runner's process."""
        if self._runner:
            self._runner.close()
            self._runner = None

    def _warm(self, workspace: Workspace) -> Runner:
        from autograder.runner.processes import open_runner

        self._runner = self._runner or open_runner(workspace.root, as_daemon=True)
        return self._runner

    def _before_cell(self, info: Any) -> None:
        self._cell, self._checked = info, set()

    def _after_cell(self, result: Any) -> None:
        """Mark the steps that a cell defines, if it ran without an error and a person sees the result."""
        if not result:
            return
        self._cell = result.info
        if not result.success or not self._is_looked_at():
            return
        names = [name for name in defined_in(result.info.raw_cell) if name not in self._checked]
        if not names:
            return
        try:
            workspace = _workspace()
            with _explained():
                exam = self._exam(PRACTICE, workspace)
                steps = self._steps(names, exam.syllabus)
                if steps:
                    self._show_marks(workspace, steps, exam, brief=True)
        except CannotCheck as error:
            print(error)

    def _is_looked_at(self) -> bool:
        """Return whether a person runs this cell. Front ends send its id; nbgrader and nbconvert do not."""
        return bool(self._cell and self._cell.store_history and self._cell.cell_id)

    def _parts(self, syllabus: Syllabus) -> set[str]:
        """Return the part in the notebook's name, or else the parts of its steps that only one part has."""
        path = self._shell.user_ns.get(FILE_IN_VSCODE) or os.environ.get(FILE_OF_NOTEBOOK, "")
        if named := {part.name for part in syllabus.parts} & {PurePath(str(path)).stem}:
            return named
        parts: dict[str, list[str]] = {}
        for step in syllabus.steps:
            parts.setdefault(step.name, []).append(step.part)
        return {parts[name][0] for name in self._history.names() if len(parts.get(name, ())) == 1}

    def _own_steps(self, syllabus: Syllabus) -> Sequence[SyllabusStep]:
        """Return the steps of the notebook's part. Raises ExplainedError if it is unclear which part that is."""
        parts = self._parts(syllabus)
        if len(parts) != 1:
            example = f'`check("{syllabus.steps[0].path}")`'
            raise ExplainedError(
                f"It is unclear which part this notebook belongs to. Name a step or a part: {example}."
            )
        return [step for step in syllabus.steps if step.part in parts]

    def _steps(self, names: list[str], syllabus: Syllabus) -> list[SyllabusStep]:
        """Return the steps with these names, preferably of the notebook's part. Raises ExplainedError."""
        steps = []
        for name in dict.fromkeys(names):
            found = [step for step in syllabus.steps if step.name == name]
            if len(found) > 1:
                parts = self._parts(syllabus)
                found = [step for step in found if step.part in parts] or found
            if len(found) > 1:
                calls = " or ".join(f'`check("{step.path}")`' for step in found)
                raise ExplainedError(
                    f"{name} is a step of {' and '.join(step.part for step in found)}. {calls} marks it."
                )
            steps += found
        return steps

    def _exam(self, name: str, workspace: Workspace) -> Exam:
        from autograder.student.practice import open_exam

        path = workspace.practice_exam if name == PRACTICE else _find(f"{name}.exam")
        if path not in self._exams:
            self._exams[path] = open_exam(path)
        return self._exams[path]

    def _show_marks(
        self,
        workspace: Workspace,
        steps: Sequence[SyllabusStep],
        exam: Exam,
        timeout: float = TIMEOUT,
        brief: bool = False,
        counts: bool = True,
    ) -> Marks:
        """Mark steps and show the marks, then the causes of errors. Raises ExplainedError, CannotCheck.

        counts: whether to record steps that pass as progress, if a person runs the cell.
        """
        from IPython.display import display

        from autograder.check import check
        from autograder.diagnosis import effort
        from autograder.runner.processes import CannotRun
        from autograder.student.after_marking import way_to_solutions
        from autograder.student.jupyter.cell_output import Shown
        from autograder.submission.model import Submission, Unreadable
        from autograder.submission.notebook import source_of_cells

        looked_at = not self._cell or self._is_looked_at()
        seconds = effort("full" if looked_at else "quick")
        try:
            source = source_of_cells(self._history.cells(), PLACE)
            submission = Submission(PLACE, dict.fromkeys((step.part for step in steps), source))
            marks = check(exam, submission, steps, self._warm(workspace), timeout)
        except KeyboardInterrupt:
            self.close()  # in the middle of a run, its process may be in any state
            raise CannotCheck("Interrupted: nothing was marked.") from None
        except Unreadable as error:
            raise CannotCheck(str(error)) from None
        is_in_course = workspace == find_workspace(Path.cwd())  # else nothing is written into an installed course
        passed = self._remember(marks, workspace) if counts and is_in_course and self._is_looked_at() else []
        below = way_to_solutions(workspace, passed)
        shown = Shown(marks, exam.syllabus, brief, workspace.course.causes.rungs, below)
        handle = display(shown, display_id=True)  # type: ignore[no-untyped-call]
        if marks.passed or not seconds:
            return marks
        from autograder.diagnosis.find import find_causes  # slow to import

        try:
            marks = find_causes(marks, exam, submission, self._warm(workspace), seconds, timeout)
        except KeyboardInterrupt:
            self.close()
        except CannotRun:
            pass  # the marks stand, and whatever keeps the process from starting is reported at the next check
        if _causes(marks) != _causes(shown.marks):
            handle.update(replace(shown, marks=marks))
        return marks

    def _remember(self, marks: Marks, workspace: Workspace) -> list[str]:
        """Record passed steps as progress. Failed steps are ignored: they may have passed in the module."""
        from autograder.student.after_marking import remember
        from autograder.student.progress import file_digests, load_progress

        parts = tuple(replace(part, steps=tuple(step for step in part.steps if step.passed)) for part in marks.parts)
        if not any(part.steps for part in parts):
            return []
        files = file_digests(workspace, (part.part for part in parts))
        progress, passed = load_progress(workspace, print), replace(marks, parts=parts)
        return remember(workspace, progress, passed, files, print, of_notebook=True)


def _causes(marks: Marks) -> list[Diagnosis | None]:
    return [step.diagnosis for part in marks.parts for step in part.steps]


def _workspace() -> Workspace:
    if not (here().root / FILE).is_file():
        raise CannotCheck("The course is not here: there is no course.toml in this folder or above it.")
    return here()


def _find(name: str) -> Path:
    """Find a file in this folder or above, because nbgrader runs notebooks in folders of the course."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / name).is_file():
            return folder / name
    raise CannotCheck(f"There is no {name} in this folder or above it.")
