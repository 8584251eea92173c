"""The way of the data through a definition: what a statement uses is made by other statements."""

import ast
from collections.abc import Collection, Iterator, Sequence

MAKES_OF_TEXT = ("register_", "setattr", "add_module")
"""How methods begin that make an attribute of which the name is written as text."""


def steps_back(statements: Sequence[ast.stmt], begin: Collection[ast.stmt]) -> dict[ast.stmt, int]:
    """Return how many steps back from some statements each of those lies that make what they use; those that do not are left out."""
    makers: dict[str, list[ast.stmt]] = {}
    for one in statements:
        for name in _made_by(one):
            makers.setdefault(name, []).append(one)
    found, waiting = dict.fromkeys(begin, 0), list(begin)
    for one in waiting:
        for name in _used_by(one):
            for maker in makers.get(name, ()):
                if maker not in found:
                    found[maker] = found[one] + 1
                    waiting.append(maker)
    return found


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement without those of statements inside it."""
    waiting: list[ast.AST] = [statement]
    for node in waiting:
        yield node
        waiting += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))


def _used_by(statement: ast.stmt) -> Iterator[str]:
    for node in _own(statement):
        match node:
            case ast.Name(name, ast.Load() | ast.Del()) if name != "self":
                yield name
            case ast.Attribute(ast.Name("self"), name, ast.Load()):
                yield f"self.{name}"
            case ast.AugAssign(ast.Name(name)):
                yield name
            case ast.AugAssign(ast.Attribute(ast.Name("self"), name)):
                yield f"self.{name}"


def _made_by(statement: ast.stmt) -> Iterator[str]:
    """Yield what a statement makes or changes: names, and attributes of `self`."""
    for node in _own(statement):
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name) | ast.FunctionDef(name=name):
                yield name
                yield f"self.{name}"
            case ast.Attribute(ast.Name("self"), name, ast.Store()):
                yield f"self.{name}"
            case ast.Attribute(ast.Name(name), _, ast.Store()) | ast.Subscript(ast.Name(name), _, ast.Store()):
                yield name
            case ast.Call(ast.Attribute(ast.Name("self"), called), [ast.Constant(str(name)), *_]) if called.startswith(
                MAKES_OF_TEXT
            ):
                yield f"self.{name}"
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))) if name != "self":
            yield name  # such as a list that something is appended to
        case ast.Expr(ast.Call(ast.Attribute(ast.Attribute(ast.Name("self"), name)))):
            yield f"self.{name}"
