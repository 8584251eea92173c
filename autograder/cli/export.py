"""`attn export`, `attn report`: write the grades in a folder of results for a platform, and as web pages."""

import functools
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from autograder.atomic_write import write_output
from autograder.classroom.adjustments import read_adjustments
from autograder.classroom.changes import refuse_outdated
from autograder.classroom.class_marks import ClassMarks, counted_parts, read_class
from autograder.classroom.exports import CannotExport, canvas, classroom50, csv_table, gradescope, moodle
from autograder.classroom.grades import Grades, grade
from autograder.classroom.looks import in_a_line
from autograder.classroom.people import people_in
from autograder.classroom.results import as_file_name
from autograder.cli.context import Stop, print_lines
from autograder.cli.options import FILE, PATH, out_option, part_option
from autograder.course.errors import refuse
from autograder.exam.syllabus import Syllabus, by_part
from autograder.render.screen import say_error
from autograder.student.targets import find_steps, syllabus_of
from autograder.submission.model import Urgency
from autograder.workspace import Workspace

EXPORTED = {
    "canvas": "the gradebook that Canvas exported (Grades, Export)",
    "moodle": "the grading worksheet of the assignment that Moodle exported (Submissions, Download grading worksheet)",
}
"""By format, a description of the platform's file that the export fills in."""

adjustments_option = click.option(
    "--adjustments",
    "adjusted_in",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="What you have decided: points, excuses, extensions.  [default: adjustments.csv in the folder of results]",
)


def open_class(folder: Path, syllabus: Syllabus) -> ClassMarks:
    """Read the marks of a class. Warns if they were made with several exams. Raises NoMarks."""
    marks = read_class(folder, syllabus)
    exams = {one.exam for one in marks.students.values()}
    if len(exams) > 1:
        say_error(f"{folder} holds marks of {len(exams)} exams: students were not all asked the same.")
    return marks


def with_grades(verb: Callable[..., None]) -> Any:
    """Add an argument and options to a verb, and pass it the grades of the parts that count.

    The verb prints these parts, and the flags that need an action. Raises BadAdjustments, NoMarks,
    BadRoster, OutdatedMarks, BrokenCourse.
    """

    @click.argument("results", metavar="DIR", type=PATH)
    @part_option(
        help="Count this part, submitted or not; may be given several times.  [default: those that are due, else those that most submitted]"
    )
    @adjustments_option
    @click.pass_obj
    def with_options(
        workspace: Workspace, /, results: Path, parts: tuple[str, ...], adjusted_in: Path | None, **given: Any
    ) -> None:
        syllabus, counting = syllabus_of(workspace), workspace.course.counting
        known = [step.path for step in syllabus.steps]
        refuse(
            f"[steps] of course.toml names {path!r}; expected steps such as {known[0]!r}"
            for path in counting.steps
            if path not in known
        )
        named = by_part(find_steps(syllabus, parts)) if parts else ()
        found = open_class(results, syllabus)
        counted, why = counted_parts(found, syllabus, named, counting.due, datetime.now(UTC))
        if not counted:
            raise Stop(f"nobody in {results} has submitted a part. Say with --part which parts count.")
        marks = found.only(counted)
        refuse_outdated(marks, syllabus)
        say_error(f"parts that count: {', '.join(part.name for part in counted)} ({why})")
        grades = grades_of(workspace, results, marks, adjusted_in)
        for name, says in grades.looks(Urgency.MUST_ACT).items():
            say_error(f"must act: {name}: {in_a_line(says)}")
        verb(workspace, grades, **given)

    return functools.update_wrapper(with_options, verb)


def grades_of(workspace: Workspace, folder: Path, marks: ClassMarks, adjusted_in: Path | None) -> Grades:
    """Return the grades of a class with the roster and the adjustments in a folder of results.

    adjusted_in: another file of adjustments. Raises BadAdjustments, BadRoster.
    """
    adjustments = read_adjustments(folder, syllabus_of(workspace), adjusted_in)
    return grade(marks.of_all(people_in(folder)), workspace.course.counting, adjustments)


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", *EXPORTED, "gradescope", "classroom50"]),
    required=True,
    help="What to write.",
)
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
@click.option("--scale", is_flag=True, help="canvas, moodle: convert points if an assignment has others than here.")
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
        write_output(out, csv_table.to_csv(grades))
    elif form == "classroom50":
        write_output(out, _json(classroom50.result(grades, os.environ)))
    elif out.suffix == ".json" and count == 1:
        write_output(out, _json(gradescope.results(*grades.students.values())))
    else:
        for student, graded in grades.students.items():
            write_output(out / f"{as_file_name(student)}.json", _json(gradescope.results(graded)))
    print_lines(f"{out}: {count} student{'s' if count != 1 else ''}")


def _titles(syllabus: Syllabus, columns: tuple[str, ...]) -> dict[str, str]:
    titles = {}
    for column in columns:
        name, equals, title = column.partition("=")
        if not (equals and title):
            raise Stop(f"--column {column}: PART=TITLE was expected, such as --column 1='Homework 1'.")
        titles[find_steps(syllabus, (name,))[0].part] = title
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
    write_output(out, filled)
    if strangers:
        names = ", ".join(f"`{student}`" for student in strangers)
        say_error(f"Not in {to_fill}, so their marks were left out: {names}")
    return len(strangers)


def _json(data: dict[str, Any]) -> bytes:
    return json.dumps(data, indent=1, ensure_ascii=False).encode() + b"\n"


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
