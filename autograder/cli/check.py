"""`attn check`, `attn watch`, `attn hint --why`: mark work, record the marks, and explain a cause."""

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from autograder.cli.context import Refusal, Stop, leave, step_or_next
from autograder.cli.options import exam_option, from_option, in_course, limit_options, plain_option, timeout_option
from autograder.diagnosis import FULL
from autograder.exam.syllabus import SyllabusStep
from autograder.render.screen import make_console, say_error, signs_for
from autograder.runner import processes
from autograder.student.progress import load_progress
from autograder.student.targets import find_steps, syllabus_of
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import Marks


@click.command()
@click.argument("targets", nargs=-1, metavar="[next or PART or STEP]...")
@from_option(help="Mark the modules of this folder instead of exercises/.")
@click.option("--json", "as_json", is_flag=True, help="Print the marks as JSON.")
@click.option("--debug", is_flag=True, help="Run one step here in the foreground, so that breakpoint() works.")
@exam_option(help="Mark with this exam instead of the practice exam.")
@limit_options(causes="full")
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
    seconds: float,
    plain: bool,
) -> None:
    """Mark your work: everything, a part, a step, or the next step.

    Without a name, everything is marked; a line for each part that you have begun and the first wrong step are printed.
    Exit code 0 when all that was asked for passed, 1 when not, 2 on a usage error.
    """
    syllabus = syllabus_of(workspace)
    steps = find_steps(syllabus, targets, load_progress(workspace).next_step(syllabus))
    own = folder is None or folder.resolve() == workspace.exercises.resolve()
    folder, exam = folder or workspace.exercises, exam_path or workspace.practice_exam
    if debug:
        if len(steps) != 1:
            raise Stop(f"--debug runs one step: name it, for example `attn check {syllabus.steps[0].path} --debug`.")
        marks = _debug(workspace, exam, folder, steps[0])
    else:
        marks = mark_folder(workspace, exam, folder, steps, timeout, seconds)
    from autograder.grading.results import marks_to_json
    from autograder.render.results import draw_marks, draw_summary
    from autograder.student.overview import draw_next
    from autograder.student.progress import remember, way_to_solutions

    passed = remember(workspace, marks, say_error) if own and not exam_path else []
    if as_json:
        click.echo(json.dumps(marks_to_json(marks), indent=1, ensure_ascii=False))
        leave(0 if marks.passed else 1)
    console = make_console()
    for drawn in (draw_marks if targets else draw_summary)(marks, syllabus, signs_for(console, plain)):
        console.print(drawn)
    console.print(f"{marks.score:g} of {marks.max_score:g} points", style="bold")
    if way := way_to_solutions(workspace, passed):
        console.print(Text(way, style="dim"))
    if own:
        console.print(draw_next(workspace, load_progress(workspace).next_step(syllabus, steps)))
    leave(0 if marks.passed else 1)


def mark_folder(
    workspace: Workspace,
    exam_path: Path,
    folder: Path,
    steps: Sequence[SyllabusStep],
    timeout: float,
    seconds: float = 0.0,
) -> "Marks":
    """Mark steps with the modules in a folder, and show progress. Raises ExplainedError.

    timeout: seconds that a step may run. seconds: the time limit of the search for one cause.
    """
    # the runner imports torch while this process imports the rest and reads the exam
    with (
        make_console(stderr=True).status("starting torch …") as status,
        contextlib.closing(processes.open_runner(workspace.root, as_daemon=True)) as runner,
    ):
        from autograder.check import check
        from autograder.student.practice import open_exam, read_exercises

        return check(
            open_exam(exam_path, {step.part for step in steps}),
            read_exercises(folder, steps),
            steps,
            runner,
            timeout,
            on_step=lambda part, step: status.update(f"checking {part}.{step} …"),
            seconds=seconds,
            on_cause=lambda _, step: status.update(f"{step.step}: {step.words}. Looking for the cause …"),
        )


