"""Sketches: the answers to all cases of a step in a few numbers each, by which the same answers are known again within a tolerance."""

import functools
from collections.abc import Sequence

import numpy as np

from autograder.course.answer import Answer, Array, PlainValue, TensorValue, Value
from autograder.course.trace import NOISE, SAME

FREQUENCIES = np.array([[1.0], [2.0**0.5]])
"""Of the waves with which the numbers of an output are mixed, so that no order is like another."""


def sketch(answers: Sequence[Answer], expected: Sequence[Answer]) -> Array | None:
    """Return a row for each output of some cases: how large its numbers are, and two mixtures. None unless all have the expected forms."""
    if not all(map(has_form, answers, expected)):
        return None
    rows = [
        _row(answer.outputs[name]) for answer, right in zip(answers, expected, strict=True) for name in right.outputs
    ]
    return np.array(rows, dtype=np.float32).reshape(-1, 3)


def has_form(answer: Answer, expected: Answer) -> bool:
    """Return whether an answer has outputs of the expected names, types and shapes, and differs in numbers at most."""
    forms = {name: _form(value) for name, value in expected.outputs.items()}
    return not answer.failure and {name: _form(value) for name, value in answer.outputs.items()} == forms


def which_are(sketches: Array, other: Array) -> Array:
    """Tell for each of several sketches of one step whether it is that of the same answers as another."""
    room = SAME * np.maximum(sketches[..., :1], other[:, :1]) + NOISE
    same: Array = (np.abs(sketches - other) <= room).all(axis=(1, 2))
    return same


def _form(value: Value) -> tuple[object, ...]:
    if isinstance(value, TensorValue):
        return value.dtype, value.shape, value.array is None
    return value.type, None if isinstance(value.value, int | float) else value.value


def _row(value: Value) -> tuple[float, float, float]:
    numbers = _numbers(value)
    first, second = _waves(len(numbers)) @ numbers
    return float(np.linalg.norm(numbers)), float(first), float(second)


@functools.lru_cache(maxsize=256)
def _waves(length: int) -> Array:
    return np.cos(FREQUENCIES * np.arange(1, length + 1))


def _numbers(value: Value) -> Array:
    """Return the numbers of an output, the large ones brought nearer, so that beside them the small ones still count."""
    if isinstance(value, PlainValue):
        numbers = np.array([value.value if isinstance(value.value, int | float) else 0.0], dtype=np.float64)
    else:
        numbers = np.ravel(value.array if value.array is not None else []).astype(np.float64)
    return np.nan_to_num(np.arcsinh(numbers), nan=-50.0, posinf=100.0, neginf=-100.0)
