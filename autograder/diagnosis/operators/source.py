"""A definition as text and as a tree: where each node is in the text, and the text with other nodes in their places."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from autograder.diagnosis.operators.places import parsed

PRECEDENCE: dict[type[ast.AST], int] = {
    ast.Tuple: 0,
    ast.Lambda: 1,
    ast.IfExp: 1,
    ast.Or: 2,
    ast.And: 3,
    ast.Not: 4,
    ast.Compare: 5,
    ast.BitOr: 6,
    ast.BitXor: 7,
    ast.BitAnd: 8,
    ast.LShift: 9,
    ast.RShift: 9,
    ast.Add: 10,
    ast.Sub: 10,
    ast.Mult: 11,
    ast.Div: 11,
    ast.FloorDiv: 11,
    ast.Mod: 11,
    ast.MatMult: 11,
    ast.Invert: 12,
    ast.UAdd: 12,
    ast.USub: 12,
    ast.Pow: 13,
}
ATOM = 14
"""How closely what is no operator binds: names, calls, attributes, what is in brackets."""


@dataclass(frozen=True)
class Splice:
    """A part of the text, from start to end, that becomes another."""

    start: int
    end: int
    text: str


class Source:
    """The text of one definition, and its tree. Raises SyntaxError."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = parsed(text)
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node directly above each node."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def column(self, line: int, offset: int) -> int:
        """Return the column of a place that Python counts in bytes."""
        text = self._lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return where a node begins in the text, and where it ends."""
        first, last, start, end = _position(node)
        return self._starts[first - 1] + self.column(first, start), self._starts[last - 1] + self.column(last, end)

    def columns(self, node: ast.AST) -> tuple[int, int, int]:
        """Return the first line of a node, the column at which it begins there, and that at which it ends there."""
        line, last, start, end = _position(node)
        blank = self._lines[line - 1].rstrip()
        return line, self.column(line, start), self.column(line, end) if last == line else len(blank)

    def segment(self, node: ast.AST) -> str:
        """Return a node as it is written."""
        start, end = self.span(node)
        return self.text[start:end]

    def indentation(self, statement: ast.AST) -> str:
        """Return what stands before a statement, as far as it is blank."""
        line = self._lines[_position(statement)[0] - 1]
        return line[: len(line) - len(line.lstrip())]

    def replaced(self, old: ast.AST, new: ast.AST) -> Splice:
        """Put an expression in the place of another, in parentheses where it needs them."""
        old, new = smallest_difference(old, new)
        match self.parents.get(old):
            case ast.Subscript(value, index) as parent if index is old and isinstance(new, ast.Tuple):
                old, new = parent, ast.Subscript(value, new, ast.Load())  # a tuple has no parentheses there
        (start, end), text = self.span(old), ast.unparse(new)
        if self._needs_parentheses(old, new) and not (
            self.text[start - 1 : start] == "(" and self.text[end : end + 1] == ")"
        ):
            text = f"({text})"
        return Splice(start, end, text)

    def _needs_parentheses(self, old: ast.AST, new: ast.AST) -> bool:
        binding = precedence(new)
        if binding >= min(precedence(old), ATOM) or isinstance(new, ast.Tuple):
            return False
        match self.parents.get(old):
            case ast.BinOp() | ast.BoolOp() | ast.UnaryOp() | ast.Compare() as parent:
                return binding <= precedence(parent)
            case ast.Attribute() | ast.Starred() | ast.Await():
                return True
            case ast.Subscript(value=value) | ast.Call(func=value):
                return value is old
        return False

    def spliced(self, splices: Iterable[Splice]) -> str:
        """Return the text with other parts."""
        text = self.text
        for splice in sorted(splices, key=lambda splice: (splice.start, splice.end), reverse=True):
            text = text[: splice.start] + splice.text + text[splice.end :]
        return text


def _position(node: ast.AST) -> tuple[int, int, int, int]:
    """Return the first and the last line of a node, and the bytes before it and up to its end in these."""
    line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    last, end = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", offset)
    decorators = getattr(node, "decorator_list", [])
    if decorators:
        line, offset = decorators[0].lineno, decorators[0].col_offset - 1
    return line, last, offset, end


def precedence(node: ast.AST) -> int:
    """Return how closely an expression holds its parts together."""
    operator = getattr(node, "op", node)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value < 0:
        operator = ast.USub()
    return PRECEDENCE.get(type(operator), ATOM)


def smallest_difference(old: ast.AST, new: ast.AST) -> tuple[ast.AST, ast.AST]:
    """Return the one part in which a node differs from another that was made from its parts, else the two."""
    if type(old) is not type(new) or isinstance(old, ast.Constant):
        return old, new
    differing = []
    for (_, before), (_, after) in zip(ast.iter_fields(old), ast.iter_fields(new), strict=False):
        if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
            differing += [pair for pair in zip(before, after, strict=True) if pair[0] is not pair[1]]
        elif isinstance(before, ast.expr_context):
            continue
        elif before is not after if isinstance(before, ast.AST) else before != after:
            differing.append((before, after))
    match differing:
        case [(ast.expr() | ast.keyword() as before, ast.expr() | ast.keyword() as after)]:
            return smallest_difference(before, after)
    return old, new
