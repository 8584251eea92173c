"""Stub modules for libraries that are not installed here: what draws, shows progress or checks types costs nothing."""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NoReturn

from autograder.submission.model import within


class NotInstalled:
    """A library that is not there, and all that it holds. Whatever needs its value raises ModuleNotFoundError.

    not_installed: the library.
    """

    def __init__(self, library: str) -> None:
        self.not_installed = library

    def __getattr__(self, name: str) -> "NotInstalled":
        if name.startswith("__"):  # Python asks for many, and goes on without
            raise AttributeError(name)
        return self

    def __getitem__(self, _: Any) -> "NotInstalled":
        return self

    __or__ = __ror__ = __getitem__  # in an annotation

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        """Return a function, class or range that is given first, as a decorator and a progress bar do, else the library."""
        return arguments[0] if arguments and isinstance(arguments[0], type | types.FunctionType | range) else self

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ModuleNotFoundError(f"No module named '{self.not_installed}'", name=self.not_installed)

    __bool__ = __enter__ = __exit__ = __iter__ = __mul__ = __rmul__ = __mro_entries__ = _refuse


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
