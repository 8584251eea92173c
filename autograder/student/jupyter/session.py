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
    from autograder.grading.results import Marks
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
    try:
        yield
    except ExplainedError as error:
        raise CannotCheck(str(error)) from None


@functools.cache
def session_of(shell: Any) -> Session:
    """Return the only session of a shell, because `%load_ext` may be called twice."""
    session = Session(shell)
    atexit.register(session.close)
    return session


class Session:
    """The state of one kernel: its runner and the cells that it has run."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._history = History(shell)
        self._runner: Runner | None = None
        self._cell: Any = None
        self._follows = False
        shell.events.register("pre_run_cell", self._before_cell)
        shell.events.register("post_run_cell", self._after_cell)

    def follow(self) -> None:
        """From now on, mark each step after its cell has run."""
        self._follows = True
        if workspace := find_workspace(Path.cwd()):
            self._warm(workspace)  # imports torch while the first cells run

    def unfollow(self) -> None:
        """From now on, mark only when `check` is called."""
        self._follows = False

    def check(self, *targets: str, exam: str = PRACTICE, timeout: float = TIMEOUT) -> float:
        """Mark steps or parts of this notebook, by default its whole part, show the marks, and return the points.

        targets: as on the command line, `part1.step` or `part1`. exam: the name of an exam. timeout:
        seconds a step may take. Raises CannotCheck. nbgrader takes what is returned as the points of the cell.
        """
        named = all(isinstance(target, str) for target in targets)
        if not named or not isinstance(timeout, int | float) or not 0 < timeout <= LONGEST_TIMEOUT:
            raise CannotCheck(
                '`check` takes names of steps or parts, such as `check("part1")`, and a timeout above 0 and of at '
                f"most {LONGEST_TIMEOUT:g} seconds (a day)."
            )
        with _explained():
            from autograder.student.targets import find_steps

            workspace, syllabus = _course()
            steps = find_steps(syllabus, targets) if targets else self._own_steps(syllabus)
            path = workspace.practice_exam if exam == PRACTICE else _find(f"{exam}.exam")
            return self._mark(workspace, syllabus, steps, path, timeout).score

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
        self._cell = info

    def _after_cell(self, result: Any) -> None:
        """Mark the steps that a cell defines, if it ran without an error and a person sees the result."""
        if not self._follows or not result or not result.success or not self._is_looked_at():
            return
        if not (names := defined_in(result.info.raw_cell)):
            return
        try:
            with _explained():
                workspace, syllabus = _course()
                if steps := self._steps(names, syllabus):
                    self._mark(workspace, syllabus, steps, workspace.practice_exam, brief=True)
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
        names = (name for _, text in self._history.cells() for name in defined_in(text))
        return {parts[name][0] for name in names if len(parts.get(name, ())) == 1}

    def _own_steps(self, syllabus: Syllabus) -> Sequence[SyllabusStep]:
        """Return the steps of the notebook's part. Raises ExplainedError if it is unclear which part that is."""
        parts = self._parts(syllabus)
        if len(parts) != 1:
            example = f'`check("{syllabus.steps[0].path}")`'
            raise ExplainedError(
                f"It is unclear which part this notebook belongs to. Name a step or a part: {example}."
            )
        return [step for step in syllabus.steps if step.part in parts]

    def _steps(self, names: list[str], syllabus: Syllabus) -> Sequence[SyllabusStep]:
        """Return the steps with these names, preferably of the notebook's part. Raises ExplainedError."""
        from autograder.student.targets import find_steps

        steps = [step for step in syllabus.steps if step.name in names]
        parts = self._parts(syllabus)
        own = {step.name: step.path for step in steps if {step.part} == parts}
        return find_steps(syllabus, [own.get(step.name, step.name) for step in steps]) if steps else ()

    def _mark(
        self,
        workspace: Workspace,
        syllabus: Syllabus,
        steps: Sequence[SyllabusStep],
        exam_path: Path,
        timeout: float = TIMEOUT,
        brief: bool = False,
    ) -> Marks:
        """Mark steps and show the marks, then the causes of errors. Raises ExplainedError, CannotCheck."""
        from IPython.display import display

        from autograder.check import check
        from autograder.diagnosis import effort
        from autograder.runner.processes import CannotRun
        from autograder.student.jupyter.cell_output import Shown
        from autograder.student.practice import open_exam
        from autograder.student.progress import way_to_solutions
        from autograder.submission.model import Submission, Unreadable
        from autograder.submission.notebook import source_of_cells

        exam = open_exam(exam_path, {step.part for step in steps})
        seconds = effort("full" if not self._cell or self._is_looked_at() else "quick")
        try:
            source = source_of_cells(self._history.cells(), PLACE)
            submission = Submission(PLACE, dict.fromkeys((step.part for step in steps), source))
            marks = check(exam, submission, steps, self._warm(workspace), timeout)
        except KeyboardInterrupt:
            self.close()  # in the middle of a run, its process may be in any state
            raise CannotCheck("Interrupted: nothing was marked.") from None
        except Unreadable as error:
            raise CannotCheck(str(error)) from None
        is_own = exam_path == workspace.practice_exam and workspace == find_workspace(Path.cwd())
        passed = _remember(marks, workspace) if is_own and self._is_looked_at() else []
        shown = Shown(marks, syllabus, brief, workspace.course.causes.rungs, way_to_solutions(workspace, passed))
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
        if marks != shown.marks:
            handle.update(replace(shown, marks=marks))
        return marks


def _remember(marks: Marks, workspace: Workspace) -> list[str]:
    """Record passed steps as progress. Failed steps are ignored: they may have passed in the module."""
    from autograder.student.progress import remember

    parts = tuple(replace(part, steps=tuple(step for step in part.steps if step.passed)) for part in marks.parts)
    return remember(workspace, replace(marks, parts=parts), print, of_notebook=True)


def _course() -> tuple[Workspace, Syllabus]:
    from autograder.student.targets import syllabus_of

    if not (here().root / FILE).is_file():
        raise CannotCheck("The course is not here: there is no course.toml in this folder or above it.")
    return here(), syllabus_of(here())


def _find(name: str) -> Path:
    """Find a file in this folder or above, because nbgrader runs notebooks in folders of the course."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / name).is_file():
            return folder / name
    raise CannotCheck(f"There is no {name} in this folder or above it.")
