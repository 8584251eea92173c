"""Which parts count, and their points: what every format begins with."""

from autograder.classroom.class_marks import ClassMarks, of_parts
from autograder.exam.syllabus import SyllabusPart


def counting(class_marks: ClassMarks, parts: tuple[SyllabusPart, ...]) -> ClassMarks:
    """Return the marks of only these parts. One that a student has not submitted counts with 0 points."""
    names = {part.name for part in parts}
    students = {student: of_parts(marks, names) for student, marks in class_marks.students.items()}
    return ClassMarks(parts, students)


def shown(points: float) -> str:
    """Return points as text, with two decimals at most: 25, 41.5, 3.33."""
    return f"{points:.2f}".rstrip("0").rstrip(".")
