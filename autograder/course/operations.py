"""Observe the operations that torch runs, and use optimisers without torch's compiler."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.utils._python_dispatch import TorchDispatchMode


class OperationObserver(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not annotate it
    """A context manager that calls `see` after each torch operation whose result is not a view."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False, because torch loads its compiler to skip this class."""
        return False

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def see(self, operation: str, given: Any, made: Any) -> None:
        """Receive the name of an operation that ran. given: the operands. made: the results."""
        raise NotImplementedError

    def __torch_dispatch__(
        self, func: Any, types: Iterable[type], args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        options = kwargs or {}
        made = func(*args, **options)
        if not func.is_view:
            self.see(func.overloadpacket.__name__, (*args, *options.values()), made)
        return made


class LargestTensor(OperationObserver):  # type: ignore[no-untyped-call]
    """A context manager that measures the largest tensor allocated within the context.

    elements: the size of that tensor's memory in elements. Views allocate no memory.
    """

    elements = 0

    def see(self, operation: str, given: Any, made: Any) -> None:
        """Measure the results that share no memory with an operand."""
        there = {tensor.untyped_storage().data_ptr() for tensor in tensors_in(given)}
        for tensor in tensors_in(made):
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in there:
                self.elements = max(self.elements, storage.nbytes() // tensor.element_size())


def tensors_in(values: Any) -> Iterator[Tensor]:
    """Yield the tensors among operands or results, including those in lists and tuples."""
    if isinstance(values, Tensor):
        yield values
    elif isinstance(values, list | tuple):
        for value in values:
            yield from tensors_in(value)


Kind = TypeVar("Kind", bound=Optimizer)


def without_compiler(kind: type[Kind]) -> type[Kind]:
    """Return a subclass of an optimiser class, without the wrappers that load torch's compiler."""
    methods = {name: inspect.unwrap(getattr(kind, name)) for name in ("add_param_group", "zero_grad", "step")}
    methods["step"] = torch.no_grad()(methods["step"])
    return type(kind.__name__, (kind,), methods)