def _debug(workspace: Workspace, exam_path: Path, folder: Path, step: SyllabusStep) -> "Marks":
    from bdb import BdbQuit

    from autograder.check import check
    from autograder.runner.child import Foreground
    from autograder.student.practice import open_exam
    from autograder.submission.model import read_folder

    submission = read_folder(folder, [step.part], str(folder.resolve()))  # debuggers identify files by whole paths
    try:
        return check(open_exam(exam_path, [step.part]), submission, [step], Foreground(workspace.root))
    except (BdbQuit, KeyboardInterrupt):
        raise Refusal("you stopped the step, so nothing has been marked.") from None


@click.command()
@click.argument("part", required=False)
@limit_options(causes="full")
@plain_option
@in_course
def watch(workspace: Workspace, part: str | None, timeout: float, seconds: float, plain: bool) -> None:
    """Mark again on every save, keeping torch warm; then look for the cause of what is wrong, until the next save.

    Opens on the next step and moves on when it passes. Keys: h hint, w why, s show, l list and jump, r reset, d debug, q quit.
    """
    from autograder.student.watch.running import watch_steps

    syllabus = syllabus_of(workspace)
    steps = find_steps(syllabus, (part,) if part else ())
    watch_steps(workspace, syllabus, steps, timeout, plain, seconds)


@click.command("hint --why")
@click.argument("step", required=False)
@timeout_option
@plain_option
@in_course
def why(workspace: Workspace, step: str | None, timeout: float, plain: bool) -> None:
    """Show why a step is wrong: where, then what, then how it would be right. Without STEP, the next step.

    Each call says one thing more, until the next check. What is said last was tried on your code, in memory: it makes the step right.

    Exit code 0 when the step passes, 1 when not, 2 on a usage error.
    """
    found = step_or_next(workspace, step)
    marks = mark_folder(workspace, workspace.practice_exam, workspace.exercises, [found], timeout, FULL)
    from autograder.render.pictures import Drawing
    from autograder.render.results import SpotDrawing
    from autograder.student.progress import nothing_to_tell

    console, (part,) = make_console(), marks.parts
    marked = part.step(found.name)
    cause = marked.diagnosis if marked else None
    rungs = cause.rungs(workspace.course.causes.rungs) if cause else ()
    if not cause or not rungs:
        failure = marked.first_failure if marked else None
        said = [f"case {failure.case}: {failure.message}"] if failure else []
        console.print(part.error or "\n".join([*said, nothing_to_tell(found, marked)]), markup=False)
        leave(0 if marks.passed else 1)
    progress = load_progress(workspace)
    shown = progress.reveal(workspace, progress.causes, found.path, len(rungs))
    console.print(found.path, style="bold", markup=False)
    if cause.says not in rungs[:shown]:
        console.print(cause.says, markup=False)  # `attn check` has said it
    print_numbered(rungs, shown)
    if cause.spot:
        console.print(SpotDrawing(cause.spot, signs_for(console, plain)))
    if cause.picture:
        console.print(Drawing(cause.picture, signs_for(console, plain)))
    left = len(rungs) - shown
    console.print(f"{left} more: call it again." if left else "That was the last one.", style="cyan")
    leave(1)


def print_numbered(texts: Sequence[str], shown: int) -> None:
    """Print the first `shown` texts as a numbered list, in which only the last text is not dimmed."""
    for number, text in enumerate(texts[:shown], start=1):
        make_console().print(f"{number}. {text}", style="dim" if number < shown else "", markup=False)


def require_passed(workspace: Workspace, names: Sequence[str], timeout: float) -> Path:
    """Mark steps, and return the folder of the student's modules. Raises Refusal if a step is wrong.

    names: the steps and parts that must pass. timeout: seconds that a step may run.
    """
    from autograder.render.results import draw_step

    verb, console = click.get_current_context().command_path, make_console()
    steps = find_steps(syllabus_of(workspace), names)
    for part in mark_folder(workspace, workspace.practice_exam, workspace.exercises, steps, timeout).parts:
        for step in part.steps:
            if not step.passed:
                for drawn in draw_step(part.part, step, signs_for(console)):
                    console.print(drawn)
                path = f"{part.part}.{step.step}"
                said = f"{part.error}\n" if part.error else ""
                raise Refusal(f"{said}`{verb}` needs {path}, which does not pass yet: `attn check {path}` says more.")
    return workspace.exercises
