"""`attn report`: the class at a glance, and a page for each student."""

from pathlib import Path

import click

from autograder.cli.context import in_course
from autograder.cli.results_folder import adjustments_option, counted_option, open_grades
from autograder.render.screen import make_console
from autograder.workspace import Workspace


@click.command()
@click.argument("results", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The page to write; the students' own pages go into a folder beside it.",
)
@counted_option
@adjustments_option
@in_course
def report(
    workspace: Workspace,
    results: Path,
    out: Path,
    parts: tuple[str, ...],
    adjusted_in: Path | None,
) -> None:
    """The class at a glance: scores, a map of students and steps, what is hard, who is stuck where.

    DIR is a folder of results of `attn grade`. Each student gets a page of feedback about their own work only.
    """
    from autograder.classroom.report.pages import folder_for, write_report  # jinja2, which students lack

    grades = open_grades(workspace, results, parts, adjusted_in)
    write_report(grades, out, workspace.course.causes.rungs)
    students = f"{len(grades.students)} student{'s' if len(grades.students) != 1 else ''}"
    told = f"{out}: {students}, each with their own page in {folder_for(out)}"
    make_console().print(told, markup=False, soft_wrap=True)
