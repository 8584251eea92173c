"""Refusal of torch functions that would do the work of a step.

This is advice for the honest: it runs beside the student's code, which can undo it. Calls in other threads are not seen.
"""

import contextlib
import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class Forbidden(BaseException):
    """A function of torch's was called that must not be; the message is its name. No `except Exception` takes it for an error."""


@functools.cache
def _forbidden(name: str, names: tuple[str, ...]) -> str:
    """Return the forbidden part of a name, empty where it is allowed. Words may stand around it: `_safe_softmax` is a softmax."""
    found = re.match(rf"_*((?:[a-z0-9]+_)*?(?:{'|'.join(map(re.escape, names))})(?![^\W_])\w*)", name)
    return found[1] if found else ""


class _Refusing(TorchFunctionMode):
    """Refuses torch's functions of some names. refused: the first, so that nobody who catches it hides it."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self._names = names
        self.refused: Forbidden | None = None

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None) -> Any:
        """Run a function, or refuse it. `torch.vmap` and its like are seen by the functions that run within them."""
        within = torch._C._functorch.peek_interpreter_stack()
        name = _forbidden(func.__name__, self._names) or (within and _forbidden(within.key().name.lower(), self._names))
        if name:
            self.refused = self.refused or Forbidden(name)
            raise self.refused
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def forbidding(names: tuple[str, ...]) -> Iterator[None]:
    """While it is entered, raise Forbidden when a torch function with one of some names is called, from any module and by any alias.

    names: of functions, without words before or after an underscore. What was refused is raised at the end again.
    """
    if not names:
        yield
        return
    with _Refusing(names) as refusing:
        try:
            yield
        finally:
            if refusing.refused:
                raise refusing.refused
