"""Mark the steps of a notebook, when `check` is called or after the cell of a step has run."""

from __future__ import annotations

import ast
import atexit
import functools
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from IPython.display import display

from autograder.check import check
from autograder.course.errors import ExplainedError
from autograder.diagnosis import effort
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.results import Marks
from autograder.runner import processes
from autograder.runner.limits import TIMEOUT
from autograder.student.jupyter.cell_output import Shown
from autograder.student.practice import open_exam
from autograder.student.progress import load_progress, remember
from autograder.student.start import course_beside
from autograder.student.targets import find_steps, syllabus_of
from autograder.submission.model import Submission
from autograder.submission.notebook import definitions_of, source_of_cells, without_commands
from autograder.submission.parsed import parsed
from autograder.workspace import COURSE, Workspace, find_workspace

PRACTICE = "practice"
PLACE = "this notebook"

FILE_OF_NOTEBOOK = "JPY_SESSION_NAME"
"""The environment variable in which a Jupyter server gives a kernel the path of its notebook."""

FILE_IN_VSCODE = "__vsc_ipynb_file__"
"""The variable in which Visual Studio Code gives a kernel the path of its notebook."""


@dataclass(frozen=True)
class _Run:
    """One run of a cell. cell: the id that Jupyter gives to the cell; without an id, the cell's text."""

    number: int
    cell: str
    text: str


class History:
    """The cells that a kernel has run, in order, including `running`: the one that runs or ran last."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        before = enumerate(shell.history_manager.input_hist_raw)
        self._runs = [_Run(number, text, text) for number, text in before]
        self.running: Any = None
        shell.events.register("pre_run_cell", self._on_run)

    def cells(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the last text of each cell, in the order of the first runs.

        If a cell ran again, its definitions follow once more, at its last run. So they come before
        the cells that need them, and also after the cells that they need.
        """
        last = {run.cell: run for run in self._runs}
        waiting = dict(last)
        for run in self._runs:
            if newest := waiting.pop(run.cell, None):
                yield newest.number, newest.text
            elif run is last[run.cell]:
                yield run.number, definitions_of(run.text)

    def _on_run(self, info: Any) -> None:
        self.running = info
        if info.store_history:
            number = len(self._shell.history_manager.input_hist_raw)  # IPython's count is raised before or after this
            self._runs.append(_Run(number, info.cell_id or info.raw_cell, info.raw_cell))


def defined_in(text: str) -> list[str]:
    """Return the names of the functions and classes at the top level of a cell."""
    top = parsed(without_commands(text)).statements
    return [node.name for node in top if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]


@functools.cache
def session_of(shell: Any) -> Session:
    """Return the session of a shell: always the same one, because `%load_ext` may be called twice."""
    session = Session(shell)
    atexit.register(session.close)
    return session


