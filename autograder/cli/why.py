"""`attn why`: the cause of a wrong step, one rung more each time: where it is, what is wrong there, how it would be right."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.check import mark_folder
from autograder.cli.context import in_course, leave, next_step, plain_option, syllabus_of, timeout_option
from autograder.diagnosis import EFFORTS
from autograder.exam.syllabus import SyllabusStep
from autograder.student.targets import find_step
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import StepMarks
    from autograder.student.progress import Progress


@click.command()
@click.argument("step", required=False)
@click.option("--all", "everything", is_flag=True, help="All at once.")
@timeout_option
@plain_option
@in_course
def why(workspace: Workspace, step: str | None, everything: bool, timeout: float, plain: bool) -> None:
    """Why a step is wrong: where, then what, then how it would be right. Without STEP, the next step.

    Each call says one thing more, until the code changes. What is said last was tried on your code, in memory: it makes the step right.

    Exit code 0 when the step passes, 1 when not, 2 on a usage error.
    """
    from autograder.render.pictures import Drawing
    from autograder.render.results import SpotDrawing
    from autograder.render.screen import make_console, signs_for
    from autograder.student.digests import file_digests
    from autograder.student.progress import load_progress

    syllabus, progress = syllabus_of(workspace), load_progress(workspace)
    found = find_step(syllabus, step) if step else next_step(syllabus, progress)
    digest = file_digests(workspace, {found.part})[found.part]
    marks = mark_folder(
        workspace, workspace.practice_exam, workspace.exercises, [found], timeout, seconds=EFFORTS["full"]
    )
    console, (part,) = make_console(), marks.parts
    marked = part.step(found.name)
    rungs = marked.diagnosis.rungs(workspace.course.causes.rungs) if marked and marked.diagnosis else ()
    if not marked or not rungs:
        console.print(part.error or _nothing(found, marked), markup=False)
        leave(0 if marks.passed else 1)
    shown = len(rungs) if everything else _one_more(progress, found, digest, len(rungs))
    console.print(found.path, style="bold", markup=False)
    if marked.diagnosis and marked.diagnosis.says not in rungs[:shown]:
        console.print(marked.diagnosis.says, markup=False)  # `attn check` has said it
    for number, text in enumerate(rungs[:shown], start=1):
        console.print(f"{number}. {text}", style="dim" if number < shown else "", markup=False)
    if marked.diagnosis and marked.diagnosis.spot:
        console.print(SpotDrawing(marked.diagnosis.spot, signs_for(console, plain)))
    if marked.diagnosis and marked.diagnosis.picture:
        console.print(Drawing(marked.diagnosis.picture, signs_for(console, plain)))
    if marked.diagnosis and marked.diagnosis.more and shown == len(rungs):
        console.print("There is more after that: fix this first.", markup=False)
    if earlier := _named_before(progress, found, marked, digest):
        console.print(
            f"`attn check` has named line {earlier}: each search ends with its time, and this one has come to another.",
            markup=False,
        )
    left = len(rungs) - shown
    console.print(f"{left} more: call it again." if left else "That was the last one.", style="cyan")
    leave(1)


def _nothing(step: SyllabusStep, marked: "StepMarks | None") -> str:
    """Say why there is no cause to show."""
    from autograder.course.verdicts import Verdict

    if marked and marked.passed:
        return f"{step.path} passes."
    if not marked or marked.verdict == Verdict.NOT_ATTEMPTED:
        return f"{step.path} is not written yet: `attn show {step.path}` says what it asks."
    failure = marked.first_failure
    said = f"case {failure.case}: {failure.message}\n" if failure else ""
    return f"{said}No more is known than that. `attn shapes {step.path}` shows your tensors line by line."


def _named_before(progress: "Progress", step: SyllabusStep, marked: "StepMarks", digest: str) -> int:
    """Return the line that the last check of the same file has named, if it is another one; else 0."""
    from autograder.student.editing import line_to_look_at

    known = progress.steps.get(step.path)
    line = line_to_look_at(Path(f"{step.part}.py"), marked)
    return known.line if known and known.file == digest and line and known.line != line else 0


def _one_more(progress: "Progress", step: SyllabusStep, digest: str, available: int) -> int:
    """Return how much is said now; all of it where that cannot be remembered."""
    from autograder.render.screen import say_error

    try:
        return progress.next_rung(step.path, digest, available)
    except OSError as error:
        say_error(f"what you have asked for cannot be saved: {error}. So here is all of it; `attn doctor` says more.")
        return available
