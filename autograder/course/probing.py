"""Run an implementation on the inputs of a case, and return its results as an Answer.

A probe is a function that calls the implementation and returns the tensors to compare.
"""

import bdb
import builtins
import traceback
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.course.answer import (
    CARRIED,
    EACH,
    LACK,
    LARGEST_INTEGER,
    MOST_NUMBERS,
    PAIRS,
    Answer,
    Array,
    Failure,
    PlainValue,
    TensorValue,
    Value,
    cut,
)
from autograder.course.forbidding import Forbidden, forbidding
from autograder.course.model import SINGLE
from autograder.course.verdicts import Verdict


class Unmet(Exception):
    """A violation of the step's docstring. A probe raises Unmet, or returns Unmet as an output."""


class Observation:
    """The result of a probe, by name: outputs, and parameters whose gradients are compared."""

    def __init__(self, outputs: Mapping[str, Any], parameters: Mapping[str, Tensor] | None = None) -> None:
        self.outputs = outputs
        self.parameters = parameters or {}


def observe(
    probe: Callable[..., Any] | None,
    implementation: Callable[..., Any],
    inputs: Mapping[str, Any],
    seed: int,
    gradients: bool,
    describe: Callable[[BaseException], Failure],
    muted: Callable[[], AbstractContextManager[None]] = nullcontext,
    forbids: tuple[str, ...] = (),
) -> Answer:
    """Run an implementation on the inputs of a case and return its answer.

    An exception of the implementation becomes a failure in the answer. A run that fails with gradients
    is repeated without gradients, because torch forbids writing into inputs that require gradients.

    probe: the function that calls the implementation and returns the tensors to compare; if None, the
    implementation is called with the inputs in their order. seed: torch's seed, set before each run.
    gradients: whether to compute gradients. describe: converts an exception into a failure. muted:
    suppresses text printed in the repeated run. forbids: the names of torch functions to refuse.
    """

    def attempt(gradients: bool) -> Answer:
        given = {name: _fresh(value, gradients) for name, value in inputs.items()}
        try:
            torch.default_generator.manual_seed(seed)
            with forbidding(forbids):  # includes `value_of`: a student's subclass of Tensor may compute there
                result = probe(implementation, **given) if probe else implementation(*given.values())
                values = {name: value_of(output) for name, output in _named(result).items()}
        except BaseException as error:  # includes sys.exit and Ctrl-C in a student's code
            return Answer(changed_inputs=_changed(given, inputs), failure=describe(error))
        answer = Answer(values, changed_inputs=_changed(given, inputs))
        try:
            return replace(answer, gradients=_gradients(given, result)) if gradients else answer
        except BaseException as error:
            return replace(answer, gradient_error=describe(error).message)

    answer = attempt(gradients)
    if not gradients or not answer.failure:
        return answer
    with muted():
        without = attempt(False)
    return without if without.failure else replace(without, gradient_error=answer.failure.message)


def failure_of(error: BaseException) -> Failure:
    """Describe an exception of an implementation or a probe as a failure."""
    name, text = type(error).__name__ or "an exception without a name", _text_of(error)
    text = text.replace(" Use tensor.detach().numpy() instead.", "")  # torch's advice, which loses the gradient
    message = f"{name}: {text}{_suggestion(error)}" if text else name
    if isinstance(error, Unmet):
        return Failure(Verdict.INCOMPLETE, text)
    if isinstance(error, Forbidden):
        return Failure(Verdict.FORBIDDEN, f"it uses torch's own `{text}`, which the step forbids")
    if isinstance(error, bdb.BdbQuit):
        message = "BdbQuit: `breakpoint()` does not work here. Use it in `attn check STEP --debug`, or with `d` in `attn watch`."
    if isinstance(error, MemoryError) or "can't allocate memory" in message:
        return Failure(Verdict.OUT_OF_MEMORY, message, name)
    return Failure(Verdict.RAISED, message, name)


def _text_of(error: BaseException) -> str:
    """Return the message of an exception; empty if its `__str__` raises."""
    try:
        return str(error)
    except BaseException:  # the submission may define `__str__` of its exceptions
        return ""


def _fresh(value: Any, gradients: bool) -> Any:
    if not isinstance(value, Tensor):
        return value
    fresh = value.clone()
    return fresh.requires_grad_() if gradients and value.is_floating_point() else fresh


def _changed(given: Mapping[str, Any], inputs: Mapping[str, Any]) -> tuple[str, ...]:
    def is_changed(after: Tensor, before: Tensor) -> bool:
        has_other_form = (after.dtype, after.shape) != (before.dtype, before.shape)
        return has_other_form or after.numpy(force=True).tobytes() != before.numpy().tobytes()

    tensors = ((name, before) for name, before in inputs.items() if isinstance(before, Tensor))
    return tuple(name for name, before in tensors if is_changed(given[name], before))


