"""What a step forbids: torch functions that would do its work, refused when they are called, or when what they do runs.

Each is refused at its own place, whatever calls it there and by whatever name: an operation of torch's by a kernel that stands before its
own, a function of Python's by its code. Nothing else becomes slower by that: to add eight numbers takes 0.91 µs with and without.

This is advice for the honest: it runs beside the student's code, which can undo it, or have a thread ready that nobody watches.
"""

import contextlib
import functools
import itertools
import re
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

import torch
from torch._library.custom_ops import CustomOpDef

KEY = torch._C._dispatch_key_parse("AutocastPrivateUse1")
"""Where torch stops before an operation in a thread that watches: it belongs to a backend that nobody has, so nothing else stands there."""


class Forbidden(BaseException):
    """A function of torch's was called that must not be; the message is its name. No `except Exception` takes it for an error."""


class _Matches(dict[str, str]):
    """By the name of a function or class, the part of it that is forbidden; nothing where it is allowed.

    Words may stand before what is forbidden, and after it: `_safe_softmax` is a softmax.
    """

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._forbidden = re.compile(rf"_*(?:[a-z0-9]+_)*?(?:{'|'.join(map(re.escape, names))})(?![^\W_]).*")

    def __missing__(self, name: str) -> str:
        found = self._forbidden.match(name)
        self[name] = found[0].lstrip("_") if found else ""
        return self[name]


_matches = functools.cache(_Matches)


class _Watch:
    """What is refused at present. refused: what was, so that nobody who catches it hides it."""

    def __init__(self) -> None:
        self.matches: _Matches | None = None
        self.refused: list[Forbidden] = []

    def refuse(self, name: str) -> None:
        """Raise Forbidden if a name of torch's is forbidden at present."""
        if self.matches and (found := self.matches[name]):
            self.refused.append(Forbidden(found))
            raise self.refused[-1]


_watch = _Watch()


@contextlib.contextmanager
def forbidding(names: tuple[str, ...]) -> Iterator[None]:
    """While it is entered, raise Forbidden when a torch function or class with one of some names is called, or runs within another.

    names: of functions and classes, without words before or after an underscore. What was refused is raised at the end again.
    """
    if not names:
        yield
        return
    _operations.refuse(names)
    functions = _functions.called(names)
    own = [(function, function.__code__) for function, _ in functions]
    _watch.matches, _watch.refused = _matches(names), []
    for function, code in functions:
        function.__code__ = code
    _stop_at_key(True)
    before = threading.getprofile()
    threading.setprofile(_begin_thread)
    try:
        yield
    finally:
        threading.setprofile(before)
        _stop_at_key(False)
        for function, code in own:
            function.__code__ = code
        _watch.matches = None
        if _watch.refused:
            raise _watch.refused[0]


# Operations


def _stop_at_key(stop: bool) -> None:
    torch._C._dispatch_tls_set_dispatch_key_excluded(KEY, not stop)
    torch._C._dispatch_tls_set_dispatch_key_included(KEY, stop)


def _begin_thread(*_: Any) -> None:
    """Watch a thread that begins meanwhile, before it calls anything, and as long as it lives."""
    sys.setprofile(None)
    _stop_at_key(True)


