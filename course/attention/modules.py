"""Observing modules of attention: their layers, their mask, their dropout."""

import torch
from torch import Tensor, nn

from autograder.course.modules import (
    ROOM,
    alike,
    attribute,
    kind_of,
    layers,
    mixture,
    nearly_the_same,
    parameters,
    same,
    write,
)
from autograder.course.probing import Observation

WEIGHT_NAMES = ("W_query", "W_key", "W_value")

MASK = "`mask`"
CHANGED = "in training, the output differs from that in eval mode"
KEPT_OR_DROPPED = "in training, each weight is dropped or scaled by 1 / (1 - p)"
SHARE_DROPPED = "in training, about p of the weights are dropped"
BY_ITSELF = "in training, each weight is dropped independently, and differently at each call"
GRADIENTS = "in training, gradients reach x, W_query, W_key and W_value"
NOTHING_TO_DROP = "in training with p = 0, the same as in eval mode"
STEADY = "the same at every call in eval mode"
FIRST_TOKENS = "context of the first tokens alone"
REVERSED = "context of the tokens in reverse order"
TO_TRAIN = "how many numbers there are to train"


def observe_attention(module: nn.Module, x: Tensor, repeat: bool, names: tuple[str, ...] = WEIGHT_NAMES) -> Observation:
    """Observe a causal attention module in eval mode: its layers, its mask and its output.

    x: b t d_in. repeat: whether to call it for other tokens too, fewer and in reverse order, and then again.
    """
    module.eval()
    outputs = layers(module, names) | {MASK: _mask_is(module)}
    trained = parameters(module)
    context = module(x)
    if repeat:
        others = {FIRST_TOKENS: module(x[:, :2].contiguous()), REVERSED: module(x.flip(1))}
        outputs |= {STEADY: same(context, module(x)), "context": context, **others}
    else:
        outputs["context"] = context
    return Observation(outputs, {name: trained[name] for name in outputs if name in trained})


def observe_without_dropout(module: nn.Module, x: Tensor) -> Observation:
    """Compare training and eval mode of a module whose dropout has p = 0: they must give the same."""
    context = module.eval()(x)
    return Observation({"context": context, NOTHING_TO_DROP: nearly_the_same(module.train()(x), context)})


def observe_dropout(module: nn.Module, tokens: int, p: float, num_heads: int = 1) -> Observation:
    """Look at what dropout does to the weights, by structure: which are dropped is up to the module.

    The module's values, and what comes after them, are set so that each head's context is its weights, twice: what is
    dropped from the weights is dropped from both. tokens: d_in of the module; d_out is num_heads times twice as much.
    """
    identity = torch.eye(tokens, dtype=attribute(attribute(module, "W_value"), "weight", of="W_value").dtype)
    write(module, "W_value.weight", identity.repeat(2 * num_heads, 1))
    if hasattr(module, "out_proj"):
        write(module, "out_proj.weight", torch.eye(2 * num_heads * tokens))
        write(module, "out_proj.bias", torch.zeros(2 * num_heads * tokens))
    x = identity.repeat(8, 1, 1).requires_grad_()
    usual, trained, once_more = module.eval()(x), module.train()(x), module(x)
    if not alike(usual, trained) or usual.shape[-1] != 2 * num_heads * tokens:
        return Observation(
            {CHANGED: True} | dict.fromkeys((KEPT_OR_DROPPED, SHARE_DROPPED, BY_ITSELF, GRADIENTS), False)
        )
    weights, dropped = (one.detach().unflatten(-1, (num_heads, 2, tokens)) for one in (usual, trained))
    zero, kept = dropped == 0, torch.isclose(dropped, weights / (1 - p), rtol=1e-3, atol=1e-6)
    twice_the_same = bool((dropped[..., 0, :] == dropped[..., 1, :]).all())
    share = float(zero[weights > 0].float().mean())
    return Observation(
        {
            CHANGED: not same(usual, trained),
            KEPT_OR_DROPPED: twice_the_same and bool((kept | zero).all()),
            SHARE_DROPPED: abs(share - p) < ROOM,
            BY_ITSELF: not same(trained, once_more) and _drawn_one_by_one(zero[..., 0, :]),
            GRADIENTS: _gradients_arrive(module, x, trained),
        }
    )


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
    found = torch.autograd.grad(mixture(output), leaves, allow_unused=True)
    return all(gradient is not None and bool(gradient.any()) for gradient in found)


def _mask_is(module: nn.Module) -> str:
    """Return what the mask is to a module. Raises Unmet if it has none."""
    attribute(module, "mask", how="self.register_buffer('mask', ...)")
    return kind_of(module, "mask")
