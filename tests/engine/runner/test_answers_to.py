"""What is kept of what a child sends is of inputs that there are, and of outputs that something is compared with."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.course.answer import Answer, Failure, PlainValue, TensorValue, Value
from autograder.exam.model import PaperCase
from autograder.runner.answers import answers_to

BEFORE = np.array([1.0, -2.0], dtype=np.float32)
CASE = PaperCase("part", "step", "random", 7, False, {"x": BEFORE, "n": 3, "y": BEFORE + 1})


def taken(answer: Answer, case: PaperCase = CASE) -> Answer:
    return answers_to([case], {case.path: answer})[case.path]


def test_what_a_judge_finds_in_numbers_stands_in_place_of_what_came() -> None:
    def judge(inputs: Mapping[str, Any], outputs: Mapping[str, Value]) -> Mapping[str, Value]:
        assert inputs == {"n": 3}
        return {"positive": PlainValue("bool", bool((outputs["numbers"].array > 0).all()))}

    came = Answer({"numbers": TensorValue("float32", (2,), BEFORE), "positive": PlainValue("bool", True)})
    given = {CASE.path: came}

    (found,) = answers_to([CASE], given, {"part.step": judge}).values()
    assert found.outputs == {"positive": PlainValue("bool", False)}
    assert answers_to([CASE], given, {"part.other": judge})[CASE.path].outputs.keys() == came.outputs.keys()


def test_a_failure_is_left_to_itself_by_a_judge() -> None:
    given = {CASE.path: Answer(failure=Failure("raised", "no"))}
    assert answers_to([CASE], given, {"part.step": lambda *_: {}})[CASE.path].failure


def test_names_that_are_no_inputs_were_not_changed() -> None:
    assert taken(Answer(changed_inputs=("nowhere", "x", "x"))).changed_inputs == ("x",)


def test_nothing_that_is_not_said_was_changed() -> None:
    assert taken(Answer()).changed_inputs == ()
    assert taken(Answer(failure=Failure("raised", "no"))).changed_inputs == ()
