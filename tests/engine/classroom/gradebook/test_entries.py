"""What a student's name and marks are to nbgrader."""

from typing import Any

import pytest
from graded import SAYS, marks_of

from autograder.classroom.gradebook import LONGEST, comment_on, first_and_last, student_id
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import VALUES, Syllabus
from autograder.grading.results import Check, CriterionMarks, StepMarks


def comments(syllabus: Syllabus, **marks: Any) -> dict[str, str | None]:
    (part,) = marks_of(syllabus, "ada", **marks).parts
    return {step.step: comment_on(step, part.error) for step in part.steps}


def test_a_wrong_step_is_told_its_diagnosis(syllabus: Syllabus) -> None:
    assert comments(syllabus)["softmax"] == SAYS


def test_a_step_without_a_diagnosis_is_told_what_failed(syllabus: Syllabus) -> None:
    assert comments(syllabus, says=None)["softmax"] == "the numbers differ"


def test_a_wrong_step_is_told_by_which_criteria_it_lost_points() -> None:
    criteria = CriterionMarks(VALUES, 3.0, 3.0), CriterionMarks("batch", 0.0, 1.0)
    step = StepMarks("s", Verdict.RAISED, 3.0, 4.0, (Check("batch", "runs", False, "no"),), criteria=criteria)

    assert comment_on(step, None) == "no\nPoints lost: batch 1."


def test_each_step_of_a_part_in_error_is_told_the_error(syllabus: Syllabus) -> None:
    assert set(comments(syllabus, error="SyntaxError in line 3").values()) == {"SyntaxError in line 3"}


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", 'a"b', "a\\nb", "a&lt;b", "x" * 200])
def test_names_that_would_do_harm_are_changed_and_stay_apart(name: str) -> None:
    made = student_id(name)

    assert not set(made) & set('<>"&\\')
    assert len(made) <= LONGEST
    assert made != student_id(name + "!")


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("Lovelace, Ada", "Ada", "Lovelace"),
        ("de la Cruz, Ana Maria", "Ana Maria", "de la Cruz"),
        ("Ada King Lovelace", "Ada King", "Lovelace"),
        ("ada", "", "ada"),
        ("<b>, x&", "x_", "_b_"),
        ("a" * 200 + ", " + "b" * 200, "b" * 128, "a" * 128),
    ],
)
def test_a_name_becomes_a_first_and_a_last_one(name: str, first: str, last: str) -> None:
    assert first_and_last(name) == (first, last)
