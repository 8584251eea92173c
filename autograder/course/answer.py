"""Answers: the results of one implementation on one case, as plain data and NumPy arrays.

The implementation is a submission, the reference or a known mistake. A key contains the answers of
the reference, a signature the answers of a known mistake. This module does not import torch.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from autograder.course.tolerances import Tolerance
from autograder.course.verdicts import Verdict

Array = NDArray[Any]

MOST_NUMBERS = 20_000
"""The most elements of an array in an answer. A larger tensor keeps only its dtype and shape."""

LONGEST = 4_000
"""The most characters of a text in an answer."""

LARGEST_INTEGER = 2**63
"""The largest integer in an answer. A conversion of larger integers to text may take long."""

SAME_NAME = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float64", "float32")
CARRIED = {name: np.dtype(name) for name in SAME_NAME} | dict.fromkeys(("float16", "bfloat16"), np.dtype("float32"))
"""The NumPy dtypes of arrays in answers, by the name of the tensor's dtype in torch."""


def cut(text: str) -> str:
    """Cut a text to LONGEST characters, and escape lone surrogates, which UTF-8 cannot encode."""
    return text[:LONGEST].encode("utf-8", "backslashreplace").decode()


class TensorValue(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """A tensor. array: the values; None if more than MOST_NUMBERS, or if CARRIED lacks the dtype."""

    dtype: str
    shape: tuple[int, ...]
    array: Array | None

    def __post_init__(self) -> None:
        array = self.array
        if array is not None and (array.shape, array.dtype) != (self.shape, CARRIED.get(self.dtype)):
            raise ValueError("an array of another shape or dtype than its tensor")


class PlainValue(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """An output that is not a tensor.

    type: the name of the output's type. value: the output itself, or a short description of it.
    array: the elements of a list or NumPy array, to compare with a tensor; None for other outputs.
    """

    type: str
    value: bool | int | float | str | None
    array: Array | None = None

    def __eq__(self, other: object) -> bool:
        """Compare `type` and `value`. The elements in `array` are compared by other functions."""
        return isinstance(other, PlainValue) and (self.type, self.value) == (other.type, other.value)


Value = TensorValue | PlainValue

EACH = "each of type "
"""The words before the item type in the description of a list whose items have the same type."""

PAIRS = "torch.return_types"
"""The module of the named tuples that functions such as `torch.max` return."""

LACK = "something that is not there"
"""The `type` of a PlainValue for a missing output. Its `value` is the probe's explanation."""


@dataclass(frozen=True)
class Failure:
    """The reason why a run of an implementation gave no outputs.

    kind: the verdict, such as RAISED. error: the type of the exception; empty if none was raised.
    traceback: the traceback, without frames outside the student's code.
    """

    kind: Verdict
    message: str
    error: str = ""
    traceback: str = ""

    def __post_init__(self) -> None:
        if not Verdict(self.kind).is_failure:
            raise ValueError(f"not a kind of failure: {self.kind!r}")
        for name in ("message", "error", "traceback"):
            object.__setattr__(self, name, cut(getattr(self, name)))


@dataclass(frozen=True)
class Answer:
    """The outputs, gradients and side effects of one implementation on one case.

    gradients: the gradients of float inputs and parameters, by name; empty without a backward pass.
    A gradient is None if the backward pass does not reach the tensor. changed_inputs: the names of
    input tensors that the run changed. gradient_error: the message if the backward pass failed.
    """

    outputs: Mapping[str, Value] = field(default_factory=dict)
    gradients: Mapping[str, Array | None] = field(default_factory=dict)
    changed_inputs: tuple[str, ...] = ()
    gradient_error: str = ""
    failure: Failure | None = None


def within(yours: Array, expected: Array, tolerance: Tolerance) -> Array:
    """Return an array that is True where two arrays agree within a tolerance. nan equals nan."""
    equal: Array = np.asarray(yours == expected)
    if equal.all():  # most answers of right code, and four times as fast
        return equal
    with np.errstate(over="ignore"):
        return np.isclose(yours, expected, rtol=tolerance.rtol, atol=tolerance.atol, equal_nan=True)


def close(yours: Array | None, expected: Array | None, tolerance: Tolerance) -> bool:
    """Return whether neither array is None, their shapes are equal and all elements agree."""
    if yours is None or expected is None or yours.shape != expected.shape:
        return False
    return bool(within(yours, expected, tolerance).all())


def same_answer(one: Answer, other: Answer, tolerance: Tolerance) -> bool:
    """Return whether two answers agree in outputs or failure, gradients and changed inputs."""
    names = one.gradients.keys() | other.gradients.keys()
    return (
        same_outputs(one, other, tolerance)
        and bool(one.gradient_error) == bool(other.gradient_error)
        and all(same_gradient(one.gradients.get(name), other.gradients.get(name), tolerance) for name in names)
        and one.changed_inputs == other.changed_inputs
    )


def same_outputs(one: Answer, other: Answer, tolerance: Tolerance) -> bool:
    """Return whether two answers have the same outputs, or failures with the same cause."""
    if one.failure or other.failure:
        return bool(one.failure and other.failure and _cause(one.failure) == _cause(other.failure))
    if one.outputs.keys() != other.outputs.keys():
        return False
    return all(same_value(value, other.outputs[name], tolerance) for name, value in one.outputs.items())


NUMBER = re.compile(r"\d+")


def _cause(failure: Failure) -> tuple[str, str, str]:
    """Return the verdict, the exception's type, and the message with `#` for each number."""
    return failure.kind, failure.error, NUMBER.sub("#", failure.message)


def same_value(one: Value, other: Value, tolerance: Tolerance) -> bool:
    """Return whether two outputs have the same type and values. The tolerance applies to floats."""
    if isinstance(one, TensorValue) and isinstance(other, TensorValue):
        return one.dtype == other.dtype and close(one.array, other.array, tolerance)
    if isinstance(one, TensorValue) or isinstance(other, TensorValue):
        return False
    if isinstance(one.value, float) and isinstance(other.value, float):
        return close(np.array(one.value), np.array(other.value), tolerance)
    return one == other


def same_gradient(one: Array | None, other: Array | None, tolerance: Tolerance) -> bool:
    """Return whether two gradients agree. A missing gradient (None) agrees with zeros."""
    if one is None or other is None:
        present = one if other is None else other
        return present is None or bool(np.allclose(present, 0.0, atol=tolerance.atol))
    return close(one, other, tolerance)


def has_right_numbers(yours: Value, expected: Value, tolerance: Tolerance) -> bool:
    """Return whether the elements are the expected ones. Types and dimensions of size 1 may differ."""
    if isinstance(yours, PlainValue) and yours == expected:
        return True
    given, wanted = _numbers(yours), _numbers(expected)
    if given is None or wanted is None:
        return False
    return close(given.squeeze(), wanted.squeeze(), tolerance if wanted.dtype.kind == "f" else Tolerance(0.0, 0.0))


def _numbers(value: Value) -> Array | None:
    """Return the elements of an output as an array; None if the output has no numeric elements."""
    if isinstance(value, TensorValue) or value.array is not None:
        return value.array
    return np.array(value.value) if isinstance(value.value, bool | int | float) else None


Judge = Callable[[Mapping[str, Any], Mapping[str, Value]], Mapping[str, Value]]
"""A function of a case's non-tensor inputs and outputs, which returns the outputs to compare."""


def judged(judge: Judge | None, inputs: Mapping[str, Any], answer: Answer) -> Answer:
    """Apply `judge` to an answer's outputs, unless the answer is a failure or `judge` is None."""
    if judge is None or answer.failure:
        return answer
    plain = {name: value for name, value in inputs.items() if isinstance(value, bool | int | float | None)}
    return replace(answer, outputs=judge(plain, answer.outputs))
