"""Torch in a probe: operations are watched, on one thread, without its compiler."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.utils._python_dispatch import TorchDispatchMode


class OperationObserver(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not annotate it
    """Sees every operation on numbers that runs while it is entered, from any caller.

    Views, as of `view` and `transpose`, are not seen: they make no numbers.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep torch from importing its compiler, only to hide this class from it."""
        return False

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def see(self, operation: str, given: Any, made: Any) -> None:
        """See an operation: torch's name for it, its operands, and its results."""
        raise NotImplementedError

    def __torch_dispatch__(
        self, func: Any, types: Iterable[type], args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Run an operation and see it."""
        options = kwargs or {}
        made = func(*args, **options)
        if not func.is_view:
            self.see(func.overloadpacket.__name__, (*args, *options.values()), made)
        return made


class LargestTensor(OperationObserver):  # type: ignore[no-untyped-call]
    """Finds the size of the largest tensor that is made while it is entered, `elements`.

    Memory counts: a view or an expanded tensor has none. Earlier tensors do not count.
    """

    def __init__(self) -> None:
        super().__init__()
        self.elements = 0

    def see(self, operation: str, given: Any, made: Any) -> None:
        """Measure what is not in the memory of the arguments."""
        there = {tensor.untyped_storage().data_ptr() for tensor in tensors_in(given)}
        for tensor in tensors_in(made):
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in there:
                self.elements = max(self.elements, storage.nbytes() // tensor.element_size())


def tensors_in(values: Any) -> Iterator[Tensor]:
    """Yield the tensors in the operands or results of an operation."""
    if isinstance(values, Tensor):
        yield values
    elif isinstance(values, list | tuple):
        for value in values:
            yield from tensors_in(value)


Kind = TypeVar("Kind", bound=Optimizer)


def without_compiler(kind: type[Kind]) -> type[Kind]:
    """Return an optimiser class without the wrappers that load torch's compiler."""
    methods = {name: inspect.unwrap(getattr(kind, name)) for name in ("add_param_group", "zero_grad", "step")}
    methods["step"] = torch.no_grad()(methods["step"])
    return type(kind.__name__, (kind,), methods)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread meanwhile. As a decorator: while the function runs."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
