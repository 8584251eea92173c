"""Reading the folder that `attn grade --out` has written."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import Stop, syllabus_of
from autograder.student.targets import find_steps

ROSTER = "roster.csv"
"""Who takes part, where it lies in a folder of results."""

OF_GRADE = ("adjustments.csv", "class.exam", "judged.json", "marks", "moves.csv", ROSTER, "summary.csv", "superseded")

MOST_ACTS = 20

if TYPE_CHECKING:
    from autograder.classroom.class_marks import ClassMarks
    from autograder.classroom.grades import Adjustment, Grades
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


adjustments_option = click.option(
    "--adjustments",
    "adjusted_in",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="What you have decided: points, excuses, extensions.  [default: adjustments.csv in the folder of results]",
)


def open_class(folder: Path, syllabus: Syllabus) -> ClassMarks:
    """Read the marks of a class. Warns if they were made with several exams. Raises NoMarks."""
    from autograder.classroom.class_marks import read_class
    from autograder.render.screen import say_error

    marks = read_class(folder, syllabus)
    exams = {one.exam for one in marks.students.values()}
    if len(exams) > 1:
        say_error(f"{folder} holds marks of {len(exams)} exams: students were not all asked the same.")
    return marks


def open_grades(
    workspace: Workspace, folder: Path, parts: tuple[str, ...], roster: Path | None, adjusted_in: Path | None
) -> Grades:
    """Read the grades in the parts that count, and print these parts and what a person must decide first.

    Raises BadAdjustments, NoMarks, BadRoster, OutdatedMarks, BrokenCourse.
    """
    from autograder.classroom.changed_points import refuse_outdated
    from autograder.classroom.grades import counted_parts, grade
    from autograder.classroom.looks import in_a_line
    from autograder.course.errors import refuse
    from autograder.render.screen import say_error
    from autograder.submission.model import Urgency

    syllabus, counting = syllabus_of(workspace), workspace.course.counting
    known = [step.path for step in syllabus.steps]
    refuse(
        f"[steps] of course.toml names {path!r}; expected steps such as {known[0]!r}"
        for path in counting.steps
        if path not in known
    )
    adjustments = adjustments_of(folder, adjusted_in, syllabus)
    named = [part_named(syllabus, name).name for name in parts]
    found = open_class(folder, syllabus)
    counted = counted_parts(found, syllabus, named, counting.due, datetime.now(UTC))
    if not counted.parts:
        raise Stop(f"nobody in {folder} has submitted a part. Say with --part which parts count.")
    marks = found.only(counted.parts)
    refuse_outdated(marks, syllabus)
    say_error(str(counted))
    grades = grade(marks.of_all(people_of(folder, roster)), counting, adjustments)
    acts = [f"must act: {name}: {in_a_line(says)}" for name, says in grades.looks(Urgency.MUST_ACT).items()]
    more = [f"must act: {len(acts) - MOST_ACTS} more; the report lists all"] if len(acts) > MOST_ACTS else []
    if acts:
        say_error("\n".join(acts[:MOST_ACTS] + more))
    return grades


def grades_so_far(workspace: Workspace, folder: Path, adjusted_in: Path | None) -> Grades | None:
    """Return the grades in all parts that anybody has written code in; None if nothing is marked yet.

    Raises BadAdjustments, BadRoster.
    """
    from autograder.classroom.class_marks import NoMarks, read_class
    from autograder.classroom.grades import grade, parts_with_work

    syllabus = syllabus_of(workspace)
    try:
        marks = read_class(folder, syllabus)
    except NoMarks:
        return None
    marks = marks.only(parts_with_work(marks)).of_all(people_of(folder, None))
    return grade(marks, workspace.course.counting, adjustments_of(folder, adjusted_in, syllabus))


def adjustments_of(folder: Path, adjusted_in: Path | None, syllabus: Syllabus) -> tuple[Adjustment, ...]:
    """Read the adjustments that were given, else those in the folder of results. Raises BadAdjustments."""
    from autograder.classroom.adjustments import FILE, read_adjustments, with_judged

    if adjusted_in and not adjusted_in.is_file():
        raise Stop(f"There is no file {adjusted_in}.")
    return with_judged(read_adjustments(adjusted_in or folder / FILE, syllabus), folder)


def note_judged(folder: Path, adjusted_in: Path | None, syllabus: Syllabus) -> None:
    """Note, before anything is marked, the work that adjustments were made on. Raises BadAdjustments, BadRoster."""
    from autograder.classroom import adjustments
    from autograder.classroom.class_marks import NoMarks, read_class

    with suppress(NoMarks):
        found = adjustments_of(folder, adjusted_in, syllabus)
        adjustments.note_judged(found, read_class(folder, syllabus).of_all(people_of(folder, None)), folder)


def people_of(folder: Path, roster: Path | None) -> People:
    """Read the roster that was given, else the one in the folder of results; nobody is in none. Raises BadRoster."""
    from autograder.classroom.people import People, read_people

    path = roster or folder / ROSTER
    return read_people(path) if roster or path.is_file() else People()


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
