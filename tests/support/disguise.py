"""Copies in disguise: other names for values, independent neighbours the other way round, no comments; and helpers extracted."""

import ast
from collections.abc import Iterator, Sequence

USED = {"torch", "math", "nn", "F", "self", "Tensor"}
"""Names that no copy changes."""


def disguised(text: str) -> str:
    """Return a copy with other names and another order, without comments and docstrings."""
    return _unparsed(Disguise().visit(ast.parse(text)))


def extracted(text: str) -> str:
    """Return a disguised copy in which helpers hold the second half of each function and every second value of the first half."""
    tree = Disguise().visit(ast.parse(text))
    helpers: list[ast.stmt] = []
    for number, node in enumerate(one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)):
        helpers += _extract(node, f"part_{number}")
    imports = [one for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom)]
    tree.body = [*imports, *helpers, *(one for one in tree.body if one not in imports)]
    return _unparsed(tree)


def _unparsed(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree))


def without_docstring(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements without texts that do nothing."""
    return [one for one in statements if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]


class Disguise(ast.NodeTransformer):
    """Other names for local values, other orders; comments and docstrings go."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        changed = _stored([node]) - {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and one.id in changed:
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


def _extract(function: ast.FunctionDef, name: str) -> Iterator[ast.FunctionDef]:
    """Move the second half of a function into a helper, and every second value of the first; yield the helpers."""
    nested = (ast.FunctionDef, ast.Lambda, ast.Yield, ast.YieldFrom, ast.Nonlocal, ast.Global)
    calls = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    if any(isinstance(one, nested) for one in ast.walk(function) if one is not function) or "super" in calls:
        return
    half = len(function.body) // 2
    head, tail = function.body[:half], function.body[half:]
    local = [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]
    for number, statement in enumerate(head):
        if number % 2 == 0 and isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call | ast.BinOp):
            value = ast.Return(statement.value)
            yield _function(f"{name}_{number}", _read(local, [value]), [value])
            statement.value = _call(f"{name}_{number}", _read(local, [value]))
        local += sorted(_stored([statement]) - set(local))
    yield _function(name, _read(local, tail), tail)
    function.body = [*head, ast.Return(_call(name, _read(local, tail)))]


def _stored(statements: Sequence[ast.stmt]) -> set[str]:
    found = (one for statement in statements for one in ast.walk(statement) if isinstance(one, ast.Name))
    return {one.id for one in found if isinstance(one.ctx, ast.Store)}


def _read(local: Sequence[str], statements: Sequence[ast.stmt]) -> list[str]:
    """Return the local names in statements, in order."""
    found = {one.id for statement in statements for one in ast.walk(statement) if isinstance(one, ast.Name)}
    return [name for name in local if name in found]


def _function(name: str, arguments: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
    given = ast.arguments([], [ast.arg(one) for one in arguments], None, [], [], None, [])
    return ast.FunctionDef(name, given, body, [])


def _call(name: str, arguments: Sequence[str]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Name(one, ast.Load()) for one in arguments], [])
