"""A trained model in a file that a page loads in a moment: matrices as int8 with a scale for each row, as safetensors.

docs/widgets/packed_model.mjs reads it.
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from workbench.trainer import NUM_HEADS

SCALE_OF = "scale of "
"""How the name of a matrix's scales begins."""

LARGEST = 127
VOCABULARY, HEADS = "vocabulary", "heads"
"""What the file says beside its tensors: each token as one character, and how many heads a layer has."""


def write_model(path: Path, model: nn.Module, vocabulary: str) -> None:
    """Write a model of `Training`. vocabulary: each of its tokens as one character."""
    weights = {name: numbers.detach().cpu() for name, numbers in model.named_parameters()}
    save_file(packed(weights), path, {VOCABULARY: vocabulary, HEADS: str(NUM_HEADS)})


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
