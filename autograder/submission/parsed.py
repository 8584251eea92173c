"""A text as Python reads it, parsed once for all who ask what it defines and imports. It is never run."""

from __future__ import annotations

import ast
import functools
import re
import threading
import warnings
from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograder.submission.model import Block, Source

DEFINED = re.compile(r"^(?:async +def|def|class) +(\w+)", re.MULTILINE)
"""A function or class at the top level of a text, be it Python or not."""

AT_MARGIN = re.compile(r"(?!else\b|elif\b|except\b|finally\b)[^\s#)\]}]")
"""A line at the margin that does not continue the one above it."""

MOST_PARSED = 1_000_000
"""Characters that are parsed to find what of a text is broken: a second's work. A text with more of it is no Python."""

COSTLY = re.compile(r"(?:\.[\s\\]*+[^\W\d]\w*+[\s\\]*+){200}|0[xob]\w{3000}", re.IGNORECASE)
MOST_BRACES = 2_000
"""CPython 3.11 takes gigabytes for a name of many dots and minutes for an f-string of many braces.

An integer of so many digits is read, and refused when it is written.
"""

PARSING = threading.Lock()
"""CPython 3.11 counts the depth of a tree for all threads at once."""


def parse(text: str, path: str = "") -> ast.Module:
    """Return the syntax tree of a text. Raises SyntaxError where it is not Python, or too much for it."""
    try:
        if text.count("{") > MOST_BRACES or COSTLY.search(text):
            raise ValueError("too many dots, braces or digits")
        with PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an invalid escape: loading shows the student's own
            return ast.parse(text, path)
    except SyntaxError as error:
        error.filename = path  # of a null byte Python names none
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or "it is nested too deeply", (path, None, None, None)) from None


@dataclass(frozen=True)
class Broken:
    """Whole lines of a text that cannot be parsed. error: with the text's line numbers."""

    text: str
    lineno: int
    error: SyntaxError


class ParsedModule:
    """The statements of a text, without those that cannot be parsed. error: why the text as a whole cannot."""

    def __init__(self, text: str, path: str = "") -> None:
        self._text, self._path = text, path
        self.statements: tuple[ast.stmt, ...] = ()
        self.broken: list[Broken] = []
        self.error: SyntaxError | None = None
        try:
            self.statements = tuple(parse(text, path).body)
        except SyntaxError as error:
            error.lineno = error.lineno or 1
            self.error = error
            self._leave_out_what_is_broken(error)

    @property
    def pieces(self) -> list[ast.stmt | Broken]:
        """The statements and what cannot be parsed, in order."""
        return sorted([*self.statements, *self.broken], key=lambda piece: piece.lineno)

    @property
    def nodes(self) -> Iterator[ast.AST]:
        """All nodes, from the outside in within each statement."""
        return (node for statement in self.statements for node in ast.walk(statement))

    @property
    def definitions(self) -> Iterator[tuple[str, ast.stmt]]:
        """The statements at the top level that define a name, each with the name."""
        for node in self.statements:
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(name)]):
                    yield name, node

    @functools.cached_property
    def imported(self) -> frozenset[str]:
        """The modules that are imported, wherever that is, without what is within them."""
        found: set[str] = set()
        for node in self.nodes:
            match node:
                case ast.Import(names=aliases):
                    found |= {alias.name.partition(".")[0] for alias in aliases}
                case ast.ImportFrom(module=str(module)):
                    found.add(module.partition(".")[0])
        return frozenset(found)

    def _leave_out_what_is_broken(self, error: SyntaxError) -> None:
        """Empty the lines of one statement after another until the rest can be parsed.

        Python may name a line below the wrong one: of the statements that cannot be parsed alone, either, the last
        one above counts.
        """
        lines = self._text.split("\n")
        starts, above = [0], lines[0]
        for number, line in enumerate(lines):
            if number and AT_MARGIN.match(line):
                starts += [] if above.startswith("@") else [number]
                above = line
        ends = [*starts[1:], len(lines)]
        alone = ["\n".join(lines[start:end]) for start, end in zip(starts, ends, strict=True)]
        suspects = [number for number, piece in enumerate(alone) if error_of(piece)]
        while suspects and len(self.broken) * len(self._text) < MOST_PARSED:
            near = bisect(starts, (error.lineno or len(lines)) - 1) - 1
            one = suspects.pop(max(bisect(suspects, near) - 1, 0))
            start, end = starts[one], ends[one]
            wrong = error_of("\n" * start + alone[one], self._path) or error
            wrong.lineno = wrong.lineno or start + 1
            self.broken.append(Broken(alone[one], start + 1, wrong))
            lines[start:end] = [""] * (end - start)
            try:
                self.statements = tuple(parse("\n".join(lines), self._path).body)
                return
            except SyntaxError as other:
                error = other
        assert self.error
        self.broken = [Broken(self._text, 1, self.error)]


parsed = functools.lru_cache(maxsize=16)(ParsedModule)
"""The module of a text and its path. A tree takes a hundred times the memory of its text."""


