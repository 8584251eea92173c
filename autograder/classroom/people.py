"""Who takes part: a `roster.csv`, and under which names somebody's work and marks are found in other programs."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from autograder.classroom.tables import NotTable, harmless, read_table, without_apostrophe
from autograder.course.errors import ExplainedError

Key = TypeVar("Key")


class BadRoster(ExplainedError):
    """A roster cannot be used. The message says why and what to do."""


@dataclass(frozen=True)
class Person:
    """Somebody who takes part. name: as people write it. folder: the name of their entry in a class folder, if it is none of the others. sis_id: at the university."""

    name: str = ""
    id: str = ""
    login: str = ""
    email: str = ""
    folder: str = ""
    sis_id: str = ""

    @property
    def entry(self) -> str:
        """The name by which their work is expected."""
        return self.folder or self.login or self.id or self.email or self.name


COLUMNS = tuple(field.name for field in fields(Person))

ALSO_CALLED = {"student": "name", "sis login id": "login", "sis user id": "sis_id"}
"""What Canvas's gradebook calls these columns: it is a roster, too."""

FIRST, LAST = "first_name", "last_name"
"""What nbgrader's list of students calls the two halves of a name."""

NOBODY = ("points possible", "student, test")
"""What stands in place of a name in rows of Canvas's gradebook that are nobody's."""

MOST_TELLING = ("folder", "login", "id", "email", "sis_id")
"""The columns that tell who somebody is, in the order in which they are looked in. Names are looked in last: people choose them, and several may have one."""


@dataclass(frozen=True)
class People:
    """All who take part, in the order of the roster."""

    all: tuple[Person, ...] = ()

    def of(self, name: str) -> Person | None:
        """Return whom a name means, without regard to case, to what follows an @, to the form of Unicode, and to the order of its words.

        None for nobody, and for a name of several.
        """
        whole = folded(name)
        known = next((known for known in (whole, before_at(whole)) if known in self._by_column), None)
        return self.named(name) if known is None else self._by_column[known]

    def named(self, name: str) -> Person | None:
        """Return who is called that, in whichever order of words; None for nobody, and for a name of several."""
        whole = folded(name)
        return self._by_name[whole] if whole in self._by_name else self._by_words.get(words_of(name))

    def called(self, name: str) -> list[Person]:
        """Return all whom a name may mean."""
        whole, words = folded(name), words_of(name)
        return [
            person
            for person in self.all
            if whole in map(folded, astuple(person)) or (words and words == words_of(person.name))
        ]

    def absent(self, names: Iterable[str]) -> list[Person]:
        """Return those whom none of these names means."""
        there = {self.of(name) for name in names}
        return [person for person in self.all if person not in there]

    def strangers(self, names: Iterable[str]) -> list[str]:
        """Return the names that mean nobody."""
        return [name for name in names if not self.of(name)]

    @cached_property
    def _by_column(self) -> dict[str, Person | None]:
        """Everybody by what tells who they are: None for what several have, the most telling columns first."""
        found: dict[str, Person | None] = {}
        for shorten in (str, before_at):
            for column in MOST_TELLING:
                found = self._by_cell(column, shorten) | found
        return found

    def _by_cell(self, column: str, shorten: Callable[[str], str]) -> dict[str, Person | None]:
        return self._by(lambda person: shorten(folded(getattr(person, column))))

    @cached_property
    def _by_name(self) -> dict[str, Person | None]:
        return self._by(lambda person: folded(person.name))

    @cached_property
    def _by_words(self) -> dict[tuple[str, ...], Person | None]:
        return self._by(lambda person: words_of(person.name))

    def _by(self, key: Callable[[Person], Key]) -> dict[Key, Person | None]:
        """Return everybody by something that they may have; None for what several have."""
        found: dict[Key, Person | None] = {}
        for person in self.all:
            if known := key(person):
                found[known] = person if found.get(known, person) is person else None
        return found


