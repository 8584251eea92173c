"""Fill points into the gradebook that Canvas exported as CSV, so that Canvas can import it again.

Its format: lib/gradebook_exporter.rb and lib/gradebook_importer.rb in instructure/canvas-lms.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from autograder.classroom.exports import CannotExport, maximum, read_exported, rows_of, shown
from autograder.classroom.grades import Grades, State
from autograder.exam.syllabus import SyllabusPart

LAST_OF_STUDENT = "Section"
POINTS_POSSIBLE = "Points Possible"
ASSIGNMENT = re.compile(r"(?P<title>.*) \(\d+\)", re.DOTALL)
HOW = "Export the gradebook in Canvas and give that file."
EXCUSED = "EX"
KEPT = (EXCUSED, "N/A")
"""Cells that stay because a person set them in Canvas: excused, and not assigned."""


def fill(content: bytes, grades: Grades, titles: Mapping[str, str], scale: bool) -> tuple[bytes, list[str]]:
    """Fill in a column for each part. Return the file, and the students without a row. Raises CannotExport.

    titles: by part, the assignment's title, if it is not the part's name or title. scale: convert
    points to the assignment's maximum. The cell of a part without final points stays.
    """
    table = read_exported(content, ("ID", LAST_OF_STUDENT), HOW)
    header = table.header
    possible = next((row for row in table.rows if POINTS_POSSIBLE in row[0]), None)
    if not possible:
        raise CannotExport(f"it has no row {POINTS_POSSIBLE}. {HOW}")
    columns = {part.name: _column(header, part, titles.get(part.name)) for part in grades.parts}
    if len(set(columns.values())) < len(columns):
        raise CannotExport("two parts have the same assignment: give each its own with --column.")
    students = replace(table, rows=[row for row in table.rows if row[header.index("ID")].strip()])
    rows = rows_of(grades, students)
    for number, (part, column) in enumerate(columns.items()):
        points = grades.max_points[part]
        most = maximum(possible[column].strip(), points, f"`{header[column]}`", part, scale)
        for name, row in rows.items():
            graded = grades.students[name].parts[number]
            cell = EXCUSED if graded.state == State.EXCUSED else shown(graded.points, points, most)
            if cell and row[column].strip() not in KEPT:
                row[column] = cell
    written = [*range(header.index(LAST_OF_STUDENT) + 1), *columns.values()]
    filled = table.to_bytes([row[column] for column in written] for row in (header, possible, *students.rows))
    return filled, [name for name in grades.students if name not in rows]


def _column(header: list[str], part: SyllabusPart, title: str | None) -> int:
    """Return the column of a part's assignment. Raises CannotExport if there is not exactly one."""
    wanted = {title} if title else {part.name, part.title}
    titles = {column: is_one["title"] for column, name in enumerate(header) if (is_one := ASSIGNMENT.fullmatch(name))}
    found = [column for column, known in titles.items() if {known, header[column]} & wanted]
    if len(found) == 1:
        return found[0]
    there = ", ".join(f"`{header[column]}`" for column in found or titles) or "none"
    missing = "several columns" if found else f"no column {' nor '.join(f'`{one}`' for one in sorted(wanted))}"
    raise CannotExport(
        f"it has {missing} for {part.name}, and Canvas would create a new assignment for an unknown title. "
        f"Assignments: {there}. Say which one it is with --column {part.name}=TITLE."
    )