class _Operations:
    """What stands before torch's operations, of the names that were asked for last."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._layers: list[tuple[torch.library.Library, dict[str, str]]] = []

    def refuse(self, names: tuple[str, ...]) -> None:
        """Have each operation that some names forbid refused at the key, and no other.

        What was put there for earlier names, and is forbidden by these too, stays: most steps forbid the same, and few more than that.
        """
        if names == self._names:
            return
        _let_others_through()
        self._names, missing = names, _overloads_of(names)
        kept = []
        for library, there in self._layers:
            if there.keys() <= missing.keys():
                missing = {overload: name for overload, name in missing.items() if overload not in there}
                kept.append((library, there))
            else:
                library._destroy()  # type: ignore[no-untyped-call]
        self._layers = kept
        for namespace in sorted({overload.partition("::")[0] for overload in missing}):
            library = torch.library.Library(namespace, "IMPL")  # type: ignore[no-untyped-call]
            added = {overload: name for overload, name in missing.items() if overload.startswith(f"{namespace}::")}
            for overload, name in added.items():
                library.impl(overload, functools.partial(_refuse_operation, overload, name), KEY.name)  # type: ignore[no-untyped-call]
            self._layers.append((library, added))


_operations = _Operations()


@functools.cache
def _let_others_through() -> torch.library.Library:
    others = torch.library.Library("_", "IMPL")  # type: ignore[no-untyped-call]
    others.fallback(torch.library.fallthrough_kernel, KEY.name)  # type: ignore[no-untyped-call]
    return others


@functools.cache
def _overloads_of(names: tuple[str, ...]) -> dict[str, str]:
    """Return all overloads of operations that some names forbid, and each one's name without its namespace and that of the overload."""
    matches = _matches(names)
    every = torch._C._dispatch_get_all_op_names()
    named = ((overload, overload.partition("::")[2].partition(".")[0]) for overload in every)
    return {overload: name for overload, name in named if matches[name]}


def _refuse_operation(overload: str, name: str, *args: Any, **kwargs: Any) -> Any:
    """Refuse an operation, or run it where nothing forbids it any more, in a thread that goes on."""
    _watch.refuse(name)
    namespace, _, rest = overload.partition("::")
    packet, _, kind = rest.partition(".")
    _stop_at_key(False)
    try:
        return getattr(getattr(getattr(torch.ops, namespace), packet), kind or "default")(*args, **kwargs)
    finally:
        _stop_at_key(True)


# Functions of Python's


class _Functions:
    """The functions and classes of torch's modules that are written in Python, by name, as far as they are loaded by now."""

    def __init__(self) -> None:
        self._modules: set[str] = set()
        self._by_name: defaultdict[str, dict[FunctionType, None]] = defaultdict(dict)
        self._called: dict[tuple[str, ...], list[tuple[FunctionType, CodeType]]] = {}
        self._loaded = 0

    def called(self, names: tuple[str, ...]) -> list[tuple[FunctionType, CodeType]]:
        """Return those that some names forbid, each with the code that refuses it."""
        if len(sys.modules) != self._loaded:
            self._loaded = len(sys.modules)
            self._read()
        if names not in self._called:
            matches = _matches(names)
            self._called[names] = [
                (function, _refusing(name, function))
                for name, functions in self._by_name.items()
                if matches[name]
                for function in functions
            ]
        return self._called[names]

    def _read(self) -> None:
        """Take in what modules of torch's have been loaded since the last that is known.

        To look through all of sys.modules would find them too, but in a forked child it copies a page a module.
        """
        added = list(itertools.takewhile(self._modules.isdisjoint, zip(reversed(sys.modules), strict=True)))
        of_torch = sorted(name for (name,) in added if name.partition(".")[0] == torch.__name__)
        for module in (sys.modules[name] for name in of_torch):
            for value in vars(module).values():
                function = _runs(value)
                if type(function) is FunctionType:
                    self._by_name[(value if isinstance(value, type) else function).__name__].setdefault(function)
        self._modules.update(of_torch)
        if of_torch:
            self._called.clear()


_functions = _Functions()


def _runs(value: Any) -> Any:
    """Return what runs where something is called: of a class `__init__`, of an operation that is written in Python its function."""
    if issubclass(type(value), type):
        return vars(value).get("__init__")
    return value._init_fn if type(value) is CustomOpDef else value


def _refusing(name: str, function: FunctionType) -> CodeType:
    """Return the code that refuses a function of some name. It needs no global names, and as many from around it as the function's own."""
    return _refuse.__code__.replace(co_name=name, co_freevars=function.__code__.co_freevars)


def _refuse(*_: Any, **__: Any) -> None:
    from autograder.course import forbidding

    forbidding.refuse_by_name()


def refuse_by_name() -> None:
    """Refuse the function that calls this."""
    _watch.refuse(sys._getframe(1).f_code.co_name)
