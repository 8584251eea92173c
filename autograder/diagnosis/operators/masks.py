"""Slips of masks: turned round, off by one, not cut, not applied; what is filled in."""

import ast
from collections.abc import Iterator

from autograder.diagnosis.operators.arithmetic import measures
from autograder.diagnosis.operators.building import (
    Value,
    attribute,
    call,
    combined,
    constant,
    item,
    method,
    name,
    own,
    size,
    with_argument,
    with_function,
    with_keyword,
    without_keyword,
)
from autograder.diagnosis.operators.scope import Scope, called, goes_into, is_library, is_numpy, numbers_of, subject

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


def diagonal_of_size(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """The diagonal depends on a size."""
    if called(node) in ("tril", "triu"):
        for measure in list(measures(scope))[:8]:
            yield with_diagonal(node, measure)
            yield with_diagonal(node, combined(measure, ast.Add, constant(1)))


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


def uncut(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A mask is not cut to the numbers of rows and columns that there are."""
    if isinstance(node, ast.Attribute) and not is_library(node.value):
        for rows in scope.sizes[:6]:
            yield item(node, ast.Slice(None, name(rows)), ast.Slice(None, name(rows)))
        for tensor in scope.tensors[:6]:
            for rows_of, columns_of in ((-2, -1), (1, 1), (-1, -1)):
                sizes = size(name(tensor), rows_of), size(name(tensor), columns_of)
                yield item(node, ast.Slice(None, sizes[0]), ast.Slice(None, sizes[1]))


def missing_mask(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """What should be hidden before a softmax, or from a result, is not."""
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    if not (goes_into(node, scope) == "softmax" or product or isinstance(scope.parent(node), ast.Return | ast.Assign)):
        return
    if scope.uses & {"masked_fill", "where"}:
        for mask in _masks(node, scope):
            yield method(node, "masked_fill", mask, float("-inf"))
    if "tril" in scope.uses:
        yield method(node, "tril")


def _masks(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    said = ("mask", "hidden", "keep", "causal", "allowed", "future", "visible", "bias", "tri")
    for identifier in scope.tensors:
        if any(word in identifier.lower() for word in said):
            yield name(identifier)
            yield ast.UnaryOp(ast.Invert(), name(identifier))
    for identifier in scope.attributes:
        if any(word in identifier.lower() for word in said):
            cut = [
                item(own(identifier), ast.Slice(None, name(rows)), ast.Slice(None, name(rows)))
                for rows in scope.sizes[:4]
            ]
            for mask in (*cut, own(identifier)):
                yield mask
                yield method(mask, "bool")
    if isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Attribute):
        ones = call(attribute(name("torch"), "ones_like"), node)
        yield method(method(ones, "triu", diagonal=1), "bool")


def needless_size(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """One number has a dimension of its own."""
    match node:
        case ast.Call(args=[ast.Constant(1)]) if called(node) in ("zeros", "ones", "empty"):
            yield ast.Call(node.func, [ast.Tuple([], ast.Load())], node.keywords)


def other_start(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """A running value, or a number of its own, begins as something else."""
    if called(node) in ("zeros", "ones", "empty") and node.args and not is_numpy(node.func):
        full = attribute(name("torch"), "full")
        sizes = (
            node.args[0]
            if len(node.args) == 1 and not isinstance(node.args[0], ast.Constant)
            else ast.Tuple(node.args, ast.Load())
        )
        yield from (ast.Call(full, [sizes, constant(value)], node.keywords) for value in (float("-inf"), float("inf")))
    if called(node) in ("zeros_like", "ones_like") and node.args:
        yield call(attribute(name("torch"), "full_like"), node.args[0], float("-inf"))
    if called(node) in ("new_zeros", "new_ones") and node.args and (value := subject(node)) is not None:
        sizes = node.args[0] if len(node.args) == 1 else ast.Tuple(node.args, ast.Load())
        yield method(value, "new_full", sizes, float("-inf"))
