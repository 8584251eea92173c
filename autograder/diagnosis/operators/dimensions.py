"""Slips of dimensions: which one an operation runs over, whether it stays, in which order they are."""

import ast
import itertools
from collections.abc import Callable, Iterator

from autograder.diagnosis.operators.building import (
    attribute,
    combined,
    constant,
    item,
    method,
    size,
    with_argument,
    with_function,
    with_keyword,
    without_keyword,
)
from autograder.diagnosis.operators.places import exchanged
from autograder.diagnosis.operators.scope import Scope, called, numbers_of, subject

REDUCTIONS = frozenset(
    {"softmax", "log_softmax", "sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "var", "std", "cumsum"}
    | {"logsumexp", "norm", "normalize", "prod", "any", "all", "argsort", "sort", "topk", "flip", "Softmax", "softmin"}
)
"""What runs over a dimension."""

JOINS = frozenset(
    {"cat", "concat", "concatenate", "stack", "split", "chunk", "repeat_interleave", "unbind", "roll", "tensor_split"}
)
"""What puts tensors together along a dimension, or takes them apart."""

COUNTED = frozenset({"split", "chunk", "repeat_interleave", "roll", "tensor_split"})
"""What takes a number, or sizes, before the dimension."""

PLACES = frozenset(
    {"unsqueeze", "squeeze", "flatten", "unflatten", "select", "narrow", "unfold", "index_select", "gather", "movedim"}
)
"""What makes, removes or picks a dimension."""

KEEPS = frozenset(
    {"sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "var", "std", "norm", "logsumexp", "prod"}
)
"""What may keep the dimension that it runs over."""

Find = Callable[[ast.Call, Scope], Iterator[ast.expr]]
NAMES = ("dim", "axis", "dims", "dim0", "dim1", "start_dim", "end_dim")


def other_dimension(operations: frozenset[str], *values: int) -> Find:
    """Return what looks for dimensions of some operations, and gives them other values."""

    def find(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
        if called(node) not in operations:
            return
        for key in node.keywords:
            if key.arg in NAMES:
                yield from (with_keyword(node, key.arg, other) for other in _others(key.value, values))
        for index in _dimensions_of(node):
            yield from (with_argument(node, index, other) for other in _others(node.args[index], values))

    return find


def _others(dimension: ast.expr, values: tuple[int, ...]) -> Iterator[ast.expr]:
    match dimension:
        case ast.Constant(int(given)):
            yield from (ast.Constant(value) for value in values if value != given)
        case ast.Tuple(elements) | ast.List(elements):
            for index, element in enumerate(elements):
                for other in _others(element, values):
                    yield ast.Tuple([*elements[:index], other, *elements[index + 1 :]], ast.Load())


def missing_dimension(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """It runs over all numbers, or over a default."""
    if called(node) in REDUCTIONS | JOINS and not _has_dimension(node):
        for value in (-1, 0, 1, -2):
            told = ast.Call(node.func, node.args, [ast.keyword("dim", constant(value)), *node.keywords])
            largest = {"max": "amax", "min": "amin"}.get(
                called(node), called(node)
            )  # `max` along a dimension returns a pair
            yield with_function(told, largest)
            if called(node) in KEEPS:
                yield with_keyword(with_function(told, largest), "keepdim", True)


def _has_dimension(node: ast.Call) -> bool:
    return bool(_dimensions_of(node)) or any(key.arg in NAMES for key in node.keywords)


def _dimensions_of(node: ast.Call) -> list[int]:
    """Return the places of the arguments that say along which dimensions a call works."""
    return numbers_of(node)[1:] if called(node) in COUNTED else numbers_of(node)


def kept_dimension(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """It does not keep its dimension."""
    if called(node) in KEEPS and _has_dimension(node):
        given = {key.arg: key.value for key in node.keywords}
        if "keepdims" in given:
            return
        if not isinstance(given.get("keepdim"), ast.Constant) or not given["keepdim"].value:  # type: ignore[attr-defined]
            yield with_keyword(node, "keepdim", True)


def lost_dimension(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """It keeps its dimension and should not."""
    if called(node) in KEEPS and any(key.arg in ("keepdim", "keepdims") for key in node.keywords):
        yield without_keyword(node, "keepdim", "keepdims")
        yield with_keyword(without_keyword(node, "keepdims"), "keepdim", False)


PAIRS = ((-2, -1), (1, 2), (0, 1), (2, 3), (0, 2), (1, 3), (0, -1), (1, -1))


def other_pair(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """A transpose exchanges two other dimensions."""
    if called(node) in ("transpose", "swapaxes", "swapdims") and not node.keywords:
        before = node.args[: len(node.args) - len(numbers_of(node))]
        yield from (ast.Call(node.func, [*before, *map(constant, pair)], []) for pair in PAIRS)


def other_order(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """A permutation brings the dimensions into another order."""
    if called(node) == "permute":
        numbers = numbers_of(node)
        given = [node.args[index] for index in numbers]
        if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List):
            for order in _orders(given[0].elts):
                yield with_argument(node, numbers[0], ast.Tuple(order, ast.Load()))
        else:
            for order in _orders(given):
                yield ast.Call(node.func, [*node.args[: len(node.args) - len(given)], *order], node.keywords)


def _orders(values: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """Yield the other orders: first those that exchange two neighbours."""
    yield from (exchanged(values, index) for index in range(len(values) - 1))
    if len(values) <= 4:
        yield from map(list, itertools.permutations(values))


def other_size(*values: int) -> Callable[[ast.Subscript | ast.Call, Scope], Iterator[ast.expr]]:
    """Return what looks for sizes of a tensor, and takes them along another dimension."""

    def find(node: ast.Subscript | ast.Call, scope: Scope) -> Iterator[ast.expr]:
        match node:
            case ast.Subscript(ast.Attribute(attr="shape") as shape, ast.Constant(int(given))):
                yield from (item(shape, value) for value in values if value != given)
            case ast.Call(ast.Attribute(attr="size"), [ast.Constant(int(given))]):
                yield from (with_argument(node, 0, value) for value in values if value != given)
            case ast.Call(ast.Name("len"), [argument]):
                yield from (size(argument, value) for value in values if value)

    return find


def transposed_operand(*pairs: tuple[int, int]) -> Callable[[ast.expr, Scope], Iterator[ast.expr]]:
    """Return what turns round an operand of a matrix product."""

    def find(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
        match scope.parent(node):
            case ast.BinOp(op=ast.MatMult()):
                yield from (method(node, "transpose", *pair) for pair in pairs)
            case ast.Call(args=arguments) as product if (
                called(product) in ("matmul", "bmm", "mm", "dot", "mv") and node in arguments
            ):
                yield from (method(node, "transpose", *pair) for pair in pairs)

    return find


def transposed_view(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """A view cannot exchange dimensions: what it cuts up is transposed afterwards, what it joins beforehand."""
    if called(node) not in ("view", "reshape", "unflatten") or (value := subject(node)) is None:
        return
    sizes = [node.args[index] for index in numbers_of(node)]
    wrapped = len(sizes) == 1 and isinstance(sizes[0], ast.Tuple)
    if wrapped:
        sizes = sizes[0].elts  # type: ignore[attr-defined]
    yield method(node, "transpose", 1, 2)
    for index in range(1, len(sizes) - 1):
        yield method(method(value, called(node), *exchanged(sizes, index)), "transpose", index, index + 1)
    yield from (method(value, "transpose", *pair) for pair in ((1, 2), (-2, -1), (0, 1)))
    yield method(method(value, "transpose", 1, 2), "reshape", *sizes)
    yield method(method(value, "transpose", 0, 1), "reshape", *sizes)
    yield method(method(value, "transpose", -2, -1), "reshape", *sizes)
    yield method(node, "transpose", -2, -1)
    yield method(node, "transpose", 0, 1)


def needless_transpose_of_view(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """A view that has its sizes in another order, so that it has to be transposed."""
    view = subject(node)
    if called(node) not in ("transpose", "swapaxes", "permute") or not isinstance(view, ast.Call):
        return
    if called(view) in ("view", "reshape") and (value := subject(view)) is not None:
        yield from view_order(view, scope)
        yield method(value, called(node), *(node.args[index] for index in numbers_of(node)))


def flattened(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Dimensions are joined without being brought side by side."""
    if called(node) == "flatten" and (value := subject(node)) is not None:
        rest = [node.args[index] for index in numbers_of(node)]
        yield from (method(method(value, "transpose", *pair), "flatten", *rest) for pair in ((1, 2), (0, 1), (-2, -1)))


def untransposed(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """It is turned round and should not be."""
    match node:
        case ast.Attribute(value, "T" | "mT" | "H" | "mH"):
            yield value
        case ast.Call() if called(node) in ("transpose", "t", "permute", "swapaxes", "movedim") and (
            straight := subject(node)
        ):
            yield straight


def whole_transpose(node: ast.Attribute | ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """`.T` turns round all dimensions."""
    match node:
        case ast.Attribute(value, "T") | ast.Call(ast.Attribute(value, "t"), []):
            yield method(value, "transpose", -2, -1)
            flattening = called(value) in ("view", "reshape", "flatten", "squeeze")
            if flattening and (unflattened := subject(value)) is not None:
                yield method(unflattened, "transpose", -2, -1)
            yield attribute(value, "mT")
        case ast.Attribute(value, "mT"):
            yield attribute(value, "T")


def product_order(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """A matrix product from the other side."""
    match node:
        case ast.BinOp(left, ast.MatMult(), right):
            yield combined(right, ast.MatMult, left)
            left_inner, right_inner = _untransposed(left), _untransposed(right)
            if left_inner is not left or right_inner is not right:
                yield combined(_like(left, right_inner), ast.MatMult, _like(right, left_inner))


def _untransposed(node: ast.expr) -> ast.expr:
    match node:
        case ast.Attribute(value, "T" | "mT") | ast.Call(ast.Attribute(value, "transpose" | "t" | "permute")):
            return value
    return node


def _like(node: ast.expr, value: ast.expr) -> ast.expr:
    """Return a value, transposed as a node is."""
    match node:
        case ast.Attribute(_, "T" | "mT" as attr):
            return attribute(value, attr)
        case ast.Call(ast.Attribute(_, "transpose" | "t" | "permute" as attr), arguments):
            return method(value, attr, *arguments)
    return value


def view_order(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """The sizes of a view in another order."""
    if called(node) in (
        "view",
        "reshape",
        "expand",
        "repeat",
        "unflatten",
        "zeros",
        "ones",
        "rand",
        "randn",
        "empty",
        "new_zeros",
    ):
        numbers = (
            range(len(node.args)) if called(node) in ("zeros", "ones", "rand", "randn", "empty") else numbers_of(node)
        )
        for first, second in itertools.combinations(numbers, 2):
            arguments = list(node.args)
            arguments[first], arguments[second] = arguments[second], arguments[first]
            yield ast.Call(node.func, arguments, node.keywords)


def squeezed_once(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """One dimension of size 1 is removed, where there are several."""
    if called(node) == "squeeze" and (value := subject(node)) is not None:
        yield method(value, "squeeze")


def pair_of_results(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Both the values and their places are taken, where the values are meant."""
    if called(node) in ("max", "min", "sort", "topk", "median") and (_has_dimension(node) or called(node) != "max"):
        yield attribute(node, "values")
        yield item(node, 0)
        yield attribute(node, "indices")
