"""Functions that verbs share, and the exceptions that end a command."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import click

from autograder.atomic_write import write_files
from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import SyllabusStep
from autograder.student.targets import find_step, syllabus_of
from autograder.workspace import Workspace

MOST_LISTED = 20
"""The most names in one line, and the most lines in one list."""


class Stop(ExplainedError):
    """Ends the command with exit code 2: the request cannot be understood or carried out."""


class Refusal(ExplainedError):
    """Ends the command with exit code 1: the request was understood, and the answer is no."""


def step_or_next(workspace: Workspace, name: str | None) -> SyllabusStep:
    """Return the named step or, without a name, the next step. Raises Stop if there is no next step."""
    from autograder.student.progress import load_progress

    syllabus = syllabus_of(workspace)
    following = load_progress(workspace).next_step(syllabus)
    if name:
        return find_step(syllabus, name, following)
    if following:
        return following
    raise Stop("every step has passed, so there is no next one. Name the step that you mean; `attn list` shows all.")


def solutions_of(workspace: Workspace) -> Path:
    """Return the folder of the reference solutions. Raises Stop if this copy of the course has none."""
    if not workspace.solutions.is_dir():
        raise Stop("this needs solutions/, which this copy of the course does not include.")
    return workspace.solutions


def listed(names: Sequence[str]) -> str:
    """Join the first names by semicolons, because names may have commas. Add how many are left out."""
    more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
    return "; ".join(names[:MOST_LISTED]) + more


def print_lines(*lines: str, style: str = "", stderr: bool = False) -> None:
    """Print lines without breaking them, so that they can be copied. style: the name of a Rich style."""
    from autograder.render.screen import make_console

    make_console(stderr).print("\n".join(lines), style=style, markup=False, soft_wrap=True)


def open_page(address: str) -> None:
    """Print the address of a page, and open it in the browser, if there is one."""
    import webbrowser

    print_lines(address, style="cyan")
    if not webbrowser.open(address):
        print_lines("No browser was found here: open this address in one.")


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a new or empty folder. If that fails, delete the folder. Raises Stop, OSError."""
    if folder.is_dir() and any(folder.iterdir()):
        raise Stop(f"{folder} is not empty: name an empty folder, or one that does not exist yet.")
    try:
        write_files(folder, files)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def leave(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise click.exceptions.Exit(code)
