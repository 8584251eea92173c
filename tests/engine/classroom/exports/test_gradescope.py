"""Gradescope's results.json."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from autograder.classroom.exports.gradescope import results
from autograder.classroom.final import FinalPoints

BE = 'Bé "the" O\'Neil, <script>alert(1)</script>'
STUDENTS = ["ada", BE, "=1+1", "../eve\nsecond line"]


@pytest.mark.parametrize(("student", "name"), [("ada", "gradescope_ada.json"), (BE, "gradescope_be.json")])
def test_results_are_the_golden_ones(
    final: FinalPoints, golden: Callable[[str], bytes], student: str, name: str
) -> None:
    assert results(final.students[student]) == json.loads(golden(name))


@pytest.mark.parametrize("student", STUDENTS)
def test_results_fit_the_documented_format(final: FinalPoints, schemas: Path, student: str) -> None:
    schema = json.loads((schemas / "gradescope.schema.json").read_text(encoding="utf-8"))

    jsonschema.validate(results(final.students[student]), schema)


@pytest.mark.parametrize("student", STUDENTS)
def test_the_tests_add_up_to_the_score(final: FinalPoints, student: str) -> None:
    made = results(final.students[student])

    assert sum(test["score"] for test in made["tests"]) == pytest.approx(made["score"])
    assert sum(test["max_score"] for test in made["tests"]) == final.max_score


def test_nothing_is_hidden(final: FinalPoints) -> None:
    made = results(final.students["ada"])

    assert {made["visibility"], *(test["visibility"] for test in made["tests"])} == {"visible"}


def test_a_students_text_is_declared_as_text_wherever_it_stands(final: FinalPoints) -> None:
    made = results(final.students[BE])

    assert "<script>" in made["tests"][0]["output"]
    assert {made[key] for key in made if key.endswith("_format")} == {"text"}
    assert not any("output_format" in test for test in made["tests"])


def test_notes_and_errors_of_parts_stand_at_the_top(final: FinalPoints) -> None:
    assert results(final.students[BE])["output"] == "part1_simplified (1).py was marked <b>"
    assert results(final.students["=1+1"])["output"].startswith("part1_simplified: SyntaxError")


def test_steps_of_a_part_that_could_not_be_loaded_say_why(final: FinalPoints) -> None:
    assert "SyntaxError" in results(final.students["=1+1"])["tests"][0]["output"]


def test_a_wrong_step_tells_message_mistake_and_hint(final: FinalPoints) -> None:
    softmax = results(final.students["ada"])["tests"][1]

    assert softmax["output"].split("\n\n") == [
        "wrong values: case rows: 20 of 20 numbers differ, most at [1, t 4]: expected 0.1765, yours 0.7520",
        "Your columns add up to 1 instead of your rows.",
        "Hint: Look at the last dimension.",
    ]


def test_a_part_that_was_not_handed_in_is_one_failed_test(final: FinalPoints) -> None:
    last = results(final.students["../eve\nsecond line"])["tests"][-1]

    assert (last["name"], last["score"], last["max_score"], last["status"]) == ("part2_trainable", 0.0, 5.0, "failed")
    assert last["output"] == "This part was not handed in."
