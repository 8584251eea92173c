"""Mutants of the reference modules: each solution with one small fault, made by a program from its syntax tree.

A grader that passes a mutant accepts what is wrong, unless the mutant answers as the reference does wherever
the docstring says what to answer. Nothing is executed here, so nothing needs torch.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.exam.reference import BEGIN, END, Definition, ReferenceModule, definitions

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


@dataclass(frozen=True)
class Mutant:
    """One fault in one step: a line as it was and as it became, and the whole module with it."""

    part: str
    step: str
    was: str
    becomes: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the mutant: the path of its step, and the line before and after."""
        return f"{self.part}.{self.step}", self.was, self.becomes


@dataclass(frozen=True)
class _Place:
    """Where a node is in the tree: a field of its owner, or an item of a list in that field."""

    owner: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> Any:
        value = getattr(self.owner, self.field)
        return value if self.index is None else value[self.index]

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.index] = node


class _NegativeNumbers(ast.NodeTransformer):
    """Makes `-1` one constant instead of a minus and a 1."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        match node:
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                return ast.copy_location(ast.Constant(-value), node)
        return self.generic_visit(node)


def mutants(module: ReferenceModule) -> Iterator[Mutant]:
    """Yield every mutant of a reference module once."""
    tree = _NegativeNumbers().visit(ast.parse(module.text))
    solution = _solution_lines(module.text)
    seen = {ast.unparse(tree)}
    for definition in definitions(tree):
        for was, becomes in _faults(definition, solution):
            text = ast.unparse(tree)
            if text not in seen:
                seen.add(text)
                yield Mutant(module.name, definition.name, was, becomes, text)


def _solution_lines(text: str) -> set[int]:
    """Return the numbers of the lines inside solution regions."""
    inside, found = False, set()
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() in (BEGIN, END):
            inside = line.strip() == BEGIN
        elif inside:
            found.add(number)
    return found


def _faults(definition: Definition, solution: set[int]) -> Iterator[tuple[str, str]]:
    """Put one fault after the other into a definition; yield the line before and after while it is there."""
    attributes = _own_attributes(definition)
    functions = [node for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        names = _names(function)
        for place in list(_statements(function)):
            if place.node.lineno in solution:
                yield from _statement_faults(place)
                if not isinstance(place.node, ast.Raise):  # what a message says is free
                    yield from _expression_faults(place.node, names, attributes)


def _names(function: ast.FunctionDef) -> list[str]:
    """Return the arguments and the local variables of a function."""
    arguments = [argument.arg for argument in function.args.args if argument.arg != "self"]
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    return list(dict.fromkeys([*arguments, *(node.id for node in nodes if isinstance(node.ctx, ast.Store))]))


def _own_attributes(definition: Definition) -> list[str]:
    """Return the attributes that a class gives to itself."""
    nodes = [node for node in ast.walk(definition) if isinstance(node, ast.Attribute)]
    return sorted({node.attr for node in nodes if isinstance(node.ctx, ast.Store)})


def _children(owner: ast.AST) -> Iterator[_Place]:
    for field, value in ast.iter_fields(owner):
        if isinstance(value, ast.AST):
            yield _Place(owner, field, None)
        elif isinstance(value, list):
            yield from (_Place(owner, field, index) for index, item in enumerate(value) if isinstance(item, ast.AST))


def _statements(owner: ast.AST) -> Iterator[_Place]:
    """Yield every statement below a node."""
    for place in _children(owner):
        if isinstance(place.node, ast.stmt):
            yield place
            yield from _statements(place.node)


def _expressions(owner: ast.AST) -> Iterator[_Place]:
    """Yield every expression of a statement, but those of the statements inside it."""
    for place in _children(owner):
        if not isinstance(place.node, ast.stmt):
            yield place
            yield from _expressions(place.node)


def _line(statement: ast.AST) -> str:
    """Write a statement; of one that holds others, the first line."""
    return ast.unparse(statement).splitlines()[0]


def _statement_faults(place: _Place) -> Iterator[tuple[str, str]]:
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
    for place in list(_expressions(statement)):
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
                yield ast.Tuple(_exchanged(elements, index), ast.Load())


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
        yield ast.Call(function, _exchanged(arguments, index), keywords)


def _exchanged(items: list[ast.expr], index: int) -> list[ast.expr]:
    """Return the items with one and its successor swapped."""
    return [*items[:index], items[index + 1], items[index], *items[index + 2 :]]
