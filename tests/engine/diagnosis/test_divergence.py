"""What is told of the place where a submission departs."""

import numpy as np

from autograder.course.model import NO_WORDS
from autograder.course.trace import Stop
from autograder.diagnosis.divergence import Place, with_operands
from autograder.grading.matrix_views import Picture, view_of
from autograder.grading.results import Diagnosis, Spot

SCALED = Place(1, Spot("own.py", 3, 4, 9, "s = a * 2"), "*", None, "departs", (), factors=(2.0, 1.0))


def test_code_that_raises_is_told_the_line_where_nothing_else_is_known() -> None:
    text = "def attend(queries, keys, values):\n    s = queries @ keys.T\n    return s.nothing\n"
    raised = Stop(0, (("own.py", 3, "attend"),))

    found = with_operands(None, raised, {"own.py": text}, ())

    assert found
    assert found.says == "Line 3 raised: `return s.nothing`."
    assert found.spot
    assert found.spot.text[found.spot.first : found.spot.last] == "return s.nothing"


def test_where_nothing_is_scaled_a_factor_is_told_to_be_too_much() -> None:
    assert SCALED.diagnosis().what == "What goes in is multiplied by 2; here nothing is scaled."


def test_a_factor_does_not_explain_an_exception() -> None:
    raised = Diagnosis("exception", "sizes", "Two tensors meet.")

    assert SCALED.diagnosis(raised) is raised


def test_where_numbers_depart_an_input_need_not_be_written_into() -> None:
    changed = Diagnosis("relation", "changed_inputs", "Your code changes `scores`.")

    assert SCALED.diagnosis(changed) is changed


def test_of_a_factor_and_what_is_mixed_the_factor_is_told_with_more_to_come() -> None:
    picture = view_of(Picture("who sees whom", np.eye(2), np.ones((2, 2)), ("t", "t"), {}, NO_WORDS))
    found = SCALED.diagnosis(Diagnosis("influence", "mixed", "Rows are mixed.", picture=picture))

    assert (found.kind, found.more) == ("place", True)
