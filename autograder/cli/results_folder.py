"""Read the folder that `attn grade --out` has written."""

import functools
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from autograder.classroom.adjustments import read_adjustments
from autograder.classroom.changes import refuse_outdated
from autograder.classroom.class_marks import ClassMarks, counted_parts, read_class
from autograder.classroom.grades import Grades, grade
from autograder.classroom.looks import in_a_line
from autograder.classroom.people import people_in
from autograder.cli.context import Stop
from autograder.cli.options import PATH, part_option
from autograder.course.errors import refuse
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.render.screen import say_error
from autograder.student.targets import find_steps, syllabus_of
from autograder.submission.model import Urgency
from autograder.workspace import Workspace

counted_option = part_option(
    help="Count this part, submitted or not; may be given several times.  [default: those that are due, else those that most submitted]"
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

    @click.argument("results", metavar="DIR", type=PATH)
    @counted_option
    @adjustments_option
    @click.pass_obj
    def with_options(
        workspace: Workspace, /, results: Path, parts: tuple[str, ...], adjusted_in: Path | None, **given: Any
    ) -> None:
        verb(workspace, _open_grades(workspace, results, parts, adjusted_in), **given)

    return functools.update_wrapper(with_options, verb)


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
    grades = grades_of(workspace, folder, marks, adjusted_in)
    for name, says in grades.looks(Urgency.MUST_ACT).items():
        say_error(f"must act: {name}: {in_a_line(says)}")
    return grades


def grades_of(workspace: Workspace, folder: Path, marks: ClassMarks, adjusted_in: Path | None) -> Grades:
    """Return the grades of a class with the roster and the adjustments in a folder of results.

    adjusted_in: another file of adjustments. Raises BadAdjustments, BadRoster.
    """
    adjustments = read_adjustments(folder, syllabus_of(workspace), adjusted_in)
    return grade(marks.of_all(people_in(folder)), workspace.course.counting, adjustments)


def part_named(syllabus: Syllabus, name: str) -> SyllabusPart:
    """Return the part that a user names, directly or by one of its steps."""
    return syllabus.part(find_steps(syllabus, (name,))[0].part)
