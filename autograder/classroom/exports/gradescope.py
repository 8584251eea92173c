"""Gradescope's results.json, one a student: https://gradescope-autograders.readthedocs.io/en/latest/specs/."""

from typing import Any

from autograder.classroom.exports.feedback import Test, tests_of
from autograder.classroom.grades import StudentGrade

Json = dict[str, Any]


def results(student: StudentGrade) -> Json:
    """Return one student's results. All tests are visible, because a hidden test would hide the total.

    The format has no empty score, so unreadable work gets 0 points and its error. All formats are set
    to `text`, because Gradescope reads the first output as HTML by default.
    """
    errors = [f"{part.part.name}: {part.error}" for part in student.parts if part.error]
    return {
        "score": round(sum(part.points or 0.0 for part in student.parts), 2),
        "execution_time": student.marks.seconds,
        "output": "\n".join([*student.marks.notes, *errors, *student.done]),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "tests": [_test(test, part.part.name, n) for n, part in enumerate(student.parts, 1) for test in tests_of(part)],
    }


def _test(test: Test, part: str, number: int) -> Json:
    return {
        "name": test.name,
        "number": f"{number}.{test.position}" if test.position else f"{number}",
        "score": test.score,
        "max_score": test.max_score,
        "status": "passed" if test.passed else "failed",
        "output": test.output,
        "tags": [part, *([test.marks.verdict] if test.marks else [])],
        "visibility": "visible",
    }
