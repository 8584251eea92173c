"""Options and functions that verbs share, and the exceptions that end a command."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from autograder.atomic_write import write_files
from autograder.course.errors import ExplainedError
from autograder.diagnosis import EFFORTS, FULL, QUICK, VARIABLE
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.runner.limits import LONGEST_TIMEOUT, SHORTEST_TIMEOUT, TIMEOUT
from autograder.student.targets import find_step
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.student.progress import Progress

MOST_LISTED = 20
"""The most names in one line, and the most lines in one list."""

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(SHORTEST_TIMEOUT, LONGEST_TIMEOUT),
    default=TIMEOUT,
    show_default=True,
    help="Seconds a step may take.",
)


def causes_option(usual: str) -> Callable[[Any], Any]:
    """Return the option that limits the search for causes. usual: its default."""
    return click.option(
        "--causes",
        type=click.Choice(list(EFFORTS)),
        default=usual,
        show_default=True,
        envvar=VARIABLE,
        help=f"How long the cause of a wrong step is searched for; quick: {QUICK:g} s, full: {FULL:g} s.",
    )


def out_option(help: str, kind: click.Path) -> Callable[[Any], Any]:
    """Return the option that names what to write."""
    return click.option("--out", type=kind, required=True, help=help)


def exam_option(help: str, required: bool = False) -> Callable[[Any], Any]:
    """Return the option that names an exam."""
    return click.option("--exam", "exam_path", type=PATH, required=required, help=help)


def from_option(verb: str) -> Callable[[Any], Any]:
    """Return the option that names a folder of modules. verb: begins its help."""
    return click.option("--from", "folder", type=PATH, help=f"{verb} the modules of this folder instead of exercises/.")


def part_option(help: str) -> Callable[[Any], Any]:
    """Return the option that names parts."""
    return click.option("--part", "parts", multiple=True, metavar="PART", help=help)


plain_option = click.option(
    "--plain", is_flag=True, help="Words only, as a screen reader reads them; ATTN_PLAIN=1 too."
)

in_course = click.make_pass_decorator(Workspace)
"""Passes the workspace to a verb as its first argument."""


class Stop(ExplainedError):
    """Ends the command with exit code 2: the request cannot be understood or carried out."""


class Refusal(ExplainedError):
    """Ends the command with exit code 1: the request was understood, and the answer is no."""


def step_or_next(syllabus: Syllabus, progress: "Progress", name: str | None) -> SyllabusStep:
    """Return the named step, or without a name the next step. Raises Stop if every step has passed."""
    following = progress.next_step(syllabus)
    if name:
        return find_step(syllabus, name, following)
    if following:
        return following
    raise Stop("every step has passed, so there is no next one. Name the step that you mean; `attn list` shows all.")


def solutions_of(workspace: Workspace) -> Path:
    """Return the folder of the reference solutions. Raises Stop without it: students' copies have none."""
    if not workspace.solutions.is_dir():
        raise Stop("this needs solutions/, which this copy of the course does not include.")
    return workspace.solutions


def listed(names: Sequence[str]) -> str:
    """Join the first names by semicolons, because names may have commas. Say how many are left out."""
    more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
    return "; ".join(names[:MOST_LISTED]) + more


def open_page(address: str) -> None:
    """Print the address of a page, and open it in the browser, if there is one."""
    import webbrowser

    from autograder.render.screen import make_console

    make_console().print(address, style="cyan", markup=False, soft_wrap=True)
    if not webbrowser.open(address):
        make_console().print("No browser was found here: open this address in one.", markup=False)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a new or empty folder. If writing fails, delete the folder. Raises Stop."""
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
