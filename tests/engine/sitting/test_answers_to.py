"""Whether inputs were changed is seen from what they hold after the run, whatever the child says of it."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.course.answer import Answer, Failure, TensorValue, seal
from autograder.exam.model import PaperCase
from autograder.sitting.answers import answers_to
from autograder.sitting.wire import encode_answers

BEFORE = np.array([1.0, -2.0], dtype=np.float32)
CASE = PaperCase("part", "step", "random", 7, False, {"x": BEFORE, "n": 3, "y": BEFORE + 1})


def sealed(*arrays: np.ndarray | None, salt: str = CASE.salt) -> str:
    return seal(arrays, salt)


def taken(answer: Answer, case: PaperCase = CASE) -> Answer:
    return answers_to([case], encode_answers({case.path: answer}))[case.path]


UNTOUCHED = sealed(BEFORE, BEFORE + 1)
CHANGED = sealed(abs(BEFORE), BEFORE + 1)


def test_inputs_that_hold_what_they_held_are_untouched() -> None:
    assert taken(Answer(seal=UNTOUCHED)).changed_inputs == ()


@pytest.mark.parametrize(
    "wrong", [CHANGED, "", sealed(BEFORE, BEFORE + 1, salt="another exam's"), sealed(BEFORE, None)]
)
def test_inputs_that_hold_something_else_were_changed_though_nothing_is_said_of_it(wrong: str) -> None:
    assert taken(Answer(seal=wrong)).changed_inputs == ("x", "y")


def test_which_was_changed_is_told_with_its_numbers() -> None:
    answer = taken(Answer(changed_inputs=("x",), changed_to=abs(BEFORE), seal=CHANGED))

    assert answer.changed_inputs == ("x",)
    np.testing.assert_array_equal(answer.changed_to, [1, 2])


@pytest.mark.parametrize("after", [np.ones(3, dtype=np.float32), np.ones((2, 1))], ids=str)
def test_numbers_in_another_shape_are_none_of_an_input(after: np.ndarray) -> None:
    assert taken(Answer(changed_inputs=("x",), changed_to=after, seal=CHANGED)).changed_to is None


def test_names_that_are_no_inputs_were_not_changed() -> None:
    assert taken(Answer(changed_inputs=("nowhere", "x", "x"), seal=CHANGED)).changed_inputs == ("x",)


def test_code_that_raised_is_not_said_to_have_changed_anything() -> None:
    assert taken(Answer(failure=Failure("raised", "no"))).changed_inputs == ()


def test_a_case_without_tensors_has_nothing_to_change() -> None:
    case = replace(CASE, inputs={"n": 3})

    assert taken(Answer({"result": TensorValue("float32", (), None)}), case).changed_inputs == ()
