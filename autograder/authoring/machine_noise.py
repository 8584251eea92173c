"""Add to an exam's key the rounding differences that another machine would make.

The differences were measured on the practice exam, between two processors and torch's kernels.
They are at most 4 float32 roundings of a tensor's largest number and at most 2e-6, or 1.1e-4 if the
tolerance is looser. Float64 gets the same noise, because modules draw float32 parameters.
"""

import zlib
from dataclasses import replace

import numpy as np

from autograder.course.answer import Answer, Array, TensorValue
from autograder.course.tolerances import TOLERANCE, Tolerance
from autograder.exam.model import Exam

NOISE = 4 * float(np.finfo(np.float32).eps)
WORST, WORST_IF_LOOSE = 5e-6, 1.1e-4
"""The maximum noise on top of a number's own rounding, for usual and for looser tolerances."""


def with_noise(exam: Exam) -> Exam:
    """Add noise to every tensor in the key's answers and in the signatures of known mistakes."""
    cases = exam.key.cases
    known_wrong = {
        step: tuple(
            replace(
                one, signature={path: _noisy(answer, cases[path].tolerance) for path, answer in one.signature.items()}
            )
            for one in known
        )
        for step, known in exam.key.known_wrong.items()
    }
    cases = {path: replace(case, expected=_noisy(case.expected, case.tolerance)) for path, case in cases.items()}
    return replace(exam, key=replace(exam.key, cases=cases, known_wrong=known_wrong))


def _noisy(answer: Answer, tolerance: Tolerance) -> Answer:
    outputs = {
        name: TensorValue(value.dtype, value.shape, noisy(value.array, tolerance, name))
        if isinstance(value, TensorValue) and value.array is not None
        else value
        for name, value in answer.outputs.items()
    }
    gradients = {name: None if one is None else noisy(one, tolerance, name) for name, one in answer.gradients.items()}
    return replace(answer, outputs=outputs, gradients=gradients)


def noisy(numbers: Array, tolerance: Tolerance, name: str) -> Array:
    """Add noise to finite floats other than 0. The name and the numbers determine its random signs."""
    some = np.isfinite(numbers) & (numbers != 0)
    if numbers.dtype.kind != "f" or not some.any():
        return numbers
    size, largest = np.abs(numbers, dtype=np.float64), float(np.abs(numbers[some]).max())
    if tolerance.atol > TOLERANCE.atol:
        beside = WORST_IF_LOOSE * min(largest, 1.0)
    else:
        beside = min(NOISE * largest, WORST) if tolerance.atol else 0.0
    seed = zlib.crc32(name.encode() + numbers.tobytes())
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), numbers.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        other = (numbers + signs * (NOISE * size + beside)).astype(numbers.dtype)
    return np.where(some & np.isfinite(other), other, numbers)
