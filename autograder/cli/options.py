"""Options that verbs share."""

from collections.abc import Callable
from functools import partial
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

out_option = partial(click.option, "--out", required=True)
exam_option = partial(click.option, "--exam", "exam_path", type=PATH)
from_option = partial(click.option, "--from", "folder", type=PATH)
part_option = partial(click.option, "--part", "parts", multiple=True, metavar="PART")
"""Functions that make an option. A verb gives the rest: the help, the default or the type."""


def limit_options(causes: str) -> Callable[[Any], Any]:
    """Return a decorator that adds --timeout and --causes to a verb. causes: the default of --causes."""
    causes_option = click.option(
        "--causes",
        "seconds",
        type=click.Choice(list(EFFORTS)),
        default=causes,
        show_default=True,
        envvar=VARIABLE,
        callback=lambda context, option, name: EFFORTS[name],
        help=f"How long the cause of a wrong step is searched for; quick: {QUICK:g} s, full: {FULL:g} s.",
    )
    return lambda verb: timeout_option(causes_option(verb))


plain_option = click.option("--plain", is_flag=True, help="Words only, for screen readers; ATTN_PLAIN=1 too.")

in_course = click.make_pass_decorator(Workspace)
"""A decorator that passes the workspace to a verb as its first argument."""
