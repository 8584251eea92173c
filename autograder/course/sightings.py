"""What a function holds at one moment: the tensors under its names, in its lists, and in the attributes of its `self`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from torch import Tensor, nn

from autograder.course.flow import NOTHING, Form


@dataclass(frozen=True, eq=False)
class Sighting:
    """A value as it was when it was looked at.

    tensors: itself, or those in it. forms: the different ones, in order. writes: how often a tensor had been written into.
    within: `list` or `tuple` if they are in one.
    """

    value: Any
    tensors: tuple[Tensor, ...]
    forms: tuple[Form, ...]
    writes: int = 0
    within: str = ""

    @property
    def times(self) -> int:
        """How many there are."""
        return max(len(self.tensors), 1)

    def since(self, before: "Sighting | None") -> "Sighting | None":
        """Return what is new: another value than before, the same tensor with other numbers or in another shape, and of a
        list what it has grown by.
        """
        if before is None or self.value is not before.value:
            return self
        if isinstance(self.value, Tensor):
            return self if (self.forms, self.writes) != (before.forms, before.writes) else None
        grown = self.tensors[len(before.tensors) :]
        return replace(self, tensors=grown, forms=_forms(grown)) if grown else None


def sightings_in(frame: FrameType) -> dict[str, Sighting]:
    """Return what the names of a running function hold; `self` is looked into."""
    values = {name: value for name, value in frame.f_locals.items() if name != "self"}
    if "self" in frame.f_locals:
        values |= {f"self.{name}": value for name, value in _attributes(frame.f_locals["self"])}
    return {name: see(value) for name, value in values.items()}


def see(value: Any) -> Sighting:
    """Look at a value: a tensor, a list or tuple of tensors, or anything else, of which the type counts."""
    tensors = tuple(value) if isinstance(value, list | tuple) else (value,)
    if not tensors or not all(isinstance(tensor, Tensor) for tensor in tensors):
        return Sighting(value, (), (NOTHING if value is None else type(value).__name__,))
    if not isinstance(value, Tensor):
        return Sighting(value, tensors, _forms(tensors), within="list" if isinstance(value, list) else "tuple")
    return Sighting(value, tensors, _forms(tensors), 0 if value.is_inference() else value._version)


def _forms(tensors: Iterable[Tensor]) -> tuple[Form, ...]:
    return tuple(dict.fromkeys(tuple(tensor.shape) for tensor in tensors))


def _attributes(owner: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an object; of a module also its parameters, its buffers and those of torch's layers in it."""
    attributes = getattr(owner, "__dict__", {})
    yield from attributes.items()
    if isinstance(owner, nn.Module):
        yield from attributes.get("_parameters", {}).items()
        yield from attributes.get("_buffers", {}).items()
        for name, layer in attributes.get("_modules", {}).items():
            yield from ((f"{name}.{inner}", parameter) for inner, parameter in _parameters(layer))


def _parameters(layer: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parameters of a layer of torch's and of those in it; the student's own show theirs as they are made."""
    if isinstance(layer, nn.Module) and type(layer).__module__.startswith("torch."):
        yield from layer.named_parameters(recurse=False)
        for name, inner in layer.named_children():
            yield from ((f"{name}.{deeper}", parameter) for deeper, parameter in _parameters(inner))
