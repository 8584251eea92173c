"""Fill points into the gradebook that Canvas exported as CSV, to be imported there again.

Its format: lib/gradebook_exporter.rb and lib/gradebook_importer.rb in instructure/canvas-lms.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.classroom.exports import CannotExport, Filled, rows_of, shown
from autograder.classroom.grades import Grades, PartGrade, State
from autograder.classroom.people import Person
from autograder.classroom.tables import NotTable, Table, read_table
from autograder.exam.syllabus import SyllabusPart

IDENTIFIERS = {"Student": "name", "ID": "id", "SIS Login ID": "login", "SIS User ID": "sis_id"}
"""Columns about a student in Canvas, each with its column in a roster."""

LAST_OF_STUDENT = "Section"
POINTS_POSSIBLE = "Points Possible"
POSTING = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)
TITLE = re.compile(r"(?P<title>.*?)(?: \(\d+\))?", re.DOTALL)
READ_ONLY = "(read only)"
EXCUSED = "EX"
KEPT = (EXCUSED, "N/A")
"""Cells that stay because somebody decided them in Canvas: excused, and not assigned."""


@dataclass(frozen=True)
class Gradebook:
    """A gradebook that Canvas exported. points: the row Points Possible. students: other rows."""

    table: Table
    points: list[str]
    students: list[list[str]]

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return self.table.header


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

    titles: by part, the title of its assignment, if this is not the name or title of the part. scale:
    convert points to those of the assignment. A part without final points keeps its cell.
    """
    columns = {part.name: _column(book, part, titles.get(part.name)) for part in grades.parts}
    factors = {
        part.name: _factor(book, part, columns[part.name], grades.max_points[part.name], scale) for part in grades.parts
    }
    (column, parts), *_ = Counter(columns.values()).most_common(1)
    if parts > 1:
        names = " and ".join(part for part in columns if columns[part] == column)
        raise CannotExport(f"`{book.header[column]}` cannot be the column of {names}: give each its own with --column.")
    about = {IDENTIFIERS[name]: place for place, name in enumerate(book.header) if name in IDENTIFIERS}
    people = [Person(**{column: row[place] for column, place in about.items()}) for row in book.students]
    rows = rows_of(grades, people)
    filled = [list(row) for row in book.students]
    for student, row in rows.items():
        for part, column in columns.items():
            points = _points(grades.students[student].part(part), factors[part])
            if points is not None and filled[row][column].strip() not in KEPT:
                filled[row][column] = points
    written = [*range(book.header.index(LAST_OF_STUDENT) + 1), *columns.values()]
    content = book.table.to_bytes([row[column] for column in written] for row in (book.header, book.points, *filled))
    return Filled(content, tuple(name for name in grades.students if name not in rows))


def _column(book: Gradebook, part: SyllabusPart, title: str | None) -> int:
    """Return the column of a part's assignment. Raises CannotExport if there is none, or several."""
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
    """Return the headers of the columns that can be written, by the number of the column."""
    first = book.header.index(LAST_OF_STUDENT) + 1
    columns = range(first, len(book.header))
    return {column: book.header[column] for column in columns if book.points[column].strip().lower() != READ_ONLY}


def _title(header: str) -> str:
    """Return an assignment's title without the number that Canvas puts behind it."""
    found = TITLE.fullmatch(header)
    return found["title"] if found else header


def _factor(book: Gradebook, part: SyllabusPart, column: int, points: float, scale: bool) -> float:
    """Return how many points of the assignment one point of its part is worth."""
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
    return possible / points if points else 1.0


def _points(part: PartGrade, factor: float) -> str | None:
    """Return the new content of a part's cell; None to keep the old content."""
    if part.state == State.EXCUSED:
        return EXCUSED
    return None if part.points is None else shown(part.points * factor)
