"""`attn export`, `attn report`: write the grades of a class for a learning platform, and as web pages."""

import json
import os
from pathlib import Path
from typing import Any

import click

from autograder.atomic_write import write_output
from autograder.classroom.exports import CannotExport, canvas, classroom50, csv_table, gradescope, moodle
from autograder.classroom.grades import Grades
from autograder.classroom.results import as_file_name
from autograder.cli.context import Stop, print_lines
from autograder.cli.options import FILE, PATH, out_option
from autograder.cli.results_folder import part_named, with_grades
from autograder.exam.syllabus import Syllabus
from autograder.render.screen import say_error
from autograder.student.targets import syllabus_of
from autograder.workspace import Workspace

FORMATS = ("csv", "canvas", "moodle", "gradescope", "classroom50")
EXPORTED = {
    "canvas": "the gradebook that Canvas exported (Grades, Export)",
    "moodle": "the grading worksheet of the assignment that Moodle exported (Submissions, Download grading worksheet)",
}
"""By format, a description of the platform's file that the export fills in."""


@click.command()
@click.option("--format", "form", type=click.Choice(FORMATS), required=True, help="What to write.")
@out_option(type=PATH, help="The file to write; for gradescope a folder.")
@click.option("--canvas", "canvas_file", type=FILE, help="canvas: the gradebook that Canvas exported.")
@click.option("--moodle", "moodle_file", type=FILE, help="moodle: the grading worksheet that Moodle exported.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="PART=TITLE",
    help="canvas: the assignment of a part, if its title differs; may be given several times.",
)
@click.option(
    "--scale", is_flag=True, help="canvas, moodle: convert points if an assignment has other points than here."
)
@with_grades
def export(
    workspace: Workspace,
    grades: Grades,
    form: str,
    out: Path,
    canvas_file: Path | None,
    moodle_file: Path | None,
    columns: tuple[str, ...],
    scale: bool,
) -> None:
    """Export grades to a learning platform. DIR is a folder of results, of `attn grade --out`.

    \b
    csv             a table for spreadsheets
    canvas, moodle  the file that the platform exported, filled in, to be imported there
    gradescope      results.json, one per student
    classroom50     the result.json of one submission
    """
    titles = _titles(syllabus_of(workspace), columns)
    count = len(grades.students)
    if form in EXPORTED:
        to_fill = canvas_file if form == "canvas" else moodle_file
        if not to_fill:
            raise Stop(f"--format {form} needs --{form} FILE: {EXPORTED[form]}.")
        count -= _fill(form, to_fill, grades, titles, scale, out)
    elif form == "csv":
        _write(out, csv_table.to_csv(grades))
    elif form == "classroom50":
        _write(out, _json(classroom50.result(grades, os.environ)))
    elif out.suffix == ".json" and count == 1:
        _write(out, _json(gradescope.results(*grades.students.values())))
    else:
        for student, graded in grades.students.items():
            _write(out / f"{as_file_name(student)}.json", _json(gradescope.results(graded)))
    print_lines(f"{out}: {count} student{'s' if count != 1 else ''}")


def _titles(syllabus: Syllabus, columns: tuple[str, ...]) -> dict[str, str]:
    titles = {}
    for column in columns:
        name, equals, title = column.partition("=")
        if not (equals and title):
            raise Stop(f"--column {column}: PART=TITLE was expected, such as --column 1='Homework 1'.")
        titles[part_named(syllabus, name).name] = title
    return titles


def _fill(form: str, to_fill: Path, grades: Grades, titles: dict[str, str], scale: bool, out: Path) -> int:
    """Write a copy of a platform's file with the grades. Return how many students the file lacks."""
    if out.resolve() == to_fill.resolve():
        raise Stop(f"{out} is what {form.title()} exported: choose another file for --out.")
    content = to_fill.read_bytes()
    try:
        filled, strangers = (
            canvas.fill(content, grades, titles, scale) if form == "canvas" else moodle.fill(content, grades, scale)
        )
    except CannotExport as error:
        raise CannotExport(f"{to_fill}: {error}") from error
    _write(out, filled)
    if strangers:
        names = ", ".join(f"`{student}`" for student in strangers)
        say_error(f"Not in {to_fill}, so their marks were left out: {names}")
    return len(strangers)


def _json(data: dict[str, Any]) -> bytes:
    return json.dumps(data, indent=1, ensure_ascii=False).encode() + b"\n"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_output(path, content)


@click.command()
@out_option(type=FILE, help="The page to write; the students' own pages go into a folder beside it.")
@with_grades
def report(workspace: Workspace, grades: Grades, out: Path) -> None:
    """The class at a glance: scores, a map of students and steps, what is hard, who is stuck where.

    DIR is a folder of results of `attn grade`. Each student gets a page of feedback about their own work only.
    """
    from autograder.classroom.report.pages import folder_for, write_report  # needs jinja2, which students lack

    write_report(grades, out, workspace.course.causes.rungs)
    students = f"{len(grades.students)} student{'s' if len(grades.students) != 1 else ''}"
    print_lines(f"{out}: {students}, each with their own page in {folder_for(out)}")
