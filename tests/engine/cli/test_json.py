"""`attn check --json`: exactly the schema `attn-marks/2`, and nothing else on standard output."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from subprocess import CompletedProcess
from types import NoneType
from typing import Any, NoReturn

import pytest
from command import attn_forked, attn_in

from autograder.workspace import Workspace

Run = CompletedProcess[str]
NewCourse = Callable[..., Workspace]
Fields = dict[str, tuple[type, ...]]

FIRST = "part1_simplified"
SECOND = "part2_trainable"

MARKS: Fields = {
    "schema": (str,),
    "submission": (str,),
    "digest": (str,),
    "exam": (str,),
    "graded_at": (str,),
    "score": (float,),
    "max_score": (float,),
    "seconds": (float,),
    "sandbox": (str,),
    "notes": (list,),
    "looks": (list,),
    "parts": (list,),
}
PART: Fields = {
    "part": (str,),
    "score": (float,),
    "max_score": (float,),
    "error": (str, NoneType),
    "submitted_at": (str, NoneType),
    "digest": (str,),
    "notes": (list,),
    "steps": (list,),
}
STEP: Fields = {
    "step": (str,),
    "verdict": (str,),
    "score": (float,),
    "max_score": (float,),
    "checks": (list,),
    "diagnosis": (dict, NoneType),
    "hint": (str, NoneType),
    "printed": (str,),
    "traceback": (str, NoneType),
    "criteria": (list,),
}
CHECK: Fields = {"case": (str,), "check": (str,), "passed": (bool,), "message": (str,), "criterion": (str,)}
PICTURE: Fields = {
    "name": (str,),
    "dims": (list,),
    "where": (list,),
    "labels": (dict,),
    "row": (int,),
    "column": (int,),
    "shape": (list,),
    "boolean": (bool,),
    "expected": (list,),
    "yours": (list,),
    "wrong": (list,),
    "whole": (bool,),
    "titles": (list,),
    "sums": (list,),
    "owners": (dict, NoneType),
    "words": (list,),
}
DIAGNOSIS: Fields = {"kind": (str,), "id": (str,), "says": (str,)}

VERDICTS = [
    "passed",
    "not_attempted",
    "missing",
    "forbidden",
    "raised",
    "timed_out",
    "out_of_memory",
    "crashed",
    "wrong_shape",
    "wrong_dtype",
    "wrong_values",
    "wrong_gradient",
    "changed_inputs",
]

MIXED = """
print("while loading")


def dot_product(a, b):
    print("in a step")
    return (a * b).sum()


def attention_scores(query, inputs):
    return 2 * (inputs @ query)


def softmax(scores):
    print("\\x1b[31m\\x1b]0;title\\x07\\x00\\x9b red \\u202e" + "long " * 2_000)
    raise ValueError("\\x1b[2J\\ud800\\x08 wiped " + "long " * 2_000)


def context_vector(weights, inputs):
    return float("nan") * (weights @ inputs)
"""


@pytest.fixture(scope="module")
def run(new_course: NewCourse) -> Run:
    workspace = new_course(part1_simplified=MIXED)
    workspace.exercise(SECOND).write_text("def broken(:\n", encoding="utf-8")
    return attn_in(workspace, "check", "--json")


@pytest.fixture(scope="module")
def marks(run: Run) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no JSON")

    found: dict[str, Any] = json.loads(run.stdout, parse_constant=refuse)
    return found


@pytest.fixture(scope="module")
def steps(marks: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The steps of the first part, by name."""
    return {step["step"]: step for step in marks["parts"][0]["steps"]}


def misfits(found: dict[str, Any], fields: Fields) -> dict[str, str]:
    """Return the keys that are missing, too many or of another type."""
    odd = dict.fromkeys(found.keys() ^ fields.keys(), "missing or too many")
    return odd | {
        name: type(found[name]).__name__
        for name in found.keys() & fields.keys()
        if type(found[name]) not in fields[name]
    }


def all_steps(marks: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for part in marks["parts"] for step in part["steps"]]


def texts_in(value: object) -> Iterator[str]:
    """Yield every text within some JSON."""
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from texts_in(inner)
        case list():
            for inner in value:
                yield from texts_in(inner)


def test_the_marks_have_exactly_their_fields(marks: dict[str, Any]) -> None:
    assert misfits(marks, MARKS) == {}


@pytest.mark.parametrize("number", [0, 1], ids=["loaded", "with an error"])
def test_a_part_has_exactly_its_fields(marks: dict[str, Any], number: int) -> None:
    assert misfits(marks["parts"][number], PART) == {}


def test_every_step_has_exactly_its_fields(marks: dict[str, Any]) -> None:
    assert [misfits(step, STEP) for step in all_steps(marks) if misfits(step, STEP)] == []


def test_every_check_has_exactly_its_fields(marks: dict[str, Any]) -> None:
    checks = [check for step in all_steps(marks) for check in step["checks"]]
    fields = [CHECK | ({"picture": (dict,)} if "picture" in check else {}) for check in checks]
    assert checks
    assert [odd for check, wanted in zip(checks, fields, strict=True) if (odd := misfits(check, wanted))] == []


