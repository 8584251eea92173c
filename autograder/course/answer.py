"""Answers: the observations of one implementation on one case, as plain data and NumPy arrays.

Submissions, the reference (the key) and known mistakes (their signatures) share the type. Nothing
here needs torch.
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
"""A larger tensor than any case asks for is described only by its shape."""


MOST_DIMENSIONS = 64
"""NumPy has no array of more."""

Size = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""Of a dimension of a tensor."""

MOST_NAMES = 64
"""An answer of more outputs or gradients is none."""

LONGEST_NAME, LONGEST_VALUE, LONGEST_TEXT = 200, 200, 4_000
"""Characters of a name or type, of a text, and of a message or traceback. Longer ones are cut."""

Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
FEW = msgspec.Meta(max_length=MOST_NAMES)

LARGEST_INTEGER = 2**63
"""A larger whole number is not carried: writing it down may take longer than computing it."""

CARRIED = {
    name: np.dtype(name)
    for name in (
        *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
        *("float64", "float32"),
    )
} | dict.fromkeys(("float16", "bfloat16"), np.dtype("float32"))
"""NumPy's types for the tensors whose numbers are carried, by torch's names for theirs."""

Dtype = Annotated[str, msgspec.Meta(pattern=r"^\w{1,20}\Z")]
"""Of a tensor, by torch's name: one word, so that it claims nothing in a message."""


def _kept(text: str, longest: int) -> str:
    """Return the beginning of a text as UTF-8 has it: without halves of surrogate pairs."""
    return text[:longest].encode("utf-8", "backslashreplace").decode()[:longest]


class TensorValue(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """A tensor that came out. array: None for too many numbers, or others than are compared."""

    dtype: Dtype
    shape: Annotated[tuple[Size, ...], msgspec.Meta(max_length=MOST_DIMENSIONS)]
    array: Array | None


class PlainValue(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """Another value than a tensor: the name of its type, and the value or a short text.

    array: the numbers of a list or of a NumPy array, which may be right in the wrong form.
    """

    type: str
    value: bool | int | float | str | None
    array: Array | None = None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "type", _kept(self.type, LONGEST_NAME))
        if isinstance(self.value, str):
            msgspec.structs.force_setattr(self, "value", _kept(self.value, LONGEST_VALUE))

    def __eq__(self, other: object) -> bool:
        """Compare all but the numbers."""
        return isinstance(other, PlainValue) and (self.type, self.value) == (other.type, other.value)


Value = TensorValue | PlainValue

EACH = "each of type "
"""Stands before what the items of a list are, in the text about one whose items are alike."""

PAIRS = "torch.return_types"
"""The module of the pairs that `max` and its like return: values and indices."""

LACK = "something that is not there"
"""The type of what a probe says in a sentence of an output that an implementation lacks."""

NUMPY_NUMBER = "NumPy number"
"""The type of a number of NumPy's, whose value is described in a text."""


@dataclass(frozen=True)
class Failure:
    """A failure of an implementation, which gave no outputs.

    error: the name of the exception's type, if one was raised. traceback: the student's lines.
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
    """The outputs of one case, the gradients of its inputs and parameters, and side effects.

    gradients: None if no gradient reached that input; empty if the step asks for none.
    changed_inputs: the names of the input tensors that the implementation wrote to.
    changed_to: the numbers of the first of them after the run; None in another shape or dtype.
    gradient_error: why backward failed, if it did.
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
    """Return whether an array of this shape is small enough, and all that is made of it too.

    An empty dimension hides the others: a sum over the first of (0, 1000) has 1000 numbers.
    """
    return (math.prod(shape) or math.prod(max(size, 1) for size in shape)) <= MOST_NUMBERS


def check(answer: Answer) -> None:
    """Raise ValueError for an answer with arrays that are too large, or other than it claims."""
    values = answer.outputs.values()
    arrays = (*(one.array for one in values), *answer.gradients.values(), answer.changed_to)
    if any(array is not None and not may_be_carried(array.shape) for array in arrays):
        raise ValueError("an array that is too large")
    tensors = [value for value in values if isinstance(value, TensorValue)]
    for one, array in ((one, one.array) for one in tensors):
        if array is not None and (array.shape, array.dtype) != (one.shape, CARRIED.get(one.dtype)):
            raise ValueError("an array of another shape or type than its value claims")


def close(yours: Array, expected: Array, tolerance: Tolerance) -> bool:
    """Return whether two arrays have the same shape and, within the tolerance, the same numbers."""
    return yours.shape == expected.shape and bool(within(yours, expected, tolerance).all())


def within(yours: Array, expected: Array, tolerance: Tolerance) -> Array:
    """Return for each number of one shape whether it is within the tolerance; nan equals nan."""
    with np.errstate(over="ignore"):
        return np.isclose(yours, expected, rtol=tolerance.rtol, atol=tolerance.atol, equal_nan=True)


Judge = Callable[[Mapping[str, Any], Mapping[str, Value]], Mapping[str, Value]]
"""Finds the outputs that are compared, in a case's plain inputs and a probe's outputs."""


def judged(judge: Judge | None, inputs: Mapping[str, Any], answer: Answer) -> Answer:
    """Return an answer with what a judge, if there is one, has found in its outputs."""
    if judge is None or answer.failure:
        return answer
    return replace(answer, outputs=judge(_plain(inputs), answer.outputs))


def found_by(judge: Judge | None, inputs: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the outputs of a case that a judge finds, whatever it is given."""
    return frozenset(judge(_plain(inputs), {}) if judge else ())


def _plain(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if isinstance(value, bool | int | float | None)}
