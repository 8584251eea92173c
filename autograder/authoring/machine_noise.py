"""An exam as another machine sets it: the same cases, and a key whose numbers are rounded otherwise.

Measured on the practice exam, between two processors and between torch's kernels: outputs and gradients differ by at most 4 roundings of
their largest number and by 2e-6; where a case has a looser tolerance of its own, by 1.1e-4. In float64 the noise is that of float32, in which
modules draw their numbers.
"""

import zlib
from dataclasses import replace

import numpy as np

from autograder.course.answer import Answer, Array, PlainValue, TensorValue, Value
from autograder.course.tolerances import TOLERANCE, Tolerance
from autograder.exam.model import Exam

ROUNDING = float(np.finfo(np.float32).eps)
ROUNDINGS = 4
WORST, WORST_IF_LOOSE = 5e-6, 1.1e-4
"""Beside the noise of its own size, a number has that of the largest, up to so much."""


def with_noise(exam: Exam) -> Exam:
    """Add the noise of another machine to every float of the key and of known mistakes' answers, but to 0."""
    cases = {
        path: replace(case, expected=_noisy(case.expected, case.tolerance, path))
        for path, case in exam.key.cases.items()
    }
    known_wrong = {
        step: tuple(
            replace(
                one,
                signature={
                    path: _noisy(answer, cases[path].tolerance, f"{path} {one.id}")
                    for path, answer in one.signature.items()
                },
            )
            for one in known
        )
        for step, known in exam.key.known_wrong.items()
    }
    return replace(exam, key=replace(exam.key, cases=cases, known_wrong=known_wrong))


def _noisy(answer: Answer, tolerance: Tolerance, name: str) -> Answer:
    outputs = {key: _noisy_value(value, tolerance, f"{name} {key}") for key, value in answer.outputs.items()}
    gradients = {
        key: None if one is None else noisy(one, tolerance, f"{name} gradient {key}")
        for key, one in answer.gradients.items()
    }
    return replace(answer, outputs=outputs, gradients=gradients)


def _noisy_value(value: Value, tolerance: Tolerance, name: str) -> Value:
    if isinstance(value, TensorValue) and value.array is not None:
        return TensorValue(value.dtype, value.shape, noisy(value.array, tolerance, name))
    if isinstance(value, PlainValue) and value.type == "float" and isinstance(value.value, float):
        return PlainValue(value.type, float(noisy(np.array(value.value), tolerance, name)))
    return value


def noisy(numbers: Array, tolerance: Tolerance, name: str) -> Array:
    """Return numbers with noise up or down. name: draws it. Where the tolerance has no room beside 0, noise has none either."""
    some = np.isfinite(numbers) & (numbers != 0)
    if numbers.dtype.kind != "f" or not some.any():
        return numbers
    size, largest = np.abs(numbers, dtype=np.float64), float(np.abs(numbers[some]).max())
    if tolerance.atol > TOLERANCE.atol:
        beside = WORST_IF_LOOSE * min(largest, 1.0)
    else:
        beside = min(ROUNDINGS * ROUNDING * largest, WORST) if tolerance.atol else 0.0
    signs = np.random.default_rng(zlib.crc32(name.encode())).choice((-1.0, 1.0), numbers.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        other = (numbers + signs * (ROUNDINGS * ROUNDING * size + beside)).astype(numbers.dtype)
    return np.where(some & np.isfinite(other), other, numbers)
