"""Mutation operators on tensor operations: dimensions, sizes, products, masks."""

import ast

from autograder.diagnosis.operators.source import (
    Nodes,
    Operator,
    Scope,
    called,
    made,
    numbers_of,
    subject,
    with_argument,
    with_function,
    with_keyword,
)

KEEPS = frozenset({"sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "var", "std", "norm", "logsumexp"})
"""Names of reductions. With `keepdim=True`, the reduced dimension stays, with size 1."""

COUNTED = frozenset({"split", "chunk", "repeat_interleave", "roll"})
"""Names of operations that take a count or sizes as an argument before the dimension."""

ALONG = KEEPS | COUNTED | {"softmax", "log_softmax", "cumsum", "prod", "any", "all", "argsort", "sort", "topk", "flip"}
ALONG |= {"cat", "concat", "concatenate", "stack", "unbind", "unsqueeze", "squeeze", "flatten", "select", "narrow"}
ALONG |= {"unfold", "index_select", "gather", "Softmax"}
"""Names of operations that work along a dimension."""

FILLS = frozenset({"masked_fill", "masked_fill_", "where", "full_like", "fill_"})
NAMES = ("dim", "axis", "dims", "dim0", "dim1", "start_dim", "end_dim")
PAIRS = ((-2, -1), (1, 2), (0, 1), (2, 3), (0, 2), (1, 3))


def _dimension(node: ast.Call, scope: Scope) -> Nodes:
    if called(node) in ALONG:
        for key in node.keywords:
            if key.arg in NAMES:
                yield from (with_keyword(node, key.arg, other) for other in _others(key.value))
        for index in _dimensions_of(node):
            yield from (with_argument(node, index, other) for other in _others(node.args[index]))


def _others(given: ast.expr) -> Nodes:
    match given:
        case ast.Constant(int(number)):
            yield from (ast.Constant(value) for value in (-1, 0, 1, -2, 2) if value != number)
        case ast.Tuple(elements) | ast.List(elements):
            for index, element in enumerate(elements):
                for other in _others(element):
                    yield ast.Tuple([*elements[:index], other, *elements[index + 1 :]], ast.Load())


def _dimensions_of(node: ast.Call) -> list[int]:
    return numbers_of(node)[1:] if called(node) in COUNTED else numbers_of(node)


def _has_dimension(node: ast.Call) -> bool:
    return bool(_dimensions_of(node)) or any(key.arg in NAMES for key in node.keywords)


def _missing_dimension(node: ast.Call, scope: Scope) -> Nodes:
    if called(node) in ALONG and not _has_dimension(node):
        name = {"max": "amax", "min": "amin"}.get(called(node), called(node))  # `max` along a dimension returns a pair
        for value in (-1, 0, 1, -2):
            told = with_keyword(with_function(node, name), "dim", value)
            yield told
            if called(node) in KEEPS:
                yield with_keyword(told, "keepdim", True)


def _kept_dimension(node: ast.Call, scope: Scope) -> Nodes:
    if called(node) in KEEPS and _has_dimension(node):
        yield with_keyword(node, "keepdim", True)


def _transposed_dimensions(node: ast.Attribute | ast.Call, scope: Scope) -> Nodes:
    match node:
        case ast.Attribute(value, "T") | ast.Call(ast.Attribute(value, "t"), []):
            yield made("{}.transpose(-2, -1)", value)
            if called(value) in ("view", "reshape", "flatten", "squeeze") and (inner := subject(value)):
                yield made("{}.transpose(-2, -1)", inner)
        case ast.Call() if called(node) in ("transpose", "swapaxes") and (value_of := subject(node)):
            yield from (made("{}.transpose({}, {})", value_of, *pair) for pair in PAIRS)


def _size_dimension(node: ast.Subscript | ast.Call, scope: Scope) -> Nodes:
    match node:
        case ast.Subscript(ast.Attribute(attr="shape") as shape, ast.Constant(int(given))):
            yield from (made("{}[{}]", shape, value) for value in (-1, 0, 1, -2, 2) if value != given)
        case ast.Call(ast.Attribute(attr="size"), [ast.Constant(int())]):
            yield from (with_argument(node, 0, value) for value in (-1, 0, 1, -2, 2))


def _missing_transpose(node: ast.expr, scope: Scope) -> Nodes:
    above = scope.source.parent(node)
    is_operand = isinstance(above, ast.BinOp) and isinstance(above.op, ast.MatMult)
    if is_operand or (isinstance(above, ast.Call) and called(above) in ("matmul", "bmm", "mm") and node in above.args):
        yield made("{}.transpose(-2, -1)", node)


def _view_for_transpose(node: ast.Call, scope: Scope) -> Nodes:
    value, name, sizes = subject(node), called(node), [node.args[index] for index in numbers_of(node)]
    if not value or name not in ("view", "reshape", "flatten", "unflatten"):
        return
    yield made("{}.transpose(1, 2)", node)
    for index in range(1, len(sizes) - 1):
        order = [*sizes[:index], sizes[index + 1], sizes[index], *sizes[index + 2 :]]
        yield made("{}.{}({}).transpose({}, {})", value, name, ", ".join(map(ast.unparse, order)), index, index + 1)


def _size_one(node: ast.Call, scope: Scope) -> Nodes:
    if called(node) in ("zeros", "ones", "empty") and [ast.unparse(one) for one in node.args] == ["1"]:
        yield with_argument(node, 0, ast.Tuple([]))


def _pair_of_results(node: ast.Call, scope: Scope) -> Nodes:
    if called(node) in ("max", "min", "sort", "topk") and _has_dimension(node):
        yield from (made("{}.values", node), made("{}.indices", node))


def _mask_turned_round(node: ast.expr, scope: Scope) -> Nodes:
    match node, scope.source.parent(node):
        case ast.UnaryOp(ast.Invert(), value), _:
            yield value
        case _, ast.Call(args=[first, *_]) as fill if first is node and called(fill) in FILLS:
            yield made("~{}", node)
        case ((ast.Name() | ast.Attribute() | ast.Compare()), ast.Subscript(slice=index)) if index is node:
            yield made("~{}", node)
        case _, ast.Assign() | ast.Return() if isinstance(node, ast.Compare) or called(node) in ("tril", "triu"):
            yield made("~{}", node)


def _triangle(node: ast.Call, scope: Scope) -> Nodes:
    if other := {"tril": "triu", "triu": "tril"}.get(called(node)):
        yield with_function(node, other)
        yield from _diagonal(with_function(node, other), scope)


def _diagonal(node: ast.Call, scope: Scope) -> Nodes:
    given = {key.arg: key.value for key in node.keywords}
    at, key = next(iter(numbers_of(node)), None), "k" if "k" in given else "diagonal"
    now = given.get(key) if at is None else node.args[at]
    near = () if now is None or isinstance(now, ast.Constant) else (made("{} + 1", now), made("{} - 1", now))
    for start in (1, *([0] if now else ()), 2, -1, *near) if called(node) in ("tril", "triu") else ():
        yield with_keyword(node, key, start) if at is None else with_argument(node, at, start)


def _filling(node: ast.Call, scope: Scope) -> Nodes:
    match node:
        case ast.Call(ast.Name("float"), [ast.Constant(str(given))]):
            yield from (made(other) for other in ("float('-inf')", "float('inf')", "0.0") if given not in other)
        case ast.Call(args=given) if called(node) in FILLS and given:
            for index in range(len(given)) if called(node) == "where" else [len(given) - 1]:
                yield from (with_argument(node, index, made(value)) for value in ("float('-inf')", "0.0", "1.0"))


CALL, TURNS = ast.Call, (ast.Attribute, ast.Call)
OPERAND = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
OPERATORS = (
    Operator("pair_of_results", _pair_of_results, CALL, "`{of}` returns two things here, the values and their places"),
    Operator("dimension", _dimension, CALL, "`{of}` works along the wrong dimension"),
    Operator("missing_dimension", _missing_dimension, CALL, "`{of}` needs the dimension along which it works"),
    Operator("size_one", _size_one, CALL, "`{was}` has a dimension of size 1", removes=True),
    Operator("size_dimension", _size_dimension, (ast.Subscript, CALL), "`{was}` is the size of the wrong dimension"),
    Operator("kept_dimension", _kept_dimension, CALL, "`{of}` loses the dimension that it runs over"),
    Operator("transposed_dimensions", _transposed_dimensions, TURNS, "`{was}` exchanges the wrong dimensions"),
    Operator("missing_transpose", _missing_transpose, OPERAND, "`{of}` goes into the product the wrong way round"),
    Operator("view_for_transpose", _view_for_transpose, CALL, "`{of}` only cuts the numbers: it moves no dimension"),
    Operator("triangle", _triangle, CALL, "`{of}` keeps the wrong side of the diagonal"),
    Operator("diagonal", _diagonal, CALL, "`{of}` begins at the wrong diagonal"),
    Operator("mask_turned_round", _mask_turned_round, ast.expr, "`{was}` is True where it should be False"),
    Operator("filling", _filling, CALL, "`{was}` puts in the wrong number"),
)
