"""Pack a trained model for pages: safetensors with matrices as int8 and a scale for each row.

docs/widgets/packed_model.mjs reads the file. The tensors in the file have the names of the
reference, even if the student's layers have other names.
"""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save
from torch import Tensor, nn

from workbench.trainer import NUM_HEADS

SCALE_OF = "scale of "
"""The scales of a matrix are named by this prefix and the matrix's name."""

LARGEST = 127
VOCABULARY, HEADS = "vocabulary", "heads"
"""The keys of the file's metadata: each token as one character, and the heads of a layer."""

ATTENTION = ("W_query", "W_key", "W_value", "out_proj")
NORM = ("scale", "shift")


class CannotPack(Exception):
    """A model cannot run on the page. The message has the reason."""


def packed_file(model: nn.Module, vocabulary: str) -> bytes:
    """Return the content of a model's file. vocabulary: a character for each token. Raises CannotPack."""
    return save(packed(weights_of(model)), {VOCABULARY: vocabulary, HEADS: str(NUM_HEADS)})


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return the weights in a file by name, as floats."""
    return unpacked(load_file(path))


def packed(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the file's tensors: vectors unchanged, and matrices as int8 with a scale for each row."""
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
    """Return the weights in `packed` tensors. They stay rounded, as on the page."""
    return {
        name: numbers * tensors[SCALE_OF + name][:, None] if SCALE_OF + name in tensors else numbers
        for name, numbers in tensors.items()
        if not name.startswith(SCALE_OF)
    }


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Return the weights of a TinyGPT. The reference's names are assigned in the order of calls.

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
