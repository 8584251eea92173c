"""Classroom 50's result.json, and the files that its runner is given."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from classroom50 import ENVIRONMENT

from autograder.classroom.exports import CannotExport
from autograder.classroom.exports.classroom50 import result
from autograder.classroom.grades import Grades


def alone(final: Grades, student: str) -> Grades:
    return replace(final, students={student: final.students[student]})


@pytest.fixture
def schema(schemas: Path) -> Any:
    return json.loads((schemas / "classroom50.schema.json").read_text(encoding="utf-8"))


def test_the_result_is_the_golden_one(final: Grades, golden: Callable[[str], bytes]) -> None:
    assert result(alone(final, "ada"), ENVIRONMENT) == json.loads(golden("classroom50.json"))


@pytest.mark.parametrize(
    "student", ["ada", 'Bé "the" O\'Neil, <script>alert(1)</script>', "=1+1", "../eve\nsecond line"]
)
def test_results_fit_the_documented_format(final: Grades, schema: Any, student: str) -> None:
    jsonschema.validate(result(alone(final, student), ENVIRONMENT), schema)


def test_without_a_starting_point_the_commit_is_reviewed(final: Grades) -> None:
    environment = {key: value for key, value in ENVIRONMENT.items() if key != "REVIEW_URL"}

    assert result(alone(final, "ada"), environment)["review"] == ENVIRONMENT["COMMIT_URL"]


def test_the_marks_of_several_students_are_refused(final: Grades) -> None:
    with pytest.raises(CannotExport, match="holds one submission, and here are the marks of 4 students"):
        result(final, ENVIRONMENT)


def test_what_the_runner_should_have_set_is_named(final: Grades) -> None:
    environment = {key: value for key, value in ENVIRONMENT.items() if key not in ("CLASSROOM", "OWNER")}

    with pytest.raises(CannotExport, match="CLASSROOM, OWNER not set in the environment"):
        result(alone(final, "ada"), environment)
