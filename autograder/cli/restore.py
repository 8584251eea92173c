"""`attn restore`: let marks that others have replaced count again. Its imports come after the command line is parsed."""

from __future__ import annotations

from datetime import datetime, time
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.adjusted import summarise_all
from autograder.cli.context import Stop, in_course
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.classroom.results import Results


def _moment(context: click.Context, parameter: click.Parameter, written: str | None) -> datetime | None:
    """Return the moment that was written: of a day its end; where it names no zone, of this machine's."""
    if written is None:
        return None
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise click.BadParameter(f"{written!r} is no time; 2026-10-08 or 2026-10-08T12:00 was expected.") from None
    return datetime.combine(moment, time.max) if len(written) <= len("2026-10-08") else moment


@click.command()
@click.argument("results", metavar="RESULTS", type=click.Path(path_type=Path))
@click.argument("student", metavar="STUDENT")
@click.option(
    "--at",
    metavar="TIME",
    callback=_moment,
    help="Take the marks that were made last until then: 2026-10-08, or 2026-10-08T12:00. Without it, those that were replaced last.",
)
@in_course
def restore(workspace: Workspace, results: Path, student: str, at: datetime | None) -> None:
    """Let a student's earlier marks count again.

    RESULTS is the folder that `attn grade --out` has written. What counted until now is kept in turn: the same command
    without --at brings it back.
    """
    from autograder.classroom.results import Results
    from autograder.render.screen import make_console

    if not (results / "marks").is_dir():
        raise Stop(f"{results} holds no marks. Give the folder that `attn grade --out` has written.")
    try:
        kept = Results(results)
        restored = kept.restore(_named(student, kept, results), at)
        summarise_all(workspace, kept, results, None)
    except OSError as error:
        raise Stop(f"{error.filename or results} could not be written: {error.strerror}.") from error
    console = make_console()
    for marks in restored:
        points = f"{marks.score:g} of {marks.max_score:g} points, marked {marks.graded_at}"
        console.print(f"{marks.submission}: {points}, count again", markup=False, soft_wrap=True)
    console.print(
        "`attn grade` marks what lies in the class folder: it replaces them if that is another hand-in.", soft_wrap=True
    )


def _named(student: str, kept: Results, results: Path) -> str:
    """Return a student's name as the files of marks write it, of any name that the roster has."""
    from autograder.classroom.people import entry_finder
    from autograder.classroom.results import as_file_name
    from autograder.cli.results_folder import people_of

    entry_of = entry_finder(people_of(results, None), kept.names)
    if found := entry_of(as_file_name(student)) or entry_of(student):
        return found
    near = get_close_matches(student, kept.names, n=1)
    raise Stop(f"{results} holds no marks of {student}{f'; did you mean {near[0]}?' if near else '.'}")


VERBS = (restore,)
