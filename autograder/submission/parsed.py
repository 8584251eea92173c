"""Parse source without running it, and find the names that it defines, imports and mentions."""

from __future__ import annotations

import ast
import functools
import re
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograder.submission.model import Block, Source

DEFINED = re.compile(r"^(?:async +def|def|class) +(\w+)", re.MULTILINE)
"""The start of a top-level function or class. Works on a source that cannot be parsed, too."""

BLOCK = re.compile(r"@|(async +)?(def|for|with)\b|(class|if|match|try|while)\b")
"""The start of a statement that contains others."""

AT_MARGIN = re.compile(r"(?!else\b|elif\b|except\b|finally\b)[^\s#)\]}]")
"""The start of an unindented line that does not continue the statement above."""

OPEN_STRING = "unterminated triple-quoted string"
"""Python's message for a string without an end."""

DETECTED = re.compile(r" \(detected at line \d+\)$")
"""The end of a message that counts the lines of a piece."""

COSTLY = re.compile(r"(?:\.[\s\\]*+[^\W\d]\w*+[\s\\]*+){200}|0[xob]\w{3000}", re.IGNORECASE)
MOST_BRACES = 2_000
"""Limits on a source: CPython 3.11 needs gigabytes for a long `a.b.c`, minutes for many `{`."""

PARSING = threading.Lock()
"""The lock for parsing, because CPython 3.11 counts a tree's depth for all threads together."""


def parse(text: str, path: str = "") -> ast.Module:
    """Parse source. Raises SyntaxError, also if the source is too costly to parse or nested too deeply."""
    try:
        if text.count("{") > MOST_BRACES or COSTLY.search(text):
            raise ValueError("too many dots, braces or digits")
        with PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a run shows the warnings of invalid escapes
            return ast.parse(text)  # with a path, Python would quote the file's lines, though the text is a piece of it
    except SyntaxError as error:
        error.filename, error.msg = path, DETECTED.sub("", error.msg)
        error.text = next(iter(text.split("\n")[(error.lineno or 1) - 1 :]), None)
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or "it is nested too deeply", (path, None, None, None)) from None


@dataclass(frozen=True)
class Broken:
    """Lines that cannot be parsed. lineno: the first line. error: with its line in the whole source."""

    text: str
    lineno: int
    error: SyntaxError


class ParsedModule:
    """A parsed source. broken: the lines that cannot be parsed. error: the SyntaxError, or None."""

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
            self._leave_out_what_is_broken()

    @property
    def pieces(self) -> list[ast.stmt | Broken]:
        """The statements and the broken lines, in the order of the source."""
        return sorted([*self.statements, *self.broken], key=lambda piece: piece.lineno)

    @property
    def nodes(self) -> Iterator[ast.AST]:
        """All syntax nodes, statement by statement. Within a statement, parents precede children."""
        return (node for statement in self.statements for node in ast.walk(statement))

    @property
    def definitions(self) -> Iterator[tuple[str, ast.stmt]]:
        """The names defined at the top level, each with the statement that defines it."""
        for node in self.statements:
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(name)]):
                    yield name, node

    @functools.cached_property
    def imported(self) -> frozenset[str]:
        """The top-level names of all imported modules, such as `torch` for `torch.nn`."""
        return frozenset(imported_by(self.nodes))

    @property
    def tried(self) -> set[str]:
        """The top-level names of the modules that are imported in the body of a `try`."""
        bodies = (body for node in self.nodes if isinstance(node, ast.Try) for body in node.body)
        return imported_by(node for body in bodies for node in ast.walk(body))

    def _leave_out_what_is_broken(self) -> None:
        """Parse the source without the top-level statements that cannot be parsed by themselves."""
        lines = self._text.split("\n")
        start, ends, above = 0, [], lines[0]
        for number, line in enumerate(lines):
            if number and AT_MARGIN.match(line):
                ends += [] if above.startswith("@") else [number]
                above = line
        ends.append(len(lines))
        pieces: list[tuple[int, int, SyntaxError | None]] = []
        while start < len(lines):
            end, wrong = self._piece(lines, start, [end for end in ends if end > start])
            if wrong:
                wrong.lineno = (wrong.lineno or 1) + start
            if wrong and pieces and _cuts(lines[start:end], lines[pieces[-1][0]]):
                start, _, earlier = pieces.pop()
                wrong = earlier or wrong
            pieces.append((start, end, wrong))
            start = end
        for start, end, wrong in pieces:
            if wrong:
                self.broken.append(Broken("\n".join(lines[start:end]), start + 1, wrong))
                lines[start:end] = [""] * (end - start)
        try:
            self.statements = tuple(parse("\n".join(lines), self._path).body)
        except SyntaxError as error:
            self.broken = [Broken(self._text, 1, self.error or error)]

    def _piece(self, lines: list[str], start: int, ends: list[int]) -> tuple[int, SyntaxError | None]:
        """Return the end of the piece that begins at a line, and its error.

        A string may have lines at the margin: its piece is the first that can be parsed.
        """
        errors = ((end, error_of("\n".join(lines[start:end]), self._path)) for end in ends)
        first = next(errors)
        is_open = first[1] and OPEN_STRING in first[1].msg
        return next((one for one in errors if not one[1]), first) if is_open else first


