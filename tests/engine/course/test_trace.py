"""Traces as data: the same numbers are recognised, and nothing but a trace is taken for one."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograder.course import codec
from autograder.course.trace import (
    MOST_KEPT,
    MOST_PLACES,
    Call,
    Made,
    Numbers,
    Operation,
    Stop,
    Trace,
    check,
    numbers_in,
)

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


def _with(**changed: Any) -> Trace:
    return replace(TRACE, operations=(replace(OPERATION, made=replace(MADE, **changed)),))


def _read(data: object) -> Trace:
    read = codec.decode(codec.encode(data), Trace)
    check(read)
    return read


def test_a_trace_survives_being_bytes() -> None:
    read = _read(TRACE)

    assert (read.calls, read.stop, read.ends) == (TRACE.calls, TRACE.stop, TRACE.ends)
    assert read.operations[0].made.is_same(MADE)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        replace(TRACE, calls=()),
        _with(takes=(1,)),
        _with(shapes=()),
        _with(shapes=((4, 4),)),
        _with(numbers=({"flat": 1},)),
        _with(numbers=(Numbers(np.zeros(12)),)),
        _with(numbers=(Numbers(np.zeros((3, 4), np.float32)),)),
        _with(shapes=((-3, -4),)),
        replace(TRACE, ends=(1,)),
        replace(TRACE, operations=(OPERATION,) * (MOST_PLACES + 1)),
        replace(TRACE, operations=(replace(OPERATION, path=1),)),
        replace(TRACE, stop=replace(TRACE.stop, call=1)),
        replace(TRACE, stop=replace(TRACE.stop, lines=())),
    ],
)
def test_anything_else_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match=r"Expected|it names|longer"):
        _read(data)


def test_a_trace_that_names_the_same_numbers_too_often_is_refused() -> None:
    half = replace(MADE, shapes=((MOST_KEPT // 2,),), numbers=(Numbers(np.zeros(MOST_KEPT // 2, np.float32)),))

    with pytest.raises(ValueError, match="longer than a trace may be"):
        _read(replace(TRACE, operations=(replace(OPERATION, made=half),) * 3))
