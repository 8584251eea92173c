"""When two answers agree: within a tolerance, in outputs, gradients and failures."""

import re

import numpy as np

from autograder.course.answer import Answer, Array, Failure, PlainValue, TensorValue, Value, close
from autograder.course.tolerances import Tolerance

NUMBER = re.compile(r"\d+")


def same_answer(one: Answer, other: Answer, tolerance: Tolerance) -> bool:
    """Return whether two answers agree in everything: outputs, gradients, changed inputs, failure."""
    return (
        same_outputs(one, other, tolerance)
        and same_gradients(one, other, tolerance)
        and one.changed_inputs == other.changed_inputs
    )


def is_right(answer: Answer, expected: Answer, tolerance: Tolerance) -> bool:
    """Return whether nothing is to be said against an answer."""
    if is_reference(answer, expected):
        return True
    spoiled = answer.failure or answer.gradient_error or answer.changed_inputs
    return not spoiled and same_answer(answer, expected, tolerance)


def is_reference(answer: Answer, expected: Answer) -> bool:
    """Return whether an answer is the expected one to the last bit, and nothing else is to be said of it."""
    if answer.failure or answer.gradient_error or answer.changed_inputs or expected.changed_inputs:
        return False
    if answer.outputs.keys() != expected.outputs.keys():
        return False
    return all(_same_bits(answer.outputs[name], one) for name, one in expected.outputs.items()) and all(
        _same_numbers(answer.gradients.get(name), one) for name, one in expected.gradients.items()
    )


def _same_bits(one: Value, other: Value) -> bool:
    if not (isinstance(one, TensorValue) and isinstance(other, TensorValue)):
        return one == other
    described = (one.dtype, one.shape) == (other.dtype, other.shape)
    return described and one.array is not None and _same_numbers(one.array, other.array)


def _same_numbers(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.dtype, one.shape) == (other.dtype, other.shape) and one.tobytes() == other.tobytes()


def same_outputs(one: Answer, other: Answer, tolerance: Tolerance) -> bool:
    """Return whether two answers have the same outputs, or failed in the same way."""
    if one.failure or other.failure:
        return bool(one.failure and other.failure and _cause(one.failure) == _cause(other.failure))
    if one.outputs.keys() != other.outputs.keys():
        return False
    return all(same_value(value, other.outputs[name], tolerance) for name, value in one.outputs.items())


def same_value(one: Value, other: Value, tolerance: Tolerance) -> bool:
    """Return whether two outputs have the same type, shape and numbers."""
    if isinstance(one, PlainValue) and isinstance(other, PlainValue):
        return one == other or _same_float(one, other, tolerance)
    if not (isinstance(one, TensorValue) and isinstance(other, TensorValue)):
        return False
    if (one.dtype, one.shape) != (other.dtype, other.shape) or one.array is None or other.array is None:
        return False
    return close(one.array, other.array, tolerance)


def _same_float(one: PlainValue, other: PlainValue, tolerance: Tolerance) -> bool:
    if not (isinstance(one.value, float) and isinstance(other.value, float)):
        return False
    return close(np.array(one.value), np.array(other.value), tolerance)


def same_gradients(one: Answer, other: Answer, tolerance: Tolerance) -> bool:
    """Return whether two answers have the same gradients; one that does not reach an input is zero."""
    if bool(one.gradient_error) != bool(other.gradient_error):
        return False
    names = one.gradients.keys() | other.gradients.keys()
    return all(same_gradient(one.gradients.get(name), other.gradients.get(name), tolerance) for name in names)


def same_gradient(one: Array | None, other: Array | None, tolerance: Tolerance) -> bool:
    """Return whether two gradients agree. None is a gradient that does not reach its input: zero everywhere."""
    if one is None and other is None:
        return True
    if one is None or other is None:
        present = one if other is None else other
        return bool(np.allclose(present if present is not None else 0.0, 0.0, atol=tolerance.atol))
    return close(one, other, tolerance)


def _cause(failure: Failure) -> tuple[str, str, str]:
    """Return what makes two failures the same: all but the numbers in the message, which are shapes and addresses."""
    return failure.kind, failure.error, NUMBER.sub("#", failure.message)
