"""What the points of a step are given for, and were lost by, in words whose numbers add up."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from test_points import BATCH, found, step

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import FORM, VALUES, SyllabusStep
from autograder.grading.points import CaseChecks, earned, explained, hint_for, moved, points_lost, shared_out, told
from autograder.grading.results import Check, CriterionMarks, StepMarks


def marked(*cases: CaseChecks) -> StepMarks:
    """Return the marks of a step with these cases."""
    criteria = earned(step(), cases)
    score = round(sum(one.score for one in criteria), 2)
    checks = tuple(check for case in cases for check in case.checks)
    return StepMarks("s", Verdict.WRONG_VALUES, score, 10, checks, criteria=criteria)


RIGHT, WRONG = found(VALUES, True), found(VALUES, False)
IN_BATCHES, NOT_IN_BATCHES = found(BATCH, True), found(BATCH, False)

FORMLESS = found(VALUES, True, form=False)


def test_the_points_of_a_step_are_listed_with_its_values_first() -> None:
    assert shared_out(step()) == "values 6, batch 2.5, shape and dtype 1.5"


@pytest.mark.parametrize(
    ("cases", "lost"),
    [
        ([RIGHT, NOT_IN_BATCHES], {BATCH: 2.5}),
        ([FORMLESS, IN_BATCHES], {FORM: 1.5}),
        ([RIGHT, WRONG, IN_BATCHES], {VALUES: 3.75}),
        ([WRONG, IN_BATCHES], {VALUES: 7.5}),
        ([RIGHT, IN_BATCHES], {}),
    ],
    ids=[
        "a named criterion",
        "a side condition",
        "half of the values, and what depends on them",
        "all values",
        "nothing",
    ],
)
def test_what_a_step_lost_is_told_by_criterion(cases: Sequence[CaseChecks], lost: dict[str, float]) -> None:
    assert points_lost(marked(*cases)) == lost


@pytest.mark.parametrize(
    "cases", [[RIGHT, NOT_IN_BATCHES], [FORMLESS, WRONG], [WRONG, IN_BATCHES], [WRONG, WRONG, RIGHT]]
)
def test_what_is_lost_adds_up_to_what_a_step_lacks(cases: Sequence[CaseChecks]) -> None:
    marks = marked(*cases)
    assert round(marks.score + sum(points_lost(marks).values()), 2) == marks.max_score


def test_lost_points_are_told_in_a_sentence() -> None:
    alone = CaseChecks(frozenset({BATCH}), [Check("batch", "values", False, criterion=BATCH)])
    assert told(marked(FORMLESS, alone)) == "Points lost: batch 2.5, shape and dtype 1.5."


def test_what_wrong_values_hide_is_not_told_as_a_mistake() -> None:
    said = "Points lost: values 3.75; cannot be seen before that is right: batch 2.5."
    assert told(marked(WRONG, RIGHT, NOT_IN_BATCHES)) == said


def test_where_a_side_condition_alone_is_lost_the_numbers_are_right() -> None:
    assert told(marked(FORMLESS, IN_BATCHES)) == "The numbers are right. Points lost: shape and dtype 1.5."


def test_where_an_output_beside_the_values_is_wrong_the_numbers_are_right() -> None:
    drawn = CaseChecks(frozenset({VALUES, BATCH}), [*RIGHT.checks, Check("case", "values", False, criterion=BATCH)])
    assert told(marked(drawn)) == "The numbers are right. Points lost: batch 2.5."


def test_where_the_form_is_lost_in_a_case_of_a_criterion_the_numbers_are_right() -> None:
    batch = CaseChecks(
        frozenset({BATCH}), [Check("b", "runs", True, criterion=BATCH), Check("b", "dtype", False, criterion=FORM)]
    )
    assert told(marked(RIGHT, batch)).startswith("The numbers are right. ")


def test_where_a_case_of_its_own_is_wrong_the_numbers_are_not_said_to_be_right() -> None:
    alone = CaseChecks(frozenset({BATCH}), [Check("batch", "values", False, criterion=BATCH)])
    assert told(marked(RIGHT, alone)) == "Points lost: batch 2.5."


@pytest.mark.parametrize("cases", [[RIGHT, IN_BATCHES], [WRONG, NOT_IN_BATCHES]], ids=["all", "nothing"])
def test_where_all_or_nothing_was_earned_nothing_is_told(cases: Sequence[CaseChecks]) -> None:
    assert told(marked(*cases)) == ""


def test_a_move_names_the_criteria_whose_points_changed() -> None:
    before, after = marked(RIGHT, NOT_IN_BATCHES).criteria, marked(RIGHT, IN_BATCHES).criteria
    assert moved(before, after) == "batch 0 → 2.5"


def test_of_marks_without_criteria_no_criterion_has_moved() -> None:
    assert moved((), (CriterionMarks(VALUES, 1.0, 1.0),)) == ""


# Hints


def hinted() -> SyllabusStep:
    """Return the step with a hint for each of two criteria."""
    hints = {BATCH: "look at the batch", FORM: "look at the shape"}
    one = step()
    return replace(
        one, hints=("first", "second"), criteria=tuple(replace(it, hint=hints.get(it.name, "")) for it in one.criteria)
    )


@pytest.mark.parametrize(
    ("cases", "hint"),
    [
        ([RIGHT, NOT_IN_BATCHES], "look at the batch"),
        ([FORMLESS, IN_BATCHES], "look at the shape"),
        ([WRONG, NOT_IN_BATCHES], "first"),
        ([WRONG, IN_BATCHES], "first"),
        ([RIGHT, WRONG, IN_BATCHES], "second"),
    ],
    ids=["a named criterion", "a side condition", "the values and more", "the values alone", "some of the values"],
)
def test_the_hint_is_for_what_was_lost(cases: Sequence[CaseChecks], hint: str) -> None:
    assert hint_for(hinted(), marked(*cases)) == hint


def test_a_step_that_passed_has_no_hint() -> None:
    passed = replace(marked(RIGHT, IN_BATCHES), verdict=Verdict.PASSED)
    assert hint_for(hinted(), passed) is None


def test_a_criterion_without_a_hint_leads_to_the_first_one_of_the_step() -> None:
    assert hint_for(replace(step(), hints=("first",)), marked(RIGHT, NOT_IN_BATCHES)) == "first"


def test_criteria_are_explained_as_far_as_the_course_does() -> None:
    assert explained(step(), {BATCH: "several at once", "another": "nothing"}) == f"{BATCH}: several at once."
