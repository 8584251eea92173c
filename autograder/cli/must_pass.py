"""Let an experiment require that the student's code passes. A failure looks as in `attn check`."""

from collections.abc import Sequence
from pathlib import Path

import click

from autograder.cli.check import mark_folder
from autograder.cli.context import Refusal
from autograder.exam.syllabus import Syllabus
from autograder.render.results import draw_step
from autograder.render.screen import make_console, signs_for
from autograder.student.targets import find_steps
from autograder.workspace import Workspace


def require_passed(workspace: Workspace, syllabus: Syllabus, names: Sequence[str], timeout: float) -> None:
    """Mark the student's steps. Draw the first step that does not pass, and end the command.

    names: the steps and whole parts that the experiment runs. timeout: seconds a step may take.
    """
    verb, console = click.get_current_context().command_path, make_console()
    steps = find_steps(syllabus, names)
    for part in mark_folder(workspace, workspace.practice_exam, workspace.exercises, steps, timeout).parts:
        for step in part.steps:
            if not step.passed:
                for drawn in draw_step(part.part, step, signs_for(console)):
                    console.print(drawn)
                path = f"{part.part}.{step.step}"
                said = f"{part.error}\n" if part.error else ""
                raise Refusal(f"{said}`{verb}` needs {path}, which does not pass yet: `attn check {path}` says more.")


def solutions_of(workspace: Workspace) -> Path:
    """Return the folder of the reference solutions. Raises Refusal if it is missing."""
    if not workspace.solutions.is_dir():
        raise Refusal("the solutions are not included in this copy of the course: leave out `--reference`.")
    return workspace.solutions
