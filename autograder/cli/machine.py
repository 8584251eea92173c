"""The verbs for the installation: `attn start`, `attn update`, `attn doctor`."""

from pathlib import Path

import click

from autograder.cli.context import leave, print_lines
from autograder.cli.options import PATH, in_course
from autograder.runner.processes import stop_all
from autograder.student.machine_checks import examine, quoted, report
from autograder.student.start import INSTALLED
from autograder.workspace import Workspace


@click.command()
@click.argument("folder", required=False, type=PATH)
def start(folder: Path | None) -> None:
    """Make your folder of the course that pip has installed: exercises, notebooks, lectures. Nothing that exists is changed."""
    from autograder.student.start import start

    made = start(folder)
    print_lines(f"Your course is in {made}.")
    print_lines(f"    cd {quoted(str(made))}", "    attn", style="cyan")


@click.command()
@click.pass_obj
def doctor(workspace: Workspace | None) -> None:
    """Diagnose the installation: Python, torch, ways to run students' code; what is missing, and what to run."""
    leave(0 if report(examine(workspace)) else 1)


@click.command("doctor --stop")
def stop() -> None:
    """End the processes that keep torch ready between commands, of all your courses. By itself each ends ten minutes after the last one."""
    ended = stop_all()
    click.echo(f"Ended: {ended} process{'es' if ended > 1 else ''} standing by." if ended else "No process stands by.")


@click.command()
@click.argument("release", type=PATH, default=INSTALLED)
@in_course
def update(workspace: Workspace, release: Path) -> None:
    """Take in a newer RELEASE of this course, a zip or a folder; without RELEASE, the course that pip has installed.

    Exercises and notebooks in which you have written stay as they are, and so does your progress. Of other files that the release
    replaces, the old ones are kept in .attn/replaced.
    """
    from autograder.student import updating

    print_lines(*updating.update(workspace, release))
