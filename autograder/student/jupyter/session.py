"""One notebook at work: `check`, and the marking of each step when its cell was run.

What is marked is what the kernel has run: the cells go through the same sitting as a module, in a process of their own.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.runner.limits import LONGEST_TIMEOUT, TIMEOUT
from autograder.student.jupyter.history import History, defined_in
from autograder.student.jupyter.ownership import UnknownPart, name_of_notebook, step_called, steps_of_notebook
from autograder.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from autograder.exam.model import Exam
    from autograder.grading.results import Diagnosis, Marks
    from autograder.runner.processes import Runner
    from autograder.submission.model import Submission

PRACTICE = "practice"
PLACE = "this notebook"


class CannotCheck(Exception):
    """Checking cannot begin; the message says why and what to do. Jupyter shows the message without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@functools.cache
def session_of(shell: Any) -> Session:
    """Return the one session of a shell: `%load_ext` may come twice, under either of the extension's names."""
    session = Session(shell)
    atexit.register(session.close)
    return session


class Session:
    """One kernel: its warm process, the exams that it has read, and what the cell that it runs has checked itself."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._history = History(shell)
        self._runner: Runner | None = None
        self._exams: dict[Path, Exam] = {}
        self._cell: Any = None
        self._checked: set[str] = set()
        self._follows = False
        self._told: set[str] = set()

    def follow(self) -> None:
        """Mark from now on each step when its cell was run."""
        if not self._follows:
            if workspace := find_workspace(Path.cwd()):
                self._warm(workspace)  # torch is being imported there while the first cells are run
            self._shell.events.register("pre_run_cell", self._before_cell)
            self._shell.events.register("post_run_cell", self._after_cell)
            self._follows = True

    def unfollow(self) -> None:
        """Mark from now on only what `check` is called for."""
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
                f"`check` takes names of steps or parts, such as {_example(workspace.course.parts[0])}, and a timeout above 0 and of at most "
                f"{LONGEST_TIMEOUT:g} seconds (a day)."
            )
        with _whole_install():
            found = self._exam(exam, workspace)
            steps = self._named(targets, found.syllabus)
            self._checked |= {step.name for step in steps}
            marks = self._show_marks(workspace, steps, found, timeout)
        if exam == PRACTICE and self._cell and self._is_looked_at(self._cell):
            self._remember(marks, workspace)
        return marks.score

    def close(self) -> None:
        """End the warm process."""
        if self._runner:
            self._runner.close()
            self._runner = None

    def _named(self, targets: tuple[str, ...], syllabus: Syllabus) -> Sequence[SyllabusStep]:
        """Return the steps that names mean, those of the notebook's part for none."""
        from autograder.student.targets import UnknownTarget, find_steps

        if targets:
            try:
                return find_steps(syllabus, targets)
            except UnknownTarget as error:
                raise CannotCheck(str(error)) from None
        steps = steps_of_notebook(syllabus, name_of_notebook(self._shell.user_ns), self._history.names())
        if not steps:
            example = _example(syllabus.steps[0].path)
            raise CannotCheck(f"It is unclear which part this notebook belongs to. Name a step or a part: {example}.")
        return steps

    def _warm(self, workspace: Workspace) -> Runner:
        from autograder.runner.processes import open_runner

        self._runner = self._runner or open_runner(workspace.root, as_daemon=True)
        return self._runner

    def _before_cell(self, info: Any) -> None:
        self._cell, self._checked = info, set()

    def _after_cell(self, result: Any) -> None:
        """Mark the steps that a cell defines, if it ran without an error and a person sees the result."""
        if not result or not result.success or not self._is_looked_at(result.info):
            return
        names = [name for name in defined_in(result.info.raw_cell) if name not in self._checked]
        if not names:
            return
        try:
            with _whole_install():
                self._mark_defined(names)
        except (CannotCheck, UnknownPart) as error:
            print(error)

    def _is_looked_at(self, info: Any) -> bool:
        """Return whether a person runs this cell. A front end names it; nbgrader and nbconvert, which run notebooks, do not."""
        return bool(info.store_history and (info.cell_id or self._is_in_terminal))

    @property
    def _is_in_terminal(self) -> bool:
        return getattr(self._shell, "kernel", None) is None

    def _mark_defined(self, names: list[str]) -> None:
        workspace = _workspace()
        exam = self._exam(PRACTICE, workspace)
        steps = tuple(self._steps(names, exam.syllabus))
        if steps:
            self._remember(self._show_marks(workspace, steps, exam, brief=True), workspace)

    def _remember(self, marks: Marks, workspace: Workspace) -> None:
        """Count as progress what passed here. What did not pass takes nothing back: it may have passed in the module."""
        from autograder.student.digests import file_digests
        from autograder.student.progress import load_progress

        parts = tuple(replace(part, steps=tuple(step for step in part.steps if step.passed)) for part in marks.parts)
        if any(part.steps for part in parts):
            files = file_digests(workspace, (part.part for part in parts))
            try:
                load_progress(workspace, self._tell).record(replace(marks, parts=parts), files)
            except OSError as error:
                self._tell(f"progress could not be saved in {workspace.memory}: {error.strerror}")

    def _tell(self, text: str) -> None:
        """Print a sentence the first time only."""
        if text not in self._told:
            self._told.add(text)
            print(text)

    def _steps(self, names: list[str], syllabus: Syllabus) -> Iterator[SyllabusStep]:
        for name in dict.fromkeys(names):
            notebook = name_of_notebook(self._shell.user_ns)
            if step := step_called(name, syllabus, notebook, self._history.names()):
                yield step

    def _exam(self, name: str, workspace: Workspace) -> Exam:
        from autograder.student import practice

        path = workspace.practice_exam if name == PRACTICE else _find(f"{name}.exam")
        if path not in self._exams:
            try:
                self._exams[path] = practice.open_exam(path)
            except practice.CannotCheck as error:
                raise CannotCheck(str(error)) from None
        return self._exams[path]

    def _show_marks(
        self,
        workspace: Workspace,
        steps: Sequence[SyllabusStep],
        exam: Exam,
        timeout: float = TIMEOUT,
        brief: bool = False,
    ) -> Marks:
        """Mark steps and show their marks, then the causes of wrong ones once they are found. Raises CannotCheck.

        In a terminal, where what was shown stays as it is, all is shown at once.
        """
        from IPython.display import display

        from autograder.diagnosis import UnknownEffort, effort
        from autograder.student.jupyter.cell_output import Shown

        try:
            seconds = effort("full" if not self._cell or self._is_looked_at(self._cell) else "quick")
        except UnknownEffort as error:
            raise CannotCheck(str(error)) from None
        submission = self._submission(steps)
        marks = self._mark(workspace, submission, steps, exam, timeout)
        rungs, solutions = workspace.course.causes.rungs, self._way_to_solutions(workspace, marks)
        shown = Shown(marks, exam.syllabus, brief, rungs, solutions)
        handle = None if self._is_in_terminal else display(shown, display_id=True)  # type: ignore[no-untyped-call]
        marks = self._explained(shown.marks, workspace, submission, exam, timeout, seconds)
        if not handle:
            display(replace(shown, marks=marks))  # type: ignore[no-untyped-call]
        elif _causes(marks) != _causes(shown.marks):
            handle.update(replace(shown, marks=marks))
        return marks

    def _way_to_solutions(self, workspace: Workspace, marks: Marks) -> str:
        """Say where the solutions are of what passes now and did not, if a person sees it."""
        from autograder.student.after_a_pass import newly_passed, way_to_solutions
        from autograder.student.progress import load_progress

        if not self._cell or not self._is_looked_at(self._cell):
            return ""
        return way_to_solutions(workspace, newly_passed(load_progress(workspace, self._tell), marks))

    def _submission(self, steps: Sequence[SyllabusStep]) -> Submission:
        """Return what the kernel has run as a submission of these steps. Raises CannotCheck."""
        from autograder.submission.model import Submission, Unreadable
        from autograder.submission.notebook import source_of_cells

        try:
            source = source_of_cells(self._history.cells(), PLACE)
        except Unreadable as error:
            raise CannotCheck(str(error)) from None
        return Submission(PLACE, dict.fromkeys((step.part for step in steps), source))

    def _mark(
        self, workspace: Workspace, submission: Submission, steps: Sequence[SyllabusStep], exam: Exam, timeout: float
    ) -> Marks:
        from autograder.check import check
        from autograder.course.errors import BrokenCourse
        from autograder.runner.processes import CannotRun

        try:
            return check(exam, submission, steps, self._warm(workspace), timeout)
        except KeyboardInterrupt:
            self.close()  # in mid-sitting, its process may be in any state
            raise CannotCheck("Interrupted: nothing was marked.") from None
        except (CannotRun, BrokenCourse) as error:
            raise CannotCheck(str(error)) from None

    def _explained(
        self, marks: Marks, workspace: Workspace, submission: Submission, exam: Exam, timeout: float, seconds: float
    ) -> Marks:
        """Return the marks with the causes of wrong steps; the same ones if none is searched for, or it is interrupted."""
        from autograder.check import explain
        from autograder.runner.processes import CannotRun

        if marks.passed or not seconds:
            return marks
        try:
            return explain(marks, exam, submission, self._warm(workspace), seconds, timeout)
        except KeyboardInterrupt:
            self.close()
        except CannotRun:
            pass  # the marks stand, and whatever keeps the process from starting is told at the next check
        return marks


@contextlib.contextmanager
def _whole_install() -> Iterator[None]:
    """Raise CannotCheck, in plain words, if a library that marking needs cannot be imported."""
    try:
        yield
    except Exception as error:
        from autograder.student.advice import broken_install, came_of_importing

        if not came_of_importing(error):
            raise
        raise CannotCheck(broken_install(error)) from None


def _causes(marks: Marks) -> list[Diagnosis | None]:
    return [step.diagnosis for part in marks.parts for step in part.steps]


def _example(target: str) -> str:
    return f'`check("{target}")`'


def _workspace() -> Workspace:
    workspace = find_workspace(Path.cwd())
    if workspace is None:
        raise CannotCheck("The course is not here: there is no course.toml in this folder or above it.")
    return workspace


def _find(name: str) -> Path:
    """Return a file in the current folder or above it: nbgrader runs a notebook in a folder of the course directory."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / name).is_file():
            return folder / name
    raise CannotCheck(f"There is no {name} in this folder or above it.")
