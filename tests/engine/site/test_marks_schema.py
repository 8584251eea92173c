"""The schema of the marks: real marks fit it, it knows every field and word, and the page's tables are made from it."""

import json
from collections.abc import Callable
from dataclasses import fields as fields_of
from typing import Any, get_args

import jsonschema
import pytest

from autograder.course.verdicts import Verdict
from autograder.grading import results
from autograder.grading.pictures import View
from autograder.grading.results import Marks, marks_to_json
from autograder.sandbox import LEVELS
from autograder.site import marks_schema
from autograder.submission.model import Look, Urgency

SOFTMAX = "def softmax(scores):\n    "


@pytest.fixture(scope="module")
def found() -> Any:
    return json.loads(marks_schema.SCHEMA.read_text(encoding="utf-8"))


def words(found: Any, name: str) -> list[str]:
    return [choice["const"] for choice in found["$defs"][name]["oneOf"]]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{SOFTMAX}return scores.softmax(-1)", id="forbidden"),
        pytest.param(f"{SOFTMAX}return scores.exp() / scores.exp().sum(-1, keepdim=True)", id="a picture with nan"),
        pytest.param(f"{SOFTMAX}return scores.exp() / scores.exp().sum(0, keepdim=True)", id="a known mistake"),
        pytest.param(f"{SOFTMAX}print(1)\n    return scores.sum()", id="printed, and another shape"),
        pytest.param(f"{SOFTMAX}return scores.missing", id="a traceback"),
        pytest.param("def softmax(", id="a part that cannot be loaded"),
        pytest.param(f"import gc\n{SOFTMAX}return gc.get_objects()", id="something to look at"),
    ],
)
def test_real_marks_fit_the_schema(mark_text: Callable[..., Marks], found: Any, text: str) -> None:
    jsonschema.validate(marks_to_json(mark_text("part1_simplified", text)), found)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("look", Look),
        ("part", results.PartMarks),
        ("step", results.StepMarks),
        ("check", results.Check),
        ("diagnosis", results.Diagnosis),
        ("spot", results.Spot),
        ("picture", View),
    ],
)
def test_the_schema_knows_every_field_of_the_marks(found: Any, name: str, kind: Any) -> None:
    assert {field.name for field in fields_of(kind)} <= set(found["$defs"][name]["properties"])


def test_the_schema_knows_every_word(found: Any) -> None:
    assert words(found, "verdict") == list(Verdict)
    assert words(found, "urgency") == list(Urgency)
    assert words(found, "kind") == list(results.CHECKS)
    assert words(found, "cause") == list(get_args(results.Kind))
    assert found["properties"]["sandbox"]["enum"] == list(LEVELS)
    assert found["properties"]["schema"]["const"] == results.SCHEMA
