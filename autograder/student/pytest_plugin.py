"""Show each step as a pytest item, with the report of `attn check`.

This applies only to a course's own `exercises/`. Pytest collects other folders as usual. When the
first item runs, all selected steps are marked at once.
"""

from __future__ import annotations

import contextlib
import functools
import io
import textwrap
import warnings
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder.course.errors import ExplainedError
from autograder.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from autograder.exam.syllabus import SyllabusPart, SyllabusStep
    from autograder.grading.results import Marks, StepMarks

UNBROKEN = 2_000
"""A width, in columns, at which no line is broken."""


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect the steps of a part's module, in place of the tests that pytest would find in it."""
    collected = yield
    folder = file_path.parent.resolve()  # the path may contain a link
    workspace = find_workspace(folder)
    if workspace and file_path.suffix == ".py" and folder == workspace.exercises.resolve():
        from autograder.student.targets import syllabus_of

        parts = syllabus_of(workspace).parts
        if part := next((part for part in parts if part.name == file_path.stem), None):
            return [ExerciseFile.from_parent(parent, path=file_path, part=part, workspace=workspace)]
    return collected


class ExerciseFile(pytest.File):
    """A pytest collector for the module of one part."""

    def __init__(self, *, part: SyllabusPart, workspace: Workspace, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.workspace, self._part = workspace, part

    def collect(self) -> Iterable[pytest.Item]:
        """Yield an item for each step."""
        for step in self._part.steps:
            yield ExerciseStep.from_parent(self, name=step.name, step=step)


class ExerciseStep(pytest.Item):
    """A pytest item for one step."""

    parent: ExerciseFile

    def __init__(self, *, step: SyllabusStep, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.step = step

    def runtest(self) -> None:
        """Fail if the step is wrong, with a link to its line and a report. Skip a step not attempted."""
        from autograder.course.verdicts import Verdict
        from autograder.student.editing import line_to_look_at

        part = next(part for part in _mark(self.session, self.parent.workspace).parts if part.part == self.step.part)
        step = part.step(self.name)
        if not step or step.verdict == Verdict.NOT_ATTEMPTED:
            pytest.skip(f"not attempted yet: attn show {self.step.path}")
        if not step.passed:
            where = line_to_look_at(self.parent.workspace, self.step, step, part.error or "").shown(Path.cwd())
            pytest.fail(f"{where}: {part.error or self._report(step)}", pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the location of the step's TODO, and the item's name in reports."""
        from autograder.student.editing import locate

        return self.path, locate(self.parent.workspace, self.step).line - 1, self.name

    def _report(self, step: StepMarks) -> str:
        """Return the report of `attn check` on a step, the command that says more, and the hint."""
        from rich.console import Console, Group

        from autograder.render.results import draw_failure
        from autograder.render.screen import signs_for

        console = Console(file=io.StringIO(), width=UNBROKEN, highlight=False, color_system=None)
        with console.capture() as drawn:
            console.print(Group(*draw_failure(step, signs_for(console))))
        said = [line.rstrip() for line in textwrap.dedent(drawn.get()).rstrip().split("\n")]
        if step.diagnosis:
            said.append(f"attn hint --why {self.step.path} says more")
        return "\n".join([*said, f"hint: {step.hint}"] if step.hint else said)


@functools.cache
def _mark(session: pytest.Session, workspace: Workspace) -> Marks:
    """Mark the steps of one course that pytest runs, and record the marks. If this fails, end pytest."""
    from autograder.check import check
    from autograder.diagnosis import effort
    from autograder.runner import processes
    from autograder.student.practice import open_exam, read_exercises
    from autograder.student.progress import remember

    items = (one for one in session.items if isinstance(one, ExerciseStep))
    steps = [one.step for one in items if one.parent.workspace == workspace]
    try:
        exam = open_exam(workspace.practice_exam, {step.part for step in steps})
        submission = read_exercises(workspace.exercises, steps)
        with contextlib.closing(processes.open_runner(workspace.root, as_daemon=True)) as runner:
            marks = check(exam, submission, steps, runner, seconds=effort("full"))
    except ExplainedError as problem:
        pytest.exit(str(problem), pytest.ExitCode.INTERRUPTED)
    remember(workspace, marks, warnings.warn)
    return marks
