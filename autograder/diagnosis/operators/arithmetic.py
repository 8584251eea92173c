"""Slips of arithmetic: operators, scaling, comparisons, numbers."""

import ast
from collections.abc import Iterator

from autograder.diagnosis.operators.building import combined, constant, name, own, root, size
from autograder.diagnosis.operators.scope import Scope, called, goes_into, subject

OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult, ast.MatMult, ast.Div),
    ast.Sub: (ast.Add, ast.Mult, ast.Div),
    ast.Mult: (ast.MatMult, ast.Div, ast.Add, ast.Pow, ast.Sub, ast.FloorDiv),
    ast.Div: (ast.Mult, ast.FloorDiv, ast.Sub, ast.Mod),
    ast.FloorDiv: (ast.Div, ast.Mod, ast.Mult),
    ast.Mod: (ast.FloorDiv, ast.Div),
    ast.Pow: (ast.Mult, ast.Div),
    ast.MatMult: (ast.Mult, ast.Add),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
COMPARISONS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.Gt, ast.LtE, ast.GtE, ast.Eq, ast.NotEq)


def other_operator(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """Another operator between the same values."""
    yield from (combined(node.left, other, node.right) for other in OPERATORS.get(type(node.op), ()))


def operand_order(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """The values of a difference, a quotient or a power exchanged."""
    if not isinstance(node.op, ast.Add | ast.Mult | ast.MatMult):
        yield combined(node.right, type(node.op), node.left)


def needless_operand(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """One of the two values should not be there."""
    yield node.left
    yield node.right


def needless_scaling(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """Divided or multiplied by a size or its root, and should not be."""
    if isinstance(node.op, ast.Div | ast.Mult | ast.FloorDiv):
        if is_measure(node.right, scope):
            yield node.left
        if is_measure(node.left, scope):
            yield node.right


def is_measure(node: ast.expr, scope: Scope) -> bool:
    """Return whether a value may be scaled by an expression: a size, its root, a number."""
    match node:
        case ast.BinOp(left, _, _):
            return is_measure(left, scope)
        case ast.Call() if called(node) in ("sqrt", "rsqrt", "len", "size", "tensor", "float") and node.args:
            return True
        case ast.Call(ast.Attribute(attr="size")) | ast.Subscript(ast.Attribute(attr="shape")):
            return True
        case ast.Name(identifier):
            return identifier in scope.sizes or "scale" in identifier
        case ast.Attribute(ast.Name("self"), identifier):
            return identifier in scope.size_attributes or "scale" in identifier
        case ast.Constant(int() | float()):
            return True
    return False


def measures(scope: Scope) -> Iterator[ast.expr]:
    """Yield the sizes that are at hand."""
    yield from map(name, scope.sizes)
    yield from map(own, scope.size_attributes)
    yield from (size(name(tensor), -1) for tensor in scope.tensors[:8])


def missing_scaling(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """What goes into a softmax, or comes out of a matrix product, is not divided by the root of a size."""
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    if (
        goes_into(node, scope) == "softmax"
        or product
        or called(node) in ("matmul", "bmm", "einsum", "masked_fill", "dot")
    ):
        yield from (combined(node, ast.Div, root(measure)) for measure in measures(scope))


def missing_root(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Scaled by a size itself, not by its root."""
    match scope.parent(node):
        case ast.BinOp(_, ast.Div() | ast.Mult(), right) if (
            right is node and not isinstance(node, ast.BinOp) and is_measure(node, scope)
        ):
            yield root(node)


def needless_root(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A root is taken and should not be, or of the wrong thing."""
    match node:
        case ast.BinOp(value, ast.Pow(), ast.Constant(0.5)):
            yield value
        case ast.Call() if called(node) == "sqrt" and (squared := subject(node)):
            yield squared


def other_power(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """Another power: of the other sign, or a root in its place."""
    match node:
        case ast.BinOp(value, ast.Pow(), ast.UnaryOp(ast.USub(), power)):
            yield combined(value, ast.Pow, power)
            yield combined(value, ast.Pow, constant(-0.5))
        case ast.BinOp(value, ast.Pow(), power):
            yield root(value)
            yield combined(value, ast.Pow, ast.UnaryOp(ast.USub(), power))
            yield combined(value, ast.Pow, constant(2))


def other_measure(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Scaled by the size of something else."""
    match scope.parent(node):
        case ast.BinOp(_, ast.Pow() | ast.Div() | ast.Mult()):
            pass
        case ast.Call() as function if called(function) in ("sqrt", "rsqrt", "tensor"):
            pass
        case _:
            return
    if is_measure(node, scope) and not isinstance(node, ast.Constant | ast.BinOp):
        yield from measures(scope)
        yield from (combined(measure, ast.Pow, constant(power)) for measure in measures(scope) for power in (0.5, -0.5))


def other_comparison(node: ast.Compare, scope: Scope) -> Iterator[ast.expr]:
    """Another comparison of the same two values."""
    match node:
        case ast.Compare(left, [operator], [right]) if isinstance(operator, COMPARISONS):
            mirrored = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
            for other in sorted(COMPARISONS, key=lambda other: other is not mirrored.get(type(operator))):
                if not isinstance(operator, other):
                    yield ast.Compare(left, [other()], [right])
        case ast.Compare(left, [ast.Is()], right):
            yield ast.Compare(left, [ast.IsNot()], right)
        case ast.Compare(left, [ast.IsNot()], right):
            yield ast.Compare(left, [ast.Is()], right)


def other_sign(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A minus too many, or too few."""
    match node:
        case ast.UnaryOp(ast.USub(), value):
            yield value
        case ast.Constant():
            return
        case _:
            yield ast.UnaryOp(ast.USub(), node)


def next_number(node: ast.Constant, scope: Scope) -> Iterator[ast.expr]:
    """A whole number that is one off, or of the other sign; a truth turned round."""
    match node.value:
        case bool():
            yield constant(not node.value)
        case int():
            yield from map(constant, (node.value + 1, node.value - 1))
            if node.value:
                yield constant(-node.value)
