"""Compare two answers within a tolerance: their outputs, gradients and failures."""

import contextlib
import re

import numpy as np

from autograder.course.answer import NUMPY_NUMBER, Answer, Array, Failure, PlainValue, TensorValue, Value, close
from autograder.course.tolerances import Tolerance

NUMBER = re.compile(r"\d+")
EXACT = Tolerance(0.0, 0.0)


def same_answer(one: Answer, other: Answer, tolerance: Tolerance) -> bool:
    """Return whether two answers agree in outputs or failure, gradients and changed inputs."""
    return (
        same_outputs(one, other, tolerance)
        and same_gradients(one, other, tolerance)
        and one.changed_inputs == other.changed_inputs
    )


def same_outputs(one: Answer, other: Answer, tolerance: Tolerance) -> bool:
    """Return whether two answers have the same outputs, or failures with the same cause."""
    if one.failure or other.failure:
        return bool(one.failure and other.failure and _cause(one.failure) == _cause(other.failure))
    if one.outputs.keys() != other.outputs.keys():
        return False
    return all(same_value(value, other.outputs[name], tolerance) for name, value in one.outputs.items())


def _cause(failure: Failure) -> tuple[str, str, str]:
    """Return verdict, exception type and message of a failure, with `#` for numbers in the message.

    The numbers in a message are often shapes and addresses, which differ between runs.
    """
    return failure.kind, failure.error, NUMBER.sub("#", failure.message)


def same_value(one: Value, other: Value, tolerance: Tolerance) -> bool:
    """Return whether two outputs agree.

    Tensors agree if their dtypes and shapes are equal and their elements are close. Floats agree if
    they are close. All other values agree if their types and values are equal.
    """
    if isinstance(one, TensorValue) and isinstance(other, TensorValue):
        return one.dtype == other.dtype and _close(one.array, other.array, tolerance)
    if not (isinstance(one, PlainValue) and isinstance(other, PlainValue)):
        return False
    if isinstance(one.value, float) and isinstance(other.value, float):
        return _close(np.array(one.value), np.array(other.value), tolerance)
    return one == other


def _close(one: Array | None, other: Array | None, tolerance: Tolerance) -> bool:
    """Return whether both arrays exist and agree within the tolerance."""
    return one is not None and other is not None and close(one, other, tolerance)


def same_gradients(one: Answer, other: Answer, tolerance: Tolerance) -> bool:
    """Return whether two answers have the same gradients, and both or neither a gradient error."""
    if bool(one.gradient_error) != bool(other.gradient_error):
        return False
    names = one.gradients.keys() | other.gradients.keys()
    return all(same_gradient(one.gradients.get(name), other.gradients.get(name), tolerance) for name in names)


def same_gradient(one: Array | None, other: Array | None, tolerance: Tolerance) -> bool:
    """Return whether two gradients agree.

    None, for an input that no gradient reaches, agrees with a gradient of zeros.
    """
    if one is None or other is None:
        present = one if other is None else other
        return present is None or bool(np.allclose(present, 0.0, atol=tolerance.atol))
    return _close(one, other, tolerance)


def has_right_numbers(yours: Value, expected: Value, tolerance: Tolerance) -> bool:
    """Return whether an output has the expected elements, whatever its type or dtype.

    Dimensions of size 1 are ignored. Integers and booleans are compared exactly.
    """
    if isinstance(yours, PlainValue) and yours == expected:
        return True
    given, wanted = _numbers(yours), _numbers(expected)
    if given is None or wanted is None or _without_ones(given) != _without_ones(wanted):
        return False
    return _close(given.reshape(wanted.shape), wanted, tolerance if wanted.dtype.kind == "f" else EXACT)


def _numbers(value: Value) -> Array | None:
    """Return the elements of an output as an array; None if the output has no numeric elements."""
    if isinstance(value, TensorValue) or value.array is not None:
        return value.array
    number = value.value
    if value.type == NUMPY_NUMBER:
        with contextlib.suppress(ValueError):
            number = float(str(number))
    return np.array(number) if isinstance(number, bool | int | float) else None


def _without_ones(array: Array) -> tuple[int, ...]:
    return tuple(size for size in array.shape if size != 1)
