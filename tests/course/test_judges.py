"""What is found in numbers by who marks, whatever the process says that has run the code."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from autograder.course.answer import PlainValue, TensorValue, Value
from course.attention import judges
from course.attention.judges import (
    BY_ITSELF,
    CHANGED,
    DIFFERENT,
    EXACT,
    FINDINGS,
    GRADIENT,
    GRADIENTS,
    KEPT_OR_DROPPED,
    MEASURED,
    NOT_IN_EVAL,
    PROJECTIONS,
    SAME,
    SHARE_DROPPED,
    TRAINED,
    TRAINED_AGAIN,
    USUAL,
    USUAL_AGAIN,
)

TOKENS, HEADS, SENTENCES, P = 7, 2, 8, 0.2
WITH_DROPOUT = {"dropout": P, "num_heads": HEADS}


def tensor(array: Any) -> TensorValue:
    array = np.asarray(array, dtype=np.float32)
    return TensorValue(str(array.dtype), array.shape, array)


def weights() -> np.ndarray[Any, Any]:
    """Causal weights of each sentence, query and head."""
    scores = np.tril(np.random.default_rng(1).uniform(0.5, 1, (HEADS, TOKENS, TOKENS)))
    one = (scores / scores.sum(axis=-1, keepdims=True)).swapaxes(0, 1)
    return np.broadcast_to(one, (SENTENCES, *one.shape))


def dropped(seed: int, p: float = P) -> np.ndarray[Any, Any]:
    return np.where(np.random.default_rng(seed).random(weights().shape) < p, 0, weights() / (1 - P))


def context(of_heads: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What a module returns whose values are its weights, twice."""
    return np.stack([of_heads, of_heads], axis=3).reshape(SENTENCES, TOKENS, -1)


def module(**others: Any) -> dict[str, Value]:
    """What a right module hands back. others: by the names of constants, what is there in place of that."""
    trained = context(dropped(2))
    mixture = np.cos(np.arange(trained.size)).reshape(SENTENCES, TOKENS, HEADS, 2, TOKENS)
    of_values = np.einsum("bqhck,bqhi->hcki", mixture, dropped(2)).reshape(-1, TOKENS)
    numbers = {USUAL: context(weights()), USUAL_AGAIN: context(weights())}
    numbers |= {TRAINED: trained, TRAINED_AGAIN: context(dropped(3))}
    numbers |= {GRADIENT.format(name): np.ones((2, TOKENS)) for name in ("x", *PROJECTIONS)}
    numbers |= {GRADIENT.format("W_value"): of_values}
    return {name: tensor(array) for name, array in numbers.items()} | others


def not_so(outputs: Mapping[str, Value]) -> set[str]:
    found = judges.dropout(WITH_DROPOUT, outputs)
    assert tuple(found) == FINDINGS
    return {name for name, value in found.items() if value != PlainValue("bool", True)}


def test_what_right_dropout_hands_back_is_right() -> None:
    assert not_so(module()) == set()


WHOLE = tensor(context(weights()))
BY_ROWS = np.where(np.random.default_rng(4).random((SENTENCES, TOKENS, HEADS, 1)) < P, 0, weights() / (1 - P))


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({TRAINED: WHOLE}, {CHANGED, KEPT_OR_DROPPED, SHARE_DROPPED, BY_ITSELF, GRADIENTS}),
        ({TRAINED: tensor(context(dropped(2) * (1 - P)))}, {KEPT_OR_DROPPED, GRADIENTS}),
        ({TRAINED: tensor(context(dropped(2, 0.7)))}, {SHARE_DROPPED, GRADIENTS}),
        ({TRAINED: tensor(context(BY_ROWS))}, {BY_ITSELF, GRADIENTS}),
        ({TRAINED_AGAIN: tensor(context(dropped(2)))}, {BY_ITSELF}),
        ({USUAL_AGAIN: tensor(context(dropped(2)))}, {NOT_IN_EVAL}),
        ({GRADIENT.format("W_query"): tensor(np.zeros((2, TOKENS)))}, {GRADIENTS}),
        ({GRADIENT.format("W_value"): tensor(np.ones((4 * TOKENS, TOKENS)))}, {GRADIENTS}),
        ({GRADIENT.format("x"): PlainValue("NoneType", None)}, {GRADIENTS}),
    ],
)
def test_each_fault_of_dropout_is_found_in_the_numbers(others: dict[str, Value], expected: set[str]) -> None:
    assert not_so(module(**others)) == expected


HOSTILE = [
    PlainValue("bool", True),
    PlainValue("str", "x"),
    TensorValue("float32", (30_000,), None),
    TensorValue("bool", (1,), np.ones(1, dtype=bool)),
    *map(
        tensor, (1.0, [], np.ones((0, 3)), np.ones((3, 0)), np.ones((8, 7, 28)) * np.nan, np.full((8, 7, 28), np.inf))
    ),
]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("name", [USUAL, USUAL_AGAIN, TRAINED, GRADIENT.format("W_value")])
def test_whatever_is_handed_back_in_place_of_numbers_is_not_right(name: str, value: Value) -> None:
    assert not_so(module(**{name: value}))


def test_what_the_process_says_itself_of_dropout_counts_for_nothing() -> None:
    assert not_so(dict.fromkeys(FINDINGS, PlainValue("bool", True))) == set(FINDINGS)


# A variance


def variances(measure: Callable[[str], float]) -> dict[str, Value]:
    names = (judges.VARIANCE, judges.VARIANCE_AGAIN, judges.VARIANCE_OF_OTHERS, judges.UNSCALED, judges.SCALED)
    names = (*names, judges.OF_FEW, judges.OF_OTHER_FEW)
    return {name: tensor(measure(name)) for name in names}


def seen_of_variance(outputs: Mapping[str, Value], repeat: bool = True) -> dict[str, bool]:
    found = judges.variance({"calls": 1, "d_k": 4, "repeat": repeat}, outputs)
    return {name: value.value is True for name, value in found.items() if isinstance(value, PlainValue)}


MEASUREMENTS = {
    judges.VARIANCE: 3.9,
    judges.VARIANCE_AGAIN: 3.9,
    judges.VARIANCE_OF_OTHERS: 4.1,
    judges.UNSCALED: 3.9,
    judges.SCALED: 3.9 / 4,
    judges.OF_FEW: 3.0,
    judges.OF_OTHER_FEW: 5.0,
}


def test_a_measured_variance_is_seen() -> None:
    outputs = variances(MEASUREMENTS.__getitem__)

    assert seen_of_variance(outputs) == dict.fromkeys((MEASURED, SAME, DIFFERENT, EXACT), True)
    assert seen_of_variance(outputs, repeat=False) == {MEASURED: True}


def test_the_number_that_a_variance_is_close_to_is_not_measured() -> None:
    assert not seen_of_variance(variances(lambda _: 4.0))[MEASURED]


def test_whose_generator_is_always_the_same_has_measured_all_the_same() -> None:
    fixed = MEASUREMENTS | {judges.VARIANCE_OF_OTHERS: 3.9, judges.OF_OTHER_FEW: 3.0}
    assert seen_of_variance(variances(fixed.__getitem__)) == {MEASURED: True, SAME: True, DIFFERENT: False, EXACT: True}


@pytest.mark.parametrize("value", HOSTILE)
def test_what_is_no_number_is_no_measurement(value: Value) -> None:
    seen = seen_of_variance(dict.fromkeys(MEASUREMENTS, value))

    assert (seen[MEASURED], seen[DIFFERENT]) == (False, False)
