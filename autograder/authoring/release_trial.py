"""Test a release: make it in a temporary folder, and mark its stubs and the solutions there."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.atomic_write import write_files
from autograder.authoring.release import files_of
from autograder.authoring.trial import Finding, describe_marks, try_out
from autograder.course.errors import BrokenCourse
from autograder.course.verdicts import Verdict
from autograder.exam.build import load_part
from autograder.exam.files import read_exam
from autograder.exam.syllabus import load
from autograder.runner.processes import Runner
from autograder.site.program import PageFailed
from autograder.submission.model import read_folder
from autograder.workspace import Workspace

WHAT_IT_HOLDS = (
    "a release holds the modules that steps.py imports with an `import` statement, "
    "and the files that `[release]` in course.toml names"
)


def try_release(workspace: Workspace, open_runner: Callable[[Path], Runner]) -> Finding:
    """Make a release, and mark its stubs and the solutions. open_runner: opens a Runner in a folder."""
    finding = Finding("steps that a release marks as it should")
    with TemporaryDirectory() as place:
        released = Workspace(Path(place).resolve())
        try:
            write_files(released.root, files_of(workspace, load(workspace.syllabus), site=""))
            for part in released.course.parts:
                load_part(released.course, part)
            _sit(finding, released, workspace.solutions, open_runner)
        except (BrokenCourse, PageFailed, OSError) as error:
            finding.problems.append(f"release: {error} (as it is in a release for students: {WHAT_IT_HOLDS})")
        finally:
            workspace.course.at_home()
    return finding


def _sit(finding: Finding, released: Workspace, solutions: Path, open_runner: Callable[[Path], Runner]) -> None:
    exam = read_exam(released.practice_exam)
    steps = exam.syllabus.steps
    finding.looked_at = len(steps)
    with contextlib.closing(open_runner(released.root)) as runner:
        for folder, verdict in ((released.exercises, Verdict.NOT_ATTEMPTED), (solutions, Verdict.PASSED)):
            submission = read_folder(folder, [part.name for part in exam.syllabus.parts])
            for step, marks in try_out(runner, exam, submission, steps):
                if marks.verdict != verdict:
                    finding.blame(step.path, f"{describe_marks(marks)}, where {verdict} was expected ({WHAT_IT_HOLDS})")