def _cuts(lines: Sequence[str], above: str) -> bool:
    """Return whether broken lines, such as marks of a conflict, are within the statement above.

    Indented lines then follow one that is no statement. above: the first line of the statement.
    """
    is_indented = any(line[:1].isspace() and line.strip() for line in lines[1:])
    wrong = error_of(lines[0])
    return bool(
        BLOCK.match(above) and not BLOCK.match(lines[0]) and is_indented and wrong and "never closed" not in wrong.msg
    )


parsed = functools.lru_cache(maxsize=16)(ParsedModule)
"""Parse a source. Only 16 results are cached: each takes 100 times the memory of its source."""


def error_of(text: str, path: str = "") -> SyntaxError | None:
    """Return the SyntaxError of a source, or None if the source can be parsed."""
    try:
        parse(text, path)
    except SyntaxError as error:
        return error
    return None


def imported_by(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the top-level names of the modules that nodes import, such as `torch` for `torch.nn`."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                found |= {alias.name.partition(".")[0] for alias in aliases}
            case ast.ImportFrom(module=str(module)):
                found.add(module.partition(".")[0])
    return found


def within(node: ast.AST) -> list[ast.AST]:
    """Return the statements, exception handlers and match cases directly in a node."""
    inner = ast.stmt | ast.excepthandler | ast.match_case
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, inner)]


def names_of(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    found: set[str] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
    return found


def written(tree: ast.AST) -> frozenset[str]:
    """Return `ast.dump` of each simple statement, except docstrings, `pass` and a stub's `raise`."""
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
        """Return the locations at which a function or class is defined, such as `line 3 of cell 2`."""
        found = [(block, node) for block, node in self._of(part, step) if not isinstance(node, ast.Assign)]
        cells = [(f"line {node.lineno}", self._modules[part].cell(block)) for block, node in found]
        return list(dict.fromkeys(" of ".join(filter(None, place)) for place in cells))

    def begun(self, part: str, step: str, stub: str) -> bool:
        """Return whether a step's last definition has a statement that the step's stub lacks."""
        return any(written(node) - written(parse(stub)) for _, node in self._of(part, step)[-1:])

    def called_by(self, part: str, step: str) -> set[tuple[str, str]]:
        """Return the submission's definitions that a step uses, also indirectly, as (module, name)."""
        found, waiting = {(part, step)}, [(part, step)]
        while waiting:
            module, name = waiting.pop()
            mentioned = {home for _, node in self._of(module, name) for home in self._mentioned(module, node)} - found
            found |= mentioned
            waiting += mentioned
        return found - {(part, step)}

    def _mentioned(self, module: str, definition: ast.stmt) -> Iterator[tuple[str, str]]:
        others = sorted(self._modules[module].imported & self._modules.keys())
        for owner, name in _global_names(definition):
            homes = [owner] if owner else [module, *others]
            yield from [(home, name) for home in homes if self._of(home, name)][:1]

    def _of(self, module: str, name: str) -> list[tuple[Block, ast.stmt]]:
        if module not in self._read:
            self._read[module] = {}
            for block in self._modules[module].blocks if module in self._modules else ():
                for defined, node in block.parsed.definitions:
                    self._read[module].setdefault(defined, []).append((block, node))
        return self._read[module].get(name, [])


def unused_in(function: ast.FunctionDef) -> Iterator[ast.arg]:
    """Yield the arguments that a function does not use, except `self` and names that begin with `_`."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    named = {node.id for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    yield from (one for one in given if one.arg not in (*named, "self") and not one.arg.startswith("_"))


def _global_names(definition: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the global names that a definition mentions, as (owner, name): `torch`, `exp`."""
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
