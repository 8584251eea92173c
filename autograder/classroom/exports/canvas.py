"""The gradebook that Canvas exported as CSV, with the points of our parts filled in, to be imported there again.

How Canvas writes and reads it: lib/gradebook_exporter.rb and lib/gradebook_importer.rb in instructure/canvas-lms.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.classroom.exports import CannotExport
from autograder.classroom.exports.rows import Filled, rows_of
from autograder.classroom.exports.scores import shown
from autograder.classroom.grades import Grades, PartGrade, State
from autograder.classroom.people import Person
from autograder.classroom.tables import NotTable, Table, read_table
from autograder.exam.syllabus import SyllabusPart

IDENTIFIERS = {"Student": "name", "ID": "id", "SIS Login ID": "login", "SIS User ID": "sis_id"}
"""Columns about a student, and those of a roster."""

LAST_OF_STUDENT = "Section"
POINTS_POSSIBLE = "Points Possible"
POSTING = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)
TITLE = re.compile(r"(?P<title>.*?)(?: \(\d+\))?", re.DOTALL)
READ_ONLY = "(read only)"
EXCUSED = "EX"
KEPT = (EXCUSED, "N/A")
"""Excused, and not assigned to this student: what somebody decided in Canvas stays."""


@dataclass(frozen=True)
class Gradebook:
    """A gradebook that Canvas exported. points: the row Points Possible. students: their rows."""

    table: Table
    points: list[str]
    students: list[list[str]]

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return self.table.header


@dataclass(frozen=True)
class Assignment:
    """The place of a part in a gradebook. column: its number. possible: the points of the assignment in Canvas. points: here."""

    part: SyllabusPart
    column: int
    possible: float
    points: float


def read_gradebook(content: bytes) -> Gradebook:
    """Read an exported gradebook. Raises CannotExport."""
    try:
        table = read_table(content)
    except NotTable as error:
        raise CannotExport(f"{error} Give the file as Canvas exported it.") from None
    header = table.header
    if "ID" not in header or LAST_OF_STUDENT not in header:
        raise CannotExport(
            f"its first row has no columns ID and {LAST_OF_STUDENT}. Export the gradebook in Canvas and give that file."
        )
    points = next((row for row in table.rows if POINTS_POSSIBLE in row[0]), None)
    if not points:
        raise CannotExport(f"it has no row {POINTS_POSSIBLE}. Export the gradebook in Canvas and give that file.")
    students = [row for row in table.rows if row is not points and not all(map(POSTING.fullmatch, row))]
    return Gradebook(table, points, students)


def fill(book: Gradebook, grades: Grades, titles: Mapping[str, str], scale: bool) -> Filled:
    """Fill in a column for each part. Raises CannotExport.

    titles: of the assignments, by part, if it is neither the part's name nor its title. scale: convert the points if an
    assignment has other points than the part. What could not be read keeps what is there, until somebody has decided; so do students
    without final points.
    """
    assignments = [_assignment(book, part, grades, titles.get(part.name), scale) for part in grades.parts]
    _require_own_columns(book, assignments)
    about = {IDENTIFIERS[name]: place for place, name in enumerate(book.header) if name in IDENTIFIERS}
    people = [Person(**{column: row[place] for column, place in about.items()}) for row in book.students]
    rows = rows_of(grades, people)
    filled = [list(row) for row in book.students]
    for student, row in rows.items():
        for one in assignments:
            if filled[row][one.column].strip() not in KEPT:
                points = _points(grades.students[student].part(one.part.name), one)
                filled[row][one.column] = filled[row][one.column] if points is None else points
    written = [*range(book.header.index(LAST_OF_STUDENT) + 1), *(one.column for one in assignments)]
    content = book.table.to_bytes([row[column] for column in written] for row in (book.header, book.points, *filled))
    return Filled(content, tuple(name for name in grades.students if name not in rows))


def _assignment(book: Gradebook, part: SyllabusPart, grades: Grades, title: str | None, scale: bool) -> Assignment:
    column, points = _column(book, part, title), grades.max_points[part.name]
    return Assignment(part, column, _possible(book, part, column, points, scale), points)


def _column(book: Gradebook, part: SyllabusPart, title: str | None) -> int:
    """Return the column of a part's assignment. An unknown title would make Canvas create a new assignment."""
    wanted = {title} if title else {part.name, part.title}
    headers = _headers(book)
    found = [column for column, header in headers.items() if {header, _title(header)} & wanted]
    if len(found) == 1:
        return found[0]
    given = f"--column {part.name}=TITLE"
    if found:
        same = " and ".join(f"`{headers[column]}`" for column in found)
        raise CannotExport(f"{same} may both be the column of {part.name}: choose one with its number, {given}.")
    there = ", ".join(f"`{_title(header)}`" for header in headers.values()) or "none"
    missing = " nor ".join(f"`{one}`" for one in sorted(wanted))
    raise CannotExport(
        f"it has no column {missing} for {part.name}, and Canvas would create a new assignment. "
        f"Its assignments: {there}. Say which one it is with {given}."
    )


def _headers(book: Gradebook) -> dict[int, str]:
    """Return the columns that can be written, by their number."""
    first = book.header.index(LAST_OF_STUDENT) + 1
    return {column: book.header[column] for column in range(first, len(book.header)) if not _is_read_only(book, column)}


def _is_read_only(book: Gradebook, column: int) -> bool:
    return book.points[column].strip().lower() == READ_ONLY


def _title(header: str) -> str:
    """Return an assignment's title without the number that Canvas puts behind it."""
    found = TITLE.fullmatch(header)
    return found["title"] if found else header


def _possible(book: Gradebook, part: SyllabusPart, column: int, points: float, scale: bool) -> float:
    """Return the points of a part's assignment."""
    written, title = book.points[column].strip(), _title(book.header[column])
    try:
        possible = float(written.replace(",", "."))
    except ValueError:
        raise CannotExport(f"`{title}` has no points possible but `{written}`: set them in Canvas.") from None
    if possible != points and not scale:
        raise CannotExport(
            f"`{title}` has {shown(possible)} points in Canvas and {part.name} has {shown(points)}: "
            f"change it in Canvas, or give --scale to convert the points."
        )
    return possible


def _require_own_columns(book: Gradebook, assignments: list[Assignment]) -> None:
    (column, parts), *_ = Counter(one.column for one in assignments).most_common(1)
    if parts > 1:
        names = " and ".join(one.part.name for one in assignments if one.column == column)
        raise CannotExport(f"`{book.header[column]}` cannot be the column of {names}: give each its own with --column.")


def _points(part: PartGrade, assignment: Assignment) -> str | None:
    """Return what to write; None for nothing."""
    if part.state == State.EXCUSED:
        return EXCUSED
    if part.points is None:
        return None
    return shown(part.points * assignment.possible / assignment.points if assignment.points else part.points)
