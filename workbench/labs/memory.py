"""Memory in bytes: what tensors need at their peak while something runs, and what an object holds on to."""

import gc
import weakref
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import Tensor

from autograder.course.operations import OperationObserver, tensors_in


def peak_bytes(run: Callable[..., object], *given: Tensor) -> int:
    """Return how many bytes of tensors are alive at once, at most, while `run(*given)` runs; the given ones not counted.

    What one operation of torch needs inside itself, and gives back before it returns, is not seen.
    """
    live = _LiveBytes(given)
    with live:
        run(*given)
    return live.peak


class _LiveBytes(OperationObserver):  # type: ignore[no-untyped-call]
    """Watches the memory of all that torch's operations return; a view has that of the tensor that it looks at."""

    def __init__(self, given: tuple[Tensor, ...]) -> None:
        super().__init__()
        self.peak = 0
        self._given = {tensor.untyped_storage().data_ptr() for tensor in given}
        self._made: dict[int, weakref.ref[torch.UntypedStorage]] = {}

    def see(self, operation: str, given: Any, made: Any) -> None:
        """Add the memory of what was made, and leave out what is no longer referenced."""
        for storage in (tensor.untyped_storage() for tensor in tensors_in(made)):
            if storage.data_ptr() not in self._given:
                self._made[storage.data_ptr()] = weakref.ref(storage)
        alive = [there for kept in self._made.values() if (there := kept()) is not None]
        self.peak = max(self.peak, sum(storage.nbytes() for storage in alive))
        self._made = {storage.data_ptr(): weakref.ref(storage) for storage in alive}


def bytes_held(thing: object) -> int:
    """Return how many bytes the tensors take that an object holds, wherever it keeps them; shared memory counts once."""
    storages = {one.untyped_storage().data_ptr(): one.untyped_storage() for one in _tensors_of(thing)}
    return sum(storage.nbytes() for storage in storages.values())


def _tensors_of(thing: object) -> Iterator[Tensor]:
    """Yield the tensors that an object refers to: in attributes, lists, dictionaries, and other objects."""
    waiting: list[object] = [thing]
    seen: set[int] = set()
    while waiting:
        found = waiting.pop()
        if id(found) in seen or isinstance(found, type | FunctionType | ModuleType):
            continue
        seen.add(id(found))
        if isinstance(found, Tensor):
            yield found
        else:
            waiting += gc.get_referents(found)
