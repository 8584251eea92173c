"""What a name that is nearly right may have been meant to be. Python suggests it only where it prints an exception itself."""

import builtins
from collections.abc import Iterable
from difflib import get_close_matches

ALIKE = 0.8
"""How alike two names must be, from 0 to 1, as `difflib` counts it."""


def suggestion(error: BaseException) -> str:
    """Return Python's own question about an unknown name or attribute, `. Did you mean: 'scores'?`, or nothing."""
    if not isinstance(error, NameError | AttributeError) or not isinstance(error.name, str):
        return ""
    try:
        meant = _meant(error, error.name)
    except Exception:  # an object of the submission's own may fail at naming what it has
        return ""
    return f". Did you mean: '{meant}'?" if meant else ""


def _meant(error: NameError | AttributeError, name: str) -> str:
    if isinstance(error, AttributeError):
        return _nearest(name, dir(error.obj))
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if not trace:
        return ""
    known = trace.tb_frame.f_locals
    if "self" in known and name in dir(known["self"]):
        return f"self.{name}"
    return _nearest(name, [*known, *trace.tb_frame.f_globals, *dir(builtins)])


def _nearest(name: str, names: Iterable[str]) -> str:
    shown = [one for one in names if isinstance(one, str) and (name.startswith("_") or not one.startswith("_"))]
    return next(iter(get_close_matches(name, shown, 1, ALIKE)), "")
