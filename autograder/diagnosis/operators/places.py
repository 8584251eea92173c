"""Where nodes are in a syntax tree, and how one is put in the place of another."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Place:
    """Where a node is in the tree: a field of its owner, or an item of a list in that field."""

    owner: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> Any:
        """What is there now."""
        value = getattr(self.owner, self.field)
        return value if self.index is None else value[self.index]

    def put(self, node: ast.AST) -> None:
        """Put another node there."""
        if self.index is None:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.index] = node


def parsed(text: str) -> ast.Module:
    """Parse a module, with `-1` as one constant instead of a minus and a 1. Raises SyntaxError."""
    tree = _NegativeNumbers().visit(ast.parse(text))
    assert isinstance(tree, ast.Module)
    return tree


class _NegativeNumbers(ast.NodeTransformer):
    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        match node:
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                return ast.copy_location(ast.Constant(-value), node)
        return self.generic_visit(node)


def children(owner: ast.AST) -> Iterator[Place]:
    """Yield the nodes directly below a node."""
    for field, value in ast.iter_fields(owner):
        if isinstance(value, ast.AST):
            yield Place(owner, field, None)
        elif isinstance(value, list):
            yield from (Place(owner, field, index) for index, item in enumerate(value) if isinstance(item, ast.AST))


def statements(owner: ast.AST) -> Iterator[Place]:
    """Yield every statement below a node."""
    for place in children(owner):
        if isinstance(place.node, ast.stmt):
            yield place
            yield from statements(place.node)


def expressions(owner: ast.AST) -> Iterator[Place]:
    """Yield every expression of a statement, but those of the statements inside it."""
    for place in children(owner):
        if not isinstance(place.node, ast.stmt):
            yield place
            yield from expressions(place.node)


def names_in(function: ast.FunctionDef) -> list[str]:
    """Return the arguments and the local variables of a function."""
    arguments = [argument.arg for argument in function.args.args if argument.arg != "self"]
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    return list(dict.fromkeys([*arguments, *(node.id for node in nodes if isinstance(node.ctx, ast.Store))]))


def own_attributes(definition: ast.AST) -> list[str]:
    """Return the attributes that a class gives to itself."""
    nodes = [node for node in ast.walk(definition) if isinstance(node, ast.Attribute)]
    return sorted({node.attr for node in nodes if isinstance(node.ctx, ast.Store)})


def exchanged(items: list[ast.expr], index: int) -> list[ast.expr]:
    """Return the items with one and its successor swapped."""
    return [*items[:index], items[index + 1], items[index], *items[index + 2 :]]
