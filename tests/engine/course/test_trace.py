"""Traces as data: the same numbers are recognised, and a trace survives being bytes."""

from typing import Any

import numpy as np
import pytest

from autograder.course import codec
from autograder.course.trace import Call, Made, Numbers, Operation, Stop, Trace, numbers_in

NUMBERS = np.random.default_rng(0).normal(size=(3, 4))


def made(*arrays: Any) -> Made:
    """Return what an operation made, one array after the other."""
    numbers = Numbers(numbers_in(arrays[-1:])), Numbers(numbers_in(arrays))
    return Made("@", (), tuple(array.shape for array in arrays), len(arrays), numbers)


@pytest.mark.parametrize(
    "other", [NUMBERS.T, NUMBERS.reshape(2, 6), NUMBERS[::-1], NUMBERS * (1 + 1e-6), NUMBERS.astype(np.float32)]
)
def test_the_same_numbers_are_recognised_in_any_shape_and_order(other: Any) -> None:
    assert made(NUMBERS).has_numbers_of(made(other))


@pytest.mark.parametrize("other", [NUMBERS + 0.1, NUMBERS * 1.01, NUMBERS[:2], -NUMBERS, np.maximum(NUMBERS, -1)])
def test_other_numbers_are_not(other: Any) -> None:
    assert not made(NUMBERS).has_numbers_of(made(other))


def test_what_stands_for_infinity_is_as_good() -> None:
    hidden = np.where(NUMBERS > 0, NUMBERS, -np.inf)

    assert made(np.where(NUMBERS > 0, NUMBERS, np.finfo(np.float32).min)).has_numbers_of(made(hidden))


TRACE = Trace(
    (Call("f", (("x", (2, 3)), ("p", "0.5"))),),
    (Operation(0, "own.py", (1, 1, 4, 9), "f", made(NUMBERS)),),
    Stop(0, (("own.py", 2, "f"),), (("x", (2, 3)),), (0,)),
    (0,),
)
(OPERATION,) = TRACE.operations
MADE = OPERATION.made


def test_a_trace_survives_being_bytes() -> None:
    read = codec.decode(codec.encode(TRACE), Trace)

    assert (read.calls, read.stop, read.ends) == (TRACE.calls, TRACE.stop, TRACE.ends)
    assert read.operations[0].made.is_same(MADE)
