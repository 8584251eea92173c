"""Show each check of each step as a pytest item, with the messages of `attn check`.

This applies only to a course's own `exercises/`. Pytest collects other folders as usual. When the
first item runs, all steps that were asked for are marked at once.
"""

from __future__ import annotations

import gc
import io
import textwrap
import warnings
from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import pytest

from autograder.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from autograder.exam.syllabus import SyllabusPart, SyllabusStep
    from autograder.grading.results import PartMarks, StepMarks

CHECKS = ("runs", "shape", "dtype", "values", "inputs_untouched", "gradients")
UNBROKEN = 2_000
"""The width in columns, so large that no line is broken."""

GRADERS = pytest.StashKey[dict[Path, "Grader"]]()
OPEN_STEPS = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect a part's module as its steps and checks, in place of what pytest finds in it."""
    collected = yield
    folder = file_path.parent.resolve()  # editors and terminals may name it by a link
    workspace = find_workspace(folder)
    if workspace and file_path.suffix == ".py" and folder == workspace.exercises.resolve():
        graders = parent.config.stash.setdefault(GRADERS, {})
        grader = graders.get(workspace.root) or graders.setdefault(workspace.root, Grader(workspace, parent.config))
        if part := next((part for part in grader.syllabus.parts if part.name == file_path.stem), None):
            return [ExerciseFile.from_parent(parent, path=file_path, part=part, grader=grader)]
    return collected


class Grader:
    """The runner and the marks of one pytest run. A run that only collects has neither.

    told: by file and text, the item that has shown this text in full.
    """

    def __init__(self, workspace: Workspace, config: pytest.Config) -> None:
        from autograder.course.errors import ExplainedError
        from autograder.runner.processes import open_runner
        from autograder.student.targets import syllabus_of

        self.workspace = workspace
        try:
            self.syllabus = syllabus_of(workspace)
        except ExplainedError as error:
            pytest.exit(str(error), pytest.ExitCode.INTERRUPTED)
        self.told: dict[tuple[Path, str], str] = {}
        self._marks: dict[str, tuple[PartMarks, StepMarks]] = {}
        if not config.option.collectonly:
            self._runner = open_runner(workspace.root, as_daemon=True)  # imports torch while pytest collects
            config.add_cleanup(self._runner.close)

    def marks_of(self, step: SyllabusStep, items: Iterable[pytest.Item]) -> tuple[PartMarks, StepMarks]:
        """Return the marks of a step and of its part. The first call marks the steps of all items.

        A missing exam ends the run, so that it is reported only once.
        """
        from autograder.course.errors import ExplainedError

        try:
            if not self._marks:
                asked = (item.parent for item in items if isinstance(item, ExerciseCheck))
                self._mark(list({one.step.path: one.step for one in asked if one.grader is self}.values()))
        except ExplainedError as problem:
            pytest.exit(str(problem), pytest.ExitCode.INTERRUPTED)
        return self._marks[step.path]

    def _mark(self, steps: list[SyllabusStep]) -> None:
        from autograder.check import check
        from autograder.diagnosis import effort
        from autograder.runner.limits import TIMEOUT
        from autograder.student.practice import open_exam, read_exercises
        from autograder.student.progress import remember

        exam = open_exam(self.workspace.practice_exam, {step.part for step in steps})
        submission = read_exercises(self.workspace.exercises, steps)
        marks = check(exam, submission, steps, self._runner, TIMEOUT, seconds=effort("full"))
        self._runner.close()
        remember(self.workspace, marks, warnings.warn)
        gc.freeze()  # otherwise pytest collects garbage among all objects at exit, five times
        self._marks = {f"{part.part}.{step.step}": (part, step) for part in marks.parts for step in part.steps}


class ExerciseFile(pytest.File):
    """The module of one part."""

    def __init__(self, *, part: SyllabusPart, grader: Grader, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._part, self._grader = part, grader

    def collect(self) -> Iterable[pytest.Collector]:
        """Yield the steps."""
        for step in self._part.steps:
            yield ExerciseStep.from_parent(self, name=step.name, step=step, grader=self._grader)


class ExerciseStep(pytest.Class):
    """One step. It is a pytest class, because editors show only classes between a file and its tests."""

    def __init__(self, *, step: SyllabusStep, grader: Grader, **keywords: Any) -> None:
        from autograder.student.editing import locate

        super().__init__(**keywords)
        self.step, self.grader = step, grader
        self.todo = locate(grader.workspace, step)
        code = compile("", self.todo.path, "exec").replace(co_name=step.name, co_firstlineno=self.todo.line)
        self.obj = FunctionType(code, {}, step.name)  # gives pytest and editors the name and the line

    def collect(self) -> Iterable[pytest.Item]:
        """Yield the checks."""
        for check in CHECKS:
            if self.step.gradients or check != "gradients":
                yield ExerciseCheck.from_parent(self, name=check)


class ExerciseCheck(pytest.Item):
    """One check of one step, over all cases."""

    parent: ExerciseStep

    def runtest(self) -> None:
        """Fail with the message of the first case that fails the check.

        If an exception prevents several checks, only the first of them shows the exception in full.
        """
        from autograder.course.verdicts import Verdict
        from autograder.student.editing import line_named

        part, step = self.parent.grader.marks_of(self.parent.step, self.session.items)
        if step.verdict == Verdict.NOT_ATTEMPTED and not part.error:
            self.config.stash[OPEN_STEPS] = True
            pytest.skip(f"not attempted yet: attn show {self.parent.step.path}")
        made = [check for check in step.checks if check.check == self.name]
        failed = next((check for check in made if not check.passed), None if made else step.first_failure)
        if not failed and not part.error:
            return
        name, told = f"{self.parent.name}::{self.name}", part.error or self._report(step)
        first = self.parent.grader.told.setdefault((self.path, told), name)
        if first != name:
            told = f"not checked, {first} says why"
        elif step.printed:
            self.add_report_section("call", "stdout", step.printed)
        # editors and terminals make `path:line` a link
        line = line_named(self.path, part.error or step.traceback or "")
        where = replace(self.parent.todo, line=line or self.parent.todo.line).shown(Path.cwd())
        pytest.fail(f"{where}: {told}", pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the location of the step's TODO, and the item's name in reports."""
        return self.path, self.parent.todo.line - 1, f"{self.parent.name}: {self.name}"

    def _report(self, step: StepMarks) -> str:
        """Return the report of `attn check` on a step, and the command that says more of its cause."""
        from rich.console import Console, Group

        from autograder.render.results import draw_failure
        from autograder.render.screen import signs_for

        console = Console(file=io.StringIO(), width=UNBROKEN, highlight=False, color_system=None)
        with console.capture() as drawn:
            console.print(Group(*draw_failure(replace(step, printed=""), signs_for(console))))
        said = [line.rstrip() for line in textwrap.dedent(drawn.get()).rstrip().split("\n")]
        if step.diagnosis:
            said.append(f"attn why {self.parent.step.path} says more")
        return "\n".join([*said, f"hint: {step.hint}"] if step.hint else said)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Make a run fail if a step was not attempted."""
    if session.config.stash.get(OPEN_STEPS, False) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