def _named(result: Any) -> Mapping[str, Any]:
    """Return the outputs of a probe by name. The names of several tensors are `0`, `1`, ..."""
    if isinstance(result, Observation):
        return result.outputs
    if isinstance(result, tuple | list) and result and all(isinstance(item, Tensor) for item in result):
        return {str(number): item for number, item in enumerate(result)}
    return {SINGLE: result}


def value_of(output: Any) -> Value:
    """Convert one output of a probe to plain data."""
    if isinstance(output, Tensor):
        return TensorValue(str(output.dtype).removeprefix("torch."), tuple(output.shape), numbers_of(output))
    if isinstance(output, int) and abs(output) > LARGEST_INTEGER:
        return PlainValue("int", "too large to show")
    if isinstance(output, bool | None):
        return PlainValue(type(output).__name__, output)
    if isinstance(output, int | float):  # also of subclasses, such as np.float64
        return PlainValue(type(output).__name__, int(output) if isinstance(output, int) else float(output))
    if isinstance(output, str):
        return PlainValue("str", cut(output))
    if isinstance(output, Unmet):
        return PlainValue(LACK, str(output))
    if isinstance(output, np.generic):
        return PlainValue(_kind(output), str(output), _carried(np.asarray(output)))
    if isinstance(output, np.ndarray):
        return PlainValue(_kind(output), f"shape {output.shape}", _carried(output))
    told = _told_items(output) if isinstance(output, list | tuple | dict) else ""
    return PlainValue(_kind(output), told, _numbers_in_lists(output))


def _carried(array: np.ndarray[Any, Any]) -> Array | None:
    """Return a copy of an array; None if the array is too large, or its dtype is not in CARRIED."""
    dtype = CARRIED.get(array.dtype.name) if array.size <= MOST_NUMBERS else None
    return np.array(array, dtype, order="C") if dtype else None


def _numbers_in_lists(items: Any) -> Array | None:
    first = items
    for _ in range(8):  # a list may contain itself
        first = first[0] if isinstance(first, list | tuple) and first else first
    if first is not items and type(first) in (bool, int, float):
        with suppress(Exception):  # rows of several lengths, or whatever an object among them raises
            return _carried(np.array(items))
    return None


def _told_items(items: Collection[Any]) -> str:
    types = {_kind(item) for item in items} if isinstance(items, list | tuple) else set()
    return f"{len(items)} items" + (f", {EACH}{types.pop()}" if len(types) == 1 else "")


def _kind(value: Any) -> str:
    if isinstance(value, Tensor):
        return "tensor"
    if isinstance(value, np.ndarray | np.generic):
        return "NumPy array" if isinstance(value, np.ndarray) else "NumPy number"
    name = type(value).__name__
    return f"{PAIRS}.{name}" if type(value).__module__ == PAIRS else name


def numbers_of(tensor: Tensor) -> Array | None:
    """Return a copy of a tensor's values; None above MOST_NUMBERS values or for a complex dtype."""
    if tensor.numel() > MOST_NUMBERS or tensor.is_complex():
        return None
    if tensor.layout != torch.strided:
        tensor = tensor.to_dense()
    if tensor.dtype in (torch.float16, torch.bfloat16):
        tensor = tensor.float()
    return np.array(tensor.numpy(force=True), order="C")  # a message carries the memory in this order


def _gradients(given: Mapping[str, Any], result: Any) -> dict[str, Array | None]:
    """Return the gradients of a weighted sum of all outputs, by name of the input or parameter."""
    leaves = {name: value for name, value in given.items() if isinstance(value, Tensor) and value.requires_grad}
    if isinstance(result, Observation):
        leaves |= result.parameters
    outputs = (output for output in _named(result).values() if isinstance(output, Tensor))
    flat = [output.reshape(-1) for output in outputs if output.is_floating_point() and output.requires_grad]
    if not flat:
        return dict.fromkeys(leaves)
    numbers = torch.cat(flat)
    # The weights differ, so that each element has another effect, and do not depend on the device.
    weights = torch.arange(1, len(numbers) + 1, dtype=numbers.dtype, device="cpu").cos_()
    mixture = torch.dot(numbers, weights)
    # No grad_outputs: with these torch imports sympy, which takes half a second in each process.
    found = torch.autograd.grad(mixture, list(leaves.values()), allow_unused=True)
    return {name: None if grad is None else numbers_of(grad) for name, grad in zip(leaves, found, strict=True)}


def _suggestion(error: BaseException) -> str:
    if not isinstance(error, NameError | AttributeError) or not isinstance(error.name, str):
        return ""
    with suppress(Exception):  # `__dir__` of a submission's class may raise
        frame = list(traceback.walk_tb(error.__traceback__))[-1][0]
        in_scope = [*frame.f_locals, *frame.f_globals, *dir(builtins)]
        names = dir(error.obj) if isinstance(error, AttributeError) else in_scope
        for close in get_close_matches(error.name, names, 1, cutoff=0.8):
            return f". Did you mean: '{close}'?"
    return ""
