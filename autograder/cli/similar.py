"""`attn similar`: rank the pairs of submissions in a class, the closest first."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
from rich.table import Column, Table
from rich.text import Text

from autograder.atomic_write import write_output
from autograder.classroom.attempts import read_entry
from autograder.classroom.class_folder import read_class_folder
from autograder.cli.context import MOST_LISTED, Stop, listed
from autograder.cli.options import FILE, FOLDER, PATH, in_course
from autograder.exam.syllabus import Syllabus
from autograder.render.screen import make_console, say_error
from autograder.student.targets import syllabus_of
from autograder.submission.model import Submission
from autograder.workspace import Workspace


@click.command()
@click.argument("classes", metavar="CLASS...", nargs=-1, required=True, type=PATH)
@click.option("--out", type=FILE, help="A page of the pairs, with their code side by side.")
@click.option("--earlier", multiple=True, type=FOLDER, help="An earlier class; may be given several times.")
@in_course
def similar(workspace: Workspace, classes: tuple[Path, ...], out: Path | None, earlier: tuple[Path, ...]) -> None:
    """Rank pairs of submissions by the code that both have and few others.

    CLASS is a folder with one entry per student, as for `attn grade`. Code is read, never run. What it computes is compared, whatever the
    names, the layout and the comments; and its statements, comments, names and lines. Wording of the course and parts that are the
    solution throughout do not count.
    """
    from autograder.classroom.similarity import Given, page_of, ranked  # needs jinja2, which students lack

    syllabus = syllabus_of(workspace)
    solutions = {part.name: workspace.course.solution(part.name) for part in syllabus.parts}
    texts = {name: path.read_text(encoding="utf-8") for name, path in solutions.items() if path.is_file()}
    pages = {path for pattern in workspace.course.release.pages for path in workspace.root.glob(pattern)}
    given = Given(syllabus, texts, (path.read_text(encoding="utf-8") for path in pages))
    people = [given.compared(one) for one in _submissions(classes, syllabus, named=len(classes) > 1)]
    others = [given.compared(one) for one in _submissions(earlier, syllabus, named=True)]
    pairs = ranked(people, others)
    if unread := [f"{one.name} ({', '.join(one.unread)})" for one in people if one.unread]:
        say_error(f"the code of {listed(unread)} is not all followed. --out gives the reasons.")
    right = [Column(heading, justify="right") for heading in ("computed", "written", "worded")]
    table = Table("pair", "", *right, "closest in", box=None, pad_edge=False)  # a column a name: names may have commas
    for pair in pairs[:MOST_LISTED]:
        numbers = [f"{closeness:.1f}" for closeness in pair.closeness]
        table.add_row(*map(Text, (pair.one.name, pair.other.name, *numbers, next(iter(pair.lines)))))
    console = make_console()
    console.print(f"The closest pairs of {len(people)} submissions:" if pairs else "No two can be compared.")
    if pairs:
        console.print(table)
        console.print("Some pair is always first: read both codes before you talk to anybody.")
    if out:
        write_output(out, page_of(pairs, people).encode())


def _submissions(folders: tuple[Path, ...], syllabus: Syllabus, named: bool) -> Iterator[Submission]:
    """Yield the submission of each student. named: put the folder's name before the student's."""
    if len({folder.name for folder in folders}) < len(folders):
        raise Stop("two of the folders have the same name: rename one, because their students are listed by it.")
    for folder in folders:
        if (folder / "marks").is_dir():
            raise Stop(f"{folder} holds marks, not what was handed in: give the class folder that was marked.")
        for entry in read_class_folder(folder, [part.name for part in syllabus.parts]).entries:
            name = f"{folder.name}/{entry.student}" if named else entry.student
            yield replace(read_entry(entry.path, name, syllabus.parts), name=name)
