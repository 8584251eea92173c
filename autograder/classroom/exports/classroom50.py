"""Classroom 50's result.json, of one submission: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports import CannotExport
from autograder.classroom.exports.feedback import NOT_HANDED_IN, feedback
from autograder.exam.syllabus import SyllabusPart
from autograder.marking.marks import Marks

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


def result(class_marks: ClassMarks, environment: Mapping[str, str]) -> Json:
    """Return the result of a class of one. Raises CannotExport for any other class, and without the runner's variables.

    `datetime` should be when the work was handed in, which marks do not know: the runner puts the commit's time there.
    """
    if len(class_marks.students) != 1:
        raise CannotExport(
            f"a result.json of Classroom 50 holds one submission, and here are the marks of {len(class_marks.students)} "
            "students: mark each repository by itself."
        )
    (marks,) = class_marks.students.values()
    tests = [test for part in class_marks.parts for test in _tests(marks, part)]
    return {
        "schema": SCHEMA,
        **vars(_run(environment)),
        "datetime": marks.graded_at,
        "graded_at": marks.graded_at,
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
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


def _tests(marks: Marks, part: SyllabusPart) -> list[Json]:
    found = marks.part(part.name)
    if not found:
        return [_test(part.name, False, 0.0, part.points, NOT_HANDED_IN)]
    return [
        _test(
            f"{part.name}.{step.step}",
            step.passed,
            step.score,
            step.max_score,
            found.error or feedback(step),
        )
        for step in found.steps
    ]


def _test(name: str, passed: bool, score: float, max_score: float, output: str) -> Json:
    return {
        "test-name": name,
        "passed": passed,
        "score": round(score * UNITS),
        "max-score": round(max_score * UNITS),
        "output": output,
    }
