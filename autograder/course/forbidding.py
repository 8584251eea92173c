"""Refuse calls of torch functions that would do the work of a step.

This does not prevent cheating: a student's code runs in the same process and can remove the guard.
"""

import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

OWNERS = (torch, torch.Tensor, torch.nn.functional, torch.special, torch.func, torch._C._nn)
"""The modules and the class whose attributes `guard` wraps."""

OPERATORS = (HigherOrderOperator, OpOverload, OpOverloadPacket)
"""The classes of operators such as `torch.ops.aten.softmax`. `guard` wraps their `__call__`."""


class Forbidden(BaseException):
    """A forbidden call of the torch function in the message. `except Exception` does not catch it."""


_names: tuple[str, ...] = ()
_refused: list[Forbidden] = []


@functools.cache
def _forbidden(names: tuple[str, ...], name: str) -> str:
    """Return `name` without leading underscores if `names` forbids it; else an empty string."""
    found = (
        re.match(rf"_*((?:[a-z0-9]+_)*?(?:{'|'.join(map(re.escape, names))})(?![^\W_])\w*)", name) if names else None
    )
    return found[1] if found else ""


@functools.cache
def guard(names: tuple[str, ...]) -> None:
    """Wrap torch functions of these names permanently. Call this before a student's code is loaded."""
    for owner in OWNERS:
        for name in dir(owner) if names else ():
            function = getattr(owner, name) if _forbidden(names, name) else None
            if callable(function) and not isinstance(function, type) and not hasattr(function, "asks"):
                setattr(owner, name, _asking(function, name))
    for operator in OPERATORS:
        if not hasattr(operator.__call__, "asks"):
            operator.__call__ = _asking(operator.__call__)  # type: ignore[method-assign]


def _asking(function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Return a wrapper that raises Forbidden while `name`, or the operator's name, is forbidden."""

    @functools.wraps(function)
    def asking(*args: Any, **options: Any) -> Any:
        if found := _forbidden(_names, name or args[0].__name__):
            _refused.append(Forbidden(found))
            raise _refused[0]
        return function(*args, **options)

    vars(asking)["asks"] = True
    return asking


@contextlib.contextmanager
def forbidding(names: tuple[str, ...]) -> Iterator[None]:
    """Raise Forbidden for calls of torch functions in a `with` block, and again at the block's end.

    Code in the block may catch the first one. names: `softmax` also forbids `_safe_softmax`.
    """
    global _names
    guard(names)
    _names = names
    _refused.clear()
    try:
        yield
    finally:
        _names = ()
        if _refused:
            raise _refused[0]
