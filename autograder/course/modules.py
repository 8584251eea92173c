"""Observing the modules that students write: how they are made, their layers, their mask and their dropout."""

import inspect
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.probing import Observation, Unmet

WEIGHT_NAMES = ("W_query", "W_key", "W_value")

MASK = "`mask`"
CHANGED = "in training, the output is another than in eval mode"
KEPT_OR_DROPPED = "in training, each weight is dropped or scaled by 1 / (1 - p)"
SHARE_DROPPED = "in training, about p of the weights are dropped"
STEADY = "the same at every call in eval mode"

ROOM = 0.2
"""How far the share of dropped weights may be from p: of 168 weights or more it never is by chance."""


def construct(cls: type[nn.Module], required: Mapping[str, float], **options: bool) -> nn.Module:
    """Make a module, or say in the contract's terms why that is not possible.

    required: the arguments in the order of the contract; options: those that have a default.
    Raises Unmet when they do not fit, or the class is no module; and whatever its `__init__` raises.
    """
    if isinstance(cls, type) and not issubclass(cls, nn.Module):
        raise Unmet(f"your {cls.__name__} is no module: write `class {cls.__name__}(nn.Module):`")
    try:
        return cls(*required.values(), **options)
    except TypeError:
        _explain_arguments(cls, required, options)
        raise


def _explain_arguments(cls: type[nn.Module], required: Mapping[str, float], options: Mapping[str, bool]) -> None:
    """Raise Unmet where a class does not take the arguments of the contract."""
    try:
        inspect.signature(cls).bind(*required.values(), **options)
    except TypeError as error:
        written = ", ".join([*required, *(f"{name}={value}" for name, value in options.items())])
        raise Unmet(
            f"{cls.__name__}({written}) cannot be called ({error}): look at the arguments of `__init__`"
        ) from None


def attribute(owner: Any, name: str, of: str = "") -> Any:
    """Return an attribute that the contract names. Raises Unmet where there is none."""
    try:
        return getattr(owner, name)
    except AttributeError:
        owner_name = f"`{of}`, a {type(owner).__name__}," if of else f"your {type(owner).__name__}"
        raise Unmet(f"{owner_name} has no attribute `{name}`: the contract names it, so set `self.{name}`") from None


def parameters(module: nn.Module) -> dict[str, Tensor]:
    """Return what an optimiser would train, by every name that it has."""
    named = module.named_parameters(remove_duplicate=False)
    return {name: parameter for name, parameter in named if parameter.requires_grad}


def layers(module: nn.Module, names: tuple[str, ...] = WEIGHT_NAMES) -> dict[str, Any]:
    """Return the weight and the bias of each linear layer that the contract names."""
    found: dict[str, Any] = {}
    for name in names:
        layer = attribute(module, name)
        found[f"{name}.weight"] = attribute(layer, "weight", of=name)
        found[f"{name}.bias"] = attribute(layer, "bias", of=name)
    return found


def observe_attention(
    module: nn.Module, x: Tensor, forward: bool, repeat: bool, names: tuple[str, ...] = WEIGHT_NAMES
) -> Observation:
    """Observe a causal attention module in eval mode: its layers, its mask and, if asked, its output.

    x: b t d_in. forward: whether to look at the output. repeat: whether to call it again, and for the first two tokens alone.
    """
    module.eval()
    outputs = layers(module, names) | {MASK: _kind_of(module, "mask")}
    trained = parameters(module)
    if forward:
        context = module(x)
        if repeat:
            outputs[STEADY] = _same(context, module(x))
        outputs["context"] = context
        if repeat:
            outputs["context of the first tokens alone"] = module(x[:, :2].contiguous())
    return Observation(outputs, {name: trained[name] for name in outputs if name in trained})


def observe_dropout(module: nn.Module, tokens: int, p: float, num_heads: int = 1) -> Observation:
    """Look at what dropout does to the weights, by structure: which are dropped is the module's own affair.

    The module's values, and what comes after them, are set so that each head's context is its weights, twice: what is
    dropped from the weights is dropped from both. tokens: d_in of the module; d_out is num_heads times twice as much.
    """
    identity = torch.eye(tokens, dtype=attribute(attribute(module, "W_value"), "weight", of="W_value").dtype)
    _write(module, "W_value", "weight", identity.repeat(2 * num_heads, 1))
    if hasattr(module, "out_proj"):
        _write(module, "out_proj", "weight", torch.eye(2 * num_heads * tokens))
        _write(module, "out_proj", "bias", torch.zeros(2 * num_heads * tokens))
    x = identity.repeat(8, 1, 1)
    with torch.no_grad():
        module.eval()
        usual = module(x)
        module.train()
        trained = module(x)
    if not _alike(usual, trained) or usual.shape[-1] != 2 * num_heads * tokens:
        return Observation({CHANGED: True, KEPT_OR_DROPPED: False, SHARE_DROPPED: False})
    weights, dropped = (one.unflatten(-1, (num_heads, 2, tokens)) for one in (usual, trained))
    zero, kept = dropped == 0, torch.isclose(dropped, weights / (1 - p), rtol=1e-3, atol=1e-6)
    twice_the_same = bool((dropped[..., 0, :] == dropped[..., 1, :]).all())
    share = float(zero[weights > 0].float().mean())
    return Observation(
        {
            CHANGED: not _same(usual, trained),
            KEPT_OR_DROPPED: twice_the_same and bool((kept | zero).all()),
            SHARE_DROPPED: abs(share - p) < ROOM if p else share == 0,
        }
    )


def _kind_of(module: nn.Module, name: str) -> str:
    """Say what a module's attribute is to it."""
    attribute(module, name)
    if name in dict(module.named_buffers(recurse=False, remove_duplicate=False)):
        return "a buffer"
    return (
        "a parameter"
        if name in dict(module.named_parameters(recurse=False, remove_duplicate=False))
        else "a plain attribute"
    )


def _alike(one: Any, other: Any) -> bool:
    return isinstance(one, Tensor) and isinstance(other, Tensor) and one.shape == other.shape


def _same(one: Any, other: Any) -> bool:
    return _alike(one, other) and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def _write(module: nn.Module, layer: str, name: str, numbers: Tensor) -> None:
    """Put numbers into a parameter. Raises Unmet where they do not fit."""
    parameter = attribute(attribute(module, layer), name, of=layer)
    if not isinstance(parameter, Tensor) or parameter.shape != numbers.shape:
        shape = tuple(parameter.shape) if isinstance(parameter, Tensor) else parameter
        raise Unmet(f"`{layer}.{name}` should have the shape {tuple(numbers.shape)}, yours is {shape}")
    with torch.no_grad():
        parameter.copy_(numbers)
