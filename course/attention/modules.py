"""Observing modules: their layers as they were drawn, a mask, dropout, a step of gradient descent."""

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.modules import write
from autograder.course.probing import Observation
from course.attention.judges import GRADIENT, PROJECTIONS, TRAINED, TRAINED_AGAIN, USUAL, USUAL_AGAIN

WEIGHT_NAMES = PROJECTIONS

LAYER_NAMES = (*WEIGHT_NAMES, "out_proj")
"""Those of several heads."""

WEIGHT = "{}.weight"
HAS_BIAS = "{} has a bias"
MASK = "`mask`"
FIRST_TOKENS = "context of the first tokens alone"
REVERSED = "context of the tokens in reverse order"
TO_TRAIN = "how many numbers there are to train"


def observe_attention(
    module: nn.Module,
    x: Tensor,
    biased: bool,
    others: bool = False,
    names: tuple[str, ...] = WEIGHT_NAMES,
    mixed: bool = True,
) -> Observation:
    """Observe a causal attention module: its layers as they were drawn, its mask, and its output with other numbers written in.

    x: b t d_in. biased: whether numbers are written into the biases; otherwise zeros, into those too that should not be there.
    others: whether to call it for other tokens too, fewer and in reverse order. mixed: whether `out_proj` changes anything.
    """
    outputs, trained = drawn_then_written(module, biased, names)
    if not mixed:
        _write_identity(module)
    first, turned = x[:, :2].clone(), x.flip(1)  # before a module may write into x
    outputs |= {MASK: kind_of(module, "mask"), "context": module(x)}
    if others:
        outputs |= {FIRST_TOKENS: module(first), REVERSED: module(turned)}
    return Observation(outputs, trained)


def _write_identity(module: nn.Module) -> None:
    """Let the projection of all heads, if it is there, return what it is given."""
    layer = _layers(module, LAYER_NAMES)["out_proj"]
    if isinstance(getattr(layer, "weight", None), Tensor):
        write(layer, "weight", torch.eye(len(layer.weight)), of="out_proj")


