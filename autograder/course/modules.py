"""Functions for probes of torch modules: construct a module, read attributes, write parameters."""

import inspect
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.probing import Unmet


def construct(cls: type[nn.Module], required: Mapping[str, Any], **options: object) -> nn.Module:
    """Construct a module from the arguments that the step's docstring names.

    required: the arguments without a default, in order. options: the arguments with a default.
    Raises Unmet if `cls` is no module or has other arguments. Also raises exceptions of `cls`.
    """
    if isinstance(cls, type) and not issubclass(cls, nn.Module):
        raise Unmet(f"your {cls.__name__} is no module: write `class {cls.__name__}(nn.Module):`")
    try:
        return cls(*required.values(), **options)
    except Exception:
        if _accepts(cls, required, options):
            raise
        written = ", ".join([*required, *(f"{name}={value}" for name, value in options.items())])
        said = f"called as {cls.__name__}({written}), but your `__init__` takes {inspect.signature(cls)}"
        raise Unmet(f"{said}: take the arguments of the docstring, in its order") from None


def _accepts(cls: type[nn.Module], required: Mapping[str, Any], options: Mapping[str, object]) -> bool:
    signature = inspect.signature(cls)
    names = [name for name in signature.parameters if name in required]
    try:
        signature.bind(*required.values(), **options)
    except TypeError:
        return False
    return len(names) < len(required) or names == list(required)


def attribute(owner: Any, name: str, of: str = "") -> Any:
    """Return an attribute that the step's docstring names. Raises Unmet for a missing attribute.

    owner: a student's module or a layer in it. of: the name of the layer; empty for a module.
    """
    try:
        return getattr(owner, name)
    except AttributeError:
        subject = f"`{of}`, a {type(owner).__name__}," if of else f"your {type(owner).__name__}"
        raise Unmet(f"{subject} has no attribute `{name}`, which the docstring names") from None


def write(owner: Any, name: str, numbers: Tensor, of: str = "") -> None:
    """Write `numbers` into a parameter that the step's docstring names. Raises Unmet.

    name: such as `weight`, or `inner.weight` for a layer. of: the name of the layer; empty for none.
    """
    layer, _, rest = name.partition(".")
    if rest:
        return write(attribute(owner, layer), rest, numbers, of=layer)
    parameter = attribute(owner, name, of)
    title, shape = f"{of}.{name}" if of else name, tuple(numbers.shape)
    if not isinstance(parameter, Tensor):
        raise Unmet(f"`{title}` should be a tensor of the shape {shape}, yours is a {type(parameter).__name__}")
    if parameter.shape != numbers.shape:
        raise Unmet(f"`{title}` should have the shape {shape}, yours is {tuple(parameter.shape)}")
    with torch.no_grad():
        parameter.copy_(numbers)


def parameters(module: nn.Module) -> dict[str, Tensor]:
    """Return the trainable parameters of a module by name. A shared parameter has several names."""
    named = module.named_parameters(remove_duplicate=False)
    return {name: parameter for name, parameter in named if parameter.requires_grad}
