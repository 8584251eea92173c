"""A text as Python reads it, parsed once for all who ask what it defines, imports and mentions. It is never run."""

from __future__ import annotations

import ast
import functools
import re
import threading
import unicodedata
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograder.submission.model import Source

DEFINED = re.compile(r"^(?:async +def|def|class) +(\w+)", re.MULTILINE)
"""A function or class at the top level of a text, be it Python or not."""

BEGINS = re.compile(r"@|(?:async|def|class|import|from)\b")
"""A line with which reading goes on: an open bracket or text above it would have swallowed it."""

AT_MARGIN = re.compile(r"(?!else\b|elif\b|except\b|finally\b)[^\s#)\]}]")
"""A line at the margin that does not continue the one above it."""

MOST_JOINED = 4
"""Such lines in one piece: a decorator and its function, a text with what looks like code in it."""

MOST_PARSED = 2_000_000
"""Characters that are parsed while the pieces of one text are looked for: a second's work."""

COSTLY = re.compile(r"(?:\.[\s\\]*+[^\W\d]\w*+[\s\\]*+){200}|0[xob]\w{3000}", re.IGNORECASE)
MOST_BRACES = 2_000
"""CPython 3.11 takes gigabytes for a name of many dots and minutes for an f-string of many braces.

An integer of so many digits is read, and refused when it is written.
"""

PARSING = threading.Lock()
"""CPython 3.11 counts the depth of a tree for all threads at once."""

WORD = re.compile(r"\w+")
LOOK_ALIKE = re.compile(r"(?:\w|[^\x00-\x7f]){1,100}")
"""Letters and marks that Python may read as others. Long rows of marks take quadratic time."""

BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of a statement that hold others."""

MOST_CALLED = 500
"""Names that are followed from one step."""

Name = tuple[str, str]
"""A name at the top level of a module: (module, name)."""


def parse(text: str) -> ast.Module:
    """Return the syntax tree of a text. Raises SyntaxError where it is not Python, or too much for it."""
    if text.count("{") > MOST_BRACES or COSTLY.search(text):
        raise SyntaxError("too many dots, braces or digits")
    try:
        with PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an invalid escape: loading shows the student's own
            return ast.parse(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from None


@dataclass(frozen=True)
class Piece:
    """Whole lines of a text. statements: with the text's line numbers. error: why there are none."""

    text: str
    statements: tuple[ast.stmt, ...] = ()
    error: SyntaxError | None = None


