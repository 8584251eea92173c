"""What a step forbids: torch functions that would do its work, refused when they are called."""

import functools
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

TORCH = str(Path(torch.__file__).parent)


@functools.lru_cache(maxsize=4_000)
def _is_of_torch(file: str) -> bool:
    return file.startswith(TORCH)


class Forbidden(BaseException):
    """A function of torch's was called that must not be; the message is its name. No `except Exception` takes it for an error."""


class _Matches(dict[str, str]):
    """By the name of a function or class, the part of it that is forbidden; nothing where it is allowed.

    A dictionary, since every operation of torch is looked up.
    """

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._forbidden = re.compile(rf"_*(?:{'|'.join(map(re.escape, names))})(?![^\W_])[^.]*")

    def __missing__(self, name: str) -> str:
        found = self._forbidden.match(name)
        self[name] = found[0].lstrip("_") if found else ""
        return self[name]


class Forbidding(TorchFunctionMode):
    """While it is entered, raises Forbidden when a torch function or class with one of some names is called.

    names: of functions and classes, or their beginnings up to an underscore.
    """

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


_matches = functools.cache(_Matches)
