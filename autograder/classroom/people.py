"""Read the people of a class from `roster.csv`, and find the person whom a name identifies."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

from autograder.classroom.tables import read_rows
from autograder.course.errors import ExplainedError

ROSTER = "roster.csv"


class BadRoster(ExplainedError):
    """A roster is invalid. The message has the reason."""


@dataclass(frozen=True)
class Person:
    """A row of a roster. folder: see `entry`. sis_id: Canvas's SIS User ID or Moodle's Identifier."""

    name: str = ""
    id: str = ""
    login: str = ""
    email: str = ""
    folder: str = ""
    sis_id: str = ""

    @property
    def entry(self) -> str:
        """The name of the person's entry in a class folder."""
        return self.folder or self.login or self.id or self.email or self.name


COLUMNS = tuple(field.name for field in fields(Person))

ALSO_CALLED = {
    **{"student": "name", "sis login id": "login", "sis user id": "sis_id"},
    **{"full name": "name", "username": "login", "id number": "id", "email address": "email", "identifier": "sis_id"},
    **{"first name": "first_name", "last name": "last_name", "surname": "last_name"},
}
"""Columns of Canvas's and Moodle's tables in lower case, each with the column of a roster that it is."""

NOBODY = ("points possible", "student, test")
"""Names in Canvas's gradebook that belong to no student."""

UNIQUE = ("folder", "login", "id", "email", "sis_id")
"""Columns that identify a person, in the order in which they are searched. Names are searched last."""


@dataclass(frozen=True)
class People:
    """The people of a class, in the order of the roster."""

    all: tuple[Person, ...] = ()

    def of(self, name: str) -> Person | None:
        """Return the person with this text in a column of UNIQUE, else the only person of this name.

        Case, the form of Unicode, the text after an @ and the order of first and last name are
        ignored. Returns None if nobody or several people match.
        """
        known = next((text for text in forms(name) if text in self._by_column), None)
        return self._by_name.get(squashed(name)) if known is None else self._by_column[known]

    def match(self, told: Person) -> Person | None:
        """Return the person whom a platform describes, found by id, login or e-mail, else by name.

        told: what the platform says about the person. A person with another id is not found by name.
        """
        texts = (text for value in (told.id, told.login, told.email, told.sis_id) for text in forms(value))
        if known := next(filter(None, map(self._by_column.get, texts)), None):
            return known
        found = self.of(told.folder) or self._by_name.get(squashed(told.name))
        return None if found and told.id and found.id and folded(found.id) != folded(told.id) else found

    def absent(self, names: Iterable[str]) -> list[Person]:
        """Return the people whom none of these names identifies."""
        there = {self.of(name) for name in names}
        return [person for person in self.all if person not in there]

    @cached_property
    def _by_column(self) -> dict[str, Person | None]:
        found: dict[str, Person | None] = {}
        for form in (0, 1):
            for column in UNIQUE:
                found = _unique((forms(getattr(person, column))[form], person) for person in self.all) | found
        return found

    @cached_property
    def _by_name(self) -> dict[str, Person | None]:
        return _unique((name, person) for person in self.all for name in rotated(person.name))


def _unique(values: Iterable[tuple[str, Person]]) -> dict[str, Person | None]:
    """Return people by value; None for a value that several people share."""
    found: dict[str, Person | None] = {}
    for value, person in values:
        if value:
            found[value] = person if found.get(value, person) is person else None
    return found


def read_people(path: Path) -> People:
    """Read a roster: a table with some of COLUMNS, or one of Canvas's or Moodle's. Raises BadRoster."""
    _, rows = read_rows(path, BadRoster)
    found = (person_of(cells) for _, cells in rows)
    people = tuple(person for person in found if person.entry and folded(person.name) not in NOBODY)
    if not people:
        expected = f"a first row with some of {', '.join(COLUMNS)} was expected, then a row for each person"
        raise BadRoster(f"{path} names nobody: {expected}.")
    for column in UNIQUE:
        times = Counter(folded(getattr(person, column)) for person in people)
        if twice := next((value for value in times if value and times[value] > 1), ""):
            raise BadRoster(f"{path}: two rows have the {column} `{twice}`: each person has a row of their own.")
    return People(people)


def person_of(cells: Mapping[str, str]) -> Person:
    """Return the person in a row of a table. cells: by the names of their columns in lower case."""
    cells = {ALSO_CALLED.get(column, column): cell for column, cell in cells.items()}
    if "last_name" in cells:  # nbgrader's list of students, or Moodle's list of participants
        cells = {"name": ", ".join(filter(None, (cells["last_name"], cells.get("first_name"))))} | cells
    return Person(**{column: cells[column] for column in COLUMNS if column in cells})


def people_in(folder: Path) -> People:
    """Read the roster in a folder. If there is none, return an empty roster. Raises BadRoster."""
    path = folder / ROSTER
    return read_people(path) if path.is_file() else People()


def entry_finder(people: People, entries: Collection[str]) -> Callable[[str], str | None]:
    """Return a function that finds an entry by its name or by any text that identifies its person."""
    persons = {people.of(entry) or Person(folder=entry): entry for entry in entries}
    everybody = People(tuple(persons))

    def of(name: str) -> str | None:
        person = None if name in entries else everybody.of(name)
        return name if name in entries else persons[person] if person else None

    return of


def refuse_two_of_one(people: People, names: Iterable[str], what: str) -> None:
    """Raise BadRoster if two names mean the same person. what: words before the names in a message."""
    taken: dict[Person, str] = {}
    for name in names:
        if (person := people.of(name)) and taken.setdefault(person, name) != name:
            raise BadRoster(
                f"{what} `{taken[person]}` and `{name}` are both {person.name or person.entry}'s: leave one."
            )


def folded(name: str) -> str:
    """Return a name in lower case and in one form of Unicode, so that names can be compared."""
    return unicodedata.normalize("NFKC", name.strip()).casefold()


def squashed(name: str) -> str:
    """Return only the letters and digits of a folded name; if there are none, the folded name."""
    return "".join(filter(str.isalnum, folded(name))) or folded(name)


def rotated(name: str) -> set[str]:
    """Return a name squashed in each rotation of its words, such as `adalovelace` and `lovelaceada`."""
    words = [squashed(word) for word in name.split() if any(map(str.isalnum, word))]
    return {"".join(words[place:] + words[:place]) for place in range(len(words))} or {squashed(name)}


def forms(name: str) -> tuple[str, str]:
    """Return a folded name, and the folded name without an @ and the text after it."""
    return folded(name), folded(name).partition("@")[0]
