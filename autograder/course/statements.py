"""The statements of a module's text: which one a line belongs to, and how it reads on one line."""

import ast
import functools
from collections.abc import Sequence


class Statements:
    """The statements of one text. One that holds others, such as a loop, is its header alone."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._ends: dict[int, int] = {}
        self._first: dict[int, int] = {}
        self._returns: set[int] = set()
        self._repeated: set[int] = set()
        self._comprehended: dict[int, list[str]] = {}
        nodes = list(ast.walk(ast.parse(text)))
        self._functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        for node in nodes:  # from the outside in: a line belongs to the innermost
            if isinstance(node, ast.stmt):
                if isinstance(node, ast.Return) and node.lineno not in self._ends:
                    self._returns.add(node.lineno)
                body = getattr(node, "body", None) or getattr(node, "cases", None)
                end = max(_line_of(body[0]) - 1, node.lineno) if body else node.end_lineno or node.lineno
                self._ends[node.lineno] = end
                self._first.update(dict.fromkeys(range(node.lineno, end + 1), node.lineno))
            if isinstance(node, ast.For | ast.While):
                self._repeated.update(range(node.lineno, (node.body[-1].end_lineno or node.lineno) + 1))
        for target in (node.target for node in nodes if isinstance(node, ast.comprehension)):
            names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
            self._comprehended.setdefault(self.first_line(target.lineno), []).extend(names)

    def first_line(self, line: int) -> int:
        """Return the first line of the statement that a line belongs to."""
        return self._first.get(line, line)

    def returns(self, first_line: int) -> bool:
        """Tell whether the statement that begins in a line is a `return`, and no other shares the line."""
        return first_line in self._returns

    def repeats(self, first_line: int) -> bool:
        """Tell whether the statement that begins in a line is a loop, or stands in one."""
        return first_line in self._repeated

    def comprehended(self, first_line: int) -> Sequence[str]:
        """Return the names that the comprehensions of the statement that begins in a line give to what they go through."""
        return self._comprehended.get(first_line, ())

    def assigned_from(self, first_line: int) -> Sequence[str]:
        """Return the names that a function gives from one of its statements on; `+=` changes what has its name already."""
        around = [one for one in self._functions if one.lineno <= first_line <= (one.end_lineno or one.lineno)]
        nodes = list(ast.walk(around[-1])) if around else []
        grown = {node.target for node in nodes if isinstance(node, ast.AugAssign)}
        given = (node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        return tuple(dict.fromkeys(node.id for node in given if node.lineno >= first_line and node not in grown))

    def text(self, first_line: int) -> str:
        """Return the statement that begins in a line, on one line."""
        lines = self._lines[first_line - 1 : self._ends.get(first_line, first_line)]
        return " ".join(line.strip() for line in lines)


@functools.lru_cache(maxsize=32)
def statements_of(text: str) -> Statements:
    """Return the statements of a text: the same modules are followed through one case after the other."""
    return Statements(text)


def _line_of(node: ast.AST) -> int:
    return node.pattern.lineno if isinstance(node, ast.match_case) else getattr(node, "lineno", 0)
