"""Options that verbs share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from autograder.diagnosis import EFFORTS, FULL, QUICK, VARIABLE
from autograder.runner.limits import LONGEST_TIMEOUT, SHORTEST_TIMEOUT, TIMEOUT
from autograder.workspace import Workspace

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
    """Return the option that limits the time of the search for causes. usual: the default."""
    return click.option(
        "--causes",
        type=click.Choice(list(EFFORTS)),
        default=usual,
        show_default=True,
        envvar=VARIABLE,
        help=f"How long the cause of a wrong step is searched for; quick: {QUICK:g} s, full: {FULL:g} s.",
    )


def out_option(help: str, kind: click.Path) -> Callable[[Any], Any]:
    """Return the option that names the file or folder to write."""
    return click.option("--out", type=kind, required=True, help=help)


def exam_option(help: str, required: bool = False) -> Callable[[Any], Any]:
    """Return the option that names an exam."""
    return click.option("--exam", "exam_path", type=PATH, required=required, help=help)


def from_option(verb: str) -> Callable[[Any], Any]:
    """Return the option that names a folder of modules. verb: the first word of its help."""
    return click.option("--from", "folder", type=PATH, help=f"{verb} the modules of this folder instead of exercises/.")


def part_option(help: str) -> Callable[[Any], Any]:
    """Return the option that names parts."""
    return click.option("--part", "parts", multiple=True, metavar="PART", help=help)


plain_option = click.option(
    "--plain", is_flag=True, help="Words only, as a screen reader reads them; ATTN_PLAIN=1 too."
)

in_course = click.make_pass_decorator(Workspace)
"""A decorator that passes the workspace to a verb as its first argument."""
