"""Modules that students write, of any kind: how they are made, what they hold, their dropout and gradients."""

import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.probing import Unmet

ROOM = 0.2
"""How far the share of dropped numbers may be from p: of 168 numbers or more it never is by chance."""


def construct(cls: type[nn.Module], required: Mapping[str, Any], **options: object) -> nn.Module:
    """Make a module, or say in the docstring's terms why that is not possible.

    required: the arguments in the order of the docstring; options: those that have a default.
    Raises Unmet if they do not fit, or the class is not a module; and what its `__init__` raises.
    """
    if isinstance(cls, type) and not issubclass(cls, nn.Module):
        raise Unmet(f"your {cls.__name__} is no module: write `class {cls.__name__}(nn.Module):`")
    try:
        return cls(*required.values(), **options)
    except Exception:
        _explain_arguments(cls, required, options)
        raise


def in_type(module: nn.Module, dtype: torch.dtype) -> nn.Module:
    """Return a module with all its parameters and buffers in a type; most are already, and `to` looks at that five times as long."""
    numbers = (one for one in itertools.chain(module.parameters(), module.buffers()) if one.dtype != dtype)
    return module.to(dtype) if any(one.is_floating_point() or one.is_complex() for one in numbers) else module


def _explain_arguments(cls: type[nn.Module], required: Mapping[str, Any], options: Mapping[str, object]) -> None:
    """Raise Unmet if a class does not take the arguments of the docstring, in their order."""
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


def attribute(owner: Any, name: str, of: str = "", how: str = "") -> Any:
    """Return an attribute that the docstring names. Raises Unmet if there is none.

    of: what `owner` is to its module, if it is a layer. how: how the attribute is made, if not by assigning it.
    """
    try:
        return getattr(owner, name)
    except AttributeError:
        kind = type(owner).__name__
        if of:
            raise Unmet(
                f"`{of}` is a {kind}, which has no `{name}`; the docstring asks for a layer that has one"
            ) from None
        how = how or f"self.{name} = ..."
        raise Unmet(f"your {kind} has no attribute `{name}`: the docstring names it, so write `{how}`") from None


def write(owner: Any, name: str, numbers: Tensor, of: str = "") -> None:
    """Put numbers into a parameter that the docstring names. Raises Unmet if they do not fit.

    name: the parameter's, behind that of its layer and a dot if it belongs to one: `inner.weight`.
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


def write_by_shape(module: nn.Module) -> None:
    """Put numbers into all parameters that depend on their shapes alone: not on the order in which, or how, they were drawn."""
    with torch.no_grad():
        for parameter in held(module):
            parameter.copy_(numbers_of_shape(tuple(parameter.shape)))


@functools.cache
def numbers_of_shape(shape: tuple[int, ...]) -> Tensor:
    """Return numbers that depend on a shape alone: not to be written into."""
    seed = sum(size * 1_000**dim for dim, size in enumerate(shape))
    numbers = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    return numbers / shape[-1] ** 0.5 if len(shape) > 1 else 1 + 0.3 * numbers


def held(module: nn.Module) -> Iterator[Tensor]:
    """Yield the parameters that a module holds, those too that a plain list hides from an optimiser."""
    for part in module.modules():
        yield from part.parameters(recurse=False)
        for kept in vars(part).values():
            hidden = kept if isinstance(kept, list | tuple) else ()
            yield from (parameter for one in hidden if isinstance(one, nn.Module) for parameter in held(one))


def kind_of(module: nn.Module, name: str) -> str:
    """Say what a module's attribute is to it, if it has one."""
    if name in dict(module.named_buffers(recurse=False, remove_duplicate=False)):
        return "a buffer"
    trained = name in dict(module.named_parameters(recurse=False, remove_duplicate=False))
    if trained:
        return "a parameter"
    return "a plain attribute" if hasattr(module, name) else "missing"


def parameters(module: nn.Module) -> dict[str, Tensor]:
    """Return what an optimiser would train, by every name that it has."""
    named = module.named_parameters(remove_duplicate=False)
    return {name: parameter for name, parameter in named if parameter.requires_grad}


def numbers_to_train(module: nn.Module) -> int:
    """Return how many numbers an optimiser would train; what has two names counts once."""
    return sum(parameter.numel() for parameter in module.parameters() if parameter.requires_grad)


def layers(module: nn.Module, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the weight and the bias of each layer that the docstring names."""
    found: dict[str, Any] = {}
    for name in names:
        layer = attribute(module, name)
        found[f"{name}.weight"] = attribute(layer, "weight", of=name)
        found[f"{name}.bias"] = attribute(layer, "bias", of=name)
    return found


def gradient_step(module: nn.Module, run: Callable[[], Any], rate: float = 0.02) -> None:
    """Let a module take one step of gradient descent, by hand, on a fixed mixture of what `run` returns.

    Its answers afterwards show whether the gradients of all its parameters are right, under any names.
    """
    trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
    output = run()
    if not isinstance(output, Tensor) or not output.requires_grad or not trained:
        return
    found = torch.autograd.grad(mixture(output), trained, allow_unused=True)
    with torch.no_grad():
        for parameter, gradient in zip(trained, found, strict=True):
            if gradient is not None:
                parameter.sub_(rate * gradient)


def mixture(output: Tensor) -> Tensor:
    """Add up all numbers of an output, each weighted differently."""
    return torch.dot(output.reshape(-1), torch.arange(output.numel(), dtype=output.dtype).cos())


def observe_drops(what: str, whole: Any, dropped: Any, again: Any, p: float) -> dict[str, bool]:
    """Look at how numbers (b, t, d) are dropped in training, by structure. what: their name in the observations.

    whole: the numbers when nothing is dropped, none of them zero; dropped, again: what is left of them at two calls.
    """
    changed, kept_or_dropped, share, one_by_one = (
        f"in training, something of {what} is dropped",
        f"in training, each number of {what} is zero or scaled by 1 / (1 - p)",
        f"in training, about p of {what} is zero",
        f"in training, each number of {what} is dropped independently, and differently at each call",
    )
    if not alike(whole, dropped) or not alike(whole, again):
        return dict.fromkeys((changed, kept_or_dropped, share, one_by_one), False)
    zero, kept = dropped == 0, torch.isclose(dropped, whole / (1 - p), rtol=1e-3, atol=1e-6)
    in_blocks = any(bool((zero == zero.narrow(dim, 0, 1)).all()) for dim in range(3))
    return {
        changed: not same(dropped, whole),
        kept_or_dropped: bool((kept | zero).all()),
        share: abs(float(zero.float().mean()) - p) < ROOM,
        one_by_one: not in_blocks and not same(dropped, again),
    }


def alike(one: Any, other: Any) -> bool:
    """Return whether both are tensors of one shape."""
    return isinstance(one, Tensor) and isinstance(other, Tensor) and one.shape == other.shape


def same(one: Any, other: Any) -> bool:
    """Return whether both are tensors with the same numbers, to the last bit."""
    return alike(one, other) and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)
