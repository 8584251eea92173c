"""Gradescope's results.json."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports.gradescope import results

BE = 'Bé "the" O\'Neil, <script>alert(1)</script>'
STUDENTS = ["ada", BE, "=1+1", "../eve\nsecond line"]


@pytest.mark.parametrize(("student", "name"), [("ada", "gradescope_ada.json"), (BE, "gradescope_be.json")])
def test_results_are_the_golden_ones(
    class_marks: ClassMarks, golden: Callable[[str], bytes], student: str, name: str
) -> None:
    assert results(class_marks, student) == json.loads(golden(name))


@pytest.mark.parametrize("student", STUDENTS)
def test_results_fit_the_documented_format(class_marks: ClassMarks, schemas: Path, student: str) -> None:
    schema = json.loads((schemas / "gradescope.schema.json").read_text(encoding="utf-8"))

    jsonschema.validate(results(class_marks, student), schema)


@pytest.mark.parametrize("student", STUDENTS)
def test_the_tests_add_up_to_the_score(class_marks: ClassMarks, student: str) -> None:
    made = results(class_marks, student)

    assert sum(test["score"] for test in made["tests"]) == pytest.approx(made["score"])
    assert sum(test["max_score"] for test in made["tests"]) == class_marks.max_score


def test_nothing_is_hidden(class_marks: ClassMarks) -> None:
    made = results(class_marks, "ada")

    assert {made["visibility"], *(test["visibility"] for test in made["tests"])} == {"visible"}


def test_a_students_text_is_declared_as_text_wherever_it_stands(class_marks: ClassMarks) -> None:
    made = results(class_marks, BE)

    assert "<script>" in made["tests"][0]["output"]
    assert {made[key] for key in made if key.endswith("_format")} == {"text"}
    assert not any("output_format" in test for test in made["tests"])


def test_notes_and_errors_of_parts_stand_at_the_top(class_marks: ClassMarks) -> None:
    assert results(class_marks, BE)["output"] == "part1_simplified (1).py was marked <b>"
    assert results(class_marks, "=1+1")["output"].startswith("part1_simplified: SyntaxError")


def test_steps_of_a_part_that_could_not_be_loaded_say_why(class_marks: ClassMarks) -> None:
    assert "SyntaxError" in results(class_marks, "=1+1")["tests"][0]["output"]


def test_a_wrong_step_tells_message_mistake_and_hint(class_marks: ClassMarks) -> None:
    softmax = results(class_marks, "ada")["tests"][1]

    assert softmax["output"].split("\n\n") == [
        "wrong values: case rows: 20 of 20 numbers differ, most at [1, t 4]: expected 0.1765, yours 0.7520",
        "Your columns add up to 1 instead of your rows.",
        "Hint: Look at the last dimension.",
    ]


def test_a_part_that_was_not_handed_in_is_one_failed_test(class_marks: ClassMarks) -> None:
    last = results(class_marks, "../eve\nsecond line")["tests"][-1]

    assert (last["name"], last["score"], last["max_score"], last["status"]) == ("part2_trainable", 0.0, 5.0, "failed")
    assert last["output"] == "This part was not handed in."
