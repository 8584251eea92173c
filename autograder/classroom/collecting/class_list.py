"""`roster.csv` of a class folder: who takes part, as somebody gave it, or as downloads have told."""

from dataclasses import astuple, dataclass
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.classroom.collecting.entry_names import ROSTER
from autograder.classroom.people import COLUMNS, People, read_people
from autograder.classroom.tables import to_table

GIVEN = ".roster-was-given"
"""Beside a list that somebody gave: it says who takes part, so nobody is added to it."""


@dataclass(frozen=True)
class ClassList:
    """The list of a class folder. given: the content of one that somebody gave, else empty."""

    folder: Path
    people: People
    given: bytes

    def write(self, people: People) -> None:
        """Write who is in it now; what was given stays as it is if nobody has changed."""
        is_as_given = self.given and people == self.people
        atomic_write(self.folder / ROSTER, self.given if is_as_given else to_table(COLUMNS, map(astuple, people.all)))
        if self.given:
            (self.folder / GIVEN).touch()


def read_class_list(folder: Path, given: Path | None) -> ClassList:
    """Read the list that somebody gives, else that of a class folder; nobody is in none. Raises BadRoster."""
    own = folder / ROSTER
    path = given or own
    if not given and not own.exists():
        return ClassList(folder, People(), b"")
    people = read_people(path)
    is_given = path.resolve() != own.resolve() or (folder / GIVEN).exists()
    return ClassList(folder, people, path.read_bytes() if is_given else b"")
