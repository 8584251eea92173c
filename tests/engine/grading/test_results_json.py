"""Marks as JSON: exactly the documented schema, and points that add up."""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograder.course.verdicts import Verdict
from autograder.grading.pictures import Boxes, Picture, Side, view_of
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
    "wrong_values",
    0.5,
    1.0,
    (Check("journey", "runs", True), Check("journey", "values", False, "no")),
    Diagnosis("mistake", "divided_by_d_k", "You divide by d_k."),
    "a hint",
    "printed",
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


EYE = Picture("", np.eye(2), np.ones((2, 2)), ("t", "d"))


def test_the_json_is_the_documented_schema() -> None:
    assert marks_to_json(MARKS) == {
        "schema": "attn-marks/2",
        "submission": "ada",
        "digest": "sha256:0",
        "exam": "sha256:1",
        "graded_at": "2026-11-20T12:00:00Z",
        "score": 1.5,
        "max_score": 2.0,
        "seconds": 0.2,
        "sandbox": "none",
        "notes": [],
        "looks": [],
        "parts": [
            {
                "part": "part2_trainable",
                "score": 1.5,
                "max_score": 2.0,
                "error": None,
                "submitted_at": None,
                "digest": "",
                "notes": [],
                "steps": [
                    {
                        "step": "scale_scores",
                        "verdict": "wrong_values",
                        "score": 0.5,
                        "max_score": 1.0,
                        "checks": [
                            {"case": "journey", "check": "runs", "passed": True, "message": "", "criterion": "values"},
                            {
                                "case": "journey",
                                "check": "values",
                                "passed": False,
                                "message": "no",
                                "criterion": "values",
                            },
                        ],
                        "diagnosis": {"kind": "mistake", "id": "divided_by_d_k", "says": "You divide by d_k."},
                        "hint": "a hint",
                        "printed": "printed",
                        "traceback": None,
                        "criteria": [],
                    },
                    {
                        "step": "context_vectors",
                        "verdict": "passed",
                        "score": 1.0,
                        "max_score": 1.0,
                        "checks": [],
                        "diagnosis": None,
                        "hint": None,
                        "printed": "",
                        "traceback": None,
                        "criteria": [],
                    },
                ],
            }
        ],
    }


def with_check(check: Check) -> Marks:
    """Return marks whose only step failed this check."""
    return replace(MARKS, parts=(PartMarks("part2_trainable", None, (replace(STEP, checks=(check,)),)),))


def check_in_json(check: Check) -> dict[str, Any]:
    """Return what the JSON says of a check."""
    found: dict[str, Any] = marks_to_json(with_check(check))["parts"][0]["steps"][0]["checks"][0]
    return found


def test_what_shows_a_cause_is_read_again() -> None:
    seen = Picture("whether a token changes", np.eye(2, dtype=bool), np.ones((2, 2), dtype=bool), ("t", "t"))
    cause = Diagnosis("influence", "mixed", "Token 0 changes with token 1.", picture=view_of(seen))
    marks = replace(MARKS, parts=(PartMarks("part2_trainable", None, (replace(STEP, diagnosis=cause),)),))
    found = marks_from_json(json.dumps(marks_to_json(marks)).encode()).parts[0].steps[0].picture
    assert found
    assert found.heading == "whether a token changes"
    assert found.yours.tolist() == [[1, 1], [1, 1]]


def picture_in_json(picture: Picture) -> dict[str, Any]:
    """Return what the JSON says of a picture, after having been written, read and written again."""
    check = Check("journey", "values", False, "no", picture=view_of(picture))
    read = marks_from_json(json.dumps(marks_to_json(with_check(check)), allow_nan=False).encode())
    failure = read.parts[0].steps[0].first_failure
    assert failure
    once, twice = check_in_json(check), check_in_json(failure)
    assert once == twice
    found: dict[str, Any] = twice["picture"]
    return found


def test_shapes_and_a_headline_are_fields_of_their_check() -> None:
    shapes = Boxes("keys", (Side("t", 4, None),))

    found = check_in_json(Check("journey", "shape", False, "no", boxes=shapes, headline="wrong number of tensors"))

    assert found["headline"] == "wrong number of tensors"
    assert found["boxes"] == {"name": "keys", "sides": [{"name": "t", "expected": 4, "yours": None, "called": ""}]}


def test_a_picture_has_six_digits_and_words_for_numbers_that_are_none() -> None:
    expected, yours = np.array([[1 / 3, 12345.678]]), np.array([[np.nan, -np.inf]])

    assert picture_in_json(Picture("keys", expected, yours, ("tq", "tk"), {"token": ("Your",)})) == {
        "name": "keys",
        "dims": ["tq", "tk"],
        "words": ["", ""],
        "where": [],
        "labels": {"token": ["Your"]},
        "row": 0,
        "column": 0,
        "shape": [1, 2],
        "boolean": False,
        "expected": [[0.333333, 12345.7]],
        "yours": [["nan", "-inf"]],
        "wrong": [[True, True]],
        "whole": False,
        "titles": ["expected", "yours", "difference"],
        "sums": [],
        "owners": None,
    }


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (9, 9), (2, 2, 3, 4)])
def test_pictures_of_all_ranks_can_be_written_and_read(shape: tuple[int, ...]) -> None:
    yours = np.zeros(shape)
    yours.flat[0] = 1.0

    assert picture_in_json(Picture("", np.zeros(shape), yours, ("",) * len(shape)))["shape"] == list(shape)


