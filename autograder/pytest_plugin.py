"""Every check as a pytest item: `pytest exercises` shows one item a step and check, with the messages of `attn check`.

Only a course's own `exercises/` folder is collected in this way; other folders are left to pytest.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from autograder.exam.model import Exam
    from autograder.exam.syllabus import SyllabusPart
    from autograder.marking.marks import PartMarks, StepMarks
    from autograder.sitting.processes import Sitter

CHECKS = ("runs", "shape", "dtype", "values", "inputs_untouched", "gradients")
NOT_ATTEMPTED_YET = "not attempted yet: "


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect a part of the course as its steps and checks, and as nothing else."""
    collected = yield
    workspace = find_workspace(file_path.parent)
    if workspace and file_path.suffix == ".py" and file_path.parent == workspace.exercises.resolve():
        from autograder.exam.syllabus import load

        syllabus = load(workspace.syllabus)
        if file_path.stem in [part.name for part in syllabus.parts]:
            part = syllabus.part(file_path.stem)
            return [ExerciseFile.from_parent(parent, path=file_path, part=part, workspace=workspace)]
    return collected


class Grader:
    """The warm process and the practice exam, shared by all files of a run; started when the first file is marked."""

    def __init__(self, workspace: Workspace) -> None:
        from autograder.cli.checking import open_exam
        from autograder.sitting.processes import open_sitter

        self.sitter: Sitter = open_sitter()
        self.exam: Exam = open_exam(workspace.practice_exam)


GRADER = pytest.StashKey[Grader]()
OPEN_STEPS = pytest.StashKey[bool]()


class ExerciseFile(pytest.File):
    """One part. It sits its exam once, when its first item runs."""

    def __init__(self, *, part: SyllabusPart, workspace: Workspace, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._part = part
        self._workspace = workspace
        self._marks: PartMarks | None = None

    def collect(self) -> Iterable[pytest.Collector]:
        """Yield the steps."""
        for step in self._part.steps:
            checks = [check for check in CHECKS if step.gradients or check != "gradients"]
            yield ExerciseStep.from_parent(self, name=step.name, checks=checks)

    def marks_of(self, step: str) -> tuple[StepMarks | None, str]:
        """Return the marks of a step and why the part could not be loaded, marking the part if need be."""
        if self._marks is None:
            from autograder.cli.checking import check_folder
            from autograder.sitting.host import TIMEOUT

            stash = self.session.stash
            if GRADER not in stash:
                stash[GRADER] = Grader(self._workspace)
            grader = stash[GRADER]
            found = check_folder(grader.sitter, grader.exam, self.path.parent, self._part.steps, TIMEOUT)
            self._marks = found.parts[0]
        marks = next((one for one in self._marks.steps if one.step == step), None)
        return marks, self._marks.error or ""


class ExerciseStep(pytest.Collector):
    """One step."""

    def __init__(self, *, checks: list[str], **keywords: Any) -> None:
        super().__init__(**keywords)
        self._checks = checks

    def collect(self) -> Iterable[pytest.Item]:
        """Yield the checks."""
        for check in self._checks:
            yield ExerciseCheck.from_parent(self, name=check)


class CheckFailed(Exception):
    """A check of a student's step failed; the message is all that is shown."""


class ExerciseCheck(pytest.Item):
    """One check of one step, over all cases."""

    def runtest(self) -> None:
        """Fail with the message of the first case in which the check failed."""
        from autograder.cli.checking import CannotCheck
        from autograder.marking.marks import NOT_ATTEMPTED
        from autograder.sitting.processes import CannotSit

        assert isinstance(self.parent, ExerciseStep)
        file = self.parent.parent
        assert isinstance(file, ExerciseFile)
        try:
            step, error = file.marks_of(self.parent.name)
        except (CannotCheck, CannotSit) as problem:
            raise CheckFailed(str(problem)) from None
        if error or step is None:
            raise CheckFailed(error or "this step was not marked")
        if step.verdict == NOT_ATTEMPTED:
            self.session.stash[OPEN_STEPS] = True
            pytest.skip(f"{NOT_ATTEMPTED_YET}attn show {file.path.stem}.{step.step}")
        made = [check for check in step.checks if check.check == self.name]
        failed = next((check for check in made if not check.passed), None)
        if failed is None and not made:
            failed = step.first_failure
        if failed:
            raise CheckFailed(_tell(step, failed.case, failed.message))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Show the message alone, without a traceback of the grader."""
        if isinstance(excinfo.value, CheckFailed):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the step's TODO."""
        from autograder.cli.editing import locate

        assert isinstance(self.parent, ExerciseStep)
        file = self.parent.parent
        assert isinstance(file, ExerciseFile)
        line = locate(file._workspace, file._part.step(self.parent.name)).line
        return self.path, line - 1, f"{self.parent.name}: {self.name}"


def _tell(step: StepMarks, case: str, message: str) -> str:
    lines = [f"{case}: {message}"]
    if step.traceback:
        lines.append(step.traceback)
    if step.diagnosis:
        lines.append(f"→ {step.diagnosis.says}")
    if step.hint:
        lines.append(f"hint: {step.hint}")
    return "\n".join(lines)


def pytest_report_teststatus(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str] | None:
    """Show a step that is not attempted as just that."""
    if report.skipped and isinstance(report.longrepr, tuple) and NOT_ATTEMPTED_YET in report.longrepr[2]:
        return "not attempted", "o", "NOT ATTEMPTED"
    return None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the warm process; a run with open steps has not succeeded."""
    if GRADER in session.stash:
        session.stash[GRADER].sitter.close()
    if session.stash.get(OPEN_STEPS, False) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
