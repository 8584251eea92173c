"""Answers: the results of one implementation on one case, as plain data and NumPy arrays.

An Answer holds the results of a submission, of the reference or of a known mistake. A key contains
the reference's answers, a signature those of a known mistake. This module does not import torch.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from autograder.course.tolerances import Tolerance
from autograder.course.verdicts import Verdict

Array = NDArray[Any]

MOST_NUMBERS = 20_000
"""The most elements of an array in an answer. Of a larger tensor only dtype and shape are kept."""

MOST_DIMENSIONS = 64
"""The most dimensions that a NumPy array can have."""

Size = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""The size of one dimension of a tensor."""

MOST_NAMES = 64
"""The most outputs of an answer, and the most gradients and the most changed inputs."""

LONGEST_NAME, LONGEST_VALUE, LONGEST_TEXT = 200, 200, 4_000
"""The most characters of a name, of a value that is a text, and of a message or traceback."""

Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
FEW = msgspec.Meta(max_length=MOST_NAMES)

LARGEST_INTEGER = 2**63
"""The largest integer in an answer. Conversion of larger integers to decimal may take long."""

CARRIED = {
    name: np.dtype(name)
    for name in (
        *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
        *("float64", "float32"),
    )
} | dict.fromkeys(("float16", "bfloat16"), np.dtype("float32"))
"""The NumPy dtypes of arrays in answers, by the name of the tensor's dtype in torch."""

Dtype = Annotated[str, msgspec.Meta(pattern=r"^\w{1,20}\Z")]
"""The name of a torch dtype. It is one word, as messages quote it and a submission chooses it."""


def _kept(text: str, longest: int) -> str:
    """Cut a text to a number of characters; escape lone surrogates, which UTF-8 cannot encode."""
    return text[:longest].encode("utf-8", "backslashreplace").decode()[:longest]


class TensorValue(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """A tensor. array: None for more than MOST_NUMBERS elements, or for a dtype not in CARRIED."""

    dtype: Dtype
    shape: Annotated[tuple[Size, ...], msgspec.Meta(max_length=MOST_DIMENSIONS)]
    array: Array | None


class PlainValue(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """An output that is not a tensor.

    type: the name of the output's type. value: the output itself, or a short description of it.
    array: the elements of a list or NumPy array, compared although the type is wrong; else None.
    """

    type: str
    value: bool | int | float | str | None
    array: Array | None = None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "type", _kept(self.type, LONGEST_NAME))
        if isinstance(self.value, str):
            msgspec.structs.force_setattr(self, "value", _kept(self.value, LONGEST_VALUE))

    def __eq__(self, other: object) -> bool:
        """Compare the types and the values, but not the arrays."""
        return isinstance(other, PlainValue) and (self.type, self.value) == (other.type, other.value)


Value = TensorValue | PlainValue

EACH = "each of type "
"""The words before the item type in the description of a list whose items have one type."""

PAIRS = "torch.return_types"
"""The module of the named tuples that functions such as `torch.max` return."""

LACK = "something that is not there"
"""The `type` of a PlainValue for a missing output. Its `value` is the probe's explanation."""

NUMPY_NUMBER = "NumPy number"
"""The `type` of a PlainValue for a NumPy number. Its `value` is the number as a text."""


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
        for name, longest in (("message", LONGEST_TEXT), ("error", LONGEST_NAME), ("traceback", LONGEST_TEXT)):
            object.__setattr__(self, name, _kept(getattr(self, name), longest))


@dataclass(frozen=True)
class Answer:
    """The outputs, gradients and side effects of one implementation on one case.

    gradients: of inputs and parameters, by name; empty if no backward pass ran. A gradient is None
    if the backward pass does not reach the tensor. changed_inputs: the names of the input tensors
    that the run changed. changed_to: the new elements of the first of these tensors; None if its
    shape or dtype changed. gradient_error: the exception's message if the backward pass raised one.
    """

    outputs: Annotated[Mapping[Name, Value], FEW] = field(default_factory=dict)
    gradients: Annotated[Mapping[Name, Array | None], FEW] = field(default_factory=dict)
    changed_inputs: Annotated[tuple[Name, ...], FEW] = ()
    changed_to: Array | None = None
    gradient_error: str = ""
    failure: Failure | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gradient_error", _kept(self.gradient_error, LONGEST_TEXT))


def may_be_carried(shape: Sequence[int]) -> bool:
    """Return whether an array of a shape has at most MOST_NUMBERS elements.

    In an empty array, sizes of 0 count as 1: a sum over dimension 0 of shape (0, 9) has 9 elements.
    """
    return (math.prod(shape) or math.prod(max(size, 1) for size in shape)) <= MOST_NUMBERS


def check(answer: Answer) -> None:
    """Raise ValueError if an array is too large, or has another shape or dtype than its tensor."""
    values = answer.outputs.values()
    arrays = (*(one.array for one in values), *answer.gradients.values(), answer.changed_to)
    if any(array is not None and not may_be_carried(array.shape) for array in arrays):
        raise ValueError("an array that is too large")
    tensors = [value for value in values if isinstance(value, TensorValue)]
    for one, array in ((one, one.array) for one in tensors):
        if array is not None and (array.shape, array.dtype) != (one.shape, CARRIED.get(one.dtype)):
            raise ValueError("an array of another shape or type than its value claims")


def close(yours: Array, expected: Array, tolerance: Tolerance) -> bool:
    """Return whether two arrays have the same shape, and elements that agree within a tolerance."""
    return yours.shape == expected.shape and bool(within(yours, expected, tolerance).all())


def within(yours: Array, expected: Array, tolerance: Tolerance) -> Array:
    """Return for each index whether two arrays agree within a tolerance; nan equals nan."""
    with np.errstate(over="ignore"):
        return np.isclose(yours, expected, rtol=tolerance.rtol, atol=tolerance.atol, equal_nan=True)


Judge = Callable[[Mapping[str, Any], Mapping[str, Value]], Mapping[str, Value]]
"""A function of a case's non-tensor inputs and its outputs. Returns the outputs to compare."""


def judged(judge: Judge | None, inputs: Mapping[str, Any], answer: Answer) -> Answer:
    """Return an answer with the outputs of a judge; unchanged for a failure or without a judge."""
    if judge is None or answer.failure:
        return answer
    return replace(answer, outputs=judge(_plain(inputs), answer.outputs))


def found_by(judge: Judge | None, inputs: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the outputs that a judge returns even if the answer has no outputs."""
    return frozenset(judge(_plain(inputs), {}) if judge else ())


def _plain(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if isinstance(value, bool | int | float | None)}
