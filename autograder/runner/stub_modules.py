"""Placeholders for libraries that are not installed here and that no step needs: what draws, shows progress or checks types costs nothing.

A placeholder takes part in nothing that makes a step right: no tensor is computed with it, and nothing is decided by it.
"""

import ast
import dis
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NoReturn

from autograder.submission.parsed import within

UNPACKS = dis.opmap["UNPACK_SEQUENCE"]


class NotInstalled:
    """Stands for a library that is not there, for what it holds, and for what its functions return.

    It can be called, looked into, written into and entered. A function or class that it is called with comes back as it is, as from
    a decorator that checks types, and a loop over it runs over what it was called with, as over a progress bar. Whatever needs its value
    raises ModuleNotFoundError. not_installed: the library.
    """

    def __init__(self, library: str, given: Iterable[Any] | None = None) -> None:
        self.not_installed = library
        self._given = given

    def __getattr__(self, name: str) -> "NotInstalled":
        if name.startswith("__"):  # Python asks for many, and goes on without
            raise AttributeError(name)
        return NotInstalled(self.not_installed)

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        """Return a function or class that is given alone, as a decorator does; else a placeholder, which a loop runs over as over what is given."""
        if len(arguments) != 1:
            return NotInstalled(self.not_installed)
        (given,) = arguments
        if inspect.isfunction(given) or inspect.isclass(given):
            return given
        return NotInstalled(self.not_installed, given if isinstance(given, Iterable) else None)

    def __iter__(self) -> Iterator[Any]:
        if self._given is not None:
            return iter(self._given)
        caller = sys._getframe(1)
        code, place = caller.f_code.co_code, caller.f_lasti
        if code[place] == UNPACKS:  # as in `figure, axes = plt.subplots()`
            return iter([NotInstalled(self.not_installed)] * code[place + 1])
        self._refuse()

    def __getitem__(self, _: Any) -> "NotInstalled":
        return NotInstalled(self.not_installed)

    def __setitem__(self, *_: Any) -> None:
        """Take what is written into it."""

    def __enter__(self) -> "NotInstalled":
        return self

    def __exit__(self, *_: Any) -> None:
        """Let what was raised go on."""

    def __or__(self, _: Any) -> "NotInstalled":
        return self  # in an annotation

    __ror__ = __or__

    def __instancecheck__(self, _: Any) -> bool:
        return False  # nothing is of a class that is not there

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ModuleNotFoundError(f"No module named '{self.not_installed}'", name=self.not_installed)

    __bool__ = __mro_entries__ = _refuse

    @property
    def __torch_function__(self) -> Callable[..., NoReturn]:
        return lambda *_, **__: self._refuse()


class Placeholders(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a placeholder for each of some libraries, and for whatever they hold. made: the names of the modules for which there is one."""

    def __init__(self) -> None:
        self.libraries: set[str] = set()
        self.made: list[str] = []

    def missing(self, statements: Iterable[ast.stmt], others: Collection[str]) -> list[str]:
        """Return the libraries that statements import and that are not here, and have placeholders for them from now on.

        Those of which the statements themselves say what to do without them are not among them. others: names of no library.
        """
        names = sorted(set(_imported(statements)).difference(others))
        found = [name for name in names if name in self.libraries or _is_missing(name)]
        self.libraries.update(found)
        return found

    def find_spec(self, fullname: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a placeholder, None for any other module."""
        if fullname.partition(".")[0] not in self.libraries:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        """Return a placeholder."""
        self.made.append(spec.name)
        return NotInstalled(spec.name.partition(".")[0])

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: there is nothing to run."""


def _is_missing(name: str) -> bool:
    return name not in sys.modules and importlib.util.find_spec(name) is None


def _imported(statements: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the libraries that statements import outside of any `try`, without `import *`, which says nothing of what it brings."""
    waiting = list(statements)
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Try() | ast.TryStar():
                waiting += [*node.handlers, *node.orelse, *node.finalbody]
                continue
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0, names=[ast.alias(name=name), *_]) if name != "*":
                yield module.partition(".")[0]
        waiting += within(node)
