"""`attn export`: take the marks of a class to a learning platform."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.cli.context import Refusal, Stop, in_course, syllabus_of
from autograder.cli.results_folder import open_class, refuse_to_replace
from autograder.student.targets import find_steps
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.classroom.class_marks import ClassMarks
    from autograder.exam.syllabus import Syllabus, SyllabusPart

CANVAS = "canvas"
FORMATS = ("csv", CANVAS, "gradescope", "classroom50", "junit")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), required=True, help="What to write.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The file to write; for gradescope a folder."
)
@click.option(
    "--part",
    "parts",
    multiple=True,
    metavar="PART",
    help="Count this part, submitted or not; may be given several times.  [default: those that a student submitted]",
)
@click.option("--roster", type=click.Path(path_type=Path), help="canvas: the gradebook that Canvas exported.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="PART=TITLE",
    help="canvas: the assignment of a part, if its title differs; may be given several times.",
)
@click.option("--scale", is_flag=True, help="canvas: convert points if an assignment has other points than its part.")
@in_course
def export(
    workspace: Workspace,
    folder: Path,
    form: str,
    out: Path,
    parts: tuple[str, ...],
    roster: Path | None,
    columns: tuple[str, ...],
    scale: bool,
) -> None:
    """Take marks to a learning platform. DIR is a folder of results, of `attn grade --out`.

    csv: a table for spreadsheets. canvas: the gradebook, filled in, to be imported. gradescope: results.json, one per student.
    classroom50: the result.json of one submission. junit: XML for Jenkins, GitLab and others.
    """
    _require_fitting_options(form, {"--roster": roster, "--column": columns, "--scale": scale})
    refuse_to_replace(folder, out)
    from autograder.classroom.exports import CannotExport

    syllabus = syllabus_of(workspace)
    class_marks = _read(folder, syllabus, parts)
    count = len(class_marks.students)
    try:
        if form == CANVAS and roster:
            count = _export_canvas(class_marks, roster, _titles(syllabus, class_marks, columns), scale, out)
        elif form == "gradescope":
            _export_gradescope(class_marks, out)
        else:
            _write(out, _content(class_marks, form))
    except CannotExport as error:
        raise Refusal(str(error)) from error
    _say(f"{out}: {_students(count)}")


def _require_fitting_options(form: str, of_canvas: dict[str, Any]) -> None:
    if form == CANVAS and not of_canvas["--roster"]:
        raise Stop("--format canvas needs --roster FILE: the gradebook that Canvas exported (Grades, Export).")
    for option, value in of_canvas.items():
        if value and form != CANVAS:
            raise Stop(f"{option} is for --format {CANVAS}; leave it out for {form}.")


def _read(folder: Path, syllabus: Syllabus, parts: tuple[str, ...]) -> ClassMarks:
    from autograder.classroom.exports.scores import counting

    wanted = {_part_named(syllabus, name).name for name in parts}
    found = open_class(folder, syllabus)
    if not wanted and not found.parts:
        raise Stop(f"nobody in {folder} has submitted a part. Say with --part which parts count.")
    return counting(found, tuple(part for part in syllabus.parts if part.name in wanted) if wanted else found.parts)


def _part_named(syllabus: Syllabus, name: str) -> SyllabusPart:
    steps = find_steps(syllabus, (name,))
    part = syllabus.part(steps[0].part)
    if steps != part.steps:
        raise Stop(f"`{name}` is a step: name its part, {part.name}.")
    return part


def _titles(syllabus: Syllabus, class_marks: ClassMarks, columns: tuple[str, ...]) -> dict[str, str]:
    titles = {}
    for column in columns:
        name, equals, title = column.partition("=")
        if not (equals and title):
            example = f"{syllabus.parts[0].name}='Homework 1'"
            raise Stop(f"--column {column}: PART=TITLE was expected, for example {example}.")
        part = _part_named(syllabus, name)
        if part not in class_marks.parts:
            raise Stop(f"--column {column}: {part.name} is not one of the exported parts.")
        titles[part.name] = title
    return titles


def _export_canvas(class_marks: ClassMarks, roster: Path, titles: dict[str, str], scale: bool, out: Path) -> int:
    """Fill in the roster; return for how many students."""
    from autograder.classroom.exports import CannotExport
    from autograder.classroom.exports.canvas import fill, read_gradebook
    from autograder.drawing.screen import say_error

    if out.resolve() == roster.resolve():
        raise Stop(f"{out} is the roster itself, and the result has fewer columns: choose another file for --out.")
    try:
        content = roster.read_bytes()
    except OSError as error:
        raise Stop(f"{roster} cannot be read: {error.strerror}.") from error
    try:
        filled = fill(read_gradebook(content), class_marks, titles, scale)
    except CannotExport as error:
        raise CannotExport(f"{roster}: {error}") from error
    _write(out, filled.content)
    if filled.strangers:
        say_error(
            f"Not in {roster}, so their marks were left out: {', '.join(f'`{student}`' for student in filled.strangers)}"
        )
    return len(class_marks.students) - len(filled.strangers)


def _export_gradescope(class_marks: ClassMarks, out: Path) -> None:
    from autograder.classroom.exports.gradescope import results
    from autograder.classroom.results import as_file_name

    if out.suffix != ".json":
        for student in class_marks.students:
            _write(out / f"{as_file_name(student)}.json", _json(results(class_marks, student)))
    elif len(class_marks.students) == 1:
        _write(out, _json(results(class_marks, *class_marks.students)))
    else:
        students = _students(len(class_marks.students))
        raise Stop(f"{out} would be one file for {students}, and Gradescope has one each: give a folder with --out.")


def _content(class_marks: ClassMarks, form: str) -> bytes:
    from autograder.classroom.exports import classroom50, csv_table, junit

    if form == "classroom50":
        return _json(classroom50.result(class_marks, os.environ))
    return junit.to_xml(class_marks) if form == "junit" else csv_table.to_csv(class_marks).encode()


def _json(data: dict[str, Any]) -> bytes:
    import json

    return json.dumps(data, indent=1, ensure_ascii=False).encode() + b"\n"


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise Stop(f"{path} could not be written: {error.strerror}.") from error


def _students(count: int) -> str:
    return f"{count} student{'s' if count != 1 else ''}"


def _say(text: str) -> None:
    from autograder.drawing.screen import make_console

    make_console().print(text, markup=False, soft_wrap=True)


VERBS = (export,)
