"""Slips of masks: turned round, off by one, not cut, not applied; what is filled in."""

import ast
from collections.abc import Iterator

from autograder.diagnosis.operators.building import (
    Value,
    call,
    combined,
    constant,
    with_argument,
    with_function,
    with_keyword,
    without_keyword,
)
from autograder.diagnosis.operators.scope import Scope, called, numbers_of, subject

FILLS = frozenset({"masked_fill", "masked_fill_", "where", "full", "full_like", "fill_", "new_full"})


def turned_round(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """What it hides and what it shows are exchanged."""
    match node:
        case ast.UnaryOp(ast.Invert(), value):
            yield value
            return
        case ast.Call() if called(node) == "logical_not" and (inner := subject(node)) is not None:
            yield inner
            return
    match scope.parent(node):
        case ast.Call(args=arguments) as fill if called(fill) in FILLS and arguments and arguments[0] is node:
            yield ast.UnaryOp(ast.Invert(), node)
        case ast.Subscript(slice=index) if index is node and isinstance(node, ast.Name | ast.Attribute | ast.Compare):
            yield ast.UnaryOp(ast.Invert(), node)
        case ast.Assign() | ast.Return() if called(node) in ("tril", "triu", "bool", "ones") or isinstance(
            node, ast.Compare
        ):
            yield ast.UnaryOp(ast.Invert(), node)


def other_triangle(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """The triangle on the other side of the diagonal."""
    other = {"tril": "triu", "triu": "tril"}.get(called(node))
    if other:
        turned = with_function(node, other)
        yield turned
        for diagonal in (0, 1, -1):
            yield with_diagonal(turned, diagonal)


def other_diagonal(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """The triangle begins at another diagonal."""
    if called(node) in ("tril", "triu"):
        for diagonal in (1, 0, -1, 2):
            yield with_diagonal(node, diagonal)
        given = [*(node.args[index] for index in numbers_of(node)), *(key.value for key in node.keywords)]
        for each in (value for value in given if not isinstance(value, ast.Constant)):
            yield with_diagonal(node, combined(each, ast.Add, constant(1)))
            yield with_diagonal(node, combined(each, ast.Sub, constant(1)))


def with_diagonal(node: ast.Call, diagonal: Value) -> ast.expr:
    """Return a triangle that begins at a diagonal."""
    numbers = numbers_of(node)
    if numbers:
        return with_argument(node, numbers[0], diagonal)
    if any(key.arg == "k" for key in node.keywords):  # NumPy's word
        return with_keyword(node, "k", diagonal)
    if isinstance(diagonal, int) and not diagonal:
        return without_keyword(node, "diagonal")
    return with_keyword(node, "diagonal", diagonal)


def other_filling(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Another number is filled in."""
    match node:
        case ast.Call(ast.Name("float"), [ast.Constant(str(given))]):
            yield from (call(node.func, other) for other in ("-inf", "inf", "nan") if other != given)
            yield constant(0.0)
        case ast.Call(args=arguments) if called(node) in FILLS:
            for index in range(len(arguments)):
                if called(node) == "where" or index == len(arguments) - 1:
                    for value in (float("-inf"), 0.0, 1.0, float("inf")):
                        yield with_argument(node, index, value)


def needless_size(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """One number has a dimension of its own."""
    match node:
        case ast.Call(args=[ast.Constant(1)]) if called(node) in ("zeros", "ones", "empty"):
            yield ast.Call(node.func, [ast.Tuple([], ast.Load())], node.keywords)
