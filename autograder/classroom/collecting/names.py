"""Who is who: under which name in the class folder each person's work lies, always the same."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, count

from autograder.classroom.collecting.class_list import ClassList
from autograder.classroom.collecting.entry_names import as_entry, without_at
from autograder.classroom.collecting.handed_in import HandedIn
from autograder.classroom.collecting.platforms import CANVAS, Download, Upload
from autograder.classroom.people import People, Person, folded

UNIQUE = ("id", "login", "email")
"""The columns of a roster that tell who somebody is."""


class Names:
    """Under which name in the class folder each person's work lies, always the same."""

    def __init__(self, class_list: ClassList, download: Download, rows: Sequence[HandedIn]) -> None:
        self._grows = not class_list.given
        self._has_lasting_ids = download.platform == CANVAS
        self._people = _where_their_work_is(class_list.people, rows, self._has_lasting_ids)
        rows = rows if self._has_lasting_ids else ()
        self._numbers = _numbers(self._people, rows) if self._grows or self._has_lasting_ids else {}
        self._known = self._recognized(download)
        self._found: dict[Person, Person] = {}
        self._taken = {folded(as_entry(person.entry)) for person in self._people.all}
        self._told = {(column, folded(getattr(person, column))) for person in self._people.all for column in UNIQUE}

    def by_entry(self, uploads: Iterable[Upload]) -> dict[str, list[Upload]]:
        """Return the uploads by the names of entries."""
        found: dict[str, list[Upload]] = {}
        for upload in uploads:
            found.setdefault(self._entry_of(upload), []).append(upload)
        return dict(sorted(found.items()))

    def _entry_of(self, upload: Upload) -> str:
        """Return the name of a person's entry; a person whom nobody knows gets one."""
        person = self._known.get(upload.person) or self._found.get(upload.person) or self._stranger(upload.person)
        return as_entry(person.entry)

    @property
    def strangers(self) -> list[str]:
        """The names of the entries of those whom a list that was given does not name."""
        return [] if self._grows else [person.folder for person in self._found.values()]

    @property
    def all(self) -> list[str]:
        """The names of the entries of all who take part, or have handed in."""
        return sorted({as_entry(person.entry) for person in (*self._people.all, *self._found.values())})

    def _recognized(self, download: Download) -> dict[Person, Person]:
        """Return by what the platform tells of somebody whom of the roster that is.

        A number is a person's. A name finds whoever no number is known of, and nobody where two of the download would be the same.
        """
        told = {upload.person: upload for upload in download.uploads}
        numbered = {one: person for one in told if (person := self._numbers.get(one.id))}
        named = {one: person for one in told.keys() - numbered.keys() if (person := self._named(told[one]))}
        times = Counter([*numbered.values(), *named.values()])
        return numbered | {one: person for one, person in named.items() if times[person] == 1}

    def _named(self, upload: Upload) -> Person | None:
        if upload.logins:
            return next(filter(None, map(self._people.of, upload.logins)), None)
        person = self._people.named(upload.person.name) or self._rotated.get(_squashed(upload.person.name))
        has_another = self._has_lasting_ids and person in self._numbers.values()
        return None if has_another else person

    @cached_property
    def _rotated(self) -> dict[str, Person | None]:
        """Everybody of a roster by their name as Canvas writes it; None for those of several."""
        found: dict[str, Person | None] = {}
        for person in self._people.all if self._has_lasting_ids else ():
            for rotated in _rotated(person.name):
                found[rotated] = None if rotated in found else person
        return found

    def _stranger(self, told: Person) -> Person:
        own = {column: self._of_nobody_else(told, column) for column in UNIQUE}
        person = Person(name=told.name, folder=self._free_folder(told), **own)
        self._found[told] = person
        return person

    def _free_folder(self, told: Person) -> str:
        """Return the name of an entry that is nobody's yet, and by which nobody else of the roster is meant."""
        name = told.login or without_at(told.name)
        suffixes = chain([""], filter(None, [told.id and f"-{told.id}"]), (f"-{number}" for number in count(2)))
        folders = (as_entry(without_at(name) if suffix else name, suffix) for suffix in suffixes)
        folder = next(one for one in folders if folded(one) not in self._taken and not self._people.of(one))
        self._taken.add(folded(folder))
        return folder

    def _of_nobody_else(self, told: Person, column: str) -> str:
        """Return what a platform tells of somebody, nothing where it has told it of another: no two rows of a roster may have it."""
        value: str = getattr(told, column)
        said = column, folded(value)
        if said in self._told:
            return ""
        self._told.add(said)
        return value

    def people(self, doubtful: Collection[str]) -> People:
        """Return who is to stand in the list: of one that was given, with where the work lies of who was not in it before.

        doubtful: the names of entries of those who may be somebody else, so that their number stays.
        """
        if not self._grows:
            return self._people
        now = {person: told.id for told, person in self._known.items() if told.id}
        kept = (
            person if as_entry(person.entry) in doubtful else replace(person, id=now.get(person, person.id))
            for person in self._people.all
        )
        return People(tuple(sorted((*kept, *self._found.values()), key=lambda person: person.entry)))


def _where_their_work_is(people: People, rows: Iterable[HandedIn], has_lasting_ids: bool) -> People:
    """Return people with the folders in which their work lies already, as Canvas's ids in the names of its files tell, elsewhere their names."""
    by_id = {person.id: person for person in people.all if person.id}
    if has_lasting_ids:
        told = {(by_id.get(number), row.student) for row in rows for number in row.ids}
    else:
        told = {(people.named(row.student), row.student) for row in rows}
    persons, students = (Counter(column) for column in zip(*told, strict=True)) if told else (Counter(), Counter())
    there = {person: student for person, student in told if persons[person] == students[student] == 1}
    taken = {folded(as_entry(person.entry)) for person in people.all}

    def placed(person: Person) -> Person:
        folder = there.get(person, "")
        known = person.folder or not folder or folded(folder) in taken or as_entry(person.entry) in students
        return person if known else replace(person, folder=folder)

    return People(tuple(map(placed, people.all)))


def _numbers(people: People, rows: Iterable[HandedIn]) -> dict[str, Person]:
    """Return everybody by the platform's number: as the roster has it, else as what they have handed in tells."""
    by_entry = {as_entry(person.entry): person for person in people.all if not person.id}
    told = {number: by_entry[row.student] for row in rows if row.student in by_entry for number in row.ids}
    return told | {person.id: person for person in people.all if person.id}


def _squashed(name: str) -> str:
    """Return a name as Canvas writes it: letters and digits alone."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def _rotated(name: str) -> set[str]:
    """Return a name in letters alone, whichever of its words comes first."""
    words = [word for word in map(_squashed, name.split()) if word]
    return {"".join(words[place:] + words[:place]) for place in range(len(words))}
