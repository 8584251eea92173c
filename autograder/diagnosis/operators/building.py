"""Expressions made from others, in few words."""

import ast

Value = ast.expr | int | float | bool | str | None
"""An expression, or a constant."""


def constant(value: Value) -> ast.expr:
    """Return an expression; infinities as `float("inf")`."""
    if isinstance(value, ast.expr):
        return value
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return ast.Call(ast.Name("float", ast.Load()), [ast.Constant(str(value))], [])
    return ast.Constant(value)


def name(identifier: str) -> ast.Name:
    """Return a name."""
    return ast.Name(identifier, ast.Load())


def attribute(value: ast.expr, *names: str) -> ast.expr:
    """Return an attribute of a value, or an attribute of its attribute."""
    for each in names:
        value = ast.Attribute(value, each, ast.Load())
    return value


def own(identifier: str) -> ast.expr:
    """Return an attribute of `self`."""
    return attribute(name("self"), identifier)


def call(function: ast.expr, *arguments: Value, **keywords: Value) -> ast.Call:
    """Return a call."""
    named = [ast.keyword(key, constant(value)) for key, value in keywords.items()]
    return ast.Call(function, [constant(argument) for argument in arguments], named)


def method(value: ast.expr, called: str, *arguments: Value, **keywords: Value) -> ast.Call:
    """Return the call of a method."""
    return call(attribute(value, called), *arguments, **keywords)


def item(value: ast.expr, *index: Value) -> ast.Subscript:
    """Return what lies at an index."""
    parts = [constant(part) for part in index]
    return ast.Subscript(value, parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()), ast.Load())


def size(value: ast.expr, dimension: int) -> ast.expr:
    """Return how much there is along a dimension of a tensor."""
    return item(attribute(value, "shape"), dimension)


def root(value: ast.expr) -> ast.expr:
    """Return a square root."""
    return ast.BinOp(value, ast.Pow(), ast.Constant(0.5))


def combined(left: ast.expr, operator: type[ast.operator], right: ast.expr) -> ast.BinOp:
    """Return two values and an operator between them."""
    return ast.BinOp(left, operator(), right)


def with_argument(node: ast.Call, index: int, value: Value) -> ast.Call:
    """Return a call with another argument in the place of one."""
    return ast.Call(node.func, [*node.args[:index], constant(value), *node.args[index + 1 :]], node.keywords)


def with_keyword(node: ast.Call, key: str, value: Value) -> ast.Call:
    """Return a call with an argument of this name: another value in its place, or one more."""
    made = ast.keyword(key, constant(value))
    if any(keyword.arg == key for keyword in node.keywords):
        return ast.Call(node.func, node.args, [made if each.arg == key else each for each in node.keywords])
    return ast.Call(node.func, node.args, [*node.keywords, made])


def without_keyword(node: ast.Call, *keys: str) -> ast.Call:
    """Return a call without the arguments of these names."""
    return ast.Call(node.func, node.args, [keyword for keyword in node.keywords if keyword.arg not in keys])


def with_function(node: ast.Call, called: str) -> ast.Call:
    """Return the call of another method or function of the same owner."""
    function = node.func
    other = ast.Attribute(function.value, called, ast.Load()) if isinstance(function, ast.Attribute) else name(called)
    return ast.Call(other, node.args, node.keywords)
