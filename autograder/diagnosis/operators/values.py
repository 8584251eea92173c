"""Operators on values: arithmetic, numbers, names, indices, arguments."""

import ast
import difflib

from autograder.diagnosis.operators.source import (
    USUAL,
    Nodes,
    Operator,
    Scope,
    called,
    exchanged,
    is_library,
    made,
    subject,
)

OTHERS = ("*", "@", "/", "|", "&", "+", "-", "//", "**")
COMPARISONS = (">", "<=", "<", ">=", "==", "!=")


def _operator(node: ast.BinOp, scope: Scope) -> Nodes:
    yield from (made(f"{{}} {other} {{}}", node.left, node.right) for other in OTHERS)


def _comparison(node: ast.Compare, scope: Scope) -> Nodes:
    if len(node.ops) == 1:
        yield from (made(f"{{}} {other} {{}}", node.left, node.comparators[0]) for other in COMPARISONS)


def _operand_order(node: ast.BinOp, scope: Scope) -> Nodes:
    if not isinstance(node.op, ast.Add | ast.Mult):
        yield ast.BinOp(node.right, node.op, node.left)


def _needless_operand(node: ast.BinOp, scope: Scope) -> Nodes:
    yield from (node.left, node.right)


def _missing_scaling(node: ast.expr, scope: Scope) -> Nodes:
    above = scope.source.parent(node)
    into = scope.source.parent(above) if isinstance(above, ast.Attribute) else above
    is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    is_given = into and called(into) == "softmax" and subject(into) is node
    if is_product or is_given or called(node) in ("matmul", "bmm", "einsum", "masked_fill", "dot"):
        yield from (made(f"{{}} / {measure} ** 0.5", node) for measure in scope.measures)


def _other_measure(node: ast.expr, scope: Scope) -> Nodes:
    above = scope.source.parent(node)
    scales = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Pow | ast.Div | ast.Mult)
    is_measure = scope.is_size(node) or called(node) in ("sqrt", "rsqrt") or "scale" in ast.unparse(node)
    if is_measure and (scales or called(above) in ("sqrt", "rsqrt", "tensor")):
        yield made("{} ** 0.5", node)
        yield from (made(f"{measure}{root}") for root in ("", " ** 0.5", " ** -0.5") for measure in scope.measures)


def _other_power(node: ast.BinOp, scope: Scope) -> Nodes:
    if isinstance(node.op, ast.Pow):
        yield node.left
        yield from (made(f"{{}} ** {other}", node.left) for other in (0.5, f"-({ast.unparse(node.right)})", 2))


def _sign(node: ast.expr, scope: Scope) -> Nodes:
    match node, scope.source.parent(node):
        case ast.UnaryOp(ast.USub(), value), _:
            yield value
        case _, ast.BinOp() | ast.Return() | ast.Assign():
            yield made("-{}", node)


def _next_number(node: ast.Constant, scope: Scope) -> Nodes:
    match node.value:
        case bool():
            yield ast.Constant(not node.value)
        case int():
            yield from map(ast.Constant, (node.value + 1, node.value - 1, -node.value))


def _name(node: ast.Name, scope: Scope) -> Nodes:
    if not is_library(node):
        alike, unlike = (scope.sizes, scope.tensors) if node.id in scope.sizes else (scope.tensors, scope.sizes)
        yield from map(ast.Name, [*_likest(node.id, alike), *_likest(node.id, unlike)])


def _attribute(node: ast.Attribute, scope: Scope) -> Nodes:
    match node:
        case ast.Attribute(ast.Name("self") as owner, given):
            yield from (ast.Attribute(owner, other) for other in _likest(given, scope.attributes))


def _likest(given: str, names: list[str]) -> list[str]:
    """Return names, those first that are written alike."""
    return sorted(names, key=lambda one: -difflib.SequenceMatcher(None, given, one).quick_ratio())


def _element_order(node: ast.Tuple | ast.List, scope: Scope) -> Nodes:
    if not isinstance(scope.source.parent(node), ast.Subscript):
        yield from (type(node)(other, node.ctx) for other in exchanged(node.elts))


def _index(node: ast.Subscript, scope: Scope) -> Nodes:
    match node:
        case ast.Subscript(ast.Attribute(attr="shape")):
            return
        case ast.Subscript(value, ast.Tuple(elements)):
            yield from (_item(value, other) for other in exchanged(elements))
            for at, element in enumerate(elements):
                yield from (_item(value, [*elements[:at], other, *elements[at + 1 :]]) for other in _parts(element))
                yield _item(value, [*elements[:at], *elements[at + 1 :]])
                yield _item(value, [*elements[:at], ast.Slice(), *elements[at:]])
        case ast.Subscript(value, part):
            yield from (_item(value, [other]) for other in _parts(part))
            yield from (_item(value, [ast.Slice(), part]), _item(value, [ast.Constant(...), part]), value)


