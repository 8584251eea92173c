"""Classroom 50's result.json: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding."""

from collections.abc import Mapping
from typing import Any

from autograder.classroom.exports import CannotExport
from autograder.classroom.exports.gradescope import results
from autograder.classroom.grades import Grades

SCHEMA = "classroom50/result/v1"

UNITS = 100
"""The number of units per point: the format has whole numbers only, and points have two decimals."""

VARIABLES = ("CLASSROOM", "ASSIGNMENT", "OWNER", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")
"""Variables of Classroom 50's runner. The first word of each, in lower case, is its key in the result."""


def result(grades: Grades, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the only student's result. Raises CannotExport for several students or an unset variable.

    The format has no empty score, so unreadable work gets 0 points, and its error as a text. The runner
    replaces `datetime` by the time of the commit.
    """
    if len(grades.students) != 1:
        count = f"here are the marks of {len(grades.students)} students"
        raise CannotExport(f"result.json holds one submission, and {count}: mark each repository by itself.")
    if missing := [name for name in VARIABLES if not environment.get(name)]:
        raise CannotExport(f"{', '.join(missing)} not set in the environment: run this in Classroom 50's runner.")
    (student,) = grades.students.values()
    found = results(student)
    return {
        "schema": SCHEMA,
        **{name.partition("_")[0].lower(): environment[name] for name in VARIABLES},
        "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
        "review": environment.get("REVIEW_URL") or environment["COMMIT_URL"],
        "datetime": student.marks.graded_at,
        "graded_at": student.marks.graded_at,
        "score": round(found["score"] * UNITS),
        "max-score": round(student.max_points * UNITS),
        "tests": [
            {
                "test-name": test["name"],
                "passed": test["status"] == "passed",
                "score": round(test["score"] * UNITS),
                "max-score": round(test["max_score"] * UNITS),
                "output": test["output"],
            }
            for test in found["tests"]
        ],
    }
