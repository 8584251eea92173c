"""Implementations that do nothing. An output that one of them has right needs no work."""

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from torch import nn

CONSTANTS = (None, True, False, 0, 1, 0.0, 1.0)


def trivial_implementations(implementation: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Yield implementations that compute nothing: each returns an argument, all of them or a constant."""
    if isinstance(implementation, type):
        yield _Identity
        return
    for number in range(len(inspect.signature(implementation).parameters)):
        yield functools.partial(_argument, number)
    yield _arguments
    for constant in CONSTANTS:
        yield functools.partial(_constant, constant)


def _argument(number: int, /, *given: Any, **named: Any) -> Any:
    return _arguments(*given, **named)[number]


def _arguments(*given: Any, **named: Any) -> tuple[Any, ...]:
    return *given, *named.values()


def _constant(constant: Any, /, *_: Any, **__: Any) -> Any:
    return constant


class _Identity(nn.Module):
    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def forward(self, given: Any, *_: Any, **__: Any) -> Any:
        return given
