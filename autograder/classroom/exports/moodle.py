"""Fill grades and feedback into the grading worksheet of an assignment that Moodle exported.

Its format: mod/assign/feedback/offline and mod/assign/gradingtable.php in moodle/moodle.
"""

from html import escape

from autograder.classroom.exports import CannotExport, maximum, read_exported, rows_of, shown
from autograder.classroom.exports.gradescope import headline
from autograder.classroom.grades import Grades, PartGrade, State

GRADE = "Grade"
MAXIMUM = "Maximum Grade"
FEEDBACK = "Feedback comments"

OURS = "Points: "
"""The beginning of comments that `fill` writes. Comments with another beginning are not replaced."""

HOW = "Set your language in Moodle to English, download the grading worksheet of the assignment, and give that file."


def fill(content: bytes, grades: Grades, scale: bool) -> tuple[bytes, list[str]]:
    """Fill in one grade for all parts together, and the feedback. Raises CannotExport.

    Return the file, and the students without a row. scale: convert points to Moodle's maximum. The
    grade of a student without final points, or excused from all parts, stays.
    """
    table = read_exported(content, ("Identifier", GRADE, MAXIMUM), HOW)
    place = {name: table.header.index(name) for name in (GRADE, MAXIMUM, FEEDBACK) if name in table.header}
    rows, parts = rows_of(grades, table), ", ".join(part.name for part in grades.parts)
    for name, row in rows.items():
        student, written = grades.students[name], row[place[MAXIMUM]].strip()
        most = maximum(written, grades.max_score, "the assignment", parts, scale)
        if points := shown(student.points, student.max_points, most):
            if float(points) > most:
                above = f"Moodle drops a grade above the maximum, and `{name}` has {points}"
                raise CannotExport(f"{above}: set a higher maximum in Moodle and give --scale.")
            row[place[GRADE]] = points.replace(".", "," if "," in written else ".")
        if FEEDBACK in place and (not row[place[FEEDBACK]].strip() or row[place[FEEDBACK]].startswith(OURS)):
            row[place[FEEDBACK]] = "<br>".join(escape(line) for part in student.parts for line in _lines(part))
    return table.to_bytes([table.header, *table.rows]), [name for name in grades.students if name not in rows]


def _lines(part: PartGrade) -> list[str]:
    points = "none yet" if part.points is None else f"{shown(part.points)} of {shown(part.max_points)}"
    if part.state == State.EXCUSED:
        points = State.EXCUSED.value
    marked = [(step.step.name, step.marks) for step in part.steps if step.marks and not part.error]
    wrong = [f"{name}: {headline(marks)}" for name, marks in marked if not marks.passed]
    what = [] if part.state in (State.HANDED_IN, State.EXCUSED) else [f"This part is {part.state}."]
    return [f"{OURS}{points} ({part.part.title})", *what, *part.error.splitlines()[:1], *part.done, *wrong]
