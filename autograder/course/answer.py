"""What a probe observed of one implementation on one case: an answer, as plain data and NumPy arrays.

The same type holds a submission's answers, the reference's (the key) and a known mistake's (its fingerprint). Nothing here
needs torch.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from autograder.course.verdicts import FAILURES, Verdict

Array = NDArray[Any]


MOST_NUMBERS = 20_000
"""A larger tensor than any case asks for is described only by its shape."""


MOST_DIMENSIONS = 64
"""NumPy has no array of more."""

Size = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""Of a dimension of a tensor."""

MOST_NAMES = 64
"""An answer of more outputs and gradients is none."""

LONGEST_NAME, LONGEST_VALUE, LONGEST_TEXT = 200, 200, 4_000
"""Characters: of a name or a type, of a value that is a text, and of a message or a traceback. Longer ones are cut."""

LARGEST_INTEGER = 2**63
"""A larger whole number is not carried: writing it down may take longer than computing it."""

CARRIED = {
    name: np.dtype(carried)
    for name, carried in {
        **{name: name for name in ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")},
        **{"float64": "float64", "float32": "float32", "float16": "float32", "bfloat16": "float32"},
    }.items()
}
"""The types of tensors whose numbers are carried, by torch's names, and in which type of NumPy's they are."""

FORMATS = {
    dtype: "BOOL" if dtype.kind == "b" else f"{dtype.kind.upper()}{8 * dtype.itemsize}" for dtype in CARRIED.values()
}
"""What safetensors calls these types."""

_NOT_CARRIED = """
    complex32 complex64 complex128 quint8 qint8 qint32
    float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu
"""

DTYPES = frozenset([*CARRIED, *_NOT_CARRIED.split()])
"""All those that are named."""

OTHER_DTYPE = "another"
"""What any other is called."""


class TensorValue(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """A tensor that an implementation returned. `array` is None if its numbers were too many or not numbers."""

    dtype: str
    shape: Annotated[tuple[Size, ...], msgspec.Meta(max_length=MOST_DIMENSIONS)]
    array: Array | None


class PlainValue(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """Any other returned value than a tensor: its type's name, and its value if JSON can hold it, else a short text.

    array: the numbers of a list or of an array of another library, whose form is wrong, but whose numbers may be right.
    """

    type: str
    value: bool | int | float | str | None
    array: Array | None = None

    def __eq__(self, other: object) -> bool:
        """Compare all but the numbers."""
        return isinstance(other, PlainValue) and (self.type, self.value) == (other.type, other.value)


Value = TensorValue | PlainValue

EACH = "each of type "
"""Stands before what the items of a list are, in the text about one whose items are alike."""

PAIRS = "torch.return_types"
"""How the types of what `max` and its like return over a dimension begin: the values and their indices."""

LACK = "something that is not there"
"""The type of what a probe says in a sentence of an output that an implementation lacks."""

NUMPY_NUMBER = "NumPy number"
"""The type of a number of NumPy's, whose value is described in a text."""


@dataclass(frozen=True)
class Failure:
    """How an implementation failed to give outputs.

    kind: one of FAILURES.
    error: the name of the exception's type, if one was raised.
    traceback: the student's own lines only.
    """

    kind: Verdict
    message: str
    error: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Answer:
    """The outputs of one case, the gradients with respect to its inputs and parameters, and what else was seen.

    gradients: None if no gradient reached that input; empty if the step asks for none.
    changed_inputs: the names of the input tensors that the implementation wrote to.
    changed_to: the numbers of the first of them after the run; None if they are too many, or have another shape or dtype now.
    gradient_error: why backward failed, if it did.
    """

    outputs: Mapping[str, Value] = field(default_factory=dict)
    gradients: Mapping[str, Array | None] = field(default_factory=dict)
    changed_inputs: tuple[str, ...] = ()
    changed_to: Array | None = None
    gradient_error: str = ""
    failure: Failure | None = None

    @property
    def size(self) -> int:
        """The bytes of its numbers and the characters of its texts."""
        arrays = [one.array for one in self.outputs.values()]
        numbers = sum(one.nbytes for one in (*arrays, *self.gradients.values(), self.changed_to) if one is not None)
        failure = self.failure
        texts = (failure.message, failure.error, failure.traceback) if failure else ()
        return numbers + len(self.gradient_error) + sum(map(len, texts))


def without_numbers(answer: Answer) -> Answer:
    """Return an answer with the shapes of its tensors alone, and no more of its texts than a line."""
    failure = answer.failure
    return Answer(
        outputs={name: msgspec.structs.replace(one, array=None) for name, one in answer.outputs.items()},
        gradients=dict.fromkeys(answer.gradients),
        changed_inputs=answer.changed_inputs,
        gradient_error=answer.gradient_error[:LONGEST_VALUE],
        failure=failure and Failure(failure.kind, failure.message[:LONGEST_VALUE]),
    )


def may_be_carried(shape: Sequence[int]) -> bool:
    """Return whether an array of this shape is small enough, and all that is made of it too.

    A dimension without an entry hides the others: a sum over the first of (0, 1000) has 1000 numbers.
    """
    return (math.prod(shape) or math.prod(max(size, 1) for size in shape)) <= MOST_NUMBERS


def pack(answers: Mapping[str, Answer]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return answers by name as one JSON object and the arrays that it names."""
    arrays: dict[str, Array] = {}
    return {name: _pack(answer, f"{name}\n", arrays) for name, answer in answers.items()}, arrays


def unpack(
    headers: Mapping[str, Any], arrays: Mapping[str, Array], asked: Collection[str] | None = None
) -> dict[str, Answer]:
    """Return the answers that `pack` took apart; asked: the names of those that are wanted. Raises ValueError on anything else."""
    try:
        wanted = {name: header for name, header in headers.items() if asked is None or name in asked}
        return {str(name): _unpack(header, f"{name}\n", arrays) for name, header in wanted.items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not an answer: {error!r}") from error


def failure_from(data: Any) -> Failure | None:
    """Return the failure that plain data holds, None for None. Raises ValueError on anything that is no failure."""
    if data is None:
        return None
    try:
        texts = {str(key): str(text) for key, text in data.items()}
        kind = texts.pop("kind")
        if kind not in FAILURES:
            raise ValueError(f"not a kind of failure: {kind[:40]!r}")
        error = texts.pop("error", "")[:LONGEST_NAME]
        return Failure(Verdict(kind), error=error, **{name: text[:LONGEST_TEXT] for name, text in texts.items()})
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a failure: {error!r}") from error


def _pack(answer: Answer, prefix: str, arrays: dict[str, Array]) -> dict[str, Any]:
    outputs: dict[str, Any] = {}
    for name, value in answer.outputs.items():
        if isinstance(value, TensorValue):
            outputs[name] = {"dtype": value.dtype, "shape": list(value.shape), "numbers": value.array is not None}
        else:
            outputs[name] = {"type": value.type, "value": value.value, "numbers": value.array is not None}
        if value.array is not None:
            arrays[f"{prefix}output {name}"] = value.array
    for name, gradient in answer.gradients.items():
        if gradient is not None:
            arrays[f"{prefix}gradient {name}"] = gradient
    if answer.changed_to is not None:
        arrays[f"{prefix}changed"] = answer.changed_to
    header: dict[str, Any] = {"outputs": outputs, "gradients": list(answer.gradients)}
    if answer.changed_inputs:
        header["changed_inputs"] = list(answer.changed_inputs)
    if answer.gradient_error:
        header["gradient_error"] = answer.gradient_error
    if answer.failure:
        header["failure"] = vars(answer.failure)
    return header


def _unpack(header: Mapping[str, Any], prefix: str, arrays: Mapping[str, Array]) -> Answer:
    names = [*header["outputs"], *header["gradients"]]
    if len(names) > MOST_NAMES or any(len(name) > LONGEST_NAME for name in names):
        raise ValueError("not an answer: more names, or longer ones, than any has")
    return Answer(
        outputs={
            str(name): _unpack_value(f"{prefix}output {name}", value, arrays)
            for name, value in header["outputs"].items()
        },
        gradients={str(name): arrays.get(f"{prefix}gradient {name}") for name in header["gradients"]},
        changed_inputs=tuple(str(name) for name in header.get("changed_inputs", ())),
        changed_to=arrays.get(f"{prefix}changed"),
        gradient_error=str(header.get("gradient_error", ""))[:LONGEST_TEXT],
        failure=failure_from(header.get("failure")),
    )


def _unpack_value(key: str, value: Mapping[str, Any], arrays: Mapping[str, Array]) -> Value:
    if "dtype" not in value:
        plain = value["value"]
        if isinstance(plain, int) and abs(plain) > LARGEST_INTEGER:
            raise ValueError("not an answer: a number that is too large")
        kept = plain if isinstance(plain, bool | int | float | None) else str(plain)[:LONGEST_VALUE]
        return PlainValue(str(value["type"])[:LONGEST_NAME], kept, arrays[key] if value.get("numbers") else None)
    if len(value["shape"]) > MOST_DIMENSIONS:
        raise ValueError(f"not an answer: a shape of {len(value['shape'])} dimensions")
    shape = tuple(int(size) for size in value["shape"])
    if any(not 0 <= size < 2**63 for size in shape):
        raise ValueError("not an answer: a shape that no tensor has")
    array = arrays[key] if value["numbers"] else None
    if array is not None and array.shape != shape:
        raise ValueError(f"not an answer: shape {shape} is claimed, {array.shape} came")
    dtype = str(value["dtype"])
    if array is not None and CARRIED.get(dtype) != array.dtype:
        raise ValueError(f"not an answer: {array.dtype} came as {dtype[:LONGEST_NAME]}")
    return TensorValue(dtype if dtype in DTYPES else OTHER_DTYPE, shape, array)


def close(yours: Array, expected: Array, rtol: float, atol: float) -> bool:
    """Return whether two arrays have the same shape and, within the tolerance, the same numbers."""
    if yours.shape != expected.shape or (yours.size and _differ(yours.item(0), expected.item(0), rtol, atol)):
        return False  # most that differ do so at once, which takes a tenth of the time
    return bool(within(yours, expected, rtol, atol).all())


def _differ(yours: float, expected: float, rtol: float, atol: float) -> bool:
    """Return whether two numbers are not within the tolerance; nan is like nan."""
    if yours == expected or (yours != yours and expected != expected):
        return False
    return not abs(yours - expected) <= atol + rtol * abs(expected) < math.inf


def within(yours: Array, expected: Array, rtol: float, atol: float) -> Array:
    """Tell for each number of two arrays of one shape whether it is within the tolerance; nan is like nan."""
    same: Array = yours == expected
    if same.all():  # right answers mostly are, to the last bit
        return same
    if yours.dtype.kind == expected.dtype.kind == "f" and np.isfinite(expected).all():
        with np.errstate(over="ignore", invalid="ignore"):
            near: Array = np.abs(yours - expected) <= atol + rtol * np.abs(expected)
        return near
    return np.isclose(
        yours, expected, rtol=rtol, atol=atol, equal_nan=True
    )  # right everywhere, at three times the time
