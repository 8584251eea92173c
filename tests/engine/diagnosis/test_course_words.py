"""What is wrong, in the words of a course that has its own for a kind of slip."""

import pytest

from autograder.course.verdicts import Verdict
from autograder.diagnosis.find import in_words_of
from autograder.grading.results import Diagnosis, Marks, PartMarks, StepMarks

CURE = Diagnosis("cure", "dimension", "Line 3.", "Line 3.", "Over the wrong dimension.", "With `dim=-1`.")


def said(cause: Diagnosis | None, **sentences: str) -> Diagnosis | None:
    step = StepMarks("softmax", Verdict.WRONG_VALUES, 0.0, 8.0, diagnosis=cause)
    marks = Marks("ada", "", "", "", 0.0, "none", (PartMarks("part1", None, (step,)),))
    return in_words_of(sentences, marks).parts[0].steps[0].diagnosis


def test_a_slip_is_said_in_the_course_s_words_and_nothing_else_changes() -> None:
    found = said(CURE, dimension="Over the photos.")

    assert found == Diagnosis("cure", "dimension", "Line 3.", "Line 3.", "Over the photos.", "With `dim=-1`.")


@pytest.mark.parametrize("cause", [CURE, None, Diagnosis("mistake", "operator", "You add.")])
def test_what_the_course_has_no_sentence_for_stays_as_it_is(cause: Diagnosis | None) -> None:
    assert said(cause, operator="Not this operation.") == cause
