"""Gradescope's results.json."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from autograder.classroom.exports.gradescope import results
from autograder.classroom.grades import Grades

BE = 'Bé "the" O\'Neil, <script>alert(1)</script>'
STUDENTS = ["ada", BE, "=1+1", "../eve\nsecond line"]


@pytest.mark.parametrize(("student", "name"), [("ada", "gradescope_ada.json"), (BE, "gradescope_be.json")])
def test_results_are_the_golden_ones(final: Grades, golden: Callable[[str], bytes], student: str, name: str) -> None:
    assert results(final.students[student]) == json.loads(golden(name))


@pytest.mark.parametrize("student", STUDENTS)
def test_results_fit_the_documented_format(final: Grades, schemas: Path, student: str) -> None:
    schema = json.loads((schemas / "gradescope.schema.json").read_text(encoding="utf-8"))

    jsonschema.validate(results(final.students[student]), schema)
