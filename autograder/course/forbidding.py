"""What a step forbids: torch functions that would do its work, refused when they are called, or when what they do runs.

This is advice for the honest: it runs beside the student's code, which can switch it off.
"""

import contextlib
import functools
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from autograder.course.operations import OperationObserver

TORCH = str(Path(torch.__file__).parent)


@functools.lru_cache(maxsize=4_000)
def _is_of_torch(file: str) -> bool:
    return file.startswith(TORCH)


class Forbidden(BaseException):
    """A function of torch's was called that must not be; the message is its name. No `except Exception` takes it for an error."""


class _Matches(dict[str, str]):
    """By the name of a function or class, the part of it that is forbidden; nothing where it is allowed.

    Words may stand before what is forbidden, and after it: `_safe_softmax` is a softmax. A dictionary, since every operation of
    torch is looked up.
    """

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._forbidden = re.compile(rf"_*(?:[a-z0-9]+_)*?(?:{'|'.join(map(re.escape, names))})(?![^\W_])[^.]*")

    def __missing__(self, name: str) -> str:
        found = self._forbidden.match(name)
        self[name] = found[0].lstrip("_") if found else ""
        return self[name]


@contextlib.contextmanager
def forbidding(names: tuple[str, ...]) -> Iterator[None]:
    """While it is entered, raise Forbidden when a torch function or class with one of some names is called, or runs within another.

    names: of functions and classes, without words before or after an underscore. What runs is looked at where one of them is an
    operation of torch's own: others, such as `vmap`, can only be called.
    """
    with _Operations(names) if _may_run(names) else contextlib.nullcontext(), _Calls(names):
        yield


@functools.cache
def _may_run(names: tuple[str, ...]) -> bool:
    return any(hasattr(torch.ops.aten, name) for name in names)


class _Calls(TorchFunctionMode):
    """Sees the functions that are called from Python: what they are called is what a student wrote."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self._matches = _matches(names)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation, unless it is forbidden, or part of what is forbidden and torch does in Python, such as `nn.Softmax`."""
        found = self._matches[func.__name__]
        frame = sys._getframe().f_back
        while frame and _is_of_torch(frame.f_code.co_filename):
            found = self._matches[frame.f_code.co_qualname] or found  # the outermost is what was written
            frame = frame.f_back
        if found:
            raise Forbidden(found)
        return func(*args, **(kwargs or {}))


class _Operations(OperationObserver):  # type: ignore[no-untyped-call]
    """Sees the operations that run, whatever called them: a function of another name, or of a library."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self._matches = _matches(names)

    def see(self, operation: str, given: Any, made: Any) -> None:
        """Refuse what is forbidden."""
        if found := self._matches[operation]:
            raise Forbidden(found)


_matches = functools.cache(_Matches)
