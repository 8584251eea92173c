"""Every check as a pytest item: `pytest exercises` shows one item a step and check, with the messages of `attn check`.

Only a course's own `exercises/` folder is collected in this way; other folders are left to pytest. Torch is being imported in a
process of its own while pytest collects, and all steps that were asked for are marked at once, when the first item runs.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Generator, Iterable
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from _pytest._code.code import TerminalRepr  # the type of what is shown of a failure; pytest has no public name for it

from autograder.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter

    from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep
    from autograder.grading.results import PartMarks, Spot, StepMarks
    from autograder.student.editing import Location

CHECKS = ("runs", "shape", "dtype", "values", "inputs_untouched", "gradients")
NOT_ATTEMPTED_YET = "not attempted yet: "

GRADERS = pytest.StashKey[dict[Path, "Grader"]]()
OPEN_STEPS = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    """Start the warm process of a course whose exercises are asked for: pytest collects while torch is imported there.

    Raises pytest.UsageError where that course has lost its exams, or they cannot be read.
    """
    for asked in config.args:
        path = Path(config.invocation_params.dir, asked.partition("::")[0]).resolve()
        workspace = find_workspace(path)
        if workspace and path.is_relative_to(workspace.exercises.resolve()):
            try:
                _grader_of(workspace, config)
            except pytest.Collector.CollectError as error:
                raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect a part of the course as its steps and checks, and as nothing else."""
    collected = yield
    folder = file_path.parent.resolve()  # editors and terminals may name it by a link
    workspace = find_workspace(folder)
    if workspace and file_path.suffix == ".py" and folder == workspace.exercises.resolve():
        grader = _grader_of(workspace, parent.config)
        if part := next((part for part in grader.syllabus.parts if part.name == file_path.stem), None):
            return [ExerciseFile.from_parent(parent, path=file_path, part=part, grader=grader)]
    return collected


def _grader_of(workspace: Workspace, config: pytest.Config) -> Grader:
    """Return the grader of a course, one for all files of a run. Raises pytest.Collector.CollectError."""
    graders = config.stash.setdefault(GRADERS, {})
    if workspace.root not in graders:
        graders[workspace.root] = Grader(workspace, config)
    return graders[workspace.root]


def _read_syllabus(workspace: Workspace) -> Syllabus:
    """Read the syllabus. Raises pytest.Collector.CollectError, of which pytest shows only the message."""
    from autograder.exam.syllabus import load
    from autograder.student.advice import way_to_exams

    try:
        return load(workspace.syllabus)
    except (OSError, ValueError) as error:
        raise pytest.Collector.CollectError(
            f"{workspace.syllabus} cannot be read ({error}). {way_to_exams(workspace.root)}"
        ) from error


class Grader:
    """The warm process of a run and its marks. A run that only collects has neither.

    told: by file and text, the item that has shown that text in full.
    """

    def __init__(self, workspace: Workspace, config: pytest.Config) -> None:
        from autograder.runner.processes import open_runner

        self.workspace = workspace
        self.syllabus = _read_syllabus(workspace)
        self.told: dict[tuple[Path, str], str] = {}
        self._marks: dict[str, tuple[PartMarks, StepMarks]] = {}
        if not config.option.collectonly:
            self._runner = open_runner(workspace.root, as_daemon=True)
            config.add_cleanup(self._runner.close)

    def marks_of(self, step: SyllabusStep, items: Iterable[pytest.Item]) -> tuple[PartMarks, StepMarks]:
        """Return the marks of a step and of its part. The first call marks the steps of all items.

        What keeps them all from being marked ends the run, so that it is reported once: a broken install, a missing exam.
        """
        try:
            return self._marks_of(step, items)
        except Exception as error:
            from autograder.student.advice import broken_install, came_of_importing

            if not came_of_importing(error):
                raise
            pytest.exit(broken_install(error), pytest.ExitCode.INTERRUPTED)

    def _marks_of(self, step: SyllabusStep, items: Iterable[pytest.Item]) -> tuple[PartMarks, StepMarks]:
        from autograder.diagnosis import UnknownEffort
        from autograder.runner.processes import CannotRun
        from autograder.student.practice import CannotCheck

        if not self._marks:
            steps = [
                item.parent.step for item in items if isinstance(item, ExerciseCheck) and item.parent.grader is self
            ]
            try:
                self._marks = self._mark(list({step.path: step for step in steps}.values()))
            except (CannotCheck, CannotRun, UnknownEffort) as problem:
                pytest.exit(str(problem), pytest.ExitCode.INTERRUPTED)
        return self._marks[step.path]

    def _mark(self, steps: list[SyllabusStep]) -> dict[str, tuple[PartMarks, StepMarks]]:
        from autograder.diagnosis import effort
        from autograder.runner.limits import TIMEOUT
        from autograder.student.digests import file_digests
        from autograder.student.marked_work import keep
        from autograder.student.practice import check_folder, open_exam
        from autograder.student.progress import load_progress

        exam = open_exam(self.workspace.practice_exam, {step.part for step in steps})
        files = file_digests(self.workspace, {step.part for step in steps})
        marks = check_folder(self._runner, exam, self.workspace.exercises, steps, TIMEOUT, seconds=effort("full"))
        self._runner.close()
        try:
            progress = load_progress(self.workspace, warnings.warn)
            for lost in keep(self.workspace, progress, marks, files):
                warnings.warn(lost, stacklevel=1)
            progress.record(marks, files)
        except OSError as error:
            warnings.warn(f"progress could not be saved in {self.workspace.memory}: {error.strerror}", stacklevel=1)
        gc.freeze()  # at its end, pytest would search all that is loaded for garbage, five times over
        return {f"{part.part}.{step.step}": (part, step) for part in marks.parts for step in part.steps}