def read_people(path: Path) -> People:
    """Read a roster: a table with some of the columns name, id, login, email, folder, sis_id, a gradebook of Canvas's or a list of nbgrader's.

    Other columns are ignored. Raises BadRoster.
    """
    try:
        table = read_table(path.read_bytes())
    except OSError as error:
        raise BadRoster(f"{path} cannot be read: {error.strerror}.") from None
    except NotTable as error:
        raise BadRoster(f"{path}: {error}") from None
    header = [folded(name) for name in table.header]
    places = {ALSO_CALLED.get(name, name): place for place, name in enumerate(header)}
    columns = {name: places[name] for name in (*COLUMNS, FIRST, LAST) if name in places}
    rows = (
        _person({name: without_apostrophe(harmless(row[place])) for name, place in columns.items() if row[place]})
        for row in table.rows
    )
    people = tuple(person for person in rows if person.entry and folded(person.name) not in NOBODY)
    if not people:
        columns_expected = f"a first row with some of {', '.join(COLUMNS)} was expected, then a row for each person"
        raise BadRoster(f"{path} names nobody: {columns_expected}.")
    _refuse_doubles(people, path)
    return People(people)


def entry_finder(people: People, entries: Collection[str]) -> Callable[[str], str | None]:
    """Return what finds the entry that a name means: as it is written, or by any name of its person."""
    persons = {people.of(entry) or Person(folder=entry): entry for entry in entries}
    everybody = People(tuple(persons))

    def of(name: str) -> str | None:
        person = None if name in entries else everybody.of(name)
        return name if name in entries else persons[person] if person else None

    return of


def refuse_contradiction(people: People, kept: People) -> None:
    """Raise BadRoster where a roster gives an entry to one person by its name, and to another by the id that was kept with it: names are chosen."""
    by_id = {person.id: person for person in people.all if person.id}
    for entry in kept.all:
        named, numbered = people.of(entry.entry), by_id.get(entry.id)
        if named and numbered and named is not numbered:
            raise BadRoster(
                f"`{entry.entry}` was handed in by who has the id {entry.id}, {_told(numbered)}, but by that name the roster knows {_told(named)}. "
                f"Look whose work it is, and write `{entry.entry}` into that person's row of the roster, in a column `folder`."
            )


def refuse_two_of_one(people: People, names: Iterable[str], what: str) -> None:
    """Raise BadRoster where two names mean the same person. what: whose names they are, for the message."""
    taken: dict[Person, str] = {}
    for name in names:
        if (person := people.of(name)) and taken.setdefault(person, name) != name:
            raise BadRoster(
                f"{what} `{taken[person]}` and `{name}` are both {person.name or person.entry}'s: leave one."
            )


def folded(name: str) -> str:
    """Return a name as it is compared: in one form of Unicode, without capitals."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).strip().casefold())


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name as they are compared, whichever comes first: "Ada Adams" is "Adams, Ada"."""
    return tuple(sorted(filter(None, re.split(r"[\W_]+", folded(name)))))


def last_first(first: str, last: str) -> str:
    """Return a name of which one program keeps two halves."""
    return ", ".join(filter(None, (last, first)))


def before_at(name: str) -> str:
    """Return a login without its domain."""
    return name.partition("@")[0]


def _told(person: Person) -> str:
    return f"{person.name or person.entry} ({person.entry})"


def _person(cells: dict[str, str]) -> Person:
    halves = last_first(cells.pop(FIRST, ""), cells.pop(LAST, ""))
    return Person(**{"name": halves, **cells})


def _refuse_doubles(people: tuple[Person, ...], path: Path) -> None:
    for column in MOST_TELLING:
        seen: set[str] = set()
        for person in people:
            value: str = getattr(person, column)
            known = folded(value)
            if known in seen:
                raise BadRoster(f"{path}: two rows have the {column} `{value}`: each person has a row of their own.")
            if known:
                seen.add(known)
