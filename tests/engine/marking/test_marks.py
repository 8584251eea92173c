"""Marks as JSON: exactly the documented schema, and points that add up."""

import json
from dataclasses import replace

import numpy as np

from autograder.marking import pictures
from autograder.marking.boxes import Boxes, Side
from autograder.marking.marks import CHECKS, VERDICTS, Check, Diagnosis, Marks, PartMarks, Picture, StepMarks, to_json

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
    parts=(PartMarks("part2_trainable", None, (STEP, StepMarks("context_vectors", "passed", 1.0, 1.0))),),
)


def test_the_json_is_the_documented_schema() -> None:
    assert to_json(MARKS) == {
        "schema": "attn-marks/1",
        "submission": "ada",
        "digest": "sha256:0",
        "exam": "sha256:1",
        "graded_at": "2026-11-20T12:00:00Z",
        "score": 1.5,
        "max_score": 2.0,
        "seconds": 0.2,
        "sandbox": "none",
        "notes": [],
        "parts": [
            {
                "part": "part2_trainable",
                "score": 1.5,
                "max_score": 2.0,
                "error": None,
                "submitted_at": None,
                "steps": [
                    {
                        "step": "scale_scores",
                        "verdict": "wrong_values",
                        "score": 0.5,
                        "max_score": 1.0,
                        "checks": [
                            {"case": "journey", "check": "runs", "passed": True, "message": ""},
                            {"case": "journey", "check": "values", "passed": False, "message": "no"},
                        ],
                        "diagnosis": {"kind": "mistake", "id": "divided_by_d_k", "says": "You divide by d_k."},
                        "hint": "a hint",
                        "printed": "printed",
                        "traceback": None,
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
                    },
                ],
            }
        ],
    }


def test_shapes_and_a_headline_are_fields_of_their_check() -> None:
    shapes = Boxes("keys", (Side("t", 4, None),))
    check = Check("journey", "shape", False, "no", boxes=shapes, headline="wrong number of tensors")
    step = replace(STEP, checks=(check,))

    (found,) = to_json(replace(MARKS, parts=(PartMarks("part2_trainable", None, (step,)),)))["parts"][0]["steps"][0][
        "checks"
    ]

    assert found["headline"] == "wrong number of tensors"
    assert found["boxes"] == {"name": "keys", "sides": [{"name": "t", "expected": 4, "yours": None, "called": ""}]}


def test_the_check_that_decided_carries_its_picture_and_no_other_does() -> None:
    picture = Picture("keys", np.zeros((2, 2)), np.eye(2), ("t", "d"))
    checks = tuple(Check(case, "values", False, "no", picture) for case in ("journey", "batch"))
    marks = replace(MARKS, parts=(PartMarks("part", None, (replace(STEP, checks=checks),)),))

    first, second = to_json(marks)["parts"][0]["steps"][0]["checks"]

    assert first["picture"] == pictures.to_json(pictures.view_of(picture))
    assert "picture" not in second


def test_the_json_can_be_written() -> None:
    assert json.loads(json.dumps(to_json(MARKS))) == to_json(MARKS)


def test_every_check_leads_to_a_documented_verdict() -> None:
    assert set(CHECKS.values()) <= set(VERDICTS)


def test_the_first_failed_check_decides() -> None:
    assert STEP.first_failure == Check("journey", "values", False, "no")


def test_marks_pass_only_when_every_step_does() -> None:
    assert not MARKS.passed
    assert Marks("a", "", "", "", 0.0, "none", (PartMarks("p", None, (StepMarks("s", "passed", 1.0, 1.0),)),)).passed
