"""Whether a value has the right numbers, in whatever form: another dtype, a dimension of size 1 more or less, no tensor."""

import numpy as np

from autograder.course.answer import NUMPY_NUMBER, Array, PlainValue, TensorValue, Value, close
from autograder.course.tolerances import Tolerance


def has_right_numbers(yours: Value, expected: Value, tolerance: Tolerance) -> bool:
    """Return whether a value has the expected numbers. Whole ones are compared exactly."""
    if isinstance(yours, PlainValue) and yours == expected:
        return True
    given, wanted = _numbers(yours), _numbers(expected)
    if given is None or wanted is None or _without_ones(given) != _without_ones(wanted):
        return False
    if wanted.dtype.kind != "f":
        return bool((given.reshape(wanted.shape) == wanted).all())
    return close(_floats(given).reshape(wanted.shape), _floats(wanted), tolerance)


def _numbers(value: Value) -> Array | None:
    """Return a value's numbers as an array; None if it has none."""
    if isinstance(value, TensorValue) or value.array is not None:
        return value.array
    if isinstance(value.value, bool | int | float):
        return np.array(value.value)
    return _number_of_numpy(value)


def _number_of_numpy(value: PlainValue) -> Array | None:
    """Return the number that a NumPy number is described by; None for any other value."""
    try:
        return np.array(float(str(value.value))) if value.type == NUMPY_NUMBER else None
    except ValueError:
        return None


def _without_ones(array: Array) -> tuple[int, ...]:
    return tuple(size for size in array.shape if size != 1)


def _floats(array: Array) -> Array:
    return array if array.dtype.kind == "f" else array.astype(float)
