"""The marks of a class in the formats of learning platforms: a module for each format."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autograder.classroom.grades import Grades
from autograder.classroom.people import People, Person


class CannotExport(Exception):
    """Marks do not fit a format, or a file of a platform is wrong. The message says why and what to do."""


@dataclass(frozen=True)
class Filled:
    """A file to import into a platform. strangers: students without a row of their own in it."""

    content: bytes
    strangers: tuple[str, ...]


def rows_of(grades: Grades, rows: Iterable[Person]) -> Mapping[str, int]:
    """Return the row number of each student. Raises CannotExport if two students have the same row.

    rows: the person of each row. Students without a row are left out.
    """
    people = People(tuple(rows))
    places = {id(person): place for place, person in enumerate(people.all)}
    found: dict[str, int] = {}
    for name, student in grades.students.items():
        own = student.person
        if person := people.match(replace(own, folder=own.folder or name)):
            place = places[id(person)]
            if other := next((other for other, taken in found.items() if taken == place), ""):
                called = person.name or person.entry
                raise CannotExport(f"`{other}` and `{name}` are both the student `{called}`: correct the roster.")
            found[name] = place
    return found


def shown(points: float) -> str:
    """Return points as text, with two decimals at most: 25, 41.5, 3.33."""
    return f"{points:.2f}".rstrip("0").rstrip(".")
