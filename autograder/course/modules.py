"""Observing the modules that students write: how they are made, their layers, their mask, their dropout, how they learn."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.probing import Observation, Unmet

WEIGHT_NAMES = ("W_query", "W_key", "W_value")

MASK = "`mask`"
CHANGED = "in training, the output is another than in eval mode"
KEPT_OR_DROPPED = "in training, each weight is dropped or scaled by 1 / (1 - p)"
SHARE_DROPPED = "in training, about p of the weights are dropped"
BY_ITSELF = "in training, each weight is dropped by itself, anew at each call"
GRADIENTS = "in training, gradients reach x, W_query, W_key and W_value"
NOTHING_TO_DROP = "in training with p = 0, the same as in eval mode"
STEADY = "the same at every call in eval mode"
FIRST_TOKENS = "context of the first tokens alone"
REVERSED = "context of the tokens in reverse order"
TO_TRAIN = "how many numbers there are to train"

ROOM = 0.2
"""How far the share of dropped weights may be from p: of 168 weights or more it never is by chance."""


def construct(cls: type[nn.Module], required: Mapping[str, Any], **options: bool) -> nn.Module:
    """Make a module, or say in the contract's terms why that is not possible.

    required: the arguments in the order of the contract; options: those that have a default.
    Raises Unmet when they do not fit, or the class is no module; and whatever its `__init__` raises.
    """
    if isinstance(cls, type) and not issubclass(cls, nn.Module):
        raise Unmet(f"your {cls.__name__} is no module: write `class {cls.__name__}(nn.Module):`")
    try:
        return cls(*required.values(), **options)
    except Exception:
        _explain_arguments(cls, required, options)
        raise


def _explain_arguments(cls: type[nn.Module], required: Mapping[str, Any], options: Mapping[str, bool]) -> None:
    """Raise Unmet where a class does not take the arguments of the contract, in their order."""
    written = ", ".join([*required, *(f"{name}={value}" for name, value in options.items())])
    signature = inspect.signature(cls)
    names = [name for name in signature.parameters if name in required]
    if names != list(required) and len(names) == len(required):
        raise Unmet(
            f"called as {cls.__name__}({written}), but in yours the arguments stand in another order: {signature}"
        )
    try:
        signature.bind(*required.values(), **options)
    except TypeError as error:
        raise Unmet(
            f"{cls.__name__}({written}) cannot be called ({error}): look at the arguments of `__init__`"
        ) from None


def attribute(owner: Any, name: str, of: str = "") -> Any:
    """Return an attribute that the contract names. Raises Unmet where there is none."""
    try:
        return getattr(owner, name)
    except AttributeError:
        kind = type(owner).__name__
        if of:
            raise Unmet(f"`{of}` is a {kind}, which has no `{name}`; the contract asks for an `nn.Linear`") from None
        how = "self.register_buffer('mask', ...)" if name == "mask" else f"self.{name} = ..."
        raise Unmet(f"your {kind} has no attribute `{name}`: the contract names it, so write `{how}`") from None


def parameters(module: nn.Module) -> dict[str, Tensor]:
    """Return what an optimiser would train, by every name that it has."""
    named = module.named_parameters(remove_duplicate=False)
    return {name: parameter for name, parameter in named if parameter.requires_grad}


def numbers_to_train(module: nn.Module) -> int:
    """Return how many numbers an optimiser would train; what has two names counts once."""
    return sum(parameter.numel() for parameter in module.parameters() if parameter.requires_grad)


def learn(module: nn.Module, run: Callable[[], Any], rate: float = 0.02) -> None:
    """Let a module take one step of gradient descent, by hand, on a fixed mixture of what `run` returns.

    What it answers afterwards shows whether the gradients of all its parameters are right, whatever their names are.
    """
    trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
    output = run()
    if not isinstance(output, Tensor) or not output.requires_grad or not trained:
        return
    found = torch.autograd.grad(_mixture(output), trained, allow_unused=True)
    with torch.no_grad():
        for parameter, gradient in zip(trained, found, strict=True):
            if gradient is not None:
                parameter.sub_(rate * gradient)


def layers(module: nn.Module, names: tuple[str, ...] = WEIGHT_NAMES) -> dict[str, Any]:
    """Return the weight and the bias of each linear layer that the contract names."""
    found: dict[str, Any] = {}
    for name in names:
        layer = attribute(module, name)
        found[f"{name}.weight"] = attribute(layer, "weight", of=name)
        found[f"{name}.bias"] = attribute(layer, "bias", of=name)
    return found


def observe_attention(module: nn.Module, x: Tensor, repeat: bool, names: tuple[str, ...] = WEIGHT_NAMES) -> Observation:
    """Observe a causal attention module in eval mode: its layers, its mask and its output.

    x: b t d_in. repeat: whether to call it for other tokens too, fewer and in reverse order, and then again.
    """
    module.eval()
    outputs = layers(module, names) | {MASK: _kind_of(module, "mask")}
    trained = parameters(module)
    context = module(x)
    if repeat:
        others = {FIRST_TOKENS: module(x[:, :2].contiguous()), REVERSED: module(x.flip(1))}
        outputs |= {STEADY: _same(context, module(x)), "context": context, **others}
    else:
        outputs["context"] = context
    return Observation(outputs, {name: trained[name] for name in outputs if name in trained})


def observe_without_dropout(module: nn.Module, x: Tensor) -> Observation:
    """Compare training and eval mode of a module whose dropout has p = 0: they must give the same."""
    context = module.eval()(x)
    return Observation({"context": context, NOTHING_TO_DROP: _close(module.train()(x), context)})


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
    x = identity.repeat(8, 1, 1).requires_grad_()
    usual, trained, once_more = module.eval()(x), module.train()(x), module(x)
    if not _alike(usual, trained) or usual.shape[-1] != 2 * num_heads * tokens:
        return Observation(
            {CHANGED: True} | dict.fromkeys((KEPT_OR_DROPPED, SHARE_DROPPED, BY_ITSELF, GRADIENTS), False)
        )
    weights, dropped = (one.detach().unflatten(-1, (num_heads, 2, tokens)) for one in (usual, trained))
    zero, kept = dropped == 0, torch.isclose(dropped, weights / (1 - p), rtol=1e-3, atol=1e-6)
    twice_the_same = bool((dropped[..., 0, :] == dropped[..., 1, :]).all())
    share = float(zero[weights > 0].float().mean())
    return Observation(
        {
            CHANGED: not _same(usual, trained),
            KEPT_OR_DROPPED: twice_the_same and bool((kept | zero).all()),
            SHARE_DROPPED: abs(share - p) < ROOM,
            BY_ITSELF: not _same(trained, once_more) and _drawn_one_by_one(zero[..., 0, :]),
            GRADIENTS: _gradients_arrive(module, x, trained),
        }
    )


def observe_drops(what: str, whole: Any, dropped: Any, again: Any, p: float) -> dict[str, bool]:
    """Look at how numbers (b, t, d) are dropped in training, by structure. what: their name in the observations.

    whole: the numbers when nothing is dropped, none of them zero; dropped, again: what is left of them at two calls.
    """
    changed, kept_or_dropped, share, one_by_one = (
        f"in training, something of {what} is dropped",
        f"in training, each number of {what} is zero or scaled by 1 / (1 - p)",
        f"in training, about p of {what} is zero",
        f"in training, each number of {what} is dropped by itself, anew at each call",
    )
    if not _alike(whole, dropped) or not _alike(whole, again):
        return dict.fromkeys((changed, kept_or_dropped, share, one_by_one), False)
    zero, kept = dropped == 0, torch.isclose(dropped, whole / (1 - p), rtol=1e-3, atol=1e-6)
    alike = any(bool((zero == zero.narrow(dim, 0, 1)).all()) for dim in range(3))
    return {
        changed: not _same(dropped, whole),
        kept_or_dropped: bool((kept | zero).all()),
        share: abs(float(zero.float().mean()) - p) < ROOM,
        one_by_one: not alike and not _same(dropped, again),
    }


def _drawn_one_by_one(zero: Tensor) -> bool:
    """Tell whether drops (b, t, h, t) differ between sentences, heads, the keys of a query and the queries of a key."""
    visible = torch.ones(zero.shape[1], zero.shape[3], dtype=torch.bool).tril()[:, None, :]
    seen = torch.where(visible, zero, False)
    sentences = not bool((seen == seen[:1]).all())
    heads = zero.shape[2] == 1 or not bool((seen == seen[:, :, :1]).all())
    whole_rows = (seen.sum(dim=-1) == 0) | (seen.sum(dim=-1) == visible.sum(dim=-1))
    whole_columns = (seen.sum(dim=1) == 0) | (seen.sum(dim=1) == visible.sum(dim=0))
    return sentences and heads and not bool(whole_rows[:, 1:].all()) and not bool(whole_columns[..., :-1].all())


def _gradients_arrive(module: nn.Module, x: Tensor, output: Tensor) -> bool:
    """Tell whether going backward from an output reaches the tokens and all projections."""
    if not output.requires_grad:
        return False
    leaves = [x, *(attribute(module, name).weight for name in WEIGHT_NAMES)]
    found = torch.autograd.grad(_mixture(output), leaves, allow_unused=True)
    return all(gradient is not None and bool(gradient.any()) for gradient in found)


def _mixture(output: Tensor) -> Tensor:
    """Add up all numbers of an output, each weighted differently."""
    return torch.dot(output.reshape(-1), torch.arange(output.numel(), dtype=output.dtype).cos())


def _kind_of(module: nn.Module, name: str) -> str:
    """Say what a module's attribute is to it."""
    attribute(module, name)
    if name in dict(module.named_buffers(recurse=False, remove_duplicate=False)):
        return "a buffer"
    trained = name in dict(module.named_parameters(recurse=False, remove_duplicate=False))
    return "a parameter" if trained else "a plain attribute"


def _alike(one: Any, other: Any) -> bool:
    return isinstance(one, Tensor) and isinstance(other, Tensor) and one.shape == other.shape


def _same(one: Any, other: Any) -> bool:
    return _alike(one, other) and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def _close(one: Any, other: Any) -> bool:
    return _alike(one, other) and torch.allclose(one, other, rtol=1e-4, atol=1e-5, equal_nan=True)


def _write(module: nn.Module, layer: str, name: str, numbers: Tensor) -> None:
    """Put numbers into a parameter of a layer. Raises Unmet where they do not fit."""
    write(attribute(module, layer), name, numbers, of=layer)


def write(owner: Any, name: str, numbers: Tensor, of: str = "") -> None:
    """Put numbers into a parameter that the contract names. Raises Unmet where they do not fit."""
    parameter = attribute(owner, name, of)
    if not isinstance(parameter, Tensor) or parameter.shape != numbers.shape:
        shape = tuple(parameter.shape) if isinstance(parameter, Tensor) else parameter
        title = f"{of}.{name}" if of else name
        raise Unmet(f"`{title}` should have the shape {tuple(numbers.shape)}, yours is {shape}")
    with torch.no_grad():
        parameter.copy_(numbers)
