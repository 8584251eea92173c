"""A table for spreadsheets and scripts: a row per student, a column per part and step."""

import csv
import io

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports.scores import shown
from autograder.classroom.tables import spreadsheet_safe
from autograder.exam.syllabus import SyllabusPart
from autograder.marking.marks import Marks, PartMarks, StepMarks


def to_csv(class_marks: ClassMarks) -> str:
    """Return the table: student, score, max_score, points a part, points a step.

    What was not submitted is an empty cell, has no points in the score, and counts in max_score, which is the same for all.
    """
    lines = io.StringIO(newline="")
    table = csv.writer(lines)
    parts = class_marks.parts
    steps = [step.path for part in parts for step in part.steps]
    table.writerow(["student", "score", "max_score", *(part.name for part in parts), *steps])
    for student, marks in class_marks.students.items():
        totals = [shown(marks.score), shown(class_marks.max_score)]
        of_parts = [_points(marks.part(part.name)) for part in parts]
        of_steps = [points for part in parts for points in _points_of_steps(marks, part)]
        table.writerow([spreadsheet_safe(student), *totals, *of_parts, *of_steps])
    return lines.getvalue()


def _points_of_steps(marks: Marks, part: SyllabusPart) -> list[str]:
    found = marks.part(part.name)
    return [_points(found.step(step.name) if found else None) for step in part.steps]


def _points(found: PartMarks | StepMarks | None) -> str:
    return shown(found.score) if found else ""
