"""Pack a trained model for pages: safetensors with matrices as int8 and a scale for each row.

docs/widgets/packed_model.mjs reads the file. Its tensors have the reference's names, even if a
student's layers have others.
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
"""The beginning of the name of a matrix's scales."""

LARGEST = 127
VOCABULARY, HEADS = "vocabulary", "heads"
"""The file's metadata: each token as one character, and the number of heads of a layer."""

ATTENTION = ("W_query", "W_key", "W_value", "out_proj")
NORM = ("scale", "shift")


class CannotPack(Exception):
    """The page cannot compute a model. The message has the reason."""


def packed_file(model: nn.Module, vocabulary: str) -> bytes:
    """Return the file of a model of `Training`. vocabulary: a character per token. Raises CannotPack."""
    return save(packed(weights_of(model)), {VOCABULARY: vocabulary, HEADS: str(NUM_HEADS)})


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return the weights in a file by name, as floats."""
    with safe_open(path, framework="pt") as kept:
        return unpacked({name: kept.get_tensor(name) for name in kept.keys()})  # noqa: SIM118


def packed(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors of the file: vectors as they are, rows of matrices as multiples of a scale."""
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
    """Return the weights in `packed` tensors, rounded as the page computes with them."""
    return {
        name: numbers * tensors[SCALE_OF + name][:, None] if SCALE_OF + name in tensors else numbers
        for name, numbers in tensors.items()
        if not name.startswith(SCALE_OF)
    }


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Return the weights of a TinyGPT by the reference's names, which follow the order of calls.

    Raises CannotPack.
    """
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
    """Yield the reference's names of the modules with weights, in the order of calls."""
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
    """Return copies of the modules with weights: both embeddings, then the others in the order of calls."""
    tokens = torch.tensor([[1, 0]], device=next(model.parameters()).device)
    called: list[tuple[nn.Module, Tensor]] = []
    copied = copy.deepcopy(model).eval()  # the hooks stay in the copy
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
