"""`attn notebook`: open the notebook of a part in Jupyter, and make it first if there is none."""

import importlib.util
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click
from rich.style import Style
from rich.text import Text

from autograder.atomic_write import atomic_write
from autograder.cli.context import in_course, leave
from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import SyllabusPart
from autograder.render.screen import make_console, say_error
from autograder.student.advice import install
from autograder.student.practice import shown_path
from autograder.student.progress import load_progress
from autograder.student.targets import find_steps, syllabus_of
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from nbformat import NotebookNode

JUPYTERS = ("notebook", "jupyterlab")
"""The modules that can open a notebook. The first installed one is used."""

HOW_TO = (
    "Write each step in its cell and run it. Its verdict appears below it: what was expected beside what you returned, and what "
    'probably went wrong. `check("{step}")` marks a step whenever you like; `%unload_ext autograder` leaves only that.'
)


@click.command()
@click.argument("part", required=False)
@in_course
def notebook(workspace: Workspace, part: str | None) -> None:
    """Open a part's notebook in Jupyter: without PART, that of the next step.

    A notebook that is not there yet is made; yours is never written over.
    """
    jupyter = next((name for name in JUPYTERS if importlib.util.find_spec(name)), None)
    if not jupyter:
        say_error("Jupyter is not installed here. To install it, before you run this again:")
        for command in install(workspace, "notebook"):
            click.echo(
                f"    {command}", err=True
            )  # not broken into lines like a message, so that it can be copied whole
        leave(2)
    syllabus = syllabus_of(workspace)
    if part:
        chosen = find_steps(syllabus, (part,))[0].part
    else:
        chosen = (load_progress(workspace).next_step(syllabus) or syllabus.steps[-1]).part
    path, found = workspace.notebook(chosen), syllabus.part(chosen)
    if not path.exists():
        from nbformat import writes

        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, f"{writes(_notebook_of(found))}\n".encode())
    link = Style(color="cyan", link=path.as_uri())
    make_console().print(Text.assemble((f"{found.title}: ", "bold"), (shown_path(path), link)), soft_wrap=True)
    _become([sys.executable, "-P", "-m", jupyter, f"--ServerApp.root_dir={workspace.root}", str(path)])


def _notebook_of(part: SyllabusPart) -> "NotebookNode":
    """Return the stubs of a part as a notebook."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    from autograder.site.cells import about, card, code, setup

    how_to = HOW_TO.format(step=part.steps[0].path)
    cells = [
        new_markdown_cell(about(part, part.stub, how_to), id="about"),
        new_code_cell(setup(part, part.stub), id="setup"),
    ]
    for step in part.steps:
        cells += [
            new_markdown_cell(card(step), id=f"about_{step.name}"),
            new_code_cell(code(stub_of_step(part, step)), id=step.name),
        ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made: NotebookNode = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    return made


def _become(command: list[str]) -> NoReturn:
    """Replace this process by a command. On Windows, run the command and exit with its code."""
    import subprocess

    sys.stdout.flush()
    if os.name == "posix":
        os.execv(command[0], command)
    try:
        leave(subprocess.run(command).returncode)
    except KeyboardInterrupt:  # Jupyter got the signal too, and has ended
        leave(0)
