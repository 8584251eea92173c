"""A table for spreadsheets and scripts: a row per student, a column per part and step."""

import csv
import io

from autograder.classroom.exports import shown
from autograder.classroom.grades import Grades, PartGrade, State
from autograder.classroom.tables import spreadsheet_safe

EXCUSED = "EX"
"""The cell of an excused part, as in Canvas."""

ABOUT = ("name", "id", "login", "email")


def to_csv(grades: Grades) -> str:
    """Return the table: student, roster columns, totals, points by part and by step, adjustments.

    Unreadable work has an empty cell, and an empty total until a person has decided. Work that was not
    handed in has 0 points. An excused part counts neither in score nor in max_score.
    """
    lines = io.StringIO(newline="")
    table = csv.writer(lines)
    known = [column for column in ABOUT if any(getattr(one.person, column) for one in grades.students.values())]
    steps = [step.path for part in grades.parts for step in part.steps]
    parts = [part.name for part in grades.parts]
    table.writerow(["student", *known, "score", "max_score", *parts, *steps, "adjusted"])
    for name, student in grades.students.items():
        about = [spreadsheet_safe(getattr(student.person, column)) for column in known]
        totals = ["" if student.points is None else shown(student.points), shown(student.max_points)]
        of_parts = [_points(part) for part in student.parts]
        of_steps = [points for part in student.parts for points in _points_of_steps(part)]
        adjusted = spreadsheet_safe("; ".join(student.done))
        table.writerow([spreadsheet_safe(name), *about, *totals, *of_parts, *of_steps, adjusted])
    return lines.getvalue()


def _points(part: PartGrade) -> str:
    if part.state == State.EXCUSED:
        return EXCUSED
    return "" if part.points is None else shown(part.points)


def _points_of_steps(part: PartGrade) -> list[str]:
    """Return the points of each step; empty cells if the part is excused or unreadable."""
    if part.state in (State.EXCUSED, State.UNREADABLE):
        return [""] * len(part.part.steps)
    return [shown(step.points) for step in part.steps]
