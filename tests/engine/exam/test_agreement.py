"""When two answers agree."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.course.answer import Answer, Array, Failure, PlainValue, TensorValue, Value
from autograder.course.tolerances import Tolerance
from autograder.course.verdicts import Verdict
from autograder.exam.agreement import is_reference, same_answer, same_gradient, same_value

TOLERANCE = Tolerance(rtol=1e-4, atol=1e-5)


def _tensor(*numbers: float, dtype: str = "float32") -> TensorValue:
    return TensorValue(dtype, (len(numbers),), np.array(numbers, dtype))


ANSWER = Answer({"result": _tensor(1.0, 2.0)}, {"x": np.array([3.0, 4.0])})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_tensor(1.0, 2.0), _tensor(1.00005, 2.0)),
        (_tensor(0.0), _tensor(0.000005)),
        (_tensor(float("nan")), _tensor(float("nan"))),
        (PlainValue("bool", True), PlainValue("bool", True)),
        (PlainValue("float", 1.0), PlainValue("float", 1.00005)),
    ],
    ids=["within the relative tolerance", "within the absolute tolerance", "nan", "plain", "plain float"],
)
def test_values_that_agree(one: Value, other: Value) -> None:
    assert same_value(one, other, TOLERANCE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_tensor(1.0, 2.0), _tensor(1.001, 2.0)),
        (_tensor(1.0), _tensor(1.0, dtype="float64")),
        (TensorValue("float32", (1, 2), np.ones((1, 2))), TensorValue("float32", (2, 1), np.ones((2, 1)))),
        (_tensor(float("inf")), _tensor(float("-inf"))),
        (TensorValue("complex64", (1,), None), TensorValue("complex64", (1,), None)),
        (_tensor(1.0), PlainValue("float", 1.0)),
        (PlainValue("int", 1), PlainValue("float", 1.0)),
        (PlainValue("float", 1.0), PlainValue("float", 1.001)),
    ],
    ids=[
        "numbers",
        "dtype",
        "shape",
        "sign of infinity",
        "numbers not known",
        "tensor and number",
        "type",
        "plain float",
    ],
)
def test_values_that_do_not_agree(one: Value, other: Value) -> None:
    assert not same_value(one, other, TOLERANCE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (None, None),
        (None, np.zeros(2)),
        (np.zeros(2), None),
        (np.array([1.0]), np.array([1.00005])),
    ],
    ids=["both do not reach", "one does not reach and one is zero", "the other way round", "close"],
)
def test_gradients_that_agree(one: Array | None, other: Array | None) -> None:
    assert same_gradient(one, other, TOLERANCE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (None, np.array([0.0, 1.0])),
        (np.array([0.0, 1.0]), None),
        (np.array([1.0]), np.array([2.0])),
        (np.array([np.nan]), np.array([0.0])),
        (None, np.array([np.nan])),
    ],
    ids=["one does not reach", "the other does not reach", "numbers", "nan", "nan against none"],
)
def test_gradients_that_do_not_agree(one: Array | None, other: Array | None) -> None:
    assert not same_gradient(one, other, TOLERANCE)


def test_an_answer_agrees_with_itself() -> None:
    assert same_answer(ANSWER, replace(ANSWER), TOLERANCE)


@pytest.mark.parametrize(
    "other",
    [
        replace(ANSWER, outputs={"result": _tensor(1.0, 2.5)}),
        replace(ANSWER, outputs={"0": _tensor(1.0, 2.0)}),
        replace(ANSWER, outputs=dict(ANSWER.outputs) | {"more": _tensor(1.0)}),
        replace(ANSWER, gradients={"x": np.array([3.0, 5.0])}),
        replace(ANSWER, gradients={}),
        replace(ANSWER, changed_inputs=("x",)),
        replace(ANSWER, gradient_error="RuntimeError"),
        Answer(failure=Failure("raised", "ValueError")),
    ],
    ids=[
        "another number",
        "another name",
        "one more output",
        "another gradient",
        "no gradients",
        "an input changed",
        "going backward failed",
        "failure",
    ],
)
def test_an_answer_disagrees_with_one_that_differs_in(other: Answer) -> None:
    assert not same_answer(ANSWER, other, TOLERANCE)


def test_failures_agree_whatever_the_numbers_in_their_messages() -> None:
    one, other = (
        Answer(failure=Failure("raised", f"size {n} must match", "RuntimeError", f"line {n}")) for n in (3, 17)
    )
    assert same_answer(one, other, TOLERANCE)


@pytest.mark.parametrize(
    "failure",
    [
        Failure("timed_out", "size 3 must match", "RuntimeError"),
        Failure("raised", "size 3 must match", "ValueError"),
        Failure("raised", "size 3 is wrong", "RuntimeError"),
    ],
    ids=["kind", "error", "message"],
)
def test_failures_disagree_that_differ_in(failure: Failure) -> None:
    one = Answer(failure=Failure("raised", "size 3 must match", "RuntimeError"))
    assert not same_answer(one, Answer(failure=failure), TOLERANCE)


def test_an_answer_of_the_same_numbers_is_the_reference_s() -> None:
    answer = Answer({"result": _tensor(1.0, 2.0)}, {"x": np.array([3.0, 4.0]), "beside": None})

    assert is_reference(answer, ANSWER)


@pytest.mark.parametrize(
    "answer",
    [
        replace(ANSWER, outputs={"result": _tensor(1.0, np.nextafter(np.float32(2), np.float32(3)))}),
        replace(ANSWER, outputs={"result": _tensor(1.0, 2.0, dtype="float64")}),
        replace(ANSWER, outputs={"result": PlainValue("float", 1.0)}),
        replace(ANSWER, outputs={}),
        replace(ANSWER, gradients={"x": np.array([3.0, 4.5])}),
        replace(ANSWER, gradients={"x": None}),
        replace(ANSWER, gradients={}),
        replace(ANSWER, gradient_error="no"),
        replace(ANSWER, changed_inputs=("x",)),
        Answer(failure=Failure(Verdict.RAISED, "no")),
    ],
    ids=range(10),
)
def test_an_answer_that_may_be_worth_a_word_is_not_the_reference_s(answer: Answer) -> None:
    assert not is_reference(answer, ANSWER)
