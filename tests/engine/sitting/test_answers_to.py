"""What a child says of inputs that it changed is of inputs that there are."""

import numpy as np
import pytest

from autograder.course.answer import Answer, Failure
from autograder.exam.model import PaperCase
from autograder.sitting.answers import answers_to
from autograder.sitting.wire import encode_answers

BEFORE = np.array([1.0, -2.0], dtype=np.float32)
CASE = PaperCase("part", "step", "random", 7, False, {"x": BEFORE, "n": 3, "y": BEFORE + 1})


def taken(answer: Answer, case: PaperCase = CASE) -> Answer:
    return answers_to([case], encode_answers({case.path: answer}))[case.path]


def test_which_was_changed_is_told_with_its_numbers() -> None:
    answer = taken(Answer(changed_inputs=("x",), changed_to=abs(BEFORE)))

    assert answer.changed_inputs == ("x",)
    np.testing.assert_array_equal(answer.changed_to, [1, 2])


@pytest.mark.parametrize("after", [np.ones(3, dtype=np.float32), np.ones((2, 1))], ids=str)
def test_numbers_in_another_shape_are_none_of_an_input(after: np.ndarray) -> None:
    assert taken(Answer(changed_inputs=("x",), changed_to=after)).changed_to is None


def test_names_that_are_no_inputs_were_not_changed() -> None:
    assert taken(Answer(changed_inputs=("nowhere", "x", "x"))).changed_inputs == ("x",)


def test_nothing_that_is_not_said_was_changed() -> None:
    assert taken(Answer()).changed_inputs == ()
    assert taken(Answer(failure=Failure("raised", "no"))).changed_inputs == ()
