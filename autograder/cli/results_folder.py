"""Read the folder that `attn grade --out` has written."""

import functools
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from autograder.classroom import adjustments
from autograder.classroom.adjustments import Adjustment
from autograder.classroom.changes import refuse_outdated
from autograder.classroom.class_marks import ClassMarks, NoMarks, counted_parts, read_class
from autograder.classroom.grades import Grades, grade
from autograder.classroom.looks import in_a_line
from autograder.classroom.people import ROSTER, People, read_people
from autograder.cli.context import Stop
from autograder.cli.options import PATH, part_option
from autograder.course.errors import refuse
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.render.screen import say_error
from autograder.student.targets import find_steps, syllabus_of
from autograder.submission.model import Urgency
from autograder.workspace import Workspace

counted_option = part_option(
    "Count this part, submitted or not; may be given several times.  [default: those that are due, else those that most submitted]"
)

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
    """Add an argument and options to a verb, and pass it the grades that they select."""

    def with_options(workspace: Workspace, **given: Any) -> None:
        folder, parts, adjusted_in = (given.pop(name) for name in ("results", "parts", "adjusted_in"))
        verb(workspace, _open_grades(workspace, folder, parts, adjusted_in), **given)

    found: Any = functools.wraps(verb)(with_options)
    for option in (
        click.pass_obj,
        adjustments_option,
        counted_option,
        click.argument("results", metavar="DIR", type=PATH),
    ):
        found = option(found)
    return found


def _open_grades(workspace: Workspace, folder: Path, parts: tuple[str, ...], adjusted_in: Path | None) -> Grades:
    """Read the grades of the parts that count. Print these parts, and the flags that need an action.

    Raises BadAdjustments, NoMarks, BadRoster, OutdatedMarks, BrokenCourse.
    """
    syllabus, counting = syllabus_of(workspace), workspace.course.counting
    known = [step.path for step in syllabus.steps]
    refuse(
        f"[steps] of course.toml names {path!r}; expected steps such as {known[0]!r}"
        for path in counting.steps
        if path not in known
    )
    named = [part_named(syllabus, name).name for name in parts]
    found = open_class(folder, syllabus)
    counted, why = counted_parts(found, syllabus, named, counting.due, datetime.now(UTC))
    if not counted:
        raise Stop(f"nobody in {folder} has submitted a part. Say with --part which parts count.")
    marks = found.only(counted)
    refuse_outdated(marks, syllabus)
    say_error(f"parts that count: {', '.join(part.name for part in counted)} ({why})")
    grades = grade(marks.of_all(people_of(folder)), counting, adjustments_of(folder, adjusted_in, syllabus))
    for name, says in grades.looks(Urgency.MUST_ACT).items():
        say_error(f"must act: {name}: {in_a_line(says)}")
    return grades


def grades_so_far(workspace: Workspace, folder: Path, adjusted_in: Path | None) -> Grades | None:
    """Return the grades of all parts that anybody has handed in, or None if there are no marks.

    Raises BadAdjustments, BadRoster.
    """
    syllabus = syllabus_of(workspace)
    try:
        marks = read_class(folder, syllabus)
    except NoMarks:
        return None
    return grade(
        marks.of_all(people_of(folder)), workspace.course.counting, adjustments_of(folder, adjusted_in, syllabus)
    )


def adjustments_of(folder: Path, adjusted_in: Path | None, syllabus: Syllabus) -> tuple[Adjustment, ...]:
    """Read the adjustments in `adjusted_in`, else in the folder of results. Raises BadAdjustments."""
    found = adjustments.read_adjustments(adjusted_in or folder / adjustments.FILE, syllabus)
    return adjustments.with_judged(found, folder)


def note_judged(folder: Path, adjusted_in: Path | None, syllabus: Syllabus) -> None:
    """Write to `judged.json` which submission of a student each adjustment judges.

    Call this before marking replaces the marks. Raises BadAdjustments, BadRoster, OSError.
    """
    with suppress(NoMarks):
        found = adjustments_of(folder, adjusted_in, syllabus)
        adjustments.note_judged(found, read_class(folder, syllabus).of_all(people_of(folder)), folder)


def people_of(folder: Path) -> People:
    """Read the roster in a folder. If there is none, return an empty roster. Raises BadRoster."""
    path = folder / ROSTER
    return read_people(path) if path.is_file() else People()


def part_named(syllabus: Syllabus, name: str) -> SyllabusPart:
    """Return the part that a user names, directly or by one of its steps."""
    return syllabus.part(find_steps(syllabus, (name,))[0].part)
