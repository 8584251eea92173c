"""`handed_in.csv` in a class folder: which part each student handed in, when, and from which file of a download."""

import functools
import os
from collections.abc import Iterable, Set
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.classroom.collecting.platforms import id_of, number_of, participant_of
from autograder.classroom.tables import NotTable, harmless, read_table, to_table, without_apostrophe
from autograder.course.errors import ExplainedError
from autograder.submission.archive import read_file
from autograder.submission.model import Unreadable, shown

HANDED_IN = "handed_in.csv"

LATE = "late, the platform does not tell when"
"""In place of a time: how late it counts as, a person has to say."""

LARGEST_LIST = 100_000_000

BETWEEN_FILES = "; "

LONGEST_PLACE = 4096
"""No system takes a longer path; following one takes seconds."""


class BadHandedIn(ExplainedError):
    """The list of a class folder's hand-ins cannot be used. The message says why and what to do."""


@dataclass(frozen=True)
class HandedIn:
    """A part that a student handed in.

    part: empty where what was handed in holds none. handed_in_at: ISO 8601 with a zone; empty where the platform does not tell.
    late: `yes`, `no`, or empty. from_file: of the download, several separated by `; `. place: in the class folder.
    """

    student: str
    part: str
    handed_in_at: str
    late: str
    from_file: str
    place: str

    @property
    def files(self) -> list[str]:
        """The names of its files in the download."""
        return self.from_file.split(BETWEEN_FILES)

    @property
    def number(self) -> int:
        """Which of all uploads it is, 0 where the platform does not count them."""
        return max(map(number_of, self.files))

    @property
    def ids(self) -> set[str]:
        """Canvas's ids of whose it is."""
        return {*map(id_of, self.files)} - {""}

    def is_anothers(self, participants: Set[str]) -> bool:
        """Return whether Moodle's numbers, which are of one assignment, tell it from a hand-in under others."""
        own = {*map(participant_of, self.files)} - {""}
        return bool(own and participants) and own.isdisjoint(participants)


COLUMNS = tuple(field.name for field in fields(HandedIn))


def read_handed_in(folder: Path) -> list[HandedIn]:
    """Read the list of a class folder, empty where there is none. Raises BadHandedIn."""
    path = folder / HANDED_IN
    if not os.path.lexists(path):
        return []
    try:
        content = read_file(path, folder, shown(str(path)), LARGEST_LIST)
    except Unreadable as error:
        raise BadHandedIn(str(error)) from None
    try:
        table = read_table(content)
    except NotTable as error:
        raise BadHandedIn(f"{path}: {error}") from None
    if missing := [column for column in COLUMNS if column not in table.header]:
        raise BadHandedIn(f"{path} has no column `{missing[0]}`: its first row was {','.join(COLUMNS)}.")
    places = [table.header.index(column) for column in COLUMNS]
    as_written = functools.cache(lambda cell: harmless(without_apostrophe(cell)))
    rows = [HandedIn(*(as_written(row[place]) for place in places)) for row in table.rows]
    root = os.path.realpath(folder)
    if strays := [place for place in dict.fromkeys(row.place for row in rows) if not _is_within(root, place)]:
        raise BadHandedIn(f"{path} has the place `{strays[0]:.80}`, which is not in {folder}: somebody has changed it.")
    return rows


def _is_within(root: str, place: str) -> bool:
    """Tell whether a place lies in a folder, wherever links lead: what lies there may be moved."""
    return len(place) <= LONGEST_PLACE and os.path.realpath(os.path.join(root, place)).startswith(root + os.sep)


def write_handed_in(folder: Path, rows: Iterable[HandedIn]) -> None:
    """Write the list of a class folder, sorted by student and part."""
    content = to_table(COLUMNS, map(astuple, sorted(rows, key=astuple)))
    atomic_write(folder / HANDED_IN, content)
