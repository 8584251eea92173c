"""Classroom 50's result.json, of one submission: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.classroom.exports import CannotExport
from autograder.classroom.exports.feedback import Test, tests_of
from autograder.classroom.grades import Grades

Json = dict[str, Any]

SCHEMA = "classroom50/result/v1"

UNITS = 100
"""Units of a point. The format takes only whole numbers and marks have two decimals: so no marks are rounded."""

REQUIRED = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL", "OWNER")


@dataclass(frozen=True)
class Run:
    """What Classroom 50's runner tells an autograder about the submission."""

    classroom: str
    assignment: str
    assignment_type: str
    owner: str
    submission: str
    commit: str
    release: str
    review: str


def result(grades: Grades, environment: Mapping[str, str]) -> Json:
    """Return the result of a class of one. Raises CannotExport for any other class, and without the runner's variables.

    `datetime` should be when the work was handed in, which marks do not know: the runner puts the commit's time there. The format
    takes no empty score: what could not be read is 0 there, until somebody has decided, and says so.
    """
    if len(grades.students) != 1:
        raise CannotExport(
            f"a result.json of Classroom 50 holds one submission, and here are the marks of {len(grades.students)} "
            "students: mark each repository by itself."
        )
    (student,) = grades.students.values()
    return {
        "schema": SCHEMA,
        **vars(_run(environment)),
        "datetime": student.marks.graded_at,
        "graded_at": student.marks.graded_at,
        "score": sum(round((part.points or 0.0) * UNITS) for part in student.parts),
        "max-score": round(student.max_points * UNITS),
        "tests": [_test(test) for part in student.parts for test in tests_of(part)],
    }


def _run(environment: Mapping[str, str]) -> Run:
    missing = [name for name in REQUIRED if not environment.get(name)]
    if missing:
        raise CannotExport(
            f"{', '.join(missing)} not set in the environment. Classroom 50's runner sets them for its autograder.py: "
            "run this there."
        )
    return Run(
        classroom=environment["CLASSROOM"],
        assignment=environment["ASSIGNMENT"],
        assignment_type=environment.get("ASSIGNMENT_TYPE") or "individual",
        owner=environment["OWNER"],
        submission=environment["SUBMISSION_TAG"],
        commit=environment["COMMIT_URL"],
        release=environment["RELEASE_URL"],
        review=environment.get("REVIEW_URL") or environment["COMMIT_URL"],
    )


def _test(test: Test) -> Json:
    """Return a test. None has less than 0."""
    return {
        "test-name": test.name,
        "passed": test.passed,
        "score": round(max(0.0, test.score) * UNITS),
        "max-score": round(test.max_score * UNITS),
        "output": test.output,
    }
