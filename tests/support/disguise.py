"""A copy in disguise: other names for values on the way, independent neighbours the other way round, no comments and docstrings."""

import ast
from collections.abc import Iterator

USED = {"torch", "math", "nn", "F", "self", "Tensor"}
"""Names that no copy changes."""


def without_docstring(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements without texts that do nothing."""
    return [one for one in statements if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]


class Disguise(ast.NodeTransformer):
    """Other names for local values, other orders; comments and docstrings go."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        stored = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and one.id in stored:
                one.id = f"my_{one.id}"
        self.generic_visit(node)
        node.body = list(exchanged(node.body))
        return node


def exchanged(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, two neighbours that have nothing to do with each other the other way round."""
    left = without_docstring(statements)
    while left:
        first = left.pop(0)
        if (
            left
            and all(isinstance(one, ast.Assign) for one in (first, left[0]))
            and names(first).isdisjoint(names(left[0]))
        ):
            yield left.pop(0)
        yield first


def names(statement: ast.stmt) -> set[str]:
    """Return the names of values in a statement."""
    return {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)} - USED
