"""Fill grades and feedback into the grading worksheet of an assignment that Moodle exported.

Its format: mod/assign/feedback/offline and mod/assign/gradingtable.php in moodle/moodle.
"""

from html import escape

from autograder.classroom.exports import CannotExport, Filled, rows_of, shown
from autograder.classroom.exports.feedback import headline
from autograder.classroom.grades import Grades, PartGrade, State, StudentGrade
from autograder.classroom.people import Person
from autograder.classroom.tables import NotTable, Table, read_table

IDENTIFIER = "Identifier"
IDENTIFIERS = {
    "Full name": "name",
    "ID number": "id",
    "Username": "login",
    "Email address": "email",
    IDENTIFIER: "sis_id",
}
"""Columns about a student in Moodle, each with its column in a roster. A worksheet may lack some."""

GRADE = "Grade"
MAXIMUM = "Maximum Grade"
FEEDBACK = "Feedback comments"
PARTICIPANT = "Participant "
"""The text before the number of an Identifier."""

OURS = "Points: "
"""The beginning of a comment of the grader. Other comments stay."""

MOST_NAMED = 5


def read_worksheet(content: bytes) -> Table:
    """Read an exported worksheet. Raises CannotExport."""
    try:
        table = read_table(content)
    except NotTable as error:
        raise CannotExport(str(error)) from None
    missing = [name for name in (IDENTIFIER, GRADE, MAXIMUM) if name not in table.header]
    if missing:
        raise CannotExport(
            f"its first row has no column {' and no column '.join(missing)}. Set your language in Moodle to English, download the "
            "grading worksheet of the assignment, and give that file."
        )
    return table


def fill(sheet: Table, grades: Grades, scale: bool) -> Filled:
    """Fill in one grade for all parts together, and the feedback. Raises CannotExport.

    scale: convert the points if the maximum in Moodle differs from that of the parts. The grade of a
    student who is excused from all parts, or has no final points yet, stays unchanged.
    """
    rows = rows_of(grades, [_person(sheet, row) for row in sheet.rows])
    filled = [list(row) for row in sheet.rows]
    too_many = []
    for name, place in rows.items():
        student, row = grades.students[name], filled[place]
        maximum = _maximum(sheet, row, grades, scale)
        if student.points is not None and student.max_points:
            grade = student.points * maximum / student.max_points
            row[sheet.header.index(GRADE)] = _written(sheet, row, grade)
            too_many += [name] * (round(grade, 2) > maximum)
        _comment(sheet, row, student)
    if too_many:
        raise CannotExport(
            f"Moodle drops a grade above the maximum, and these have more: {', '.join(too_many[:MOST_NAMED])}. "
            "Set a higher maximum in Moodle and give --scale."
        )
    return Filled(sheet.to_bytes([sheet.header, *filled]), tuple(name for name in grades.students if name not in rows))


def _person(sheet: Table, row: list[str]) -> Person:
    """Return the person of a row. folder: the entry that `attn collect` gives to a namesake."""
    cells = zip(sheet.header, row, strict=False)
    about = {IDENTIFIERS[name]: cell.removeprefix(PARTICIPANT) for name, cell in cells if name in IDENTIFIERS}
    return Person(**about, folder=f"{about.get('name', '')}-{about.get('sis_id', '')}")


def _maximum(sheet: Table, row: list[str], grades: Grades, scale: bool) -> float:
    """Return the maximum points of the assignment. Raises CannotExport."""
    written = row[sheet.header.index(MAXIMUM)].strip()
    try:
        maximum = float(written.replace(",", "."))
    except ValueError:
        raise CannotExport(f"its {MAXIMUM} is `{written}`: set a grade in points in Moodle, no scale.") from None
    if maximum != grades.max_score and not scale:
        parts = ", ".join(part.name for part in grades.parts)
        raise CannotExport(
            f"the assignment has {shown(maximum)} points in Moodle and {parts} {shown(grades.max_score)}: choose the part with --part, "
            "change it in Moodle, or give --scale to convert the points."
        )
    return maximum


def _written(sheet: Table, row: list[str], grade: float) -> str:
    """Return a grade with the decimal sign of the worksheet."""
    return shown(grade).replace(".", "," if "," in row[sheet.header.index(MAXIMUM)] else ".")


def _comment(sheet: Table, row: list[str], student: StudentGrade) -> None:
    if FEEDBACK not in sheet.header:
        return
    column = sheet.header.index(FEEDBACK)
    if not row[column].strip() or row[column].startswith(OURS):
        row[column] = "<br>".join(escape(line) for part in student.parts for line in _lines(part))


def _lines(part: PartGrade) -> list[str]:
    """Return the comment on a part: points, decisions, and the failure of each step."""
    points = "none yet" if part.points is None else f"{shown(part.points)} of {shown(part.max_points)}"
    if part.state == State.EXCUSED:
        points = State.EXCUSED.value
    wrong = [
        f"{step.step.name}: {headline(step.marks)}"
        for step in part.steps
        if step.marks and not step.marks.passed and not part.error
    ]
    what = [] if part.state in (State.HANDED_IN, State.EXCUSED) else [f"This part is {part.state}."]
    return [f"{OURS}{points} ({part.part.title})", *what, *part.error.splitlines()[:1], *part.done, *wrong]
