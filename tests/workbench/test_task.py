"""What is asked of the student's own code in a task."""

from types import ModuleType

import torch
from torch import Tensor, nn

from workbench.task import MODEL, maps_of


def test_maps_that_were_computed_with_gradients_are_taken() -> None:
    def attention_maps(model: nn.Module, tokens: Tensor) -> Tensor:
        return torch.ones(2, len(tokens), 1, 3, 3, requires_grad=True)

    own = ModuleType(MODEL)
    own.attention_maps = attention_maps  # type: ignore[attr-defined]

    assert maps_of({MODEL: own}, nn.Identity(), torch.tensor([1, 2, 3]), "cpu").shape == (2, 1, 3, 3)
