"""Switch off heads of a model: their contexts become 0, and everything else stays."""

import contextlib
from collections.abc import Collection, Iterator
from typing import Any

from torch import Tensor, nn


@contextlib.contextmanager
def switched_off(model: nn.Module, heads: Collection[tuple[int, int]]) -> Iterator[None]:
    """Switch heads off until the block ends. heads: pairs of a layer and a head, counted from 1.

    The context of these heads is 0 before `out_proj` merges the heads. No parameter changes.
    """
    layers: list[Any] = [
        module for module in model.modules() if hasattr(module, "num_heads") and hasattr(module, "out_proj")
    ]
    with contextlib.ExitStack() as hooks:
        for number, layer in enumerate(layers, start=1):
            off = [head - 1 for of, head in heads if of == number]

            def silence(
                _: nn.Module, given: tuple[Tensor], off: list[int] = off, count: int = layer.num_heads
            ) -> tuple[Tensor]:
                contexts = given[0].unflatten(-1, (count, -1)).clone()
                contexts[..., off, :] = 0
                return (contexts.flatten(-2),)

            hooks.callback(layer.out_proj.register_forward_pre_hook(silence).remove)
        yield