def test_sums_and_owners_can_be_written_and_read() -> None:
    weights, mixed = np.array([[0.1, 0.9], [0.3, 0.7]]), np.array([[0.1, 0.3], [0.9, 0.7]])

    found = picture_in_json(Picture("", weights, mixed, ("tq", "tk")))

    assert found["sums"]
    assert found["owners"]


def test_booleans_are_zeros_and_ones() -> None:
    mask = np.array([[True, False]])

    found = picture_in_json(Picture("", mask, ~mask, ("tq", "tk")))

    assert (found["boolean"], found["expected"], found["yours"]) == (True, [[1.0, 0.0]], [[0.0, 1.0]])


def test_marks_are_read_as_they_were_written() -> None:
    assert marks_from_json(json.dumps(marks_to_json(MARKS)).encode()) == MARKS


def changed(**fields: Any) -> bytes:
    """Return the JSON of the marks with other fields of its first step."""
    data = marks_to_json(MARKS)
    data["parts"][0]["steps"][0] |= fields
    return json.dumps(data).encode()


def by_criteria() -> dict[str, Any]:
    """Return the JSON of marks that say what for each point was given."""
    criteria = (CriterionMarks("values", 0.5, 0.8), CriterionMarks("batch", 0.0, 0.2))
    return marks_to_json(replace(MARKS, parts=(replace(MARKS.parts[0], steps=(replace(STEP, criteria=criteria),)),)))


@pytest.mark.parametrize(
    ("where", "edit", "why"),
    [
        ("step", {"score": 1.5}, "part2_trainable.scale_scores has 1.5 of 1 points"),
        ("step", {"score": -1.0}, "part2_trainable.scale_scores has -1 of 1 points"),
        ("step", {"score": 0.75}, "part2_trainable.scale_scores has 0.75 points, its criteria together 0.5"),
        ("step", {"max_score": 2.0}, "part2_trainable has 1 points at most, its steps together 2"),
        ("part", {"score": 1.0}, "part2_trainable has 1 points, its steps together 0.5"),
        ("part", {"max_score": 3.0}, "part2_trainable has 3 points at most, its steps together 1"),
        ("whole", {"score": 100.0}, "there are 100 points, the parts together 0.5"),
        ("whole", {"max_score": 0.5}, "there are 0.5 points at most, the parts together 1"),
    ],
)
def test_points_that_do_not_add_up_are_refused_with_their_place(where: str, edit: dict[str, float], why: str) -> None:
    data = by_criteria()
    {"whole": data, "part": data["parts"][0], "step": data["parts"][0]["steps"][0]}[where].update(edit)

    with pytest.raises(NotMarks, match=re.escape(f"does not add up: {why} (points that a person gives")):
        marks_from_json(json.dumps(data).encode())


def test_points_add_up_although_each_is_rounded() -> None:
    thirds = tuple(StepMarks(name, Verdict.WRONG_VALUES, 0.33, 1 / 3) for name in ("one", "two", "three"))
    marks = replace(MARKS, parts=(PartMarks("part2_trainable", None, thirds),))

    assert marks_from_json(json.dumps(marks_to_json(marks)).encode()) == marks


@pytest.mark.parametrize(
    ("content", "why"),
    [
        pytest.param(b"", "cannot be read", id="nothing"),
        pytest.param(b'{"schema": "attn-marks/2", "submission": "a', "cannot be read", id="half of a file"),
        pytest.param(b'{"schema": "\xff"}', "cannot be read", id="not UTF-8"),
        pytest.param(b'{"else":' + b"[" * 100_000, "cannot be read", id="very deep"),
        pytest.param(b"[]", "holds no marks of the schema attn-marks/2", id="no object"),
        pytest.param(b"{}", "holds no marks of the schema attn-marks/2", id="an object without a schema"),
        pytest.param(
            b'{"schema": "attn-marks/1"}',
            "'attn-marks/1'; this grader reads attn-marks/2",
            id="older",
        ),
        pytest.param(b'{"schema": "attn-marks/2"}', "missing required field `submission`", id="a field is missing"),
        pytest.param(
            changed(score="all"), r"Expected `float`, got `str` - at `\$.parts\[0\].steps\[0\].score", id="another type"
        ),
        pytest.param(changed(verdict="excellent"), "Invalid enum value 'excellent'", id="no verdict"),
        pytest.param(
            changed(checks=[check_in_json(Check("c", "values", False, "no", picture=view_of(EYE))) | {"picture": {}}]),
            "missing required field `name`",
            id="half a picture",
        ),
    ],
)
def test_what_holds_no_marks_is_refused_with_the_reason(content: bytes, why: str) -> None:
    with pytest.raises(NotMarks, match=why):
        marks_from_json(content)


@pytest.mark.parametrize("rows", [5, "no", [1.0], [[1.0], [1.0, 2.0]], [["no"]], [[None]], [[[1.0]]], {"a": 1}])
def test_a_picture_of_no_rows_of_numbers_is_refused(rows: Any) -> None:
    check = check_in_json(Check("c", "values", False, "no", picture=view_of(EYE)))
    check["picture"]["yours"] = rows

    with pytest.raises(NotMarks, match="holds no marks"):
        marks_from_json(changed(checks=[check]))


def test_every_check_leads_to_a_documented_verdict() -> None:
    assert set(CHECKS.values()) <= set(Verdict)


def test_the_first_failed_check_decides() -> None:
    assert STEP.first_failure == Check("journey", "values", False, "no")


def test_marks_pass_only_when_every_step_does() -> None:
    assert not MARKS.passed
    assert Marks(
        "a", "", "", "", 0.0, "none", (PartMarks("p", None, (StepMarks("s", Verdict.PASSED, 1.0, 1.0),)),)
    ).passed
