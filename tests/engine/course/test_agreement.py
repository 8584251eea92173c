"""Two answers agree within a tolerance; right numbers are recognised in whatever form."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.course.answer import (
    Answer,
    Array,
    Failure,
    PlainValue,
    TensorValue,
    Value,
    has_right_numbers,
    same_answer,
    same_gradient,
)
from autograder.course.tolerances import Tolerance
from autograder.course.verdicts import Verdict

TOLERANCE = Tolerance(rtol=1e-4, atol=1e-5)


def tensor(numbers: object, dtype: str = "float32") -> TensorValue:
    """Return a tensor of some numbers."""
    array = np.array(numbers, dtype=dtype)
    return TensorValue(dtype, array.shape, array)


ANSWER = Answer({"result": tensor([1.0, 2.0])}, {"x": np.array([3.0, 4.0])})


ZERO, ONE, NEAR, NAN = (np.array([number]) for number in (0.0, 1.0, 1.00005, np.nan))


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (None, None, True),
        (None, ZERO, True),
        (ZERO, None, True),
        (ONE, NEAR, True),
        (None, ONE, False),
        (ONE, None, False),
        (ONE, 2 * ONE, False),
        (NAN, ZERO, False),
        (None, NAN, False),
    ],
)
def test_a_gradient_that_reaches_nothing_is_zero(one: Array | None, other: Array | None, agree: bool) -> None:
    assert same_gradient(one, other, TOLERANCE) is agree


@pytest.mark.parametrize(
    "other",
    [
        replace(ANSWER, outputs={"result": tensor([1.0, 2.5])}),
        replace(ANSWER, outputs={"0": tensor([1.0, 2.0])}),
        replace(ANSWER, outputs={**ANSWER.outputs, "more": tensor([1.0])}),
        replace(ANSWER, gradients={"x": np.array([3.0, 5.0])}),
        replace(ANSWER, gradients={}),
        replace(ANSWER, changed_inputs=("x",)),
        replace(ANSWER, gradient_error="RuntimeError"),
        Answer(failure=Failure(Verdict.RAISED, "ValueError")),
    ],
    ids=["number", "name", "one more", "gradient", "no gradients", "changed input", "backward failed", "failure"],
)
def test_an_answer_agrees_with_itself_and_with_no_other(other: Answer) -> None:
    assert same_answer(ANSWER, replace(ANSWER), TOLERANCE)
    assert not same_answer(ANSWER, other, TOLERANCE)


@pytest.mark.parametrize(
    ("kind", "message", "error", "agree"),
    [
        (Verdict.RAISED, "size 17 must match", "RuntimeError", True),
        (Verdict.TIMED_OUT, "size 3 must match", "RuntimeError", False),
        (Verdict.RAISED, "size 3 must match", "ValueError", False),
        (Verdict.RAISED, "size 3 is wrong", "RuntimeError", False),
    ],
)
def test_failures_agree_whatever_the_numbers_in_their_messages(
    kind: Verdict, message: str, error: str, agree: bool
) -> None:
    one = Answer(failure=Failure(Verdict.RAISED, "size 3 must match", "RuntimeError", "line 3"))

    assert same_answer(one, Answer(failure=Failure(kind, message, error)), TOLERANCE) is agree


RIGHT: dict[str, tuple[Value, Value]] = {
    "the same": (tensor([1, 2]), tensor([1, 2])),
    "a dimension of size 1 too many": (tensor([[1, 2]]), tensor([1, 2])),
    "a dimension of size 1 too few": (tensor([1, 2]), tensor([[[1], [2]]])),
    "zeros and ones for a mask": (tensor([1, 0]), tensor([True, False], "bool")),
    "a mask for zeros and ones": (tensor([True, False], "bool"), tensor([1, 0])),
    "a Python number": (PlainValue("float", 0.5), tensor(0.5)),
    "a number of NumPy's": (PlainValue("NumPy number", "0.5", np.array(0.5)), PlainValue("float", 0.5)),
    "a tensor for a number": (tensor(3), PlainValue("int", 3)),
    "infinities": (tensor([[-np.inf]]), tensor([-np.inf])),
}
WRONG: dict[str, tuple[Value, Value]] = {
    "other numbers": (tensor([1, 3]), tensor([[1, 2]])),
    "turned round": (tensor([[1, 2], [3, 4]]), tensor([[1, 3], [2, 4]])),
    "as many, in other rows": (tensor([[1, 2, 3], [4, 5, 6]]), tensor([[1, 2], [3, 4], [5, 6]])),
    "nothing": (PlainValue("NoneType", None), tensor(0)),
    "a whole number that is nearly the same": (PlainValue("int", 100_001), PlainValue("int", 100_000)),
    "another mask": (tensor([True, True], "bool"), tensor([True, False], "bool")),
    "a text": (PlainValue("str", "0.5"), tensor(0.5)),
    "a list": (PlainValue("list", "2 items"), tensor([1, 2])),
    "too many numbers to be carried": (TensorValue("float32", (10**6,), None), tensor([1, 2])),
}


@pytest.mark.parametrize(("yours", "expected"), RIGHT.values(), ids=RIGHT)
def test_right_in_another_form(yours: Value, expected: Value) -> None:
    assert has_right_numbers(yours, expected, TOLERANCE)


@pytest.mark.parametrize(("yours", "expected"), WRONG.values(), ids=WRONG)
def test_wrong_in_whatever_form(yours: Value, expected: Value) -> None:
    assert not has_right_numbers(yours, expected, TOLERANCE)
