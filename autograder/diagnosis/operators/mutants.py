"""Mutants of a module: each has one small fault, made from its syntax tree.

A grader that passes a mutant of a solution accepts what is wrong, unless the mutant answers as the solution does wherever
the docstring says what to answer.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.diagnosis.operators.places import (
    Place,
    exchanged,
    expressions,
    names_in,
    own_attributes,
    parsed,
    statements,
)

OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.Eq),
    ast.Gt: (ast.GtE, ast.Lt, ast.Eq),
}
ATTRIBUTES = {
    "T": ("mT",),
    "amax": ("amin", "mean"),
    "arange": ("ones",),
    "bool": ("float", "int64"),
    "cat": ("stack",),
    "exp": ("exp2", "abs"),
    "flatten": ("unsqueeze",),
    "ones": ("zeros",),
    "rand": ("randn", "zeros"),
    "randn": ("rand",),
    "softmax": ("log_softmax", "cumsum"),
    "stack": ("cat",),
    "sum": ("mean", "cumsum"),
    "tril": ("triu",),
    "triu": ("tril",),
    "var": ("std", "mean"),
}
IN_PLACE_METHODS = {"exp", "masked_fill", "tril", "triu", "transpose"}
IN_PLACE_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add_",
    ast.Sub: "sub_",
    ast.Mult: "mul_",
    ast.Div: "div_",
}
SPOILED = (
    "({}).detach()",
    "({})[:1]",
    "({})[..., :1]",
    "({}) * 2",
    "({}) + 0.001",
    "-({})",
    "({}).double()",
    "({}).float()",
    "({}).half()",
    "({}) * 0",
    "({})[None]",
    "({}).flip(-1)",
    "({}).round(decimals=2)",
)
"""What may be done to a result before it is returned."""

LIBRARIES = ("torch", "nn", "self")

MODULES = ("nn.Module", "Module", "torch.nn.Module")
MODES = ("eval", "train")


@dataclass(frozen=True)
class Mutant:
    """One fault in one definition: a line as it was and as it became, and the whole module with it."""

    definition: str
    was: str
    becomes: str
    text: str


def mutants(text: str, lines: Collection[int]) -> Iterator[Mutant]:
    """Yield every mutant of a module once. lines: where the statements that become faulty begin."""
    tree = parsed(text)
    seen = {ast.unparse(tree)}
    for definition in tree.body:
        if isinstance(definition, ast.FunctionDef | ast.ClassDef):
            for was, becomes in _faults(definition, lines):
                mutant = ast.unparse(tree)
                if mutant not in seen:
                    seen.add(mutant)
                    yield Mutant(definition.name, was, becomes, mutant)


def _faults(definition: ast.FunctionDef | ast.ClassDef, lines: Collection[int]) -> Iterator[tuple[str, str]]:
    """Put one fault after the other into a definition; yield the line before and after while it is there."""
    yield from _broken_promises(definition)
    attributes = own_attributes(definition)
    functions = [node for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        names = names_in(function)
        for place in list(statements(function)):
            if place.node.lineno in lines:
                yield from _statement_faults(place)
                if not isinstance(place.node, ast.Raise):  # what a message says is free
                    yield from _expression_faults(place.node, names, attributes)


def _broken_promises(definition: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Break what a docstring says beside the numbers: rename an attribute that it names, put a model into a mode."""
    if isinstance(definition, ast.ClassDef):
        yield from _renamed_attributes(definition)
    elif re.search(r"\bmode\b", ast.get_docstring(definition) or ""):
        yield from _modes(definition)


