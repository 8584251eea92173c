"""Export the grades of a class in the formats of learning platforms, a module for each format.

This module helps to fill in tables that a platform exported.
"""

from collections.abc import Sequence
from dataclasses import replace

from autograder.classroom.grades import Grades
from autograder.classroom.people import People, person_of
from autograder.classroom.tables import NotTable, Table, read_table
from autograder.course.errors import ExplainedError


class CannotExport(ExplainedError):
    """Grades do not fit a format, or a platform's file is wrong. The message says why and what to do."""


def read_exported(content: bytes, columns: Sequence[str], how: str) -> Table:
    """Read a platform's table. columns: required ones. how: advice for messages. Raises CannotExport."""
    try:
        table = read_table(content)
    except NotTable as error:
        raise CannotExport(f"{error} {how}") from None
    if missing := [name for name in columns if name not in table.header]:
        raise CannotExport(f"its first row has no column {' and no column '.join(missing)}. {how}")
    return table


def rows_of(grades: Grades, table: Table) -> dict[str, list[str]]:
    """Return the students' rows in a table. Raises CannotExport if two students have the same row."""
    header, persons = [name.casefold() for name in table.header], []
    for row in table.rows:
        person = person_of(dict(zip(header, row, strict=False)))
        number = person.sis_id.removeprefix("Participant ")  # namesakes were once collected as `NAME-NUMBER`
        persons.append(replace(person, login=person.login or number, folder=f"{person.name}-{number}"))
    people, found = People(tuple(persons)), dict[str, list[str]]()
    for name, student in grades.students.items():
        if match := people.match(replace(student.person, folder=student.person.folder or name)):
            row = next(row for one, row in zip(persons, table.rows, strict=True) if one is match)
            if other := next((other for other, taken in found.items() if taken is row), ""):
                called = match.name or match.entry
                raise CannotExport(f"`{other}` and `{name}` are both the student `{called}`: correct the roster.")
            found[name] = row
    return found


def maximum(written: str, points: float, title: str, parts: str, scale: bool) -> float:
    """Return an assignment's maximum. Raises CannotExport if it is not `points`, unless `scale`."""
    try:
        possible = float(written.replace(",", "."))
    except ValueError:
        raise CannotExport(f"{title} has `{written}` in place of points: give it points on the platform.") from None
    if possible != points and not scale:
        raise CannotExport(
            f"{title} has {shown(possible)} points there and {parts} {shown(points)} here: choose the part with --part, "
            "change the assignment, or give --scale to convert the points."
        )
    return possible


def shown(points: float | None, of: float = 0.0, most: float = 0.0) -> str:
    """Return points as text, with two decimals at most, such as 25, 41.5 or 3.33; empty for None.

    Unless `of` is 0, points of a maximum `of` are converted to points of a maximum `most`.
    """
    converted = points * most / of if points is not None and of else points
    return "" if converted is None else f"{converted:.2f}".rstrip("0").rstrip(".")
