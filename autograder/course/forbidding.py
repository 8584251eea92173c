"""Refusal of torch functions that would do the work of a step.

This is advice for the honest: it runs beside the student's code, which can undo it. Calls in other threads are not seen.
"""

import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

OWNERS = (torch, torch.Tensor, torch.nn.functional, torch.special, torch.func, torch._C._nn)
"""Modules and a class through which functions are called."""

OPERATORS = (HigherOrderOperator, OpOverload, OpOverloadPacket)
"""Classes of torch's operators, which are called as `torch.ops.aten.softmax` is."""


class Forbidden(BaseException):
    """A function of torch's was called that must not be; the message is its name. No `except Exception` takes it for an error."""


_names: tuple[str, ...] = ()
_refused: list[Forbidden] = []


@functools.cache
def _forbidden(names: tuple[str, ...], name: str) -> str:
    """Return the forbidden part of a name, empty where it is allowed. Words may stand around it: `_safe_softmax` is a softmax."""
    found = (
        re.match(rf"_*((?:[a-z0-9]+_)*?(?:{'|'.join(map(re.escape, names))})(?![^\W_])\w*)", name) if names else None
    )
    return found[1] if found else ""


@functools.cache
def guard(names: tuple[str, ...]) -> None:
    """Have torch's functions of some names ask before they run, from now on, by whatever alias: before a student's import makes one."""
    for owner in OWNERS:
        for name in dir(owner) if names else ():
            function = getattr(owner, name) if _forbidden(names, name) else None
            if callable(function) and not isinstance(function, type) and not hasattr(function, "asks"):
                setattr(owner, name, _asking(function, name))
    for operator in OPERATORS:
        if not hasattr(operator.__call__, "asks"):
            operator.__call__ = _asking(operator.__call__)  # type: ignore[method-assign]


def _asking(function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Return a function that is refused while its name, or that of the operator it is called with, is forbidden."""

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
    """While it is entered, raise Forbidden when a torch function with one of some names is called, from any module and by any alias.

    names: of functions, without words before or after an underscore. What was refused is raised at the end again.
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
