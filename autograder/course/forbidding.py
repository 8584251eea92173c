"""Refusal of torch functions that would do the work of a step.

This is advice for the honest: it runs beside the student's code, which can undo it. Calls in other threads are not seen.
"""

import contextlib
import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import torch

LIBRARY = str(Path(torch.__file__).parent)


class Forbidden(BaseException):
    """A function of torch's was called that must not be; the message is its name. No `except Exception` takes it for an error."""


@functools.cache
def _forbidden(names: tuple[str, ...], name: str) -> str:
    """Return the forbidden part of a name, empty where it is allowed. Words may stand around it: `_safe_softmax` is a softmax."""
    found = re.match(rf"_*((?:[a-z0-9]+_)*?(?:{'|'.join(map(re.escape, names))})(?![^\W_])\w*)", name)
    return found[1] if found else ""


@contextlib.contextmanager
def forbidding(names: tuple[str, ...]) -> Iterator[None]:
    """While it is entered, raise Forbidden when a torch function with one of some names is called, from any module and by any alias.

    names: of functions, without words before or after an underscore. What was refused is raised at the end again. A profiler sees
    every call, at an eighth of the time that a mode of torch's takes.
    """
    if not names:
        yield
        return
    allowed, refused = set[str](), list[Forbidden]()

    def look(frame: FrameType, event: str, called: Any) -> None:
        if event not in ("call", "c_call"):
            return
        is_python = event == "call"
        name = frame.f_code.co_name if is_python else called.__name__
        name = name or getattr(frame.f_locals.get("self"), "_opname", "")  # of an operator
        if name in allowed:
            return
        if not (found := _forbidden(names, name)):
            allowed.add(name)
        elif not is_python or frame.f_code.co_filename.startswith(LIBRARY):
            refused.append(Forbidden(found))
            raise refused[0]

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)
        if refused:
            raise refused[0]