def _renamed_attributes(definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Rename each attribute that a docstring of the class names, wherever the class uses it."""
    owners = [node for node in ast.walk(definition) if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    docstrings = " ".join(ast.get_docstring(node) or "" for node in owners)
    registered = [name for node in ast.walk(definition) for name in _registered(node)]
    for attribute in [*own_attributes(definition), *(str(name.value) for name in registered)]:
        if _is_named(attribute, docstrings):
            used = [
                node for node in ast.walk(definition) if isinstance(node, ast.Attribute) and _is_own(node, attribute)
            ]
            names = [name for name in registered if name.value == attribute]
            _rename(used, names, f"{attribute}_")
            yield f"self.{attribute}", f"self.{attribute}_"
            _rename(used, names, attribute)


def _rename(used: Iterable[ast.Attribute], registered: Iterable[ast.Constant], attribute: str) -> None:
    for node in used:
        node.attr = attribute
    for name in registered:
        name.value = attribute


def _registered(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the name by which a call gives a class a buffer or a parameter."""
    match node:
        case ast.Call(ast.Attribute(attr="register_buffer" | "register_parameter"), [ast.Constant() as name, *_]):
            yield name


def _is_own(node: ast.Attribute, name: str) -> bool:
    return node.attr == name and isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_named(name: str, docstrings: str) -> bool:
    """Tell whether docstrings name an attribute: in backticks, or by a name that is no plain word, which may mean something else."""
    plain = name.isalpha() and name.islower()
    return re.search(rf"`{name}`" if plain else rf"\b{name}\b", docstrings) is not None


def _modes(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Put each argument that is a module into a mode, before all that the function does but set modes itself."""
    modules = [one.arg for one in function.args.args if one.annotation and ast.unparse(one.annotation) in MODULES]
    calls = [f"{name}.{mode}()" for name in modules for mode in MODES]
    doing = (node for node in function.body[1:] if ast.unparse(node) not in calls)
    if first := next(doing, None):
        index, was = function.body.index(first), _line(first)
        for call in calls:
            function.body[index:index] = ast.parse(call).body
            yield was, f"{call}; {was}"
            del function.body[index]


def _line(statement: ast.AST) -> str:
    """Write a statement; of one that holds others, the first line."""
    return ast.unparse(statement).splitlines()[0]


def _statement_faults(place: Place) -> Iterator[tuple[str, str]]:
    """Drop a statement, spoil its value, negate a condition, swap it with the next."""
    statement, was = place.node, _line(place.node)
    for replacement in _other_statements(statement):
        place.put(replacement)
        yield was, _line(replacement)
    place.put(statement)
    siblings, index = getattr(place.owner, place.field), place.index or 0
    if index + 1 < len(siblings):
        following = siblings[index + 1]
        siblings[index : index + 2] = [following, statement]
        yield was, f"{_line(following)}; {was}"
        siblings[index : index + 2] = [statement, following]


def _other_statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    yield ast.Pass()
    match statement:
        case ast.Return(ast.expr() as value):
            for spoiled in SPOILED:
                yield from ast.parse(f"return {spoiled.format(ast.unparse(value))}").body
        case ast.Assign(targets, value):
            yield ast.Assign(targets, _method(value, "detach"), lineno=statement.lineno)
        case ast.If(test, body, orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)


def _expression_faults(statement: ast.stmt, names: list[str], attributes: list[str]) -> Iterator[tuple[str, str]]:
    """Replace each expression of a statement, one at a time."""
    was = _line(statement)
    for place in list(expressions(statement)):
        original = place.node
        for replacement in _replacements(original, names, attributes):
            place.put(replacement)
            yield was, _line(statement)
        place.put(original)


def _replacements(node: ast.AST, names: list[str], attributes: list[str]) -> Iterator[ast.AST]:
    """Yield what an expression may become by one slip."""
    match node:
        case ast.BinOp(left, operator, right):
            yield from (ast.BinOp(left, other(), right) for other in OPERATORS.get(type(operator), ()))
            yield from (left, right)
            if not isinstance(operator, (ast.Add, ast.Mult)):  # whose order changes nothing
                yield ast.BinOp(right, operator, left)
            if type(operator) in IN_PLACE_OPERATORS:
                yield _method(left, IN_PLACE_OPERATORS[type(operator)], right)
        case ast.Compare(left, [operator], [right]):
            yield from (ast.Compare(left, [other()], [right]) for other in COMPARISONS.get(type(operator), ()))
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)
            yield from values
        case ast.Constant(value):
            yield from map(ast.Constant, _other_constants(value))
        case ast.Name(name, ast.Load()) if name in names:
            yield from (ast.Name(other, ast.Load()) for other in names if other != name)
        case ast.Attribute(ast.Name("self") as owner, name, ast.Load()):
            yield from (ast.Attribute(owner, other, ast.Load()) for other in attributes if other != name)
        case ast.Attribute(value, name, ast.Load()):
            yield from (ast.Attribute(value, other, ast.Load()) for other in ATTRIBUTES.get(name, ()))
            if name in IN_PLACE_METHODS:
                yield ast.Attribute(value, f"{name}_", ast.Load())
            if name == "T":
                yield value
        case ast.Call(function, arguments, keywords):
            yield from _other_calls(function, arguments, keywords)
        case ast.Slice(lower, ast.expr() as upper, step):
            yield ast.Slice(lower, None, step)
            yield ast.Slice(lower, ast.BinOp(upper, ast.Add(), ast.Constant(1)), step)
            yield ast.Slice(lower, ast.BinOp(upper, ast.Sub(), ast.Constant(1)), step)
        case ast.Tuple(elements, ast.Load()):
            for index in range(len(elements) - 1):
                yield ast.Tuple(exchanged(elements, index), ast.Load())


def _method(value: ast.expr, name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(value, name, ast.Load()), list(arguments), [])


def _other_constants(value: object) -> list[Any]:
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, value - 1] + ([-value] if value else [])
        case float():
            return [1.0, -value, value / 2]
        case "-inf":
            return ["inf", "0", "-1", "-1e9", "nan"]
        case str():
            return [f"{value}_"]
    return []


def _other_calls(function: ast.expr, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Iterator[ast.expr]:
    """Leave the call out, forget an argument, swap two."""
    match function:
        case ast.Attribute(ast.Name(owner)) if owner in LIBRARIES:
            pass
        case ast.Attribute(value):
            yield value
    yield from arguments[:1]
    for index in range(len(keywords)):
        yield ast.Call(function, arguments, keywords[:index] + keywords[index + 1 :])
    for index in range(len(arguments)):
        yield ast.Call(function, arguments[:index] + arguments[index + 1 :], keywords)
    for index in range(len(arguments) - 1):
        yield ast.Call(function, exchanged(arguments, index), keywords)
