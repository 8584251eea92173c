"""Which steps' causes are searched for."""

from autograder.course.verdicts import Verdict
from autograder.diagnosis.should_search import is_searched
from autograder.grading.callees import CALLS_OPEN
from autograder.grading.results import Diagnosis, StepMarks


def wrong(diagnosis: Diagnosis | None) -> StepMarks:
    return StepMarks("step", Verdict.WRONG_VALUES, 0.0, 1.0, diagnosis=diagnosis)


def test_a_wrong_step_without_a_cause_is_searched() -> None:
    assert is_searched(wrong(None))


def test_a_step_that_calls_one_which_has_not_passed_is_not_searched_as_an_edit_would_only_make_up_for_that() -> None:
    assert not is_searched(wrong(Diagnosis("relation", CALLS_OPEN, "It calls your `split_heads`: start there.")))
