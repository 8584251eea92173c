"""Whose row is whose, in a file that a platform exported and that is filled in."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass

from autograder.classroom.exports import CannotExport
from autograder.classroom.final import FinalPoints, FinalStudent
from autograder.classroom.people import before_at, folded


@dataclass(frozen=True)
class Filled:
    """A file to import. content: the file. strangers: students with final points who are not in it."""

    content: bytes
    strangers: tuple[str, ...]


def rows_of(final: FinalPoints, columns: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the place of each student's row, of those who have one. Raises CannotExport if that is not clear.

    columns: those in which names are looked for, the most telling first. A student is looked for by all names that the roster has.
    """
    found: dict[str, int] = {}
    for column, shorten, places in _places(columns):
        for name, student in final.students.items():
            if name in found:
                continue
            here = {place for known in _names(student) for place in places.get(shorten(known), ())}
            if len(here) > 1:
                raise CannotExport(f"{len(here)} students have the {column} `{name}`: rename the submission to an ID.")
            found.update((name, place) for place in here)
    _require_own_rows(found, columns)
    return found


def _places(
    columns: Mapping[str, Sequence[str]],
) -> Iterator[tuple[str, Callable[[str], str], Mapping[str, list[int]]]]:
    """Yield in which rows each name stands, by column: whole names, then what is before an @."""
    for shorten in (str, before_at):
        for column, cells in columns.items():
            places = defaultdict(list)
            for place, cell in enumerate(cells):
                if cell.strip():
                    places[shorten(folded(cell))].append(place)
            yield column, shorten, places


def _names(student: FinalStudent) -> set[str]:
    return {folded(name) for name in (student.name, *astuple(student.person)) if name}


def _require_own_rows(rows: Mapping[str, int], columns: Mapping[str, Sequence[str]]) -> None:
    (place, students), *_ = Counter(rows.values()).most_common(1) or [(0, 0)]
    if students > 1:
        names = " and ".join(f"`{student}`" for student, other in rows.items() if other == place)
        called = list(columns.values())[-1][place]
        raise CannotExport(f"{names} are both the student `{called}`: remove the marks of one of them.")