class Session:
    """The state of one kernel: its runner and the cells that it has run."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._history = History(shell)
        self._runner: processes.Runner | None = None

    def follow(self) -> None:
        """From now on, mark each step after its cell has run."""
        self._shell.events.register("post_run_cell", self._after_cell)
        workspace = _workspace()
        self._warm(workspace)  # imports torch while the first cells run
        if find_workspace(Path.cwd()) is None and (step := load_progress(workspace).next_step(syllabus_of(workspace))):
            print(f"Each cell that defines a step is marked. The next step: {step.path}, {step.signature}")

    def unfollow(self) -> None:
        """From now on, mark only when `check` is called."""
        self._shell.events.unregister("post_run_cell", self._after_cell)

    def check(self, *targets: object, exam: str = PRACTICE, timeout: float = TIMEOUT) -> float:
        """Mark steps or parts, by default this notebook's part. Show the marks, and return the points.

        targets: names as on the command line, `part1.step` or `part1`, or functions. exam: the name of
        an exam. timeout: seconds that a step may run. nbgrader takes the returned number as the points
        of the cell. Raises ExplainedError.
        """
        workspace = _workspace()
        syllabus = syllabus_of(workspace)
        names = [str(getattr(target, "__name__", target)) for target in targets]
        following = load_progress(workspace).next_step(syllabus)
        steps = find_steps(syllabus, names, following) if names else self._own_steps(syllabus)
        if not steps:
            example = f'`check("{syllabus.steps[0].path}")`'
            raise ExplainedError(
                f"It is unclear which part this notebook belongs to. Name a step or a part: {example}."
            )
        return self._mark(workspace, steps, exam, timeout).score

    def close(self) -> None:
        """End the runner's process."""
        if self._runner:
            self._runner.close()
            self._runner = None

    def _warm(self, workspace: Workspace) -> processes.Runner:
        self._runner = self._runner or processes.open_runner(workspace.root, as_daemon=True)
        return self._runner

    def _after_cell(self, result: Any) -> None:
        """Mark the steps that a cell defines, if it ran without an error and a person sees the result."""
        if not (result and result.success and self._is_looked_at() and (defined := defined_in(result.info.raw_cell))):
            return
        try:
            workspace = _workspace()
            syllabus = syllabus_of(workspace)
            if names := [name for name in defined if name in {step.name for step in syllabus.steps}]:
                own = [step for step in self._own_steps(syllabus) if step.name in names]
                self._mark(workspace, own or find_steps(syllabus, names, load_progress(workspace).next_step(syllabus)))
        except ExplainedError as error:
            print(error)

    def _is_looked_at(self) -> bool:
        """Return whether a person runs this cell. Editors send the cell's id; nbgrader and nbconvert do not."""
        cell = self._history.running
        return bool(cell and cell.store_history and cell.cell_id)

    def _own_steps(self, syllabus: Syllabus) -> Sequence[SyllabusStep]:
        """Return the steps of the notebook's part, or nothing if it is unclear which part that is.

        The notebook's file has the name of the part, or its cells define steps of this part alone.
        """
        path = self._shell.user_ns.get(FILE_IN_VSCODE) or os.environ.get(FILE_OF_NOTEBOOK, "")
        parts = {part.name for part in syllabus.parts} & {PurePath(str(path)).stem}
        if not parts:
            count = Counter(step.name for step in syllabus.steps)
            defined = {name for _, text in self._history.cells() for name in defined_in(text) if count[name] == 1}
            parts = {step.part for step in syllabus.steps if step.name in defined}
        return [step for step in syllabus.steps if {step.part} == parts]

    def _mark(
        self,
        workspace: Workspace,
        steps: Sequence[SyllabusStep],
        exam_name: str = PRACTICE,
        timeout: float = TIMEOUT,
    ) -> Marks:
        """Mark the cells like a module. Show the marks, then the causes of errors. Raises ExplainedError."""
        is_practice = exam_name == PRACTICE
        path = workspace.practice_exam if is_practice else _find(f"{exam_name}.exam")
        exam = open_exam(path, {step.part for step in steps})
        seconds = effort("full" if not self._history.running or self._is_looked_at() else "quick")
        source = source_of_cells(self._history.cells(), PLACE)
        submission = Submission(PLACE, dict.fromkeys((step.part for step in steps), source))
        try:
            marks = check(exam, submission, steps, self._warm(workspace), timeout)
            if is_practice and self._is_looked_at():
                remember(workspace, marks, print, of_notebook=True)
            shown = Shown(marks, exam.syllabus, workspace.course.causes.rungs)
            handle = display(shown, display_id=True)  # type: ignore[no-untyped-call]
            if not marks.passed and seconds:
                from autograder.diagnosis.find import find_causes  # slow to import

                marks = find_causes(marks, exam, submission, self._warm(workspace), seconds, timeout)
                handle.update(replace(shown, marks=marks))
        except KeyboardInterrupt:
            self.close()  # in the middle of a run, its process may be in any state
            raise ExplainedError("Interrupted: run the cell again to mark it.") from None
        return marks


def _workspace() -> Workspace:
    """Return the course that contains the notebook, else the wheel's, unpacked beside it, else the grader's."""
    return find_workspace(Path.cwd()) or course_beside(Path.cwd()) or COURSE


def _find(name: str) -> Path:
    """Find a file in this folder or above it: nbgrader runs notebooks in subfolders of the course."""
    places = (folder / name for folder in (Path.cwd(), *Path.cwd().parents))
    if found := next(filter(Path.is_file, places), None):
        return found
    raise ExplainedError(f"There is no {name} in this folder or above it.")
