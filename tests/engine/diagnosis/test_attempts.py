"""An attempt is the submission with some edits; how far it comes says where the search goes on."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np

from autograder.course.answer import Answer, Failure, PlainValue, TensorValue
from autograder.course.model import Tolerance
from autograder.course.verdicts import Verdict
from autograder.diagnosis.attempts import (
    ANSWERED,
    OUTPUTS,
    RAISED,
    RELATED,
    SHAPES,
    Attempt,
    Change,
    Definition,
    how_far,
    lines_naming,
    lines_of,
)
from autograder.diagnosis.operators.edits import Edit
from autograder.exam.model import KeyCase
from autograder.grading.checks import Sheet

EDIT = Edit("name", 1, 0, 1, "a", "b", "b", "")


def changed(*definitions: Definition) -> Attempt:
    changes = tuple(Change(one, EDIT) for one in definitions)
    texts = {one.name: one.text for one in definitions}
    return Attempt(changes, texts, frozenset(), None, RAISED)


def raised(*lines: int) -> Attempt:
    return replace(changed(), lines=lines)


def test_definitions_stand_in_their_own_lines() -> None:
    second, first = (
        Definition("second", "file.py", 9, "two = 2"),
        Definition("first", "file.py", 4, "one = 1\none += 1"),
    )

    lines = changed(second, first).text.splitlines()

    assert {number: line for number, line in enumerate(lines, 1) if line} == {4: "one = 1", 5: "one += 1", 9: "two = 2"}


def test_definitions_without_room_between_them_follow_each_other() -> None:
    first, second = (
        Definition("first", "file.py", 1, "one = 1\none += 1"),
        Definition("second", "file.py", 2, "two = 2"),
    )

    assert changed(first, second).text.split() == ["one", "=", "1", "one", "+=", "1", "two", "=", "2"]


def test_what_raises_later_is_further() -> None:
    assert raised(7).is_further_than(raised(5))
    assert raised(5, 3).is_further_than(raised(5, 2))
    assert not raised(5).is_further_than(raised(5))


def test_what_answers_is_further_than_what_raises() -> None:
    answered = replace(raised(), progress=ANSWERED)

    assert answered.is_further_than(raised(7))
    assert not raised(7).is_further_than(answered)


def test_the_lines_of_one_file_that_were_running_are_known() -> None:
    traceback = "mine.py, line 12, in forward\n    x = other(x)\nother.py, line 3, in other\n    raise"
    answer = Answer(failure=Failure(Verdict.RAISED, "", "ValueError", traceback))

    assert lines_of(answer) == (12, 3)
    assert lines_of(answer, "mine.py") == (12,)
    assert lines_of(None) == ()


MODULE = "class Layer:\n    def __init__(self):\n        self.weight = 1\n        self.bias, kept = 2, self.weight\n"


def named_in(answer: Answer, expected: Answer) -> tuple[int, ...]:
    sheet = cast(Sheet, SimpleNamespace(key=KeyCase(expected, Tolerance(0.0, 0.0), {}, {}, ())))
    return lines_naming(sheet, answer, MODULE)


def test_the_lines_that_make_what_a_wrong_output_is_called_by_are_known() -> None:
    expected = Answer({"weight": PlainValue("int", 1), "has a bias": PlainValue("bool", False)})
    answer = Answer({"weight": PlainValue("int", 1), "has a bias": PlainValue("bool", True)})

    assert named_in(answer, expected) == (4,)


def test_the_lines_that_make_what_a_failure_names_are_known() -> None:
    failure = Failure(Verdict.INCOMPLETE, "`weight` should have the shape (3, 2), yours is (2, 2)")

    assert named_in(Answer(failure=failure), Answer({"output": PlainValue("int", 1)})) == (3,)


def far(answer: Answer, expected: Answer) -> float:
    key = KeyCase(expected, Tolerance(0.0, 0.0), {}, {}, ())
    return how_far(cast(Sheet, SimpleNamespace(key=key)), answer)


def test_of_several_outputs_it_counts_how_many_are_right() -> None:
    numbers, others = (TensorValue("float32", (2,), np.array(one, np.float32)) for one in ([1, 2], [3, 9]))
    right = Answer({"context": numbers, "has a bias": PlainValue("bool", True)})
    biased = Answer({"context": others, "has a bias": PlainValue("bool", True)})
    unbiased = Answer({"context": others, "has a bias": PlainValue("bool", False)})

    assert SHAPES <= far(unbiased, right) < far(biased, right) < OUTPUTS


def test_numbers_that_are_related_to_the_right_ones_count_half() -> None:
    numbers = np.array([1.0, 2.0, 4.0, 7.0], np.float32)
    right, scaled, others = (
        Answer({"scores": TensorValue("float32", (4,), one)}) for one in (numbers, 3 * numbers, numbers**2)
    )

    assert far(scaled, right) == SHAPES + RELATED
    assert far(others, right) == SHAPES
