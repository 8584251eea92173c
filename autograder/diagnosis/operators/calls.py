"""Slips of calls: another operation, one missing or needless, its arguments; layers, gradients, kinds of numbers."""

import ast
from collections.abc import Iterator

from autograder.diagnosis.operators.building import (
    attribute,
    call,
    combined,
    constant,
    method,
    name,
    own,
    with_function,
    with_keyword,
    without_keyword,
)
from autograder.diagnosis.operators.places import exchanged
from autograder.diagnosis.operators.scope import Scope, called, is_library, numbers_of, subject


def needless_mask(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Something is hidden that should be seen."""
    if called(node) in ("masked_fill", "tril", "triu") and (value := subject(node)) is not None:
        yield value


def in_place(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """It changes what it works on."""
    given = called(node)
    operators: dict[str, type[ast.operator]] = {"add_": ast.Add, "sub_": ast.Sub, "mul_": ast.Mult, "div_": ast.Div}
    if given in operators and numbers_of(node) and (value := subject(node)) is not None:
        yield combined(value, operators[given], node.args[-1])
    if given.endswith("_") and not given.startswith("_"):
        yield with_function(node, given.rstrip("_"))


def needless_gradient_stop(node: ast.Call | ast.Attribute, scope: Scope) -> Iterator[ast.expr]:
    """The gradient ends here."""
    match node:
        case ast.Call(ast.Attribute(value, "detach" | "item" | "tolist" | "numpy" | "clone")):
            yield value
        case ast.Attribute(value, "data"):
            yield value
        case ast.Call() if called(node) in ("tensor", "as_tensor", "Tensor") and node.args:
            yield node.args[0]


def needless_call(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """What is called should not be."""
    match node.func:
        case ast.Attribute(value) if not is_library(value) and not (isinstance(value, ast.Name) and value.id == "self"):
            yield value
    yield from (argument for argument in node.args[:1] if not isinstance(argument, ast.Constant | ast.Starred))
    if isinstance(node.func, ast.Name):
        yield node.func


def argument_order(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Two neighbouring arguments exchanged; what a method works on, with its argument."""
    if called(node) in ("einsum", "register_buffer"):  # the first is a name
        return
    for index in range(len(node.args) - 1):
        yield ast.Call(node.func, exchanged(node.args, index), node.keywords)
    match node:
        case ast.Call(ast.Attribute(value, given), [argument]) if not is_library(value):
            yield ast.Call(attribute(argument, given), [value], node.keywords)


def needless_argument(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """An argument too many."""
    for key in node.keywords:
        if key.arg:
            yield without_keyword(node, key.arg)
    for index in range(len(node.args)):
        yield ast.Call(node.func, [*node.args[:index], *node.args[index + 1 :]], node.keywords)


def known_argument(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """An argument that this operation usually needs."""
    given = {key.arg for key in node.keywords}
    match called(node):
        case "var" | "std":
            for value in (0, 1):
                yield with_keyword(without_keyword(node, "unbiased"), "correction", value)
        case "Linear":
            yield with_keyword(node, "bias", False)
            yield from (with_keyword(node, "bias", name(other)) for other in scope.names if "bias" in other)
            yield without_keyword(node, "bias")
        case "ones" | "zeros" | "empty" | "full" | "ones_like" | "zeros_like":
            yield with_keyword(node, "dtype", attribute(name("torch"), "bool"))
        case "randn" | "rand" | "randint" | "randperm" | "normal_" | "uniform_" | "multinomial" | "bernoulli":
            yield from (
                with_keyword(node, "generator", name(other)) for other in scope.names if other.startswith("gen")
            )
        case "arange":
            yield from (with_keyword(node, "dtype", attribute(name(other), "dtype")) for other in scope.tensors[:4])
        case "tensor":
            yield with_keyword(node, "dtype", attribute(name("torch"), "bool"))
        case "register_buffer":
            yield with_keyword(node, "persistent", False)
        case "Dropout" | "dropout" if "training" not in given:
            yield with_keyword(node, "training", own("training"))


def list_of_layers(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Layers in a plain list, which a module does not see."""
    match scope.parent(node):
        case ast.Assign([ast.Attribute(ast.Name("self"))]) if isinstance(node, ast.List | ast.ListComp):
            function = attribute(name("nn"), "ModuleList")
            yield call(function) if isinstance(node, ast.List) and not node.elts else call(function, node)


def plain_parameter(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A tensor that should be a parameter of its module, or should not."""
    match node, scope.parent(node):
        case ast.Call(args=[value, *_]), _ if called(node) == "Parameter":
            yield value
            yield ast.Call(node.func, [value], [])
        case ast.Call(), ast.Assign([ast.Attribute(ast.Name("self"))]):
            if called(node) in ("rand", "randn", "ones", "zeros", "empty", "uniform_", "normal_", "tensor"):
                yield call(attribute(name("nn"), "Parameter"), node)


def other_dtype(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Numbers of another kind."""
    match node:
        case ast.Attribute(
            ast.Name("torch"),
            "bool" | "float" | "float32" | "float64" | "long" | "int64" | "int" | "double" | "half" as given,
        ):
            yield from (
                attribute(name("torch"), other) for other in ("bool", "float32", "long", "float64") if other != given
            )
            yield from (attribute(name(other), "dtype") for other in scope.tensors[:4])
        case ast.Call(ast.Attribute(value, "float" | "double" | "half" | "long" | "int" | "bool" | "to" | "type"), _):
            yield value
            yield from (method(value, "to", attribute(name(other), "dtype")) for other in scope.tensors[:4])
        case ast.Call(ast.Name("int" | "float" | "round" | "list" | "tuple" | "abs"), [value]):
            yield value


def einsum(node: ast.Constant, scope: Scope) -> Iterator[ast.expr]:
    """The letters of an einsum: of an operand, or of the result, in another order; another letter."""
    call_of = scope.parent(node)
    if not isinstance(node.value, str) or called(call_of or node) != "einsum":
        return
    parts = node.value.replace(" ", "")
    terms = [(start, end) for start, end in _terms(parts)]
    for start, end in reversed(terms):
        for first in range(start, end):
            for second in range(first + 1, end):
                if parts[first].isalpha() and parts[second].isalpha():
                    letters = list(parts)
                    letters[first], letters[second] = letters[second], letters[first]
                    yield constant("".join(letters))
    letters_used = sorted({letter for letter in parts if letter.isalpha()})
    for index, given in enumerate(parts):
        if given.isalpha():
            yield from (
                constant(parts[:index] + other + parts[index + 1 :]) for other in letters_used if other != given
            )
            yield constant(parts[:index] + parts[index + 1 :])


def _terms(equation: str) -> Iterator[tuple[int, int]]:
    start = 0
    for index, character in enumerate(equation + ","):
        if character in ",-":
            yield start, index
        if character in ",>":
            start = index + 1


def not_made(node: ast.Attribute, scope: Scope) -> Iterator[ast.expr]:
    """A class of layers, or a function, where a layer is meant."""
    above = scope.parent(node)
    if (
        is_library(node.value)
        and not (isinstance(above, ast.Call) and above.func is node)
        and not isinstance(above, ast.Attribute)
    ):
        layers = {"gelu": "GELU", "relu": "ReLU", "tanh": "Tanh", "sigmoid": "Sigmoid", "silu": "SiLU"}
        if node.attr in layers:
            yield call(attribute(name("nn"), layers[node.attr]))
        elif node.attr[:1].isupper() and node.attr not in ("Tensor", "Module", "Generator"):
            yield call(node)
