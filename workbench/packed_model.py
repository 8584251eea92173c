"""A trained model in a file that a page opens in a moment: matrices as int8 with a scale for each row, as safetensors.

docs/widgets/packed_model.mjs reads it. Tensors have the reference's names, whatever a student has called the layers.
"""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor, nn

from workbench.trainer import NUM_HEADS

SCALE_OF = "scale of "
"""How the name of a matrix's scales begins."""

LARGEST = 127
VOCABULARY, HEADS = "vocabulary", "heads"
"""What the file says beside its tensors: each token as one character, and how many heads a layer has."""

ATTENTION = ("W_query", "W_key", "W_value", "out_proj")
NORM = ("scale", "shift")


class CannotPack(Exception):
    """A model is built otherwise than the page computes; the message says how."""


def packed_file(model: nn.Module, vocabulary: str) -> bytes:
    """Return the file of a model of `Training`. vocabulary: each of its tokens as one character. Raises CannotPack."""
    return save(packed(weights_of(model)), {VOCABULARY: vocabulary, HEADS: str(NUM_HEADS)})


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return the weights that a file holds, by name, as floats again."""
    with safe_open(path, framework="pt") as kept:
        return unpacked({name: kept.get_tensor(name) for name in kept.keys()})  # noqa: SIM118


def packed(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return weights as the file holds them: each row of a matrix in whole steps of its own scale, vectors as they are."""
    tensors: dict[str, Tensor] = {}
    for name, numbers in weights.items():
        if numbers.dim() == 1:
            tensors[name] = numbers
            continue
        scales = numbers.abs().amax(dim=1).clamp(min=torch.finfo(numbers.dtype).tiny) / LARGEST
        tensors[name] = (numbers / scales[:, None]).round().to(torch.int8)
        tensors[SCALE_OF + name] = scales
    return tensors


def unpacked(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of `packed` tensors: what the page computes with."""
    return {
        name: numbers * tensors[SCALE_OF + name][:, None] if SCALE_OF + name in tensors else numbers
        for name, numbers in tensors.items()
        if not name.startswith(SCALE_OF)
    }


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Return the weights of a TinyGPT by the reference's names. What a layer is for shows in when it is called. Raises CannotPack."""
    called = _called(model)
    layers = sum(all(hasattr(one, name) for name in ATTENTION) for one in called)
    try:
        named = dict(zip(_names(layers), called, strict=True))
    except ValueError:
        raise CannotPack(
            f"a model of {layers} layers calls {len(list(_names(layers)))} modules in this course, and yours {len(called)}"
        ) from None
    return {
        f"{name}.{own}": numbers.detach().cpu().contiguous()
        for name, module in named.items()
        for own, numbers in module.named_parameters()
        if own.partition(".")[0] in (*ATTENTION, *NORM, "weight", "bias")
    }


def _names(layers: int) -> Iterator[str]:
    """Yield what the reference calls the modules that hold weights, in the order in which they are called."""
    yield from ("token_embedding", "position_embedding")
    for layer in range(layers):
        for own in (
            "attention_norm",
            "attention",
            "feed_forward_norm",
            "feed_forward.layers.0",
            "feed_forward.layers.2",
        ):
            yield f"blocks.{layer}.{own}"
    yield from ("norm", "head")


def _called(model: nn.Module) -> list[nn.Module]:
    """Return copies of the modules that hold weights in the order in which a text passes them: tokens, places, and what comes then."""
    tokens = torch.tensor([[1, 0]], device=next(model.parameters()).device)
    called: list[tuple[nn.Module, Tensor]] = []
    copied = copy.deepcopy(model).eval()  # it keeps what is hung into it
    for holder in _holders(copied):
        holder.register_forward_hook(lambda one, given, _: called.append((one, given[0])))
    with torch.no_grad():
        copied(tokens)
    tables = [one for one in copied.modules() if isinstance(one, nn.Embedding)]
    words = [one for one, given in called if one in tables and torch.equal(given, tokens)]
    return [*words, *(one for one in tables if one not in words), *(one for one, _ in called if one not in tables)]


def _holders(model: nn.Module) -> Iterator[nn.Module]:
    """Yield each attention and each norm, and the linear layers and embeddings outside them."""
    if (
        all(hasattr(model, name) for name in ATTENTION)
        or all(hasattr(model, name) for name in NORM)
        or isinstance(model, nn.Linear | nn.Embedding)
    ):
        yield model
    else:
        for child in model.children():
            yield from _holders(child)
