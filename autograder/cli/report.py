"""`attn report`: the class at a glance, and a page for each student."""

from pathlib import Path

import click

from autograder.classroom.grades import Grades
from autograder.cli.context import FILE, out_option
from autograder.cli.results_folder import with_grades
from autograder.render.screen import make_console
from autograder.workspace import Workspace


@click.command()
@out_option("The page to write; the students' own pages go into a folder beside it.", FILE)
@with_grades
def report(workspace: Workspace, grades: Grades, out: Path) -> None:
    """The class at a glance: scores, a map of students and steps, what is hard, who is stuck where.

    DIR is a folder of results of `attn grade`. Each student gets a page of feedback about their own work only.
    """
    from autograder.classroom.report.pages import folder_for, write_report  # jinja2, which students lack

    write_report(grades, out, workspace.course.causes.rungs)
    students = f"{len(grades.students)} student{'s' if len(grades.students) != 1 else ''}"
    written = f"{out}: {students}, each with their own page in {folder_for(out)}"
    make_console().print(written, markup=False, soft_wrap=True)
