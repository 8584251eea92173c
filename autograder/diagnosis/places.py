"""Find statements, assigned variables and spots (ranges of columns in one line) in a source."""

import ast
import functools
from itertools import takewhile
from typing import Any

from autograder.grading.results import Spot
from autograder.submission.parsed import parsed

Span = tuple[int, ...]
"""The first line, last line, first column and end column of a node. Columns count bytes."""


class Statements:
    """The statements of a source. Of a compound statement, such as a loop, only the header counts."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._first: dict[int, int] = {}
        self._names: dict[Span, str] = {}
        for node in parsed(text).nodes:  # outer statements first: a line belongs to the innermost statement
            if isinstance(node, ast.stmt):
                self._first.update(dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), node.lineno))
            match node:
                case ast.Return(value=ast.expr() as value):
                    self._names[span_of(value)] = "return"
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                    self._names |= {span_of(one): ast.unparse(to) for to, one in zip(targets, values, strict=False)}
                case ast.Assign(targets=[ast.Subscript(value=owner) as target]):
                    self._names[span_of(target)] = ast.unparse(owner)
                case (
                    ast.Assign(targets=[target], value=value)
                    | ast.AnnAssign(target=target, value=ast.expr() as value)
                    | ast.For(target=target, iter=value)
                ):
                    self._names[span_of(value)] = ast.unparse(target).strip("()")
                case ast.ListComp(generators=[first, *_]) | ast.GeneratorExp(generators=[first, *_]):
                    name = ast.unparse(first.target).strip("()")
                    self._names |= {span_of(node): name, span_of(first.iter): name}
                case ast.AugAssign(target=target):
                    self._names[span_of(node)] = ast.unparse(target)

    def first_line(self, line: int) -> int:
        """Return the first line of the statement that contains a line."""
        return self._first.get(line, line)

    def text(self, first_line: int) -> str:
        """Return the text of the statement that begins on a line, joined into one line."""
        own = takewhile(lambda line: self.first_line(line) == first_line, range(first_line, len(self._lines) + 1))
        return " ".join(self._lines[line - 1].strip() for line in own)

    def name(self, span: Span) -> str:
        """Return the variable to which an expression is assigned, `return` if returned, or `""`."""
        return self._names.get(span, "")


statements_of = functools.lru_cache(maxsize=16)(Statements)
"""Return the statements of a source. The last 16 results are cached."""


def span_of(node: Any) -> Span:
    """Return the span of a node of a syntax tree."""
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def line_spot(path: str, line: int, text: str) -> Spot:
    """Return the spot of a line of a source, without the blanks around the code."""
    shown = "".join(text.splitlines()[line - 1 : line])
    return Spot(path, line, len(shown) - len(shown.lstrip()), len(shown.rstrip()), shown)


def span_spot(path: str, span: Span, text: str) -> Spot:
    """Return the spot of an expression. The spot includes only the expression's first line."""
    line, last, begin, end = span
    shown = line_spot(path, line, text).text
    first, after = (len(shown.encode()[:column].decode(errors="ignore")) for column in (begin, end))
    return Spot(path, line, first, after if last == line else len(shown), shown)