def drawn_then_written(
    module: nn.Module, biased: bool, names: tuple[str, ...] = WEIGHT_NAMES
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Return a module's layers as they were drawn, and the weights to be trained, into which other numbers are then written.

    biased: whether numbers are written into the biases; otherwise zeros, into those too that should not be there.
    """
    found = _layers(module, names)
    drawn = _as_drawn(module, found)
    _write_numbers(found, biased)
    weights = {WEIGHT.format(name): getattr(layer, "weight", None) for name, layer in found.items()}
    return drawn, {name: one for name, one in weights.items() if isinstance(one, Tensor) and one.requires_grad}


def _layers(module: nn.Module, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the layers that the docstring names; for a name that is missing, the linear layer that was made in its place, or None.

    A layer that stands for several is one in the place of each, with its rows of it.
    """
    made = [layer for layer in module.modules() if isinstance(layer, nn.Linear)]
    in_place = dict(itertools.zip_longest(names, _cut(made, len(names))[: len(names)]))
    return {name: getattr(module, name, in_place[name]) for name in names}


class _Rows:
    """Some rows of a layer: what is written there is in the layer."""

    def __init__(self, layer: nn.Linear, rows: slice) -> None:
        self.whole, self.rows = layer, rows
        self.weight = layer.weight.detach()[rows]
        self.bias = None if layer.bias is None else layer.bias.detach()[rows]


def _cut(made: Sequence[nn.Linear], wanted: int) -> Sequence[Any]:
    """Return as many layers as are wanted: where there are fewer, the widest one stands for those that lack, one after the other."""
    if not 0 < len(made) < wanted:
        return made
    widest = max(range(len(made)), key=lambda number: made[number].out_features)
    number = wanted - len(made) + 1
    size, rest = divmod(made[widest].out_features, number)
    if rest:
        return made
    pieces = [_Rows(made[widest], slice(start, start + size)) for start in range(0, number * size, size)]
    return [*made[:widest], *pieces, *made[widest + 1 :]]


def _as_drawn(module: nn.Module, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the weight of each layer under the name that the docstring gives it, and whether it has a bias."""
    drawn: dict[str, Any] = {}
    for name, layer in found.items():
        weight = getattr(getattr(module, name, None), "weight", None)
        drawn[WEIGHT.format(name)] = weight.detach().clone() if isinstance(weight, Tensor) else None
        drawn[HAS_BIAS.format(name)] = getattr(layer, "bias", None) is not None if layer is not None else None
    return drawn


def _write_numbers(found: Mapping[str, Any], biased: bool) -> None:
    """Put numbers into the layers that are there; they depend on the layer alone, not on how and when it was made."""
    for number, (name, layer) in enumerate(found.items()):
        generator = torch.Generator().manual_seed(number)
        for kind in ("weight", "bias"):
            kept = getattr(layer, kind, None)
            if isinstance(kept, Tensor):
                numbers = torch.randn(kept.shape, generator=generator) / kept.shape[-1] ** 0.5
                write(layer, kind, numbers if kind == "weight" or biased else torch.zeros(kept.shape), of=name)


def observe_dropout(module: nn.Module, tokens: int, num_heads: int = 1) -> Observation:
    """Return what dropout can be seen in: which weights are dropped is up to the module, and what that means to who marks.

    The module's values, and what comes after them, are set so that each head's context is its weights, twice: what is
    dropped from the weights is dropped from both. tokens: d_in of the module; d_out is num_heads times twice as much.
    """
    found = _layers(module, LAYER_NAMES if hasattr(module, "out_proj") else WEIGHT_NAMES)
    _write_numbers(found, biased=False)
    identity = torch.eye(tokens)
    write(found["W_value"], "weight", identity.repeat(2 * num_heads, 1), of="W_value")
    if "out_proj" in found:
        write(found["out_proj"], "weight", torch.eye(2 * num_heads * tokens), of="out_proj")
    x = identity.repeat(8, 1, 1).requires_grad_()
    outputs = {USUAL: module.eval()(x), USUAL_AGAIN: module(x), TRAINED: module.train()(x), TRAINED_AGAIN: module(x)}
    gradients = _gradients(found, x, outputs[TRAINED])
    return Observation(outputs | {GRADIENT.format(name): gradient for name, gradient in gradients.items()})


def _gradients(found: Mapping[str, Any], x: Tensor, output: Any) -> dict[str, Tensor | None]:
    """Return what arrives at the tokens and the projections, going backward from an output."""
    if not isinstance(output, Tensor) or not output.requires_grad:
        return dict.fromkeys(("x", *WEIGHT_NAMES))
    rows = {name: getattr(found[name], "rows", slice(None)) for name in WEIGHT_NAMES}
    leaves = {name: getattr(found[name], "whole", found[name]).weight for name in WEIGHT_NAMES}
    each = [x, *dict.fromkeys(leaves.values())]
    arrived = dict(zip(each, torch.autograd.grad(mixture(output), each, allow_unused=True), strict=True))
    whole = {name: arrived[leaf] for name, leaf in leaves.items()}
    return {"x": arrived[x]} | {name: None if one is None else one[rows[name]] for name, one in whole.items()}


def kind_of(module: nn.Module, name: str) -> str:
    """Say what a module's attribute is to it, if it has one."""
    if name in dict(module.named_buffers(recurse=False, remove_duplicate=False)):
        return "a buffer"
    trained = name in dict(module.named_parameters(recurse=False, remove_duplicate=False))
    if trained:
        return "a parameter"
    return "a plain attribute" if hasattr(module, name) else "missing"


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


def numbers_to_train(module: nn.Module) -> int:
    """Return how many numbers an optimiser would train; what has two names counts once."""
    return sum(parameter.numel() for parameter in module.parameters() if parameter.requires_grad)


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


ROOM = 0.2
"""How far the share of dropped numbers may be from p: of 168 numbers or more it never is by chance."""


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