def _item(value: ast.expr, parts: list[ast.expr]) -> ast.expr:
    return ast.Subscript(value, parts[0] if len(parts) == 1 else ast.Tuple(parts))


def _parts(part: ast.expr) -> Nodes:
    match part:
        case ast.Slice(lower, upper, step):
            yield from (ast.Slice(other, upper, step) for other in _shifted(lower))
            yield from (ast.Slice(lower, other, step) for other in _shifted(upper))
            yield ast.Slice(upper, lower, step)
            if upper and not lower:
                yield ast.Slice(made("-{}", upper), None, step)
            yield from (ast.Slice(lower, None, step), ast.Slice(None, upper, step), ast.Slice(lower, upper))
        case _:
            yield from (*_shifted(part), ast.Slice(), ast.Constant(-1), ast.Constant(0))


def _shifted(bound: ast.expr | None) -> Nodes:
    match bound:
        case ast.Constant(int(value)):
            yield from map(ast.Constant, (value + 1, value - 1, -value))
        case ast.UnaryOp(ast.USub(), value) | ast.BinOp(value, ast.Add() | ast.Sub(), ast.Constant()):
            yield value
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call() | ast.BinOp():
            yield from (made("{} + 1", bound), made("{} - 1", bound))


def _gradient_stop(node: ast.Call | ast.Attribute, scope: Scope) -> Nodes:
    match node:
        case ast.Call(ast.Attribute(value, "detach" | "item" | "tolist" | "numpy")) | ast.Attribute(value, "data"):
            yield value
        case ast.Call(args=[value, *_]) if called(node) in ("tensor", "as_tensor", "Tensor"):
            yield value


def _needless_call(node: ast.Call | ast.Attribute, scope: Scope) -> Nodes:
    match node:
        case ast.Attribute(value, "T" | "mT"):
            yield value
        case ast.Call(ast.Attribute(value)) if not is_library(value):
            yield value
        case ast.Call(ast.Name() as function):
            yield function
    if isinstance(node, ast.Call):
        yield from (given for given in node.args[:1] if not isinstance(given, ast.Constant | ast.Starred))


def _argument_order(node: ast.Call, scope: Scope) -> Nodes:
    if called(node) not in ("einsum", "register_buffer"):  # the first is a text
        yield from (ast.Call(node.func, other, node.keywords) for other in exchanged(node.args))
        match node:
            case ast.Call(ast.Attribute(value, given), [argument]) if not is_library(value):
                yield ast.Call(ast.Attribute(argument, given), [value], node.keywords)


def _needless_argument(node: ast.Call, scope: Scope) -> Nodes:
    for at in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:at] + node.keywords[at + 1 :])
    for at in range(len(node.args)):
        yield ast.Call(node.func, [*node.args[:at], *node.args[at + 1 :]], node.keywords)


CALL, SUM = ast.Call, ast.BinOp
VALUE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp)
OPERATORS = (
    Operator(
        "gradient_stop", _gradient_stop, (CALL, ast.Attribute), "the gradient is cut off at `{was}`", removes=True
    ),
    Operator("missing_scaling", _missing_scaling, VALUE, "`{of}` is not scaled"),
    Operator("other_power", _other_power, SUM, "`{was}` is the wrong power"),
    Operator("other_measure", _other_measure, VALUE, "`{was}` is not what it has to be scaled by"),
    Operator("needless_operand", _needless_operand, SUM, "`{was}` has one operation too many", removes=True),
    Operator("operator", _operator, SUM, "the operator in `{was}` is the wrong one"),
    Operator("comparison", _comparison, ast.Compare, "the comparison `{was}` holds in the wrong cases"),
    Operator("argument_order", _argument_order, CALL, "`{of}` gets its arguments in the wrong order"),
    Operator("attribute", _attribute, ast.Attribute, "`{was}` is the wrong attribute here"),
    Operator("next_number", _next_number, ast.Constant, "the number `{was}` is not right here"),
    Operator("name", _name, ast.Name, "`{was}` is the wrong variable here", USUAL),
    Operator(
        "element_order", _element_order, (ast.Tuple, ast.List), "`{was}` has its elements in the wrong order", USUAL
    ),
    Operator("index", _index, ast.Subscript, "`{was}` takes the wrong part", USUAL),
    Operator("operand_order", _operand_order, SUM, "the two sides of `{was}` are in the wrong order", USUAL),
    Operator("sign", _sign, VALUE, "`{was}` has the wrong sign", USUAL),
    Operator("needless_call", _needless_call, (CALL, ast.Attribute), "`{of}` should not be applied here", USUAL, True),
    Operator("needless_argument", _needless_argument, CALL, "`{of}` has an argument too many", USUAL, True),
)
