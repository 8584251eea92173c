"""Helpers for probes of torch modules: construct them, read attributes, write parameters."""

import inspect
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.probing import Unmet


def construct(cls: type[nn.Module], required: Mapping[str, Any], **options: object) -> nn.Module:
    """Construct a module from the arguments that the step's docstring names.

    required: arguments without a default, in the docstring's order. options: those with a default.
    Raises Unmet if `cls` is a class but no module, or does not accept the arguments. Any other
    exception of `__init__` is raised unchanged.
    """
    if isinstance(cls, type) and not issubclass(cls, nn.Module):
        raise Unmet(f"your {cls.__name__} is no module: write `class {cls.__name__}(nn.Module):`")
    try:
        return cls(*required.values(), **options)
    except Exception:
        _explain_arguments(cls, required, options)
        raise


def _explain_arguments(cls: type[nn.Module], required: Mapping[str, Any], options: Mapping[str, object]) -> None:
    """Raise Unmet if a class does not accept the arguments in the docstring's order."""
    written = ", ".join([*required, *(f"{name}={value}" for name, value in options.items())])
    signature = inspect.signature(cls)
    names = [name for name in signature.parameters if name in required]
    if names != list(required) and len(names) == len(required):
        raise Unmet(
            f"called as {cls.__name__}({written}), but in yours the arguments are in another order: {signature}"
        )
    try:
        signature.bind(*required.values(), **options)
    except TypeError as error:
        raise Unmet(
            f"{cls.__name__}({written}) cannot be called ({error}): look at the arguments of `__init__`"
        ) from None


def attribute(owner: Any, name: str, of: str = "") -> Any:
    """Return an attribute that the step's docstring names. Raises Unmet for a missing attribute.

    owner: a student's module or a layer in it. of: the name of the layer; empty for a module.
    """
    try:
        return getattr(owner, name)
    except AttributeError:
        kind = type(owner).__name__
        if of:
            raise Unmet(
                f"`{of}` is a {kind}, which has no `{name}`; the docstring asks for a layer that has one"
            ) from None
        raise Unmet(
            f"your {kind} has no attribute `{name}`: the docstring names it, so write `self.{name} = ...`"
        ) from None


def write(owner: Any, name: str, numbers: Tensor, of: str = "") -> None:
    """Write values into a parameter that the step's docstring names.

    name: the parameter's name, such as `weight`; for a layer's parameter, such as `inner.weight`.
    of: the layer's name if `owner` is a layer.
    Raises Unmet if the parameter is missing, is no tensor or has another shape.
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
    """Return the trainable parameters of a module, a shared parameter under each of its names."""
    named = module.named_parameters(remove_duplicate=False)
    return {name: parameter for name, parameter in named if parameter.requires_grad}
