"""Marks for the gradebook without anything having been run, and what lies in a gradebook afterwards."""

from collections.abc import Callable, Iterable

from nbgrader.api import Gradebook
from nbgrader.plugins import BasePlugin
from sqlalchemy import MetaData, create_engine, select

from autograder.classroom.gradebook import Written, write
from autograder.classroom.people import People, Person
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus
from autograder.grading.results import Check, Diagnosis, Marks, PartMarks, StepMarks

PART = "part1_simplified"
SAYS = "You sum over the wrong dimension."

Open = Callable[[str], Gradebook]


def marks_of(
    syllabus: Syllabus,
    student: str,
    wrong: Iterable[str] = ("softmax",),
    *,
    parts: Iterable[str] = (PART,),
    says: str | None = SAYS,
    message: str = "the numbers differ",
    error: str | None = None,
    submitted_at: str | None = None,
) -> Marks:
    """Return one student's marks: half the points for the steps that are wrong, full points for the others."""

    def step(name: str, points: float) -> StepMarks:
        if error:
            return StepMarks(name, Verdict.MISSING, 0.0, points)
        if name not in wrong:
            return StepMarks(name, Verdict.PASSED, points, points)
        told = Diagnosis("mistake", "an_id", says) if says else None
        return StepMarks(
            name, Verdict.WRONG_VALUES, points / 2, points, (Check("journey", "values", False, message),), told
        )

    made = tuple(
        PartMarks(part, error, tuple(step(one.name, one.points) for one in syllabus.part(part).steps), submitted_at)
        for part in parts
    )
    return Marks(student, "sha256:0", "sha256:1", "2026-11-20T12:00:00Z", 0.1, "full", made)


def put(
    url: str,
    syllabus: Syllabus,
    *marks: Marks,
    policy: BasePlugin | None = None,
    people: tuple[Person, ...] = (),
) -> Written:
    """Write marks into the gradebook at a URL, or at a file's path."""
    names = {part.part for one in marks for part in one.parts}
    return write(url, marks, [part for part in syllabus.parts if part.name in names], policy, People(people))


def as_url(gradebook: str) -> str:
    """Return the URL of a gradebook that is named by its path or its URL."""
    return gradebook if "://" in gradebook else f"sqlite:///{gradebook}"


def tables(url: str) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of all tables, in an order of their own."""
    engine = create_engine(as_url(url))
    found = MetaData()
    found.reflect(engine)
    with engine.connect() as connection:
        rows = {
            name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for name, table in found.tables.items()
        }
    engine.dispose()
    return rows
