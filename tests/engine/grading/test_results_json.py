"""Marks as JSON: read as they were written, and points that add up. tests/engine/site/test_marks_schema.py has the schema."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograder.course.answer import Array
from autograder.course.verdicts import Verdict
from autograder.grading.pictures import View, view_of
from autograder.grading.results import (
    CHECKS,
    Check,
    CriterionMarks,
    Diagnosis,
    Marks,
    NotMarks,
    PartMarks,
    StepMarks,
    marks_from_json,
    marks_to_json,
)

STEP = StepMarks(
    "scale_scores",
    Verdict.WRONG_VALUES,
    0.5,
    1.0,
    (Check("journey", "runs", True), Check("journey", "values", False, "no")),
    Diagnosis("mistake", "divided_by_d_k", "You divide by d_k."),
    "a hint",
    "printed",
    criteria=(CriterionMarks("values", 0.5, 0.8), CriterionMarks("batch", 0.0, 0.2)),
)
MARKS = Marks(
    submission="ada",
    digest="sha256:0",
    exam="sha256:1",
    graded_at="2026-11-20T12:00:00Z",
    seconds=0.2,
    sandbox="none",
    parts=(PartMarks("part2_trainable", None, (STEP, StepMarks("context_vectors", Verdict.PASSED, 1.0, 1.0))),),
)
EYE = view_of("", np.eye(2), np.ones((2, 2)), ("t", "d"))


def with_step(step: StepMarks) -> Marks:
    """Return marks of this step alone."""
    return replace(MARKS, parts=(PartMarks("part2_trainable", None, (step,)),))


def written(marks: Marks) -> bytes:
    return json.dumps(marks_to_json(marks), allow_nan=False).encode()


def changed(**fields: Any) -> bytes:
    """Return the JSON of the marks with other fields of its first step."""
    data = marks_to_json(MARKS)
    data["parts"][0]["steps"][0] |= fields
    return json.dumps(data).encode()


def check_in_json(check: Check) -> dict[str, Any]:
    """Return the JSON of a check."""
    found: dict[str, Any] = marks_to_json(with_step(replace(STEP, checks=(check,))))["parts"][0]["steps"][0]["checks"][
        0
    ]
    return found


def picture_in_json(view: View) -> dict[str, Any]:
    """Return the JSON of a picture, after it has been written, read and written again."""
    check = Check("journey", "values", False, "no", picture=view)
    read = marks_from_json(written(with_step(replace(STEP, checks=(check,))))).parts[0].steps[0].first_failure
    assert read
    assert check_in_json(check) == check_in_json(read)
    found: dict[str, Any] = check_in_json(read)["picture"]
    return found


def test_marks_are_read_as_they_were_written() -> None:
    assert marks_from_json(written(MARKS)) == MARKS


def test_the_picture_of_a_cause_is_read_again() -> None:
    seen = view_of("whether a token changes", np.eye(2, dtype=bool), np.ones((2, 2), dtype=bool), ("t", "t"))
    cause = Diagnosis("influence", "mixed", "Token 0 changes with token 1.", picture=seen)
    found = marks_from_json(written(with_step(replace(STEP, diagnosis=cause)))).parts[0].steps[0].picture
    assert found
    assert (found.heading, found.yours.tolist()) == ("whether a token changes", [[1, 1], [1, 1]])


def test_a_picture_has_six_digits_and_words_for_numbers_that_are_none() -> None:
    expected, yours = np.array([[1 / 3, 12345.678]]), np.array([[np.nan, -np.inf]])
    found = picture_in_json(view_of("keys", expected, yours, ("tq", "tk"), {"token": ("Your",)}))

    assert (found["expected"], found["yours"]) == ([[0.333333, 12345.7]], [["nan", "-inf"]])
    assert (found["shape"], found["labels"], found["wrong"]) == ([1, 2], {"token": ["Your"]}, [[True, True]])


PICTURES = {
    **{f"rank {len(shape)}": (np.zeros(shape), np.ones(shape)) for shape in [(), (3,), (9, 9), (2, 2, 3, 4)]},
    "booleans": (np.eye(2, dtype=bool), np.ones((2, 2), dtype=bool)),
}


@pytest.mark.parametrize(("expected", "yours"), PICTURES.values(), ids=PICTURES)
def test_a_picture_can_be_written_and_read(expected: Array, yours: Array) -> None:
    assert picture_in_json(view_of("", expected, yours, ("",) * yours.ndim))["shape"] == list(yours.shape)


@pytest.mark.parametrize("where", ["step", "whole"])
def test_points_that_do_not_add_up_are_refused(where: str) -> None:
    data = marks_to_json(MARKS)
    {"whole": data, "step": data["parts"][0]["steps"][0]}[where]["score"] = 0.75

    with pytest.raises(NotMarks, match=r"does not add up: there are .* points, the steps have .*adjustments\.csv"):
        marks_from_json(json.dumps(data).encode())


def test_points_add_up_although_each_is_rounded() -> None:
    thirds = tuple(StepMarks(name, Verdict.WRONG_VALUES, 0.33, 1 / 3) for name in ("one", "two", "three"))
    marks = replace(MARKS, parts=(PartMarks("part2_trainable", None, thirds),))

    assert marks_from_json(written(marks)) == marks


HALF_A_PICTURE = check_in_json(Check("c", "values", False, "no", picture=EYE)) | {"picture": {}}
REFUSED = {
    "nothing": (b"", "cannot be read"),
    "not UTF-8": (b'{"schema": "\xff"}', "cannot be read"),
    "very deep": (b'{"else":' + b"[" * 100_000, "cannot be read"),
    "no object": (b"[]", "holds no marks of the schema attn-marks/"),
    "without a schema": (b"{}", "holds no marks of the schema attn-marks/"),
    "older": (b'{"schema": "attn-marks/1"}', "'attn-marks/1'; this grader reads attn-marks/"),
    "no step's score": (changed(score="all"), r"Expected `float`, got `str` - at `\$.parts\[0\].steps\[0\].score"),
    "no verdict": (changed(verdict="excellent"), "Invalid enum value 'excellent'"),
    "half a picture": (changed(checks=[HALF_A_PICTURE]), "missing required field `name`"),
}


@pytest.mark.parametrize(("content", "why"), REFUSED.values(), ids=REFUSED)
def test_bytes_that_hold_no_marks_are_refused_with_the_reason(content: bytes, why: str) -> None:
    with pytest.raises(NotMarks, match=why):
        marks_from_json(content)


@pytest.mark.parametrize("rows", [5, "no", [1.0], [[1.0], [1.0, 2.0]], [["no"]], [[None]], [[[1.0]]], {"a": 1}])
def test_a_picture_of_no_rows_of_numbers_is_refused(rows: Any) -> None:
    check = check_in_json(Check("c", "values", False, "no", picture=EYE))
    check["picture"]["yours"] = rows

    with pytest.raises(NotMarks, match="holds no marks"):
        marks_from_json(changed(checks=[check]))


def test_the_first_failed_check_decides() -> None:
    assert STEP.first_failure == Check("journey", "values", False, "no")
    assert set(CHECKS.values()) <= set(Verdict)


def test_marks_pass_only_when_every_step_does() -> None:
    assert not MARKS.passed
    assert with_step(StepMarks("s", Verdict.PASSED, 1.0, 1.0)).passed
