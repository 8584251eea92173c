"""Which parts count, and their points: what every format begins with."""

from autograder.classroom.class_marks import ClassMarks, Json
from autograder.exam.syllabus import SyllabusPart


def counting(class_marks: ClassMarks, parts: tuple[SyllabusPart, ...]) -> ClassMarks:
    """Return the marks of only these parts. One that a student has not submitted counts with 0 points."""
    names = {part.name for part in parts}
    students = {student: _of_parts(marks, names) for student, marks in class_marks.students.items()}
    return ClassMarks(parts, students)


def part_marks(marks: Json, part: str) -> Json | None:
    """Return what one student's marks say of a part; None if it was not handed in."""
    return next((found for found in marks["parts"] if found["part"] == part), None)


def shown(points: float) -> str:
    """Return points as text, with two decimals at most: 25, 41.5, 3.33."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def _of_parts(marks: Json, names: set[str]) -> Json:
    parts = [part for part in marks["parts"] if part["part"] in names]
    return marks | {"parts": parts, "score": round(sum(part["score"] for part in parts), 2)}
