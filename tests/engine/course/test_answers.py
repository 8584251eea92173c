"""Answers come through the wire as they were."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from autograder.course import codec
from autograder.course.answer import Answer, Failure, PlainValue, TensorValue, close
from autograder.course.probing import failure_of, observe
from autograder.course.tolerances import Tolerance
from autograder.runner.answers import Answered, decode_reply


def travel(answer: Answer) -> Answer:
    reply = decode_reply(codec.encode(Answered({"case": answer})))
    assert isinstance(reply, Answered)
    return reply.answers["case"]


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


@pytest.mark.parametrize(
    "answer",
    [
        Answer(failure=Failure("raised", "ValueError: √", "ValueError", "part.py, line 3\n    return")),
        Answer({"result": TensorValue("complex64", (2, 3), None), "0": PlainValue("float", 2.5)}),
        Answer(changed_inputs=("a", "b")),
        Answer(gradient_error="RuntimeError: no"),
        Answer(gradients={"a": None, "b": None}),
        Answer(),
    ],
    ids=["failure", "outputs", "changed inputs", "gradient error", "no gradients reach", "nothing"],
)
def test_what_else_was_seen_is_kept(answer: Answer) -> None:
    assert travel(answer) == answer


@pytest.mark.parametrize(
    ("yours", "expected", "same"),
    [
        (np.zeros((2, 1)), np.zeros((2, 2)), False),
        (np.array([100.9, np.nan, np.inf]), np.array([100.0, np.nan, np.inf]), True),
        (np.array([101.2]), np.array([100.0]), False),
        (np.array([np.inf]), np.array([1.0]), False),
        (np.array([-np.inf]), np.array([np.inf]), False),
        (np.array([True, False]), np.array([True, True]), False),
        (np.float32([3e38]), np.float32([-3e38]), False),
    ],
    ids=["shape", "near", "far", "infinite", "another infinity", "flags", "huge"],
)
def test_numbers_are_close_within_the_tolerance(yours: Any, expected: Any, same: bool) -> None:
    assert close(yours, expected, Tolerance(rtol=0.01, atol=0.0)) is same
