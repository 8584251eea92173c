"""The statements of a module's text: which one a line belongs to, and how it reads on one line."""

import ast


class Statements:
    """The statements of one text. One that holds others, such as a loop, is its header alone."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._ends: dict[int, int] = {}
        self._first: dict[int, int] = {}
        for node in ast.walk(ast.parse(text)):  # from the outside in: a line belongs to the innermost
            if isinstance(node, ast.stmt):
                body = getattr(node, "body", None) or getattr(node, "cases", None)
                end = max(_line_of(body[0]) - 1, node.lineno) if body else node.end_lineno or node.lineno
                self._ends[node.lineno] = end
                self._first.update(dict.fromkeys(range(node.lineno, end + 1), node.lineno))

    def first_line(self, line: int) -> int:
        """Return the first line of the statement that a line belongs to."""
        return self._first.get(line, line)

    def text(self, first_line: int) -> str:
        """Return the statement that begins in a line, on one line."""
        lines = self._lines[first_line - 1 : self._ends.get(first_line, first_line)]
        return " ".join(line.strip() for line in lines)


def _line_of(node: ast.AST) -> int:
    return node.pattern.lineno if isinstance(node, ast.match_case) else getattr(node, "lineno", 0)
