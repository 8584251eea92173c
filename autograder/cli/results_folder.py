"""Reading the folder that `attn grade --out` has written."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import Stop, syllabus_of
from autograder.student.targets import find_steps

ROSTER = "roster.csv"
"""Who takes part, where it lies in a folder of results."""

OF_GRADE = ("adjustments.csv", "class.exam", "marks", "moves.csv", ROSTER, "summary.csv", "superseded")

if TYPE_CHECKING:
    from autograder.classroom.class_marks import ClassMarks
    from autograder.classroom.people import People
    from autograder.exam.syllabus import Syllabus, SyllabusPart
    from autograder.workspace import Workspace

part_option = click.option(
    "--part",
    "parts",
    multiple=True,
    metavar="PART",
    help="Count this part, submitted or not; may be given several times.  [default: those that are due, else those that most submitted]",
)

roster_option = click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Who takes part: a table with name, id, login, email or folder.  [default: roster.csv in the folder of results]",
)


def open_class(folder: Path, syllabus: Syllabus) -> ClassMarks:
    """Read the marks of a class. Warns if they were made with several exams. Raises NoMarks."""
    from autograder.classroom.class_marks import read_class

    marks = read_class(folder, syllabus)
    _warn_of_exams(marks, folder)
    return marks


def open_counted(workspace: Workspace, folder: Path, parts: tuple[str, ...], roster: Path | None) -> ClassMarks:
    """Read the marks of the parts that count, of all who take part, and say which parts these are and why.

    Raises NoMarks, BadRoster, OutdatedMarks, BrokenCourse where what counts names no step.
    """
    from autograder.classroom.changed_points import refuse_outdated
    from autograder.classroom.counted_parts import counted_parts
    from autograder.course.errors import refuse
    from autograder.render.screen import say_error

    syllabus = syllabus_of(workspace)
    refuse(workspace.course.counting.unknown_steps([step.path for step in syllabus.steps]))
    named = [part_named(syllabus, name).name for name in parts]
    found = open_class(folder, syllabus)
    counted = counted_parts(found, syllabus, named, workspace.course.counting.due, datetime.now(UTC))
    if not counted.parts:
        raise Stop(f"nobody in {folder} has submitted a part. Say with --part which parts count.")
    marks = found.only(counted.parts)
    refuse_outdated(marks, syllabus)
    say_error(str(counted))
    return marks.of_all(people_of(folder, roster))


def people_of(folder: Path, roster: Path | None) -> People:
    """Read the roster that was given, else the one in the folder of results; nobody is in none. Raises BadRoster, also where the two contradict each other."""
    from autograder.classroom.people import People, read_people, refuse_contradiction

    kept = read_people(folder / ROSTER) if (folder / ROSTER).is_file() else People()
    people = read_people(roster) if roster else kept
    refuse_contradiction(people, kept)
    return people


def keep_roster(roster: Path, folder: Path) -> None:
    """Keep a table of who takes part in a folder of results, where report and exports look for it."""
    from autograder.atomic_write import atomic_write

    content = roster.read_bytes()
    try:
        atomic_write(folder / ROSTER, content)
    except OSError as error:
        raise Stop(f"{folder / ROSTER} could not be written: {error.strerror}.") from error


def part_named(syllabus: Syllabus, name: str) -> SyllabusPart:
    """Return the part that a word means; stop where it means a step."""
    steps = find_steps(syllabus, (name,))
    part = syllabus.part(steps[0].part)
    if steps != part.steps:
        raise Stop(f"`{name}` is a step: name its part, {part.name}.")
    return part


def refuse_to_replace(folder: Path, out: Path) -> None:
    """Stop if something would overwrite what `attn grade` has written into a folder of results."""
    place, results = out.resolve(), folder.resolve()
    if (place.parent == results and place.name in OF_GRADE) or place.is_relative_to(results / "marks"):
        raise Stop(f"{out} is what `attn grade` writes: choose another place for --out.")


def _warn_of_exams(marks: ClassMarks, folder: Path) -> None:
    from autograder.render.screen import say_error

    exams = {one.exam for one in marks.students.values()}
    if len(exams) > 1:
        say_error(f"{folder} holds marks of {len(exams)} exams: students were not all asked the same.")
