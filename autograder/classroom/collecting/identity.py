"""Find the student of each upload: by id, login or e-mail, else by a name that only one person has."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from autograder.classroom.attempts import HANDED_IN
from autograder.classroom.collecting.platforms import Upload
from autograder.classroom.people import ROSTER, People, Person, folded, people_in, read_people, rotated, squashed
from autograder.submission.archive import is_junk
from autograder.submission.model import shown

RESERVED = {HANDED_IN, ROSTER, "marks"}
"""Names in a class folder that no entry may have."""


def read_roster(out: Path, given: Path | None) -> People:
    """Read the roster `given`; if None, the roster in the class folder `out`.

    People who have an entry in the class folder keep the entry and their id. Raises BadRoster.
    """
    kept = people_in(out)
    people = read_people(given) if given else kept
    known = {person: one for one in kept.all if (out / one.entry).exists() and (person := people.match(one))}

    def placed(person: Person) -> Person:
        before = known.get(person, person)
        entry = as_entry(before.entry)
        folder = person.folder if entry == person.entry else entry
        return replace(person, folder=folder, id=person.id or before.id)

    return People(tuple(map(placed, people.all)))


class Identity:
    """Assigns uploads to the people of a class. is_complete: True if nobody is added to `people`."""

    def __init__(self, people: People, is_complete: bool) -> None:
        self.people = people
        self.newcomers: list[Person] = []
        self.unmatched: dict[Person, list[Upload]] = {}
        self._is_complete = is_complete

    def by_entry(self, uploads: Iterable[Upload]) -> dict[str, list[Upload]]:
        """Return uploads by the student's entry. Unknown people go to `newcomers` or `unmatched`."""
        told: dict[Person, list[Upload]] = {}
        for upload in uploads:
            told.setdefault(upload.person, []).append(upload)
        people, entries = self.people, Counter(person.entry for person in self.people.all)
        known_names = {name for person in people.all for name in rotated(person.name)}
        matches = {one: known for one in told if (known := people.match(one)) and entries[known.entry] == 1}
        times = Counter(matches.values())  # two of a download may match the same person
        names = Counter(one.login or one.name for one in told)
        found: dict[str, list[Upload]] = {}
        for one, own in told.items():
            person, is_alone = matches.get(one), names[one.login or one.name] == 1
            if person and times[person] == 1:
                known = replace(person, id=person.id or one.id)  # nobody else is taken for them by name
                self.people = People(tuple(known if other is person else other for other in self.people.all))
                found[person.entry] = own
            elif self._is_complete or squashed(one.login or one.name) in known_names:
                self.unmatched[replace(one, folder="") if is_alone else one] = own
            else:
                found[self._newcomer(one, is_alone).entry] = own
        return dict(sorted(found.items()))

    def _newcomer(self, told: Person, is_alone: bool) -> Person:
        """Add a newcomer with an unused entry. is_alone: True if nobody else in the download has the name."""
        taken = {folded(one.entry) for one in self.people.all}
        name = told.login or told.name.replace("@", "_")
        names = [name] if is_alone else []
        names += [told.folder or f"{name}-{told.id}"] if told.folder or told.id else []
        entries = map(as_entry, chain(names, (f"{name}-{number}" for number in count(2))))
        entry = next(one for one in entries if folded(one) not in taken and not self.people.of(one))
        person = replace(told, folder=entry)
        self.newcomers.append(person)
        self.people = People((*self.people.all, person))
        return person


def as_entry(name: str) -> str:
    """Return a name changed so that every system allows it for an entry, and it is not in RESERVED."""
    safe = safe_name(name)
    return f"_{safe}" if not safe or is_junk(safe) or folded(safe) in RESERVED else safe


def safe_name(name: str) -> str:
    """Return a name with `_` for each character that an operating system forbids in file names."""
    safe = "".join("_" if character in '/\\:*?"<>|' else character for character in shown(name))
    return unicodedata.normalize("NFC", safe).strip(" .")
