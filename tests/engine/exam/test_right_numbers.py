"""Right numbers are recognised in whatever form."""

import numpy as np
import pytest

from autograder.course.answer import PlainValue, TensorValue, Value
from autograder.course.tolerances import Tolerance
from autograder.exam.right_numbers import has_right_numbers

TOLERANCE = Tolerance(1e-4, 1e-5)
PRECISE = Tolerance(1e-6, 1e-7)


def tensor(numbers: object, dtype: str = "float32") -> TensorValue:
    """Return a tensor of some numbers."""
    array = np.array(numbers, dtype=dtype)
    return TensorValue(dtype, array.shape, array)


RIGHT: dict[str, tuple[Value, Value]] = {
    "the same": (tensor([1, 2]), tensor([1, 2])),
    "a dimension of size 1 too many": (tensor([[1, 2]]), tensor([1, 2])),
    "a dimension of size 1 too few": (tensor([1, 2]), tensor([[[1], [2]]])),
    "zeros and ones for a mask": (tensor([1, 0]), tensor([True, False], "bool")),
    "a Python number": (PlainValue("float", 0.5), tensor(0.5)),
    "a number of NumPy's": (PlainValue("NumPy number", "0.5"), PlainValue("float", 0.5)),
    "a tensor for a number": (tensor(3), PlainValue("int", 3)),
    "infinities": (tensor([[-np.inf]]), tensor([-np.inf])),
}
WRONG: dict[str, tuple[Value, Value]] = {
    "other numbers": (tensor([1, 3]), tensor([[1, 2]])),
    "turned round": (tensor([[1, 2], [3, 4]]), tensor([[1, 3], [2, 4]])),
    "as many, in other rows": (tensor([[1, 2, 3], [4, 5, 6]]), tensor([[1, 2], [3, 4], [5, 6]])),
    "nothing": (PlainValue("NoneType", None), tensor(0)),
    "a whole number that is nearly the same": (PlainValue("int", 100_001), PlainValue("int", 100_000)),
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


def test_numbers_of_less_precision_are_compared_as_such() -> None:
    expected = tensor([0.1, 1 / 3], "float64")

    assert has_right_numbers(tensor([0.1, 1 / 3]), expected, PRECISE)
    assert not has_right_numbers(tensor([0.1, 0.33334], "float64"), expected, PRECISE)