def test_the_check_that_decided_has_a_picture_with_exactly_its_fields(steps: dict[str, dict[str, Any]]) -> None:
    decided = next(check for check in steps["attention_scores"]["checks"] if not check["passed"])
    assert misfits(decided["picture"], PICTURE) == {}


def test_no_other_check_has_a_picture(marks: dict[str, Any]) -> None:
    for step in all_steps(marks):
        failed = [number for number, check in enumerate(step["checks"]) if not check["passed"]]
        pictured = [number for number, check in enumerate(step["checks"]) if "picture" in check]
        assert pictured in ([], failed[:1])


def test_a_diagnosis_has_exactly_its_fields(steps: dict[str, dict[str, Any]]) -> None:
    assert misfits(steps["attention_scores"]["diagnosis"], DIAGNOSIS) == {}


def test_the_schema_is_named(marks: dict[str, Any]) -> None:
    assert marks["schema"] == "attn-marks/2"


@pytest.mark.parametrize(
    ("field", "form"),
    [("digest", r"sha256:[0-9a-f]{64}"), ("graded_at", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")],
)
def test_a_field_has_its_form(marks: dict[str, Any], field: str, form: str) -> None:
    assert re.fullmatch(form, marks[field])


def test_the_exam_is_named_by_the_digest_of_its_file(marks: dict[str, Any], course: Workspace) -> None:
    assert marks["exam"] == "sha256:" + hashlib.sha256(course.practice_exam.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("step", "verdict"),
    [
        ("dot_product", "passed"),
        ("attention_scores", "wrong_values"),
        ("softmax", "raised"),
        ("simplified_self_attention", "not_attempted"),
    ],
)
def test_each_step_has_its_verdict(steps: dict[str, dict[str, Any]], step: str, verdict: str) -> None:
    assert steps[step]["verdict"] == verdict


def test_every_verdict_is_one_of_the_interface(marks: dict[str, Any]) -> None:
    assert {step["verdict"] for step in all_steps(marks)} <= set(VERDICTS)


def test_anything_but_passed_scores_less_than_all(marks: dict[str, Any]) -> None:
    assert [step["step"] for step in all_steps(marks) if step["score"] == step["max_score"]] == ["dot_product"]


def test_scores_add_up(marks: dict[str, Any]) -> None:
    assert marks["score"] == pytest.approx(sum(part["score"] for part in marks["parts"]))
    assert marks["max_score"] == pytest.approx(sum(step["max_score"] for step in all_steps(marks)))


def test_a_passed_step_has_nothing_to_say(steps: dict[str, dict[str, Any]]) -> None:
    step = steps["dot_product"]
    assert (step["diagnosis"], step["hint"], step["traceback"]) == (None, None, None)
    assert all(check["passed"] and check["message"] == "" for check in step["checks"])


def test_a_wrong_step_says_what_and_why(steps: dict[str, dict[str, Any]]) -> None:
    step = steps["attention_scores"]
    failed = next(check for check in step["checks"] if not check["passed"])
    assert (failed["case"], failed["check"]) == ("journey", "values")
    assert "numbers differ" in failed["message"]
    assert step["diagnosis"]["kind"] in ("mistake", "relation")
    assert step["hint"]


def test_an_exception_has_the_students_own_lines(steps: dict[str, dict[str, Any]]) -> None:
    assert re.match(rf"exercises/{FIRST}\.py, line \d+, in softmax\n", steps["softmax"]["traceback"])


def test_a_part_that_cannot_be_loaded_says_why(marks: dict[str, Any]) -> None:
    assert f"SyntaxError in exercises/{SECOND}.py, line" in marks["parts"][1]["error"]


def test_a_part_that_cannot_be_loaded_lists_its_steps_without_points(marks: dict[str, Any], course: Workspace) -> None:
    steps = marks["parts"][1]["steps"]
    assert len(steps) > 10
    assert {step["score"] for step in steps} == {0.0}


def test_printed_text_is_kept_with_its_step(steps: dict[str, dict[str, Any]]) -> None:
    assert "in a step" in steps["dot_product"]["printed"]


def test_no_text_holds_control_characters(marks: dict[str, Any]) -> None:
    odd = {
        character
        for text in texts_in(marks)
        for character in text
        if not (character.isprintable() or character in "\n\t")
    }
    assert odd == set()


@pytest.mark.parametrize("field", ["printed", "message"])
def test_long_text_is_cut_at_4000_characters(steps: dict[str, dict[str, Any]], field: str) -> None:
    step = steps["softmax"]
    text = step["printed"] if field == "printed" else step["checks"][0]["message"]
    assert 2_000 < len(text) <= 4_000


def test_standard_error_is_empty(run: Run) -> None:
    assert run.stderr == ""


def test_the_exit_code_is_that_of_the_check(run: Run) -> None:
    assert run.returncode == 1


def test_in_the_foreground_too_standard_output_is_json_alone(new_course: NewCourse) -> None:
    found = attn_forked(new_course(part1_simplified=MIXED), "check", "1.dot_product", "--json", "--debug")
    assert found.stdout.startswith("{")
