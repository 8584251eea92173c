"""Marks of made-up students: everything passed but what a test says."""

from dataclasses import replace
from typing import Any

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.grades import Grades, grade
from autograder.course.course import Counting
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.grading.results import Check, Diagnosis, Marks, PartMarks, StepMarks


def step(verdict: str, score: float = 0.0, says: str = "", **rest: Any) -> StepMarks:
    """The marks of the step softmax. says: the diagnosis."""
    failed = Check("journey", "values", False, f"it {verdict}")
    said = Diagnosis("mistake", "some", says) if says else None
    return StepMarks("softmax", Verdict(verdict), score, 8.0, **{"checks": (failed,), "diagnosis": said} | rest)


def handed_in(part: SyllabusPart, error: str | None = None, **steps: StepMarks) -> PartMarks:
    """The marks of a part, with all steps passed but those that are given; with an error, all are missing."""
    verdict = Verdict.MISSING if error else Verdict.PASSED
    marked = (
        replace(steps[one.name], step=one.name, max_score=one.points)
        if one.name in steps
        else StepMarks(one.name, verdict, 0.0 if error else one.points, one.points)
        for one in part.steps
    )
    return PartMarks(part.name, error, tuple(marked))


def class_of(syllabus: Syllabus, **students: list[PartMarks]) -> Grades:
    """The final points of a class: by student, the parts that were handed in."""
    return grades_of(syllabus, **{name: student(parts) for name, parts in students.items()})


def grades_of(syllabus: Syllabus, **students: Marks) -> Grades:
    """The final points of students with these marks, about whom nobody has decided anything."""
    return grade(ClassMarks(syllabus.parts, students), Counting())


def student(parts: list[PartMarks], *notes: str) -> Marks:
    """The marks of a student."""
    return Marks("ada", "", "", "2026-11-20T12:00:00Z", 0.0, "none", tuple(parts), notes)