class ParsedModule:
    """What a text defines. path: named by errors.

    statements: those of the whole text; none where it cannot be parsed. error: why it cannot.
    """

    def __init__(self, text: str, path: str = "") -> None:
        self._text = text
        self._path = path
        self._whole = _piece(text, 0, path)
        self.statements = self._whole.statements
        self.error = self._whole.error

    @functools.cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The text as one piece if it can be parsed, else the pieces that can and those that cannot."""
        return tuple(self._pieces()) if self.error else (self._whole,)

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

    @property
    def imports(self) -> Iterator[ast.Import | ast.ImportFrom]:
        """The imports, wherever they are."""
        waiting: list[ast.AST] = list(reversed(self.statements))
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield node
            waiting += reversed(within(node))

    def _pieces(self) -> Iterator[Piece]:
        lines = self._text.split("\n")
        starts = [number for number, line in enumerate(lines) if number == 0 or AT_MARGIN.match(line)] + [len(lines)]
        first, left = 0, MOST_PARSED
        while first < len(starts) - 1:
            start = starts[first]
            for last in _ends(lines, starts, first):
                piece = _piece("\n".join(lines[start : starts[last]]), start, self._path)
                left -= len(piece.text) + MOST_JOINED
                if not piece.error or left < 0:
                    break
            if left < 0:
                yield Piece("\n".join(lines[start:]), error=self.error)
                return
            if piece.error:  # again below as many empty lines: Python's words may name a line too
                left -= start
                piece = replace(piece, error=_piece("\n" * start + piece.text, 0, self._path).error)
            yield piece
            first = last


parsed = functools.lru_cache(maxsize=16)(ParsedModule)
"""The module of a text and its path. A tree takes a hundred times the memory of its text."""


def _ends(lines: list[str], starts: list[int], first: int) -> list[int]:
    """Return where the piece that begins at a line at the margin may end, the longest first, as indices of such lines."""
    ends: list[int] = []
    begun = 0
    for last in range(first + 1, len(starts)):
        ends.append(last)
        begun += starts[last] == len(lines) or bool(BEGINS.match(lines[starts[last]]))
        if begun == MOST_JOINED:
            break
    return ends[::-1]


def _piece(text: str, above: int, path: str) -> Piece:
    """Parse a piece. above: the number of lines above it."""
    try:
        tree = parse(text)
    except SyntaxError as error:
        error.filename, error.lineno = path, error.lineno or above + 1
        error.msg = error.msg or "it is nested too deeply"
        return Piece(text, error=error)
    if above:  # a walk through the whole tree, as long as parsing it
        ast.increment_lineno(tree, above)
    return Piece(text, tuple(tree.body))


def within(node: ast.AST) -> list[ast.AST]:
    """Return the statements, handlers and cases in one, and no expressions, of which there are ten times as many."""
    return [inner for name in BODIES for inner in getattr(node, name, ())]


def names_of(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Import() | ast.ImportFrom():
            return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def words_of(text: str) -> set[str]:
    """Return the words of a text, in the letters that Python reads for others, as `os` for the wide `ｏｓ`."""
    if not text.isascii():
        text = " ".join(unicodedata.normalize("NFKC", piece) for piece in LOOK_ALIKE.findall(text))
    return set(WORD.findall(text))


def imported_by(source: Source) -> set[str]:
    """Return the modules that a source imports anywhere; all its words where it is not Python as a whole."""
    found: set[str] = set()
    for block in source.blocks:
        if block.parsed.error:
            found |= words_of(block.text)
        for statement in block.parsed.imports:
            origins = [statement.module or ""] if isinstance(statement, ast.ImportFrom) else []
            names = origins or [alias.name for alias in statement.names]
            found |= {name.partition(".")[0] for name in names}
    return found


def written(node: ast.AST) -> frozenset[str]:
    """Return the simple statements that do something, without docstrings, `pass` and the `raise` of a stub.

    Raises RecursionError for what is nested too deeply.
    """
    return frozenset(_written(node))


def _written(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                pass
            case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
                pass
            case ast.stmt() if not any(isinstance(child, ast.stmt) for child in ast.iter_child_nodes(node)):
                yield ast.dump(node)


class _Module:
    """The names of one module.

    defined: the statements that define each, with their places. imported: where a name is from; an empty name is the module itself. stars: modules of which
    everything is imported.
    """

    def __init__(self, source: Source | None, modules: Mapping[str, Source]) -> None:
        self.defined: dict[str, list[tuple[ast.stmt, str]]] = {}
        self.imported: dict[str, Name] = {}
        self.stars: set[str] = set()
        for block in source.blocks if source else ():
            for name, node in block.parsed.definitions:
                place = " of ".join(filter(None, (f"line {node.lineno}", source.cell(block) if source else "")))
                self.defined.setdefault(name, []).append((node, place))
            for statement in block.parsed.imports:
                match statement:
                    case ast.Import(names=aliases):
                        known = (one for one in aliases if one.name in modules)
                        self.imported |= {one.asname or one.name: (one.name, "") for one in known}
                    case ast.ImportFrom(module=str(origin), names=[ast.alias("*")]) if origin in modules:
                        self.stars.add(origin)
                    case ast.ImportFrom(module=str(origin), names=aliases) if origin in modules:
                        self.imported |= {one.asname or one.name: (origin, one.name) for one in aliases}


class Definitions:
    """The functions, classes and other names that the modules of a submission define."""

    def __init__(self, modules: Mapping[str, Source]) -> None:
        self._modules = modules
        self._read: dict[str, _Module] = {}

    def places_of(self, part: str, step: str) -> list[str]:
        """Return where a function or class is defined, such as `line 3`; a cell that was run twice is one place."""
        found = self._module(part).defined.get(step, ())
        return list(dict.fromkeys(place for node, place in found if not isinstance(node, ast.Assign)))

    def begun(self, part: str, step: str, stub: str) -> bool:
        """Return whether the last definition of a step holds more than its stub."""
        found = self._module(part).defined.get(step, [])
        try:
            return bool(found) and bool(written(found[-1][0]) - written(parse(stub)))
        except RecursionError:  # no stub is nested so deeply
            return True

    def unused_arguments(self, part: str, step: str) -> list[str]:
        """Return the arguments of the last definition of a step, or of its methods, whose names are nowhere in it."""
        found = self._module(part).defined.get(step, [])
        functions = (node for one, _ in found[-1:] for node in ast.walk(one) if isinstance(node, ast.FunctionDef))
        return [one.arg for function in functions for one in unused_in(function)]

    def line(self, file: str, number: int) -> str:
        """Return a line of a file as it was written; nothing if there is none."""
        texts = (block.text for source in self._modules.values() for block in source.blocks if block.path == file)
        return "".join(next(texts, "").splitlines()[number - 1 : number])

    def name_at(self, file: str, number: int) -> str:
        """Return the name of the function or class at the top level that a line of a file is in.

        Nothing if it is in none, and in a file that cannot be parsed as a whole.
        """
        blocks = (block for source in self._modules.values() for block in source.blocks if block.path == file)
        found = ((name, node) for block in blocks for name, node in block.parsed.definitions)
        runs = ((name, node) for name, node in found if not isinstance(node, ast.Assign))
        return next((name for name, node in runs if node.lineno <= number <= (node.end_lineno or 0)), "")

    def called_by(self, part: str, step: str) -> set[Name]:
        """Return the names of the submission that a step mentions, directly or through others, without the step itself."""
        found, waiting = {(part, step)}, [(part, step)]
        while waiting and len(found) <= MOST_CALLED:
            module, name = waiting.pop()
            for node, _ in self._module(module).defined.get(name, ()):
                mentioned = set(self._mentioned(module, node)) - found
                found |= mentioned
                waiting += mentioned
        return found - {(part, step)}

    def _mentioned(self, module: str, definition: ast.stmt) -> Iterator[Name]:
        """Yield the names of the submission in a definition of a module."""
        here = self._module(module)
        for name, attribute in _global_names(definition):
            if name in here.defined:
                yield module, name
            elif name in here.imported:
                origin, original = here.imported[name]
                yield origin, original or attribute
            else:
                yield from ((star, name) for star in here.stars if name in self._module(star).defined)

    def _module(self, name: str) -> _Module:
        if name not in self._read:
            self._read[name] = _Module(self._modules.get(name), self._modules)
        return self._read[name]


def unused_in(function: ast.FunctionDef) -> Iterator[ast.arg]:
    """Yield the arguments of a function whose names are nowhere in it."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    named = {node.id for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    yield from (one for one in given if one.arg not in (*named, "self") and not one.arg.startswith("_"))


def _global_names(definition: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield what a definition mentions of its module by name, with the attribute that is asked of it, if any.

    The arguments and variables of a function, and of those within it, mean nothing outside.
    """
    for function in [*definition.bases, *definition.body] if isinstance(definition, ast.ClassDef) else [definition]:
        nodes = list(ast.walk(function))
        local = {node.arg for node in nodes if isinstance(node, ast.arg)}
        local |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in nodes:
            match node:
                case ast.Attribute(ast.Name(name), attribute) if name not in local:
                    yield name, attribute
                case ast.Name(name) if name not in local:
                    yield name, ""
