"""Answers come through the wire as they were."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from autograder.course import codec
from autograder.course.answer import Answer, Failure, PlainValue, TensorValue, close, within
from autograder.course.probing import failure_of, observe
from autograder.runner.answers import decode_answers


def travel(answer: Answer) -> Answer:
    return decode_answers(codec.encode({"case": answer}))["case"]


def _observed(function: Callable[[Tensor], Any]) -> Answer:
    x = torch.arange(24.0).reshape(2, 3, 4)
    return observe(None, function, {"x": x}, seed=1, gradients=True, describe=failure_of)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.transpose(-2, -1),
        lambda x: x.permute(2, 0, 1),
        lambda x: x[:, ::2, 1:3],
        lambda x: x.flip(-1),
        lambda x: x[0, 0].expand(3, 4),
        lambda x: x.sum(),
        lambda x: x[:, :0],
    ],
    ids=["transposed", "permuted", "strided", "flipped", "expanded", "no dimensions", "empty"],
)
def test_results_that_lie_in_another_order_keep_their_numbers(
    function: Callable[[Tensor], Tensor],
) -> None:
    value = travel(_observed(function)).outputs["result"]
    assert isinstance(value, TensorValue)
    assert value.array is not None
    assert value.array.tolist() == function(torch.arange(24.0).reshape(2, 3, 4)).tolist()


def test_gradients_that_lie_in_another_order_keep_their_numbers() -> None:
    answer = _observed(lambda x: x.permute(2, 1, 0) * 2)
    gradient, arrived = answer.gradients["x"], travel(answer).gradients["x"]
    assert gradient is not None
    assert arrived is not None
    expected = 2 * np.cos(np.arange(1.0, 25.0)).reshape(4, 3, 2).transpose(2, 1, 0)
    np.testing.assert_allclose(arrived, expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float64, torch.int64, torch.bool, torch.uint8])
def test_the_dtype_of_the_numbers_is_kept(dtype: torch.dtype) -> None:
    value = travel(_observed(lambda x: torch.ones(2, 3, dtype=dtype))).outputs["result"]
    assert isinstance(value, TensorValue)
    assert value.array is not None
    assert (value.dtype, str(value.array.dtype)) == (str(dtype).removeprefix("torch."),) * 2


def test_nan_and_infinity_are_kept() -> None:
    value = travel(_observed(lambda x: torch.tensor([torch.nan, torch.inf, -torch.inf]))).outputs["result"]
    assert isinstance(value, TensorValue)
    np.testing.assert_array_equal(value.array, [np.nan, np.inf, -np.inf])


@pytest.mark.parametrize("value", [None, True, 3, 2.5, "shape (2, 3)"], ids=repr)
def test_plain_values_are_kept(value: bool | int | float | str | None) -> None:
    answer = Answer({"result": PlainValue(type(value).__name__, value)})
    assert travel(answer) == answer


def test_what_a_changed_input_became_is_kept() -> None:
    arrived = travel(_observed(lambda x: x.data.mul_(2)))
    assert arrived.changed_inputs == ("x",)
    np.testing.assert_array_equal(arrived.changed_to, 2 * np.arange(24.0).reshape(2, 3, 4))


def test_a_tensor_without_numbers_keeps_its_shape() -> None:
    answer = Answer({"result": TensorValue("complex64", (2, 3), None)})
    assert travel(answer) == answer


@pytest.mark.parametrize(
    "answer",
    [
        Answer(failure=Failure("raised", "ValueError: √", "ValueError", "part.py, line 3\n    return")),
        Answer(changed_inputs=("a", "b")),
        Answer(gradient_error="RuntimeError: no"),
        Answer(gradients={"a": None, "b": None}),
        Answer(),
    ],
    ids=["failure", "changed inputs", "gradient error", "no gradients reach", "nothing"],
)
def test_what_else_was_seen_is_kept(answer: Answer) -> None:
    assert travel(answer) == answer


def test_answers_to_several_cases_are_kept_apart() -> None:
    sent = {name: _observed(lambda x, n=number: x + n) for number, name in enumerate(("one", "two"))}
    arrived = decode_answers(codec.encode(sent))
    firsts = [answer.outputs["result"].array.flat[0] for answer in arrived.values()]
    assert firsts == [0.0, 1.0]


def test_close_compares_shapes_before_numbers() -> None:
    assert not close(np.zeros((2, 1)), np.zeros((2, 2)), rtol=1.0, atol=1.0)


def test_close_takes_numbers_within_the_tolerance() -> None:
    assert close(np.array([100.0]), np.array([100.9]), rtol=0.01, atol=0.0)


def test_close_refuses_numbers_beyond_the_tolerance() -> None:
    assert not close(np.array([100.0]), np.array([101.2]), rtol=0.01, atol=0.0)


def test_close_takes_nan_for_nan() -> None:
    assert close(np.array([np.nan]), np.array([np.nan]), rtol=0.0, atol=0.0)


SPECIAL = (0.0, 1.0, 1.0005, 1.1, -1.0, float("inf"), float("-inf"), float("nan"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_arrays_are_close_if_all_their_numbers_are_within_the_tolerance(dtype: str) -> None:
    numbers = SPECIAL if dtype.startswith("float") else (0, 1, 2, 3)
    for yours, expected in itertools.product(itertools.product(numbers, repeat=2), repeat=2):
        one, other = np.array(yours, dtype), np.array(expected, dtype)
        assert close(one, other, 1e-3, 1e-4) == within(one, other, 1e-3, 1e-4).all(), (yours, expected)
    assert close(np.zeros((0, 2), dtype), np.zeros((0, 2), dtype), 1e-3, 1e-4)
