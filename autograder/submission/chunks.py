"""The statements of a text that Python may not read as a whole: a definition that cannot be parsed costs no other."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autograder.submission.model import parse

DEFINED = re.compile(r"^(?:async +def|def|class) +(\w+)", re.MULTILINE)
"""A function or class at the top level of a text, be it Python or not."""

BEGINS = re.compile(r"@|(?:async|def|class|import|from)\b")
"""How a line looks with which reading goes on: an open bracket or text before it would have swallowed the line."""

AT_MARGIN = re.compile(r"(?!else\b|elif\b|except\b|finally\b)[^\s#)\]}]")
"""How a line at the margin looks that does not go on with what stands above it."""

MOST_JOINED = 4
"""Such lines that are tried as one piece: a decorator is read with its function, a text with what looks like code in it."""

MOST_PARSED = 2_000_000
"""Characters that are parsed in all while the pieces of one text are looked for: a second's work."""


@dataclass(frozen=True)
class Piece:
    """Whole lines of a text. statements: with the line numbers of the text; none where there is an error, which has them too."""

    text: str
    statements: tuple[ast.stmt, ...] = ()
    error: SyntaxError | None = None


def pieces_of(text: str, path: str) -> Iterator[Piece]:
    """Yield a text as one piece if it can be parsed, else the pieces that can and those that cannot. path: named by errors."""
    whole = _piece(text, 0, path)
    if not whole.error:
        yield whole
        return
    lines = text.split("\n")
    at_margin = [number for number, line in enumerate(lines) if number == 0 or AT_MARGIN.match(line)] + [len(lines)]
    first, left = 0, MOST_PARSED
    while first < len(at_margin) - 1:
        start = at_margin[first]
        for last in _ends(lines, at_margin, first):
            piece = _piece("\n".join(lines[start : at_margin[last]]), start, path)
            left -= len(piece.text) + MOST_JOINED
            if not piece.error or left < 0:
                break
        if left < 0:
            yield Piece("\n".join(lines[start:]), error=whole.error)
            return
        if piece.error:  # again below as many empty lines: Python's words may name a line too
            left -= start
            piece = replace(piece, error=_piece("\n" * start + piece.text, 0, path).error)
        yield piece
        first = last


def _ends(lines: list[str], at_margin: list[int], first: int) -> list[int]:
    """Return where the piece that begins at a line at the margin may end, the longest first, as indices of such lines."""
    ends: list[int] = []
    begun = 0
    for last in range(first + 1, len(at_margin)):
        ends.append(last)
        if at_margin[last] == len(lines) or BEGINS.match(lines[at_margin[last]]):
            begun += 1
        if begun == MOST_JOINED:
            break
    return ends[::-1]


def _piece(text: str, above: int, path: str) -> Piece:
    """Parse a piece. above: how many lines stand above it."""
    try:
        tree = parse(text)
    except SyntaxError as error:
        error.filename, error.lineno = path, error.lineno or above + 1
        error.msg = error.msg or "it is nested too deeply"
        return Piece(text, error=error)
    if above:  # a walk through the whole tree, as long as parsing it
        ast.increment_lineno(tree, above)
    return Piece(text, tuple(tree.body))


def names_of(statement: ast.stmt) -> set[str]:
    """Return the names to which a statement gives a meaning."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Import() | ast.ImportFrom():
            return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
