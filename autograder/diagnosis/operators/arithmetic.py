"""Slips of arithmetic: operators, scaling, comparisons, numbers."""

import ast
import re
from collections.abc import Callable, Iterator

from autograder.diagnosis.operators.building import attribute, call, combined, constant, name, own, root, size
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
SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.Lt: "<",
    ast.Gt: ">",
    ast.LtE: "<=",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}

PROBABILITY = re.compile(r"p$|.*(prob|rate|keep|drop)", re.IGNORECASE)
"""What a probability is called: one minus anything else is right by accident alone."""


def other_operator(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """Another operator between the same values."""
    yield from (combined(node.left, other, node.right) for other in OPERATORS.get(type(node.op), ()))


def operand_order(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """The values of a difference, a quotient or a power exchanged."""
    if not isinstance(node.op, ast.Add | ast.Mult | ast.MatMult):
        yield combined(node.right, type(node.op), node.left)


def regrouped(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """What belongs together is bracketed otherwise: `a / b * c` and `a / (b * c)`."""
    match node:
        case ast.BinOp(ast.BinOp(a, first, b), second, c):
            yield combined(a, type(first), combined(b, type(second), c))
    match node:
        case ast.BinOp(a, first, ast.BinOp(b, second, c)):
            yield combined(combined(a, type(first), b), type(second), c)


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


def scaled_anywhere(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A value is not divided, or not multiplied, by a size or its root."""
    if isinstance(node, ast.Name) and node.id not in scope.tensors:
        return
    for measure in measures(scope):
        yield combined(node, ast.Div, root(measure))
        yield combined(node, ast.Div, measure)
        yield combined(node, ast.Mult, root(measure))


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


def other_condition(node: ast.BoolOp | ast.UnaryOp | ast.IfExp, scope: Scope) -> Iterator[ast.expr]:
    """`and` for `or`, one condition of two, the two cases exchanged, a `not` too many."""
    match node:
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)
            yield from values
        case ast.UnaryOp(ast.Not(), value):
            yield value
        case ast.IfExp(test, body, other):
            yield ast.IfExp(test, other, body)
            yield body
            yield other


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


def other_number(node: ast.Constant, scope: Scope) -> Iterator[ast.expr]:
    """Quite another number."""
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        return
    near = [node.value * 2, node.value * 0.5, -node.value] if isinstance(node.value, float) else []
    tiny, huge = [1e-5] if 0 < abs(node.value) < 0.1 else [], [10000.0] if node.value >= 100 else []
    for value in (0, 1, -1, 2, 0.5, 1.0, 0.0, *near, *tiny, *huge, 3, 4, float("-inf")):
        if value != node.value or type(value) is not type(node.value):
            yield constant(value)


def size_for_number(node: ast.Constant, scope: Scope) -> Iterator[ast.expr]:
    """A number is written out where a size belongs, or a root of one."""
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        yield from map(name, scope.sizes)
        yield from map(own, scope.size_attributes)
    match scope.parent(node):
        case ast.BinOp(_, ast.Div() | ast.Mult(), right) if right is node:
            yield from (root(measure) for measure in measures(scope))


def one_off(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A size or an index that is one too small, or too large."""
    match node:
        case ast.Name(identifier) if identifier not in scope.sizes:
            return
        case ast.Subscript() if not is_measure(node, scope):
            return
        case ast.Call() if called(node) not in ("len", "size"):
            return
    yield combined(node, ast.Add, constant(1))
    yield combined(node, ast.Sub, constant(1))


def applied(*functions: str) -> Callable[[ast.expr, Scope], Iterator[ast.expr]]:
    """Return what puts a function without arguments around a value."""

    def find(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
        if not isinstance(node, ast.Name) or node.id in scope.tensors:
            yield from (call(attribute(node, function)) for function in functions)

    return find


def complement(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """One minus a probability in the place of the probability, or the other way round."""
    match node:
        case ast.BinOp(ast.Constant(1), ast.Sub(), value):
            yield value
        case ast.Name(identifier) | ast.Attribute(attr=identifier) if PROBABILITY.match(identifier):
            yield combined(constant(1), ast.Sub, node)


def missing_operand(*operators: type[ast.operator]) -> Callable[[ast.expr, Scope], Iterator[ast.expr]]:
    """Return what adds one more value, or multiplies with it."""

    def find(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
        others = [*map(name, scope.names), *map(own, scope.attributes)]
        for operator in operators:
            for other in others:
                yield combined(node, operator, other)
                yield combined(other, operator, node)
        if ast.MatMult in operators:
            yield from (
                combined(node, ast.MatMult, turned) for tensor in scope.tensors for turned in _turned(name(tensor))
            )

    return find


def missing_local(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A value that was computed here is not multiplied with, or added."""
    given = {argument.arg for argument in scope.function.args.args} if scope.function else set()
    for other in (name(tensor) for tensor in scope.tensors if tensor not in given):
        yield from (combined(node, operator, other) for operator in (ast.Mult, ast.Add, ast.Sub))


def _turned(value: ast.expr) -> Iterator[ast.expr]:
    yield attribute(value, "T")
    yield from (call(attribute(value, "transpose"), *pair) for pair in ((-2, -1), (1, 2), (2, 3)))


def root_of_sum(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """Something is added to a root, where the root of a sum is meant, or the other way round."""
    match node:
        case ast.BinOp(value, ast.Add(), added):
            inner = next(needless_root(value, scope), None)
            yield root(combined(inner or combined(value, ast.Pow, constant(2)), ast.Add, added))
        case ast.BinOp(ast.BinOp(value, ast.Add(), added), ast.Pow(), ast.Constant(0.5)):
            yield combined(root(value), ast.Add, added)


def rounded_down(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """What is left over after a whole division is forgotten."""
    match node:
        case ast.BinOp(left, ast.FloorDiv(), right):
            yield ast.UnaryOp(ast.USub(), combined(ast.UnaryOp(ast.USub(), left), ast.FloorDiv, right))


def same_object(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """A list that holds one and the same thing several times."""
    match node:
        case ast.BinOp(ast.List([element]), ast.Mult(), count):
            turns = ast.comprehension(ast.Name("_", ast.Store()), call(name("range"), count), [], 0)
            yield ast.ListComp(element, [turns])


def missing_factor(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A factor is forgotten."""
    yield from (combined(constant(number), ast.Mult, node) for number in (2, 0.5))
    yield from (combined(node, ast.Div, combined(constant(1), ast.Sub, name(size))) for size in scope.sizes)


def not_normalised(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A value is not divided by its sum."""
    if "sum" in scope.uses:
        yield combined(node, ast.Div, _along_rows(node, "sum"))


def not_shifted(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """The largest, or the mean, is not subtracted from a value."""
    if scope.uses & {"amax", "max", "softmax"}:
        yield combined(node, ast.Sub, _along_rows(node, "amax"))
    if "mean" in scope.uses:
        yield combined(node, ast.Sub, _along_rows(node, "mean"))


def _along_rows(node: ast.expr, operation: str) -> ast.expr:
    keywords = [ast.keyword("dim", constant(-1)), ast.keyword("keepdim", constant(True))]
    return ast.Call(attribute(node, operation), [], keywords)


def missing_epsilon(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Nothing keeps a divisor or a root away from zero."""
    if scope.uses & {"var", "std", "sqrt"}:
        yield combined(node, ast.Add, constant(1e-5))


def other_size_sum(node: ast.Name, scope: Scope) -> Iterator[ast.expr]:
    """A size is not divided by another, or not added to it."""
    if node.id in scope.sizes:
        for operator in (ast.FloorDiv, ast.Mult, ast.Add, ast.Sub, ast.Mod):
            yield from (combined(node, operator, name(other)) for other in scope.sizes if other != node.id)
