"""Traces as data: the same numbers are recognised, and nothing but a trace is taken for one."""

import json
from typing import Any

import numpy as np
import pytest

from autograder.course.trace import (
    MOST_KEPT,
    MOST_PLACES,
    Call,
    Made,
    Numbers,
    Operation,
    Pool,
    Stop,
    Trace,
    from_plain,
    numbers_in,
    to_plain,
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


@pytest.mark.parametrize("other", [NUMBERS.T, NUMBERS[::-1]])
def test_in_another_order_they_are_not_the_same_one_after_the_other(other: Any) -> None:
    assert not made(NUMBERS).has_numbers_of(made(other), in_order=True)


def test_rows_that_are_made_one_by_one_are_the_numbers_of_the_whole() -> None:
    assert made(*NUMBERS).has_numbers_of(made(NUMBERS), in_order=True)


def test_what_is_not_a_number_is_not_taken_for_infinity() -> None:
    assert np.isnan(numbers_in([np.array([np.nan, -np.nan])])).all()


def test_what_stands_for_infinity_is_as_good() -> None:
    hidden = np.where(NUMBERS > 0, NUMBERS, -np.inf)

    assert made(np.where(NUMBERS > 0, NUMBERS, np.finfo(np.float32).min)).has_numbers_of(made(hidden))


def test_of_what_has_too_many_numbers_the_shape_counts() -> None:
    one, other = Made("@", (), ((9, 9),), 1, ()), Made("@", (), ((9, 8),), 1, ())

    assert (one.is_same(one), one.is_same(other), one.has_numbers_of(one)) == (True, False, False)


def test_the_same_in_another_shape_is_not_the_same() -> None:
    assert not made(NUMBERS).is_same(made(NUMBERS.reshape(2, 6)))


TRACE = Trace(
    (Call("f", (("x", (2, 3)), ("p", "0.5"))),),
    (Operation(0, "own.py", (1, 1, 4, 9), "f", made(NUMBERS)),),
    Stop(0, (("own.py", 2, "f"),), (("x", (2, 3)),), (0,)),
    (0,),
)
POOL = Pool()
PLAIN = to_plain(TRACE, POOL)
(OPERATION,) = PLAIN["operations"]
MADE = OPERATION["made"]


def test_a_trace_survives_being_plain_data() -> None:
    read = from_plain(json.loads(json.dumps(PLAIN)), POOL.array())

    assert (read.calls, read.stop, read.ends) == (TRACE.calls, TRACE.stop, TRACE.ends)
    assert read.operations[0].made.is_same(TRACE.operations[0].made)


def test_the_same_numbers_lie_in_a_pool_once() -> None:
    assert len(POOL.array()) == NUMBERS.size


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        PLAIN | {"calls": []},
        PLAIN | {"operations": [OPERATION | {"made": MADE | {"takes": [1]}}]},
        PLAIN | {"operations": [OPERATION | {"made": MADE | {"shapes": []}}]},
        PLAIN | {"operations": [OPERATION | {"made": MADE | {"shapes": [[4, 4]]}}]},
        PLAIN | {"operations": [OPERATION | {"made": MADE | {"numbers": [{"flat": [0, NUMBERS.size + 1]}]}}]},
        PLAIN | {"operations": [OPERATION | {"made": MADE | {"numbers": [{"flat": [-1, 1]}]}}]},
        PLAIN | {"ends": [1]},
        PLAIN | {"operations": [OPERATION | {"made": MADE | {"shapes": [[-3, -4]]}}]},
        PLAIN | {"operations": [OPERATION] * (MOST_PLACES + 1)},
        PLAIN | {"operations": [OPERATION | {"path": 1}]},
        PLAIN | {"stop": PLAIN["stop"] | {"call": 1}},
        PLAIN | {"stop": PLAIN["stop"] | {"lines": []}},
    ],
)
def test_anything_else_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match=r"Expected|it names|longer"):
        from_plain(data, POOL.array())


def test_a_trace_that_names_the_same_numbers_too_often_is_refused() -> None:
    half = MADE | {"shapes": [[MOST_KEPT // 2]], "numbers": [{"flat": [0, MOST_KEPT // 2]}]}
    thrice = PLAIN | {"operations": [OPERATION | {"made": half}] * 3}

    with pytest.raises(ValueError, match="longer than a trace may be"):
        from_plain(thrice, np.zeros(MOST_KEPT, "<f4"))
