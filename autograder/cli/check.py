"""`attn check`: mark your work, show the marks, remember them. What it needs is imported once torch has begun to load."""

import contextlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import (
    Refusal,
    Stop,
    causes_option,
    in_course,
    leave,
    plain_option,
    syllabus_of,
    timeout_option,
)
from autograder.diagnosis import EFFORTS
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.student.targets import find_steps
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import Marks
    from autograder.student.progress import Progress


@click.command()
@click.argument("targets", nargs=-1, metavar="[PART or PART.STEP]...")
@click.option(
    "--from", "folder", type=click.Path(path_type=Path), help="Mark the modules of this folder instead of exercises/."
)
@click.option("--json", "as_json", is_flag=True, help="Print the marks as JSON.")
@click.option("--debug", is_flag=True, help="Run one step here in the foreground, so that breakpoint() works.")
@click.option(
    "--exam", "exam_path", type=click.Path(path_type=Path), help="Mark with this exam instead of the practice exam."
)
@timeout_option
@causes_option("full")
@plain_option
@in_course
def check(
    workspace: Workspace,
    targets: tuple[str, ...],
    folder: Path | None,
    as_json: bool,
    debug: bool,
    exam_path: Path | None,
    timeout: float,
    causes: str,
    plain: bool,
) -> None:
    """Mark your work: everything, a part, or a step.

    Exit code 0 when all that was asked for passed, 1 when not, 2 on a usage error.
    """
    from autograder.student.digests import file_digests

    syllabus = syllabus_of(workspace)
    steps = find_steps(syllabus, targets)
    own = folder is None or folder.resolve() == workspace.exercises.resolve()
    folder = folder or workspace.exercises
    if not folder.is_dir():
        raise Stop(f"there is no folder {folder}." + (" `attn reset` of a part puts its stub there." if own else ""))
    if debug and len(steps) != 1:
        raise Stop(f"--debug runs one step: name it, for example `attn check {syllabus.steps[0].path} --debug`.")
    files = file_digests(workspace, {step.part for step in steps})
    marks = (
        _debug(workspace, exam_path, folder, steps[0], as_json)
        if debug
        else mark_folder(
            workspace, exam_path or workspace.practice_exam, folder, steps, timeout, as_json, EFFORTS[causes]
        )
    )
    progress, passed = _progress(workspace, marks, files, counts=not exam_path) if own else (None, [])
    if as_json:
        from autograder.grading.results import marks_to_json

        click.echo(json.dumps(marks_to_json(marks), indent=1, ensure_ascii=False))
    else:
        _show(syllabus, marks, plain)
        _name_solutions(workspace, passed)
        if progress:
            _show_next(workspace, progress, progress.next_step(syllabus, steps))
    leave(0 if marks.passed else 1)


def mark_folder(
    workspace: Workspace,
    exam_path: Path,
    folder: Path,
    steps: Sequence[SyllabusStep],
    timeout: float,
    quiet: bool = False,
    seconds: float = 0.0,
) -> "Marks":
    """Mark the modules of a folder, and show how far that is. Raises CannotCheck, CannotRun.

    seconds: that the search for the cause of a wrong step may take.
    """
    from autograder.runner.processes import open_runner

    # torch is being imported there while this process reads the exam
    with contextlib.closing(open_runner(workspace.root, as_daemon=True)) as runner:
        from autograder.render.screen import make_console
        from autograder.student.practice import check_folder, open_exam

        exam = open_exam(exam_path, {step.part for step in steps})
        console = make_console(stderr=True)
        if not console.is_terminal or quiet:
            return check_folder(runner, exam, folder, steps, timeout, seconds=seconds)
        with console.status("starting torch …") as status:
            return check_folder(
                runner,
                exam,
                folder,
                steps,
                timeout,
                lambda part, step: status.update(f"checking {part}.{step} …"),
                seconds=seconds,
                on_cause=lambda _, step: status.update(f"{step.step}: {step.words}. Looking for the cause …"),
            )


def _debug(workspace: Workspace, exam_path: Path | None, folder: Path, step: SyllabusStep, as_json: bool) -> "Marks":
    from bdb import BdbQuit

    from autograder.check import check
    from autograder.runner.foreground import Foreground
    from autograder.student.practice import open_exam
    from autograder.submission.model import read_folder

    submission = read_folder(folder, [step.part], str(folder.resolve()))  # whole paths, which debuggers know files by
    with contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout):
        try:
            exam = open_exam(exam_path or workspace.practice_exam, [step.part])
            return check(exam, submission, [step], Foreground(workspace.root))
        except BdbQuit:
            raise Refusal("you left the debugger, so nothing has been marked.") from None
        except KeyboardInterrupt:
            raise Refusal("you stopped the step, so nothing has been marked.") from None


def _progress(
    workspace: Workspace, marks: "Marks", files: Mapping[str, str], counts: bool
) -> tuple["Progress", list[str]]:
    """Return the progress, with the marks recorded if they count, and what passes now and did not. Say so if that cannot be saved."""
    from autograder.render.screen import say_error
    from autograder.student.after_a_pass import newly_passed
    from autograder.student.marked_work import keep
    from autograder.student.progress import load_progress

    progress = load_progress(workspace)
    passed = newly_passed(progress, marks) if counts else []
    try:
        if counts:
            for lost in keep(workspace, progress, marks, files):
                say_error(lost)
            progress.record(marks, files)
    except OSError as error:
        say_error(f"progress could not be saved in {workspace.memory}: {error.strerror}")
    return progress, passed


def _show(syllabus: Syllabus, marks: "Marks", plain: bool) -> None:
    from autograder.render.results import draw_marks, points
    from autograder.render.screen import make_console, signs_for

    console = make_console()
    signs = signs_for(console, plain)
    titles = {part.name: part.title for part in syllabus.parts}
    for drawn in draw_marks(marks, titles, signs):
        console.print(drawn)
    console.print(f"{points(marks.score)} of {points(marks.max_score)} points", style="bold")


def _name_solutions(workspace: Workspace, passed: Sequence[str]) -> None:
    from autograder.render.screen import make_console
    from autograder.student.after_a_pass import way_to_solutions

    if way := way_to_solutions(workspace, passed):
        make_console().print(way, style="dim", markup=False)


def _show_next(workspace: Workspace, progress: "Progress", following: SyllabusStep | None) -> None:
    from autograder.render.screen import make_console
    from autograder.student.progress_overview import draw_next

    if following:
        make_console().print(draw_next(workspace, progress, following))
    else:
        make_console().print("Every step has passed.", style="bold green")
