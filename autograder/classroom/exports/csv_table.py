"""A table for spreadsheets and scripts: a row per student, a column per part and step."""

from autograder.classroom.exports import shown
from autograder.classroom.exports.canvas import EXCUSED
from autograder.classroom.grades import Grades, PartGrade, State
from autograder.classroom.looks import in_a_line
from autograder.classroom.tables import to_table

ABOUT = ("name", "id", "login", "email")


def to_csv(grades: Grades) -> bytes:
    """Return the table as CSV: a row for each student.

    While a part is unreadable, its cell and the student's score are empty, until a teacher gives points
    for the part or excuses it. A part that was not handed in has 0 points. An excused part counts
    neither in score nor in max_score.
    """
    known = [column for column in ABOUT if any(getattr(one.person, column) for one in grades.students.values())]
    steps = [step.path for part in grades.parts for step in part.steps]
    parts = [part.name for part in grades.parts]
    rows = (
        [
            name,
            *(getattr(student.person, column) for column in known),
            shown(student.points),
            shown(student.max_points),
            *(EXCUSED if part.state == State.EXCUSED else shown(part.points) for part in student.parts),
            "; ".join(student.done),
            student.late,
            in_a_line(f"{look.urgency}: {look.says}" for look in student.looks),
            *(points for part in student.parts for points in _points_of_steps(part)),
        ]
        for name, student in grades.students.items()
    )
    return to_table(["student", *known, "score", "max_score", *parts, "adjusted", "late", "look", *steps], rows)


def _points_of_steps(part: PartGrade) -> list[str]:
    if part.state in (State.EXCUSED, State.UNREADABLE):
        return [""] * len(part.part.steps)
    return [shown(step.points) for step in part.steps]
