"""The gradebook that Canvas exported as CSV, with the points of our parts filled in, to be imported there again.

How Canvas writes and reads it: lib/gradebook_exporter.rb and lib/gradebook_importer.rb in instructure/canvas-lms.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports import CannotExport
from autograder.classroom.exports.scores import shown
from autograder.exam.syllabus import SyllabusPart
from autograder.marking.marks import Marks

IDENTIFIERS = ("SIS Login ID", "SIS User ID", "ID", "Student")
"""The columns in which a student's name in the marks is looked for, in this order."""

LAST_OF_STUDENT = "Section"
POINTS_POSSIBLE = "Points Possible"
POSTING = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)
TITLE = re.compile(r"(?P<title>.*?)(?: \(\d+\))?", re.DOTALL)
READ_ONLY = "(read only)"
KEPT = ("EX", "N/A")
"""Excused, and not assigned to this student: what somebody decided in Canvas stays."""


@dataclass(frozen=True)
class Gradebook:
    """A gradebook that Canvas exported. points: the row Points Possible. students: their rows. All rows are as long as the header."""

    header: list[str]
    points: list[str]
    students: list[list[str]]
    delimiter: str
    has_bom: bool


@dataclass(frozen=True)
class Assignment:
    """The place of a part in a gradebook. column: its number. possible: the points of the assignment in Canvas."""

    part: SyllabusPart
    column: int
    possible: float


@dataclass(frozen=True)
class Filled:
    """A gradebook to import. content: the file. strangers: students with marks who are not in it."""

    content: bytes
    strangers: tuple[str, ...]


def read_gradebook(content: bytes) -> Gradebook:
    """Read an exported gradebook. Raises CannotExport."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CannotExport(f"it is not UTF-8 (byte {error.start}). Give the file as Canvas exported it.") from None
    delimiter = max(",;", key=text.partition("\n")[0].count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(row)]
    except csv.Error as error:
        raise CannotExport(f"it is not a CSV file ({error}). Give the file as Canvas exported it.") from None
    header = rows[0] if rows else []
    if "ID" not in header or LAST_OF_STUDENT not in header:
        raise CannotExport(
            f"its first row has no columns ID and {LAST_OF_STUDENT}. Export the gradebook in Canvas and give that file."
        )
    full = [row + [""] * (len(header) - len(row)) for row in rows[1:]]
    points = next((row for row in full if POINTS_POSSIBLE in row[0]), None)
    if not points:
        raise CannotExport(f"it has no row {POINTS_POSSIBLE}. Export the gradebook in Canvas and give that file.")
    students = [row for row in full if row is not points and not all(map(POSTING.fullmatch, row))]
    return Gradebook(header, points, students, delimiter, content.startswith(codecs.BOM_UTF8))


def fill(book: Gradebook, class_marks: ClassMarks, titles: Mapping[str, str], scale: bool) -> Filled:
    """Fill in a column for each part. Raises CannotExport.

    titles: of the assignments, by part, if it is neither the part's name nor its title. scale: convert the points if an
    assignment has other points than the part. What a student did not submit is 0; students without marks keep what is there.
    """
    assignments = [_assignment(book, part, titles.get(part.name), scale) for part in class_marks.parts]
    _require_own_columns(book, assignments)
    rows = {student: _row(book, student) for student in class_marks.students}
    _require_own_rows(book, rows)
    filled = [list(row) for row in book.students]
    for student, row in rows.items():
        for one in assignments:
            if row is not None and filled[row][one.column].strip() not in KEPT:
                filled[row][one.column] = _points(class_marks.students[student], one)
    written = [*range(book.header.index(LAST_OF_STUDENT) + 1), *(one.column for one in assignments)]
    content = _to_csv(book, [[row[column] for column in written] for row in (book.header, book.points, *filled)])
    return Filled(content, tuple(student for student, row in rows.items() if row is None))


def _assignment(book: Gradebook, part: SyllabusPart, title: str | None, scale: bool) -> Assignment:
    column = _column(book, part, title)
    return Assignment(part, column, _possible(book, part, column, scale))


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


def _possible(book: Gradebook, part: SyllabusPart, column: int, scale: bool) -> float:
    """Return the points of a part's assignment."""
    written, title = book.points[column].strip(), _title(book.header[column])
    try:
        possible = float(written.replace(",", "."))
    except ValueError:
        raise CannotExport(f"`{title}` has no points possible but `{written}`: set them in Canvas.") from None
    if possible != part.points and not scale:
        raise CannotExport(
            f"`{title}` has {shown(possible)} points in Canvas and {part.name} has {shown(part.points)}: "
            f"change it in Canvas, or give --scale to convert the points."
        )
    return possible


def _require_own_columns(book: Gradebook, assignments: list[Assignment]) -> None:
    (column, parts), *_ = Counter(one.column for one in assignments).most_common(1)
    if parts > 1:
        names = " and ".join(one.part.name for one in assignments if one.column == column)
        raise CannotExport(f"`{book.header[column]}` cannot be the column of {names}: give each its own with --column.")


def _row(book: Gradebook, student: str) -> int | None:
    """Return the place of a student's row; None if there is none."""
    for name in IDENTIFIERS:
        if name not in book.header:
            continue
        column = book.header.index(name)
        found = [place for place, row in enumerate(book.students) if row[column].strip() == student]
        if len(found) > 1:
            raise CannotExport(f"{len(found)} students have the {name} `{student}`: rename the submission to an ID.")
        if found:
            return found[0]
    return None


def _require_own_rows(book: Gradebook, rows: Mapping[str, int | None]) -> None:
    (row, students), *_ = Counter(row for row in rows.values() if row is not None).most_common(1) or [(0, 0)]
    if students > 1:
        names = " and ".join(f"`{student}`" for student, other in rows.items() if other == row)
        raise CannotExport(f"{names} are both the student `{book.students[row][0]}`: remove the marks of one of them.")


def _points(marks: Marks, assignment: Assignment) -> str:
    found = marks.part(assignment.part.name)
    return shown(found.score * assignment.possible / assignment.part.points if found else 0.0)


def _to_csv(book: Gradebook, rows: list[list[str]]) -> bytes:
    lines = io.StringIO(newline="")
    csv.writer(lines, delimiter=book.delimiter).writerows(rows)
    return lines.getvalue().encode("utf-8-sig" if book.has_bom else "utf-8")
