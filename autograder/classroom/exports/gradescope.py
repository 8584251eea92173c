"""Gradescope's results.json, one a student: https://gradescope-autograders.readthedocs.io/en/latest/specs/."""

from typing import Any

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports.feedback import NOT_HANDED_IN, feedback
from autograder.exam.syllabus import SyllabusPart
from autograder.marking.marks import Marks

Json = dict[str, Any]


def results(class_marks: ClassMarks, student: str) -> Json:
    """Return one student's results: a test a step, all of them visible, because a hidden test hides the total too.

    All texts are declared as plain text: Gradescope shows the output at the top as HTML otherwise.
    """
    marks = class_marks.students[student]
    errors = [f"{part.part}: {part.error}" for part in marks.parts if part.error]
    tests = [test for number, part in enumerate(class_marks.parts, start=1) for test in _tests(marks, part, number)]
    return {
        "score": marks.score,
        "execution_time": marks.seconds,
        "output": "\n".join([*marks.notes, *errors]),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "tests": tests,
    }


def _tests(marks: Marks, part: SyllabusPart, number: int) -> list[Json]:
    found = marks.part(part.name)
    if not found:
        return [_test(part.name, f"{number}", 0.0, part.points, NOT_HANDED_IN, [part.name])]
    return [
        _test(
            f"{part.name}.{step.step}",
            f"{number}.{position}",
            step.score,
            step.max_score,
            found.error or feedback(step),
            [part.name, step.verdict],
            step.passed,
        )
        for position, step in enumerate(found.steps, start=1)
    ]


def _test(
    name: str, number: str, score: float, max_score: float, output: str, tags: list[str], passed: bool = False
) -> Json:
    return {
        "name": name,
        "number": number,
        "score": score,
        "max_score": max_score,
        "status": "passed" if passed else "failed",
        "output": output,
        "tags": tags,
        "visibility": "visible",
    }