class ExerciseFile(pytest.File):
    """One part."""

    def __init__(self, *, part: SyllabusPart, grader: Grader, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.grader = grader
        self._part = part

    def collect(self) -> Iterable[pytest.Collector]:
        """Yield the steps."""
        for step in self._part.steps:
            yield ExerciseStep.from_parent(self, name=step.name, step=step, grader=self.grader)


class ExerciseStep(pytest.Class):
    """One step. It is a class to pytest, because classes are all that editors show between a file and its tests."""

    def __init__(self, *, step: SyllabusStep, grader: Grader, **keywords: Any) -> None:
        from autograder.student.editing import locate

        super().__init__(**keywords)
        self.step = step
        self.grader = grader
        self.todo = locate(grader.workspace, step)
        self.obj = _stand_in(step, self.todo)

    def collect(self) -> Iterable[pytest.Item]:
        """Yield the checks."""
        for check in CHECKS:
            if self.step.gradients or check != "gradients":
                yield ExerciseCheck.from_parent(self, name=check)


def _stand_in(step: SyllabusStep, todo: Location) -> FunctionType:
    """Return what pytest and editors take for the code of a step: it has its name and its line, and is never called."""
    code = compile("", todo.path, "exec").replace(co_name=step.name, co_firstlineno=todo.line)
    return FunctionType(code, {}, step.name)


class CheckFailed(Exception):
    """A check of a student's step failed; the message is all that is shown. where: the place that it is about, if any."""

    def __init__(self, told: str, where: str = "") -> None:
        super().__init__(told)
        self.where = where


class Told(TerminalRepr):
    """A failure as it is shown: in full behind its place; in the summary without, where a line has little room.

    reprcrash: by that name pytest looks for what it shows in the summary, and in there for `message`.
    """

    def __init__(self, told: str, where: str) -> None:
        self.reprcrash = self
        self.message = told
        self._where = where

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write it in full."""
        tw.line(f"{self._where}: {self.message}" if self._where else self.message)


class ExerciseCheck(pytest.Item):
    """One check of one step, over all cases."""

    parent: ExerciseStep

    def runtest(self) -> None:
        """Fail with the message of the first case in which the check failed.

        What keeps several checks from being made, such as an exception, is shown in full by the first of them.
        """
        from autograder.course.verdicts import Verdict

        part, step = self.parent.grader.marks_of(self.parent.step, self.session.items)
        if part.error:
            self._fail(self._where(part.error), part.error)
        if step.verdict == Verdict.NOT_ATTEMPTED:
            self.config.stash[OPEN_STEPS] = True
            pytest.skip(f"{NOT_ATTEMPTED_YET}attn show {self.parent.step.path}")
        made = [check for check in step.checks if check.check == self.name]
        failed = next((check for check in made if not check.passed), None)
        if failed is None and not made:
            failed = step.first_failure
        if failed:
            told = f"case {failed.case}: {failed.message}\n{self._explain(step)}".rstrip()
            self._fail(self._where(step.traceback or ""), told, step.printed)

    def _fail(self, where: str, told: str, printed: str = "") -> NoReturn:
        """Fail with a place, a text and what the student's code printed, or with the item that has shown them."""
        name = f"{self.parent.name}::{self.name}"
        first = self.parent.grader.told.setdefault((self.path, told), name)
        if first != name:
            raise CheckFailed(f"not checked, {first} says why", where)
        if printed:
            self.add_report_section("call", "stdout", printed)
        raise CheckFailed(told, where)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str | TerminalRepr:
        """Show the message alone, without a traceback of the grader."""
        if isinstance(excinfo.value, CheckFailed):
            return Told(str(excinfo.value), excinfo.value.where)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the step's TODO."""
        return self.path, self.parent.todo.line - 1, f"{self.parent.name}: {self.name}"

    def _where(self, text: str) -> str:
        """Return `path:line`, which editors and terminals make a link: the last line of this file in a text, else the TODO."""
        from autograder.student.editing import place_named

        return place_named(text, self.parent.todo).shown(Path.cwd())

    def _explain(self, step: StepMarks) -> str:
        """Return what is known beyond the message: the likely cause, which points were lost, where it raised, what says more, a hint."""
        from autograder.grading.points import told
        from autograder.render.results import MORE, shows_spot

        said, cause = [], step.diagnosis
        if cause:
            said.append(f"→ {cause.says}")
            if cause.spot and not shows_spot(step.traceback, cause):
                said.append(_drawn(cause.spot))
            said.append(MORE if cause.more else "")
        said += [told(step), step.traceback or ""]
        if cause and len(cause.rungs(self.parent.grader.workspace.course.causes.rungs)) > 1:
            said.append(f"attn why {self.parent.step.path} says more")
        if step.hint:
            said.append(f"hint: {step.hint}")
        return "\n".join(filter(None, said))


def _drawn(spot: Spot) -> str:
    """Return the place that a cause means, with what is meant underlined, as `attn check` prints it."""
    from autograder.render.results import SpotDrawing
    from autograder.render.screen import make_console, signs_for

    console = make_console()
    with console.capture() as drawn:
        console.print(SpotDrawing(spot, signs_for(console)))
    return drawn.get().rstrip()


def pytest_report_teststatus(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str] | None:
    """Show a step that is not attempted as just that."""
    if report.skipped and isinstance(report.longrepr, tuple) and NOT_ATTEMPTED_YET in report.longrepr[2]:
        return "not attempted", "o", "NOT ATTEMPTED"
    return None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a run with open steps not succeed."""
    if session.config.stash.get(OPEN_STEPS, False) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
