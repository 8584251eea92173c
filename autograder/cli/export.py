"""`attn export`: take the marks of a class to a learning platform."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.cli.context import Refusal, Stop, in_course, syllabus_of
from autograder.cli.results_folder import (
    adjustments_option,
    open_grades,
    part_named,
    part_option,
    refuse_to_replace,
    roster_option,
)
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.classroom.exports.rows import Filled
    from autograder.classroom.grades import Grades
    from autograder.exam.syllabus import Syllabus

CANVAS, MOODLE = "canvas", "moodle"
FORMATS = ("csv", CANVAS, MOODLE, "gradescope", "classroom50")
EXPORTED = {
    CANVAS: "the gradebook that Canvas exported (Grades, Export)",
    MOODLE: "the grading worksheet of the assignment that Moodle exported (Submissions, Download grading worksheet)",
}
"""What a format fills in, by the format, whose name the option has, too."""


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), required=True, help="What to write.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The file to write; for gradescope a folder."
)
@part_option
@roster_option
@adjustments_option
@click.option(
    "--canvas",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="canvas: the gradebook that Canvas exported.",
)
@click.option(
    "--moodle",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="moodle: the grading worksheet that Moodle exported.",
)
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
@in_course
def export(
    workspace: Workspace,
    folder: Path,
    form: str,
    out: Path,
    parts: tuple[str, ...],
    roster: Path | None,
    adjusted_in: Path | None,
    canvas: Path | None,
    moodle: Path | None,
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
    exported = {CANVAS: canvas, MOODLE: moodle}
    if form in exported and not exported[form]:
        raise Stop(f"--format {form} needs --{form} FILE: {EXPORTED[form]}.")
    refuse_to_replace(folder, out)
    from autograder.classroom.exports import CannotExport

    grades = open_grades(workspace, folder, parts, roster, adjusted_in)
    count = len(grades.students)
    try:
        if to_fill := exported.get(form):
            titles = _titles(syllabus_of(workspace), grades, columns)
            count = _fill(form, to_fill, grades, titles, scale, out)
        elif form == "gradescope":
            _export_gradescope(grades, out)
        else:
            _write(out, _content(grades, form))
    except CannotExport as error:
        raise Refusal(str(error)) from error
    _say(f"{out}: {_students(count)}")


def _titles(syllabus: Syllabus, grades: Grades, columns: tuple[str, ...]) -> dict[str, str]:
    titles = {}
    for column in columns:
        name, equals, title = column.partition("=")
        if not (equals and title):
            example = f"{syllabus.parts[0].name}='Homework 1'"
            raise Stop(f"--column {column}: PART=TITLE was expected, for example {example}.")
        part = part_named(syllabus, name)
        if part not in grades.parts:
            raise Stop(f"--column {column}: {part.name} is not one of the exported parts.")
        titles[part.name] = title
    return titles


def _fill(form: str, to_fill: Path, grades: Grades, titles: dict[str, str], scale: bool, out: Path) -> int:
    """Fill in what a platform exported; return for how many students."""
    from autograder.classroom.exports import CannotExport
    from autograder.render.screen import say_error

    if out.resolve() == to_fill.resolve():
        raise Stop(f"{out} is what {form.title()} exported: choose another file for --out.")
    try:
        content = to_fill.read_bytes()
    except OSError as error:
        raise Stop(f"{to_fill} cannot be read: {error.strerror}.") from error
    try:
        filled = _filled(form, content, grades, titles, scale)
    except CannotExport as error:
        raise CannotExport(f"{to_fill}: {error}") from error
    _write(out, filled.content)
    if filled.strangers:
        names = ", ".join(f"`{student}`" for student in filled.strangers)
        say_error(f"Not in {to_fill}, so their marks were left out: {names}")
    return len(grades.students) - len(filled.strangers)


def _filled(form: str, content: bytes, grades: Grades, titles: dict[str, str], scale: bool) -> Filled:
    from autograder.classroom.exports import canvas, moodle

    if form == CANVAS:
        return canvas.fill(canvas.read_gradebook(content), grades, titles, scale)
    return moodle.fill(moodle.read_worksheet(content), grades, scale)


def _export_gradescope(grades: Grades, out: Path) -> None:
    from autograder.classroom.exports.gradescope import results
    from autograder.classroom.results import as_file_name

    if out.suffix != ".json":
        for student in grades.students:
            _write(out / f"{as_file_name(student)}.json", _json(results(grades.students[student])))
    elif len(grades.students) == 1:
        _write(out, _json(results(*grades.students.values())))
    else:
        students = _students(len(grades.students))
        raise Stop(f"{out} would be one file for {students}, and Gradescope has one each: give a folder with --out.")


def _content(grades: Grades, form: str) -> bytes:
    from autograder.classroom.exports import classroom50, csv_table

    if form == "classroom50":
        return _json(classroom50.result(grades, os.environ))
    return csv_table.to_csv(grades).encode()


def _json(data: dict[str, Any]) -> bytes:
    import json

    return json.dumps(data, indent=1, ensure_ascii=False).encode() + b"\n"


def _write(path: Path, content: bytes) -> None:
    from autograder.atomic_write import write_where_told

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_where_told(path, content)
    except OSError as error:
        raise Stop(f"{path} could not be written: {error.strerror}.") from error


def _students(count: int) -> str:
    return f"{count} student{'s' if count != 1 else ''}"


def _say(text: str) -> None:
    from autograder.render.screen import make_console

    make_console().print(text, markup=False, soft_wrap=True)


VERBS = (export,)
