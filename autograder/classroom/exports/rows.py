"""Whose row is whose, in a file that a platform exported and that is filled in."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.classroom.exports import CannotExport
from autograder.classroom.grades import Grades, StudentGrade
from autograder.classroom.people import before_at, folded, words_of

Key = TypeVar("Key")

CORRECT = (
    "Look whose work it is, and correct the roster: `roster.csv` in the folder of results, or another with --roster."
)


@dataclass(frozen=True)
class Filled:
    """A file to import. content: the file. strangers: students with final points who are not in it."""

    content: bytes
    strangers: tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """The columns in which a student is looked for.

    ids: what the platform or the university gives, the most telling first. number: the one of them with the platform's number. is_lasting: a person keeps it, so
    that nobody has another. name: what people may choose themselves; it finds a row where nothing else does. names: its cells.
    """

    ids: Mapping[str, Sequence[str]]
    number: str
    is_lasting: bool
    name: str
    names: Sequence[str]


def rows_of(grades: Grades, columns: Columns) -> dict[str, int]:
    """Return the place of each student's row, of those who have one. Raises CannotExport if that is not clear."""
    rows = _Rows(columns)
    places = {name: rows.place_of(student) for name, student in grades.students.items()}
    found = {name: place for name, place in places.items() if place is not None}
    _require_own_rows(found, columns)
    return found


class _Rows:
    """The rows of a platform's file, by what tells whose they are."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._whole = {column: _places(cells, folded) for column, cells in columns.ids.items()}
        self._short = {column: _places(cells, _without_domain) for column, cells in columns.ids.items()}
        self._named = _places(columns.names, _as_name)

    def place_of(self, student: StudentGrade) -> int | None:
        """Return the row of a student; None if there is none. Raises CannotExport."""
        person = student.person
        own = {person.login, person.sis_id, person.id, person.email}
        entry = {student.name, person.folder} if _as_name(student.name) != _as_name(person.name) else set[str]()
        for known in (own, entry):
            place = self._of_ids(student, {name for name in known if name})
            if place is not None:
                self._require_same_name(student, place)
                return place
        return self._of_name(student)

    def _of_ids(self, student: StudentGrade, known: Iterable[str]) -> int | None:
        whole = {place for places in self._whole.values() for name in known for place in places.get(folded(name), ())}
        if len(whole) > 1:
            called = " and ".join(f"`{self._called(place)}`" for place in sorted(whole))
            raise CannotExport(f"what is known of `{student.name}` stands in the rows of {called}. {CORRECT}")
        if whole:
            return whole.pop()
        for column, places in self._short.items():
            here = {place for name in known for place in places.get(_without_domain(name), ())}
            if here:
                return self._only(here, column, student)
        return None

    def _of_name(self, student: StudentGrade) -> int | None:
        here = self._named.get(_as_name(student.person.name or student.name), ())
        if not here:
            return None
        place = self._only(here, self._columns.name, student)
        number = self._number(place)
        if self._columns.is_lasting and student.person.id and number:
            raise CannotExport(
                f"`{student.name}` has the {self._columns.number} {student.person.id}, and the only row of that name, `{self._called(place)}`, has {number}. "
                f"{CORRECT}"
            )
        return place

    def _only(self, places: Iterable[int], column: str, student: StudentGrade) -> int:
        place, *others = places
        if others:
            raise CannotExport(
                f"{1 + len(others)} students have the {column} `{student.name}`: rename the submission to an ID."
            )
        return place

    def _require_same_name(self, student: StudentGrade, place: int) -> None:
        """Refuse a number that changes, as it was noted under a name, in the row of another name."""
        person, called = student.person, self._called(place)
        if self._columns.is_lasting or not person.id or not person.name or not called:
            return
        if folded(self._number(place)) == folded(person.id) and _as_name(person.name) != _as_name(called):
            raise CannotExport(
                f"`{student.name}` is {person.name} in the roster and has the {self._columns.number} {person.id}, which is `{called}` here. {CORRECT}"
            )

    def _number(self, place: int) -> str:
        return self._columns.ids[self._columns.number][place].strip()

    def _called(self, place: int) -> str:
        return self._columns.names[place] if self._columns.names else self._number(place)


def _places(cells: Iterable[str], key: Callable[[str], Key]) -> Mapping[Key, list[int]]:
    """Return in which rows each name stands."""
    found = defaultdict(list)
    for place, cell in enumerate(cells):
        if cell.strip():
            found[key(cell)].append(place)
    return found


def _without_domain(name: str) -> str:
    return before_at(folded(name))


def _as_name(name: str) -> tuple[str, ...]:
    """Return a name as it is compared, in whichever order of words."""
    return words_of(name) or (folded(name),)


def _require_own_rows(rows: Mapping[str, int], columns: Columns) -> None:
    (place, students), *_ = Counter(rows.values()).most_common(1) or [(0, 0)]
    if students > 1:
        names = " and ".join(f"`{student}`" for student, other in rows.items() if other == place)
        called = columns.names[place] if columns.names else columns.ids[columns.number][place]
        raise CannotExport(f"{names} are both the student `{called}`: remove the marks of one of them.")
