"""`check` in a notebook: after `%load_ext autograder.jupyter`, `check("part1_simplified.softmax")` marks that step.

What is marked is what the kernel has run: the cells go through the same sitting as a module, in a process of their own.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.sitting.notebook import definitions_of
from autograder.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from autograder.exam.model import Exam
    from autograder.exam.syllabus import Syllabus
    from autograder.marking.marks import Marks
    from autograder.sitting.processes import Sitter

PRACTICE = "practice"
PLACE = "this notebook"
EXAMPLE = '`check("part1_simplified.softmax")`'


class CannotCheck(Exception):
    """Checking cannot begin; the message says why and what to do. Jupyter shows the message without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def load_ipython_extension(shell: Any) -> None:
    """Give a notebook `check`, and follow which cells it runs. Jupyter calls this at `%load_ext autograder.jupyter`."""
    session = _Session(_History(shell))
    atexit.register(session.close)
    shell.push({"check": session.check})


@dataclass(frozen=True)
class _Run:
    """A cell that was run. cell: what it is known by when it is run again: Jupyter's id, else its text."""

    number: int
    cell: str
    text: str


class _History:
    """The cells that a kernel has run, in order, the one that it is running among them."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._runs: list[_Run] = [
            _Run(number, text, text) for number, text in enumerate(shell.history_manager.input_hist_raw)
        ]
        shell.events.register("pre_run_cell", self._on_run)

    def cells(self) -> Iterator[tuple[int, str]]:
        """Yield number and text of every cell as it was last, where it was run first and where it was run last.

        What it replaced is gone. A cell that was mended and run again stands behind what it needs; one that others need, such as
        the imports, before them. Of one that was run again as it was, only the definitions count twice: they may have replaced
        others, while its other work has been done.
        """
        first = {run.cell: place for place, run in reversed(list(enumerate(self._runs)))}
        last = {run.cell: place for place, run in enumerate(self._runs)}
        for place, run in enumerate(self._runs):
            text = self._runs[last[run.cell]].text
            if place == first[run.cell]:
                yield run.number, text
            elif place == last[run.cell]:
                as_before = text == self._runs[first[run.cell]].text
                yield run.number, definitions_of(text) if as_before else text

    def _on_run(self, info: Any) -> None:
        if info.store_history:
            self._runs.append(_Run(self._shell.execution_count, info.cell_id or info.raw_cell, info.raw_cell))


class _Session:
    """One notebook at work: its warm process, and the exams that it has read."""

    def __init__(self, history: _History) -> None:
        self._history = history
        self._sitter: Sitter | None = None
        self._exams: dict[Path, Exam] = {}

    def check(self, target: str = "", exam: str = PRACTICE, timeout: float = 5.0) -> float:
        """Mark a step or a part of this notebook, show the marks, and return the points.

        target: as on the command line, `part1_simplified.softmax` or `part1_simplified`. exam: the name of an exam. timeout:
        seconds a step may take. Raises CannotCheck. nbgrader takes what is returned as the points of the cell.
        """
        workspace = find_workspace(Path.cwd())
        if workspace is None:
            raise CannotCheck("The course is not here: there is no exams/syllabus.json in this folder or above it.")
        if not isinstance(target, str) or not isinstance(timeout, int | float) or timeout <= 0:
            raise CannotCheck(f"`check` takes the name of a step or a part, such as {EXAMPLE}, and a timeout above 0.")
        found = self._exam(exam, workspace)
        try:
            marks = self._mark(target, found, timeout)
        except KeyboardInterrupt:
            self.close()  # in mid-sitting, its process may be in any state
            raise CannotCheck("Interrupted: nothing was marked.") from None
        _show(marks, found.syllabus)
        return marks.score

    def close(self) -> None:
        """End the warm process."""
        if self._sitter:
            self._sitter.close()
            self._sitter = None

    def _exam(self, name: str, workspace: Workspace) -> Exam:
        from autograder.cli import checking

        path = workspace.practice_exam if name == PRACTICE else _find(f"{name}.exam")
        if path not in self._exams:
            try:
                self._exams[path] = checking.open_exam(path)
            except checking.CannotCheck as error:
                raise CannotCheck(str(error)) from None
        return self._exams[path]

    def _mark(self, target: str, exam: Exam, timeout: float) -> Marks:
        from autograder.cli.targets import UnknownTarget, find_steps
        from autograder.marking.mark import mark
        from autograder.sitting.host import sit
        from autograder.sitting.notebook import source_of_cells
        from autograder.sitting.processes import CannotSit, open_sitter
        from autograder.sitting.submission import Submission, Unreadable

        self._sitter = self._sitter or open_sitter()
        try:
            steps = find_steps(exam.syllabus, (target,))
            source = source_of_cells(self._history.cells(), PLACE)
            parts = {step.part for step in steps}
            submission = Submission(PLACE, dict.fromkeys(parts, source))
            wanted = {part: frozenset(step.name for step in steps if step.part == part) for part in parts}
            return mark(exam, sit(self._sitter, submission, exam.syllabus, exam.paper, wanted, timeout), submission)
        except (UnknownTarget, Unreadable, CannotSit) as error:
            raise CannotCheck(str(error)) from None


def _find(name: str) -> Path:
    """Return a file in the current folder or above it: nbgrader runs a notebook in a folder of the course directory."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / name).is_file():
            return folder / name
    raise CannotCheck(f"There is no {name} in this folder or above it.")


def _show(marks: Marks, syllabus: Syllabus) -> None:
    from rich.console import Console, Group
    from rich.text import Text

    from autograder.cli.drawing import draw_marks
    from autograder.cli.screen import UNICODE, WITHOUT_A_TERMINAL

    titles = {part.name: part.title for part in syllabus.parts}
    drawn = list(draw_marks(marks, titles, UNICODE))
    if any(step.verdict == "missing" for part in marks.parts for step in part.steps):
        drawn.append(
            Text("Run the cell of a step before you check it; after a restart, run all cells.", style="yellow")
        )
    Console(width=WITHOUT_A_TERMINAL, highlight=False).print(Group(*drawn))
