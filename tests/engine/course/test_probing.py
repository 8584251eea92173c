"""What is observed of an implementation: outputs, gradients, changed inputs, and how it failed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from autograder.course.answer import MOST_NUMBERS, Answer, Failure, PlainValue, TensorValue, Value
from autograder.course.probing import Observation, Unmet, failure_of, observe

TWO = {"a": torch.tensor([1.0, 2.0]), "b": torch.tensor([3.0, 5.0])}


def _observe(
    implementation: Callable[..., Any],
    inputs: dict[str, Any] = TWO,
    probe: Callable[..., Any] | None = None,
    gradients: bool = True,
) -> Answer:
    return observe(probe, implementation, inputs, seed=7, gradients=gradients, describe=failure_of)


def _raise(error: BaseException) -> Callable[..., Any]:
    def implementation(*_: Any) -> Any:
        raise error

    return implementation


def _output(implementation: Callable[..., Any]) -> Value:
    return _observe(implementation, gradients=False).outputs["result"]


def _array(value: Value) -> Any:
    assert isinstance(value, TensorValue)
    assert value.array is not None
    return value.array


# Inputs


def test_an_input_that_is_written_to_is_named() -> None:
    assert _observe(lambda a, b: a.mul_(b)).changed_inputs == ("a",)


def test_an_input_that_is_written_to_before_an_exception_is_named() -> None:
    def implementation(a: Tensor, b: Tensor) -> Tensor:
        b[0] = 0.0
        raise ValueError

    assert _observe(implementation).changed_inputs == ("b",)


# Gradients


def test_gradients_are_those_of_the_outputs_mixed_by_cosines() -> None:
    gradients = _observe(lambda a, b: a * b).gradients
    mixing = np.cos([1.0, 2.0])
    np.testing.assert_allclose(gradients["a"], mixing * [3.0, 5.0], rtol=1e-6)
    np.testing.assert_allclose(gradients["b"], mixing * [1.0, 2.0], rtol=1e-6)


def test_every_one_of_several_outputs_has_its_part_in_the_gradient() -> None:
    gradients = _observe(lambda a, b: (2 * a.sum(), 3 * a.sum())).gradients
    np.testing.assert_allclose(gradients["a"], np.full(2, 2 * np.cos(1.0) + 3 * np.cos(2.0)), rtol=1e-6)


def test_no_gradient_reaches_any_input_of_a_result_without_one() -> None:
    assert _observe(lambda a, b: (a * b).detach()).gradients == {"a": None, "b": None}


def test_parameters_of_an_observation_have_gradients() -> None:
    def probe(cls: type[nn.Linear], x: Tensor) -> Observation:
        layer = cls(2, 1, bias=False)
        return Observation({"y": layer(x)}, dict(layer.named_parameters()))

    gradient = _observe(nn.Linear, {"x": torch.tensor([2.0, 3.0])}, probe).gradients["weight"]
    np.testing.assert_allclose(gradient, np.cos(1.0) * np.array([[2.0, 3.0]]), rtol=1e-6)


def test_going_backward_that_fails_is_told_and_the_outputs_stay() -> None:
    answer = _observe(lambda a, b: a.exp().add_(1))
    assert "modified by an inplace operation" in answer.gradient_error
    assert answer.outputs.keys() == {"result"}
    assert answer.failure is None


@pytest.mark.parametrize("gradients", [False, True])
def test_outputs_and_gradients_come_from_one_run(gradients: bool) -> None:
    calls: list[Tensor] = []

    def implementation(a: Tensor, b: Tensor) -> Tensor:
        calls.append(a)
        return a * b

    _observe(implementation, gradients=gradients)
    assert len(calls) == 1


def test_what_runs_only_without_gradients_has_outputs_and_a_gradient_error() -> None:
    answer = _observe(lambda a, b: a.mul_(b))
    assert answer.outputs.keys() == {"result"}
    assert "in-place operation" in answer.gradient_error


def test_what_fails_either_way_is_a_failure() -> None:
    answer = _observe(_raise(ValueError("too short")))
    assert answer.failure == Failure("raised", "ValueError: too short", "ValueError")
    assert answer.gradient_error == ""


def test_only_the_other_run_after_one_that_failed_is_muted() -> None:
    muted = False
    seen: list[bool] = []

    @contextmanager
    def mute() -> Iterator[None]:
        nonlocal muted
        muted = True
        yield
        muted = False

    def implementation(a: Tensor, b: Tensor) -> Tensor:
        seen.append(muted)
        return a.mul_(b)

    observe(None, implementation, TWO, 7, True, failure_of, mute)
    assert seen == [False, True]


# Failures


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (NotImplementedError("step 1"), "raised", "NotImplementedError: step 1"),
        (ValueError("too short"), "raised", "ValueError: too short"),
        (ValueError(), "raised", "ValueError"),
        (KeyboardInterrupt(), "raised", "KeyboardInterrupt"),
        (MemoryError(), "out_of_memory", "MemoryError"),
        (Unmet("there is no `W_query`"), "incomplete", "there is no `W_query`"),
        (RecursionError("too deep"), "raised", "RecursionError: too deep"),
    ],
)
def test_an_exception_becomes_a_failure(error: BaseException, kind: str, message: str) -> None:
    failure = _observe(_raise(error)).failure
    assert failure is not None
    assert (failure.kind, failure.message) == (kind, message)


def test_a_tensor_too_large_for_any_memory_is_out_of_memory() -> None:
    failure = _observe(lambda a, b: torch.empty(1 << 56, dtype=torch.uint8)).failure
    assert failure is not None
    assert failure.kind == "out_of_memory"


def test_an_exception_whose_text_cannot_be_made_is_a_failure_all_the_same() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise ValueError

    failure = _observe(_raise(Silent())).failure
    assert failure is not None
    assert (failure.kind, failure.error) == ("raised", "Silent")


# Outputs


@pytest.mark.parametrize(
    ("output", "type_name", "value"),
    [
        (None, "NoneType", None),
        (2.5, "float", 2.5),
        (3, "int", 3),
        (True, "bool", True),
        ("text", "str", "text"),
        ("text" * 2000, "str", "text" * 1000),
        ([], "list", "0 items"),
        ([1.0, 2.0], "list", "2 items, each of type float"),
        ([1.0, 2], "list", "2 items"),
        ([[1.0]], "list", "1 items, each of type list"),
        ((np.zeros(1), np.ones(1)), "tuple", "2 items, each of type NumPy array"),
        ((torch.ones(1), None), "tuple", "2 items"),
        ({"a": 1}, "dict", "1 items"),
        (np.zeros((2, 3)), "NumPy array", "shape (2, 3)"),
        (object(), "object", ""),
        (nn.Identity, "type", ""),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_is_no_tensor_is_described_by_its_type(output: object, type_name: str, value: object) -> None:
    assert _output(lambda a, b: output) == PlainValue(type_name, value)


@pytest.mark.parametrize(
    "output",
    [
        torch.zeros(MOST_NUMBERS + 1),
        torch.zeros(2, dtype=torch.complex64),
    ],
    ids=["too many numbers", "complex numbers"],
)
def test_a_tensor_whose_numbers_cannot_be_compared_keeps_its_shape(output: Tensor) -> None:
    value = _output(lambda a, b: output)
    assert isinstance(value, TensorValue)
    assert (value.shape, value.array) == (tuple(output.shape), None)


def test_a_probe_names_the_outputs_and_receives_inputs_by_name() -> None:
    def probe(function: Callable[..., Any], b: Tensor, a: Tensor) -> Observation:
        return Observation({"difference": function(a, b)})

    assert _array(_observe(torch.sub, probe=probe).outputs["difference"]).tolist() == [-2.0, -3.0]
