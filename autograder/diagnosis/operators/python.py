"""Mutation operators on any Python: arithmetic, constants, names, indices, arguments, statements."""

import ast
import difflib
from collections.abc import Iterator

from autograder.diagnosis.operators.source import (
    USUAL,
    Nodes,
    Operator,
    Rewritten,
    Scope,
    called,
    exchanged,
    is_library,
    made,
    subject,
    with_argument,
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
    if ast.unparse(node.value) == "self":
        yield from (ast.Attribute(node.value, other) for other in _likest(node.attr, scope.attributes))


def _likest(given: str, names: list[str]) -> list[str]:
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


def _turns(node: ast.Call, scope: Scope) -> Nodes:
    for at, bound in enumerate(node.args if called(node) == "range" else ()):
        yield from (with_argument(node, at, other) for other in _shifted(bound))


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
    if called(node) not in ("einsum", "register_buffer"):  # the first argument is a string
        yield from (ast.Call(node.func, other, node.keywords) for other in exchanged(node.args))


def _needless_argument(node: ast.Call, scope: Scope) -> Nodes:
    for at in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:at] + node.keywords[at + 1 :])
    for at in range(len(node.args)):
        yield ast.Call(node.func, [*node.args[:at], *node.args[at + 1 :]], node.keywords)


def _line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0]


def _dropped(it: ast.stmt, scope: Scope) -> Iterator[Rewritten]:
    if not isinstance(it, ast.Pass | ast.Return):
        inner = " and its block" if hasattr(it, "body") else ""
        yield Rewritten(it, (ast.Pass(),), f"without `{_line(it)}`{inner}")


def _out_of_loop(it: ast.stmt, scope: Scope) -> Iterator[Rewritten]:
    loop, block = scope.block(it)
    if isinstance(loop, ast.For) and block is loop.body:
        body = [one for one in block if one is not it] or [ast.Pass()]
        rest = ast.For(loop.target, loop.iter, body, loop.orelse, lineno=0)
        if it is block[-1]:
            yield Rewritten(loop, (rest, it), f"with `{_line(it)}` after the loop")
        if it is block[0]:
            yield Rewritten(loop, (it, rest), f"with `{_line(it)}` before the loop")


def _lost_result(it: ast.Expr, scope: Scope) -> Iterator[ast.stmt]:
    match it.value:
        case ast.Call(ast.Attribute(ast.Name() | ast.Attribute() as holder)) if not is_library(holder):
            yield from ast.parse(f"{_line(holder)} = {_line(it)}").body
    if it is scope.block(it)[1][-1]:
        yield ast.Return(it.value)


def _assignment(it: ast.stmt, scope: Scope) -> Iterator[ast.stmt]:
    match it:
        case ast.AugAssign(target, operator, value):
            yield ast.Assign([target], ast.BinOp(made("{}", target), operator, value), lineno=0)
            yield ast.Assign([target], value, lineno=0)
            yield from (ast.AugAssign(target, other(), value) for other in (ast.Add, ast.Sub, ast.Mult, ast.Div))
        case ast.Assign([ast.Name() | ast.Attribute() | ast.Subscript() as target], value):
            yield from (ast.AugAssign(target, other(), value) for other in (ast.Add, ast.Mult))


CALL, SUM = ast.Call, ast.BinOp
VALUE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp)
OPERATORS = (
    Operator("missing_scaling", _missing_scaling, VALUE, "`{of}` is not scaled"),
    Operator("other_power", _other_power, SUM, "`{was}` is the wrong power"),
    Operator("other_measure", _other_measure, VALUE, "`{was}` is not what it has to be scaled by"),
    Operator("needless_operand", _needless_operand, SUM, "`{was}` has one operation too many", removes=True),
    Operator("operator", _operator, SUM, "the operator in `{was}` is the wrong one"),
    Operator("comparison", _comparison, ast.Compare, "the comparison `{was}` holds in the wrong cases"),
    Operator("argument_order", _argument_order, CALL, "`{of}` gets its arguments in the wrong order"),
    Operator("turns", _turns, CALL, "`{was}` has a turn too many, or one too few"),
    Operator("attribute", _attribute, ast.Attribute, "`{was}` is the wrong attribute here"),
    Operator("next_number", _next_number, ast.Constant, "the number `{was}` is not right here"),
    Operator("name", _name, ast.Name, "`{was}` is the wrong variable here", USUAL),
    Operator("element_order", _element_order, (ast.Tuple, ast.List), "`{was}` is in the wrong order", USUAL),
    Operator("index", _index, ast.Subscript, "`{was}` takes the wrong part", USUAL),
    Operator("operand_order", _operand_order, SUM, "the two sides of `{was}` are in the wrong order", USUAL),
    Operator("sign", _sign, VALUE, "`{was}` has the wrong sign", USUAL),
    Operator("needless_call", _needless_call, (CALL, ast.Attribute), "`{of}` should not be applied here", USUAL, True),
    Operator("needless_argument", _needless_argument, CALL, "`{of}` has an argument too many", USUAL, True),
    Operator("lost_result", _lost_result, ast.Expr, "the result of `{was}` is kept by nothing"),
    Operator("out_of_loop", _out_of_loop, ast.stmt, "`{was}` is done in every turn of the loop"),
    Operator("assignment", _assignment, ast.stmt, "`{was}` has the wrong one of `=`, `+=`, `-=` and `*=`", USUAL),
    Operator("dropped", _dropped, ast.stmt, "`{was}` should not be there", USUAL, True),
)
