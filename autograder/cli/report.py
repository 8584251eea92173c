"""`attn report`: the class at a glance, and a page for each student. Its imports come after the command line is parsed."""

from pathlib import Path

import click

from autograder.cli.context import Stop, in_course
from autograder.cli.results_folder import adjustments_option, open_grades, part_option, refuse_to_replace, roster_option
from autograder.workspace import Workspace


@click.command()
@click.argument("results", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The page to write; the students' own pages go into a folder beside it.",
)
@part_option
@roster_option
@adjustments_option
@in_course
def report(
    workspace: Workspace,
    results: Path,
    out: Path,
    parts: tuple[str, ...],
    roster: Path | None,
    adjusted_in: Path | None,
) -> None:
    """The class at a glance: scores, a map of students and steps, what is hard, who is stuck where.

    DIR is a folder of results of `attn grade`. Each student gets a page of feedback about their own work only.
    """
    from autograder.render.screen import make_console

    refuse_to_replace(results, out)
    if out.suffix.lower() not in (".html", ".htm"):
        raise Stop(f"{out} would be a page: give a name that ends in .html.")
    try:
        from autograder.classroom.report.pages import folder_for, write_report
    except ModuleNotFoundError as error:
        raise Stop(f"this needs {error.name}: python -m pip install -e '.[instructor]' installs it.") from error
    grades = open_grades(workspace, results, parts, roster, adjusted_in)
    try:
        write_report(grades, out, workspace.course.causes.rungs)
    except OSError as error:
        raise Stop(f"{error.filename or out} could not be written: {error.strerror}.") from error
    students = f"{len(grades.students)} student{'s' if len(grades.students) != 1 else ''}"
    told = f"{out}: {students}, each with their own page in {folder_for(out)}"
    make_console().print(told, markup=False, soft_wrap=True)


VERBS = (report,)