def error_of(text: str, path: str = "") -> SyntaxError | None:
    """Return why a text cannot be parsed; None if it can."""
    try:
        parse(text, path)
    except SyntaxError as error:
        return error
    return None


def within(node: ast.AST) -> list[ast.AST]:
    """Return the statements, handlers and cases in one, and no expressions, of which there are ten times as many."""
    inner = ast.stmt | ast.excepthandler | ast.match_case
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, inner)]


def names_of(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Import() | ast.ImportFrom():
            return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    found: set[str] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
    return found


def written(tree: ast.AST) -> frozenset[str]:
    """Return the simple statements that do something, without docstrings, `pass` and the `raise` of a stub."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                pass
            case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
                pass
            case ast.stmt() if not any(isinstance(child, ast.stmt) for child in ast.iter_child_nodes(node)):
                try:
                    found.add(ast.dump(node))
                except RecursionError:
                    found.add(f"nested too deeply, in line {node.lineno}")
    return frozenset(found)


class Definitions:
    """The functions, classes and other names that the modules of a submission define."""

    def __init__(self, modules: Mapping[str, Source]) -> None:
        self._modules = modules
        self._read: dict[str, dict[str, list[tuple[Block, ast.stmt]]]] = {}

    def places_of(self, part: str, step: str) -> list[str]:
        """Return where a function or class is defined, such as `line 3`; a cell that was run twice is one place."""
        found = [(block, node) for block, node in self._of(part, step) if not isinstance(node, ast.Assign)]
        cells = [(f"line {node.lineno}", self._modules[part].cell(block)) for block, node in found]
        return list(dict.fromkeys(" of ".join(filter(None, place)) for place in cells))

    def begun(self, part: str, step: str, stub: str) -> bool:
        """Return whether the last definition of a step holds more than its stub."""
        return any(written(node) - written(parse(stub)) for _, node in self._of(part, step)[-1:])

    def unused_arguments(self, part: str, step: str) -> list[str]:
        """Return the arguments of the last definition of a step, or of its methods, whose names are nowhere in it."""
        nodes = (node for _, one in self._of(part, step)[-1:] for node in ast.walk(one))
        return [one.arg for node in nodes if isinstance(node, ast.FunctionDef) for one in unused_in(node)]

    def line(self, file: str, number: int) -> str:
        """Return a line of a file as it was written; nothing if there is none."""
        return "".join(
            line for block in self._blocks(file)[:1] for line in block.text.splitlines()[number - 1 : number]
        )

    def name_at(self, file: str, number: int) -> str:
        """Return the name of the function or class at the top level that a line of a file is in, or nothing."""
        found = (one for block in self._blocks(file) for one in block.parsed.definitions)
        runs = ((name, node) for name, node in found if not isinstance(node, ast.Assign))
        return next((name for name, node in runs if node.lineno <= number <= (node.end_lineno or 0)), "")

    def called_by(self, part: str, step: str) -> set[tuple[str, str]]:
        """Return the names that a step mentions, each with its module, directly or through others."""
        found, waiting = {(part, step)}, [(part, step)]
        while waiting:
            module, name = waiting.pop()
            mentioned = {home for _, node in self._of(module, name) for home in self._mentioned(module, node)} - found
            found |= mentioned
            waiting += mentioned
        return found - {(part, step)}

    def _mentioned(self, module: str, definition: ast.stmt) -> Iterator[tuple[str, str]]:
        """Yield the names in a definition that this module defines, or another that it imports."""
        others = sorted(self._modules[module].imported & self._modules.keys())
        for owner, name in _global_names(definition):
            homes = [owner] if owner else [module, *others]
            yield from [(home, name) for home in homes if self._of(home, name)][:1]

    def _blocks(self, file: str) -> list[Block]:
        return [block for source in self._modules.values() for block in source.blocks if block.path == file]

    def _of(self, module: str, name: str) -> list[tuple[Block, ast.stmt]]:
        """Return the definitions of a name in a module."""
        if module not in self._read:
            self._read[module] = {}
            for block in self._modules[module].blocks if module in self._modules else ():
                for defined, node in block.parsed.definitions:
                    self._read[module].setdefault(defined, []).append((block, node))
        return self._read[module].get(name, [])


def unused_in(function: ast.FunctionDef) -> Iterator[ast.arg]:
    """Yield the arguments of a function whose names are nowhere in it."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    named = {node.id for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    yield from (one for one in given if one.arg not in (*named, "self") and not one.arg.startswith("_"))


def _global_names(definition: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the names in a definition that mean something outside, each with the module that it is an attribute of, if any.

    The arguments and variables of a function, and of those within it, mean nothing outside.
    """
    for function in [*definition.bases, *definition.body] if isinstance(definition, ast.ClassDef) else [definition]:
        nodes = list(ast.walk(function))
        local = {node.arg for node in nodes if isinstance(node, ast.arg)}
        local |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in nodes:
            match node:
                case ast.Attribute(ast.Name(owner), attribute) if owner not in local:
                    yield owner, attribute
                case ast.Name(name) if name not in local:
                    yield "", name
