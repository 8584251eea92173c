"""The values of a definition: what it computes from what; and its statements, as they are written but for their names.

Names, layout, comments, type hints, the order of independent statements, the names of values on the way and helpers of one's own
leave no trace in values; what nothing comes of is left out. Names, layout, comments, type hints and any order leave none in
statements. Code is read, never run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from autograder.classroom.similarity.operations import (
    ALIASES,
    COMMUTATIVE,
    IN_VAIN,
    TURNED_ROUND,
    lettered,
    operator_name,
)

MOST_READ = 20_000
"""Statements and expressions of one definition, and of its helpers as often as they are called; what comes after them is left out."""

DEEPEST_CALL = 8
"""Helpers that are read inside one another."""

DEPTH = 3
"""How far back a fingerprint reaches: an operation, what it is computed from, what that is computed from."""


class Value:
    """A value: the operation that makes it, and what from.

    labels: one a depth; two values are alike down to a depth where their labels of it are equal.
    """

    __slots__ = ("labels", "operation", "parts")

    def __init__(self, operation: str, parts: Sequence[Value] = ()) -> None:
        self.operation = operation
        self.parts = sorted(parts, key=_deepest) if operation in COMMUTATIVE else parts
        labels = [hash(operation)]
        if parts:
            by_depth = zip(*[part.labels for part in self.parts], strict=True)
            labels += [hash((operation, of_parts)) for of_parts in islice(by_depth, DEPTH)]
        else:
            labels *= DEPTH + 1
        self.labels: list[int] = labels


def _deepest(value: Value) -> int:
    return value.labels[DEPTH]


INPUT = Value("input")
SELF = Value("self")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Names = dict[str, Value]


@dataclass(frozen=True)
class Reading:
    """What is read of a definition: the values that its results and effects are made of, and its statements."""

    values: set[Value]
    statements: set[int]

    def fingerprints(self) -> frozenset[int]:
        """Return what can be found again: each operation with what it is computed from, down to each depth, and each statement."""
        labels = {label for value in self.values if value.parts for label in value.labels[1:]}
        return frozenset(labels | self.statements)


def read(definition: ast.stmt, helpers: Mapping[str, ast.stmt]) -> Reading:
    """Read a definition.

    helpers: what is read where it is called, of what stands beside it, by name; steps are not. Raises RecursionError for what is nested
    too deeply.
    """
    reader = _Reader(helpers)
    reader.read_alone(definition)
    return Reading(reader.reached(), reader.statements)


def read_given(statements: Sequence[ast.stmt]) -> Reading:
    """Read statements at the top of a module, and all that is defined there, to whatever it comes. Raises RecursionError."""
    reader = _Reader({})
    reader.run(statements, {})
    for statement in statements:
        reader.read_alone(statement)
    reader.effects += reader.all
    return Reading(reader.reached(), reader.statements)


class _Reader:
    """Follows a definition from statement to statement, with the value of each name."""

    def __init__(self, helpers: Mapping[str, ast.stmt]) -> None:
        self.effects: list[Value] = []
        self.all: list[Value] = []
        self.statements: set[int] = set()
        self._written: list[object] = []
        self._returned: list[Value] = []
        self._helpers = dict(helpers)
        self._methods: dict[str, Function] = {}
        self._attributes: Names = {}
        self._open: list[ast.stmt] = []
        self._left = MOST_READ

    def reached(self) -> set[Value]:
        """Return the values of which results and effects are made."""
        found: dict[int, Value] = {}
        waiting = [*self.effects, *self._returned]
        for value in waiting:
            if value.labels[DEPTH] not in found:
                found[value.labels[DEPTH]] = value
                waiting += value.parts
        return set(found.values())

    def read_alone(self, definition: ast.stmt) -> None:
        """Read a definition with inputs that nothing is known of."""
        match definition:
            case ast.ClassDef():
                self._read_class(definition)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.run(definition.body, self._inputs(definition))

    def run(self, statements: Sequence[ast.stmt], names: Names) -> None:
        """Read statements one after the other."""
        for statement in statements:
            if self._left <= 0:
                return
            self._statement(statement, names)

    def _read_class(self, definition: ast.ClassDef) -> None:
        methods = [node for node in definition.body if isinstance(node, Function)]
        self._methods |= {method.name: method for method in methods}
        self.run([node for node in definition.body if not isinstance(node, Function)], self._attributes)
        for method in sorted(methods, key=lambda method: method.name != "__init__"):
            if method.name.startswith("__") or not method.name.startswith("_"):
                self.run(method.body, self._inputs(method, of_class=True))
        self.effects += (value for value in self._attributes.values())

    def _inputs(self, function: Function | ast.Lambda, of_class: bool = False) -> Names:
        names = dict.fromkeys(_parameters(function), INPUT)
        if of_class and names:
            names[next(iter(names))] = SELF
        return names

    def _make(self, operation: str, parts: Sequence[Value] = ()) -> Value:
        value = Value(operation, parts)
        self.all.append(value)
        return value

    # statements

    def _statement(self, node: ast.stmt, names: Names) -> None:
        self._left -= 1
        kind = ast.Assign if isinstance(node, ast.AnnAssign) else type(node)
        outside, self._written = self._written, [kind]
        self._follow(node, names)
        if len(self._written) > 1:
            self.statements.add(hash(tuple(self._written)))
        self._written = outside

    def _follow(self, node: ast.stmt, names: Names) -> None:
        match node:
            case ast.Assign(targets, value):
                made = self._value(value, names)
                for target in targets:
                    self._assign(target, made, names)
            case ast.AnnAssign(target, _, ast.expr() as value):
                self._assign(target, self._value(value, names), names)
            case ast.AugAssign(target, operator, value):
                parts = self._value(target, names), self._value(value, names)
                self._assign(target, self._make(operator_name(operator), parts), names)
            case ast.Return(ast.expr() as value):
                self._returned.append(self._value(value, names))
            case ast.Expr(value):
                self._expression(value, names)
            case ast.If(test, body, others):
                self._branches(self._value(test, names), body, others, names)
            case ast.For(target, iterated, body, others) | ast.AsyncFor(target, iterated, body, others):
                self._assign(target, self._make("each", [self._value(iterated, names)]), names)
                self.run([*body, *others], names)
            case ast.While(test, body, others):
                with self._under(self._value(test, names), "while"):
                    self.run([*body, *others], names)
            case ast.With(items, body) | ast.AsyncWith(items, body):
                for item in items:
                    made = self._value(item.context_expr, names)
                    self.effects.append(made)
                    if item.optional_vars:
                        self._assign(item.optional_vars, made, names)
                self.run(body, names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._helpers[node.name] = node
                names.pop(node.name, None)
            case ast.Raise(ast.expr() as value):
                self.effects.append(self._make("raise", [self._value(value, names)]))
            case ast.Assert(test):
                self.effects.append(self._make("assert", [self._value(test, names)]))
            case ast.Try(body, handlers, others, finally_):
                self.run([*body, *others], names)
                for handler in handlers:
                    self.run(handler.body, names)
                self.run(finally_, names)

    def _expression(self, node: ast.expr, names: Names) -> None:
        """Read an expression that stands alone: what it does to a name is all that may come of it."""
        if isinstance(node, ast.Constant):
            return
        made = self._value(node, names)
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), _)) if names.get(name, SELF) is not SELF:
                names[name] = made
                if made.parts[0] is INPUT:
                    self.effects.append(made)
            case _ if made is not INPUT:
                self.effects.append(made)

    def _branches(self, test: Value, body: Sequence[ast.stmt], others: Sequence[ast.stmt], names: Names) -> None:
        before, other = dict(names), dict(names)
        with self._under(test, "when"):
            self.run(body, names)
        with self._under(test, "unless"):
            self.run(others, other)
        for name in {*names, *other}:
            one, two = names.get(name), other.get(name, before.get(name))
            if one is None or two is None:
                names[name] = one or two or INPUT
            elif one is not two:
                names[name] = self._make("choice", [test, one, two])

    @contextmanager
    def _under(self, test: Value, word: str) -> Iterator[None]:
        """Have what is done and returned inside depend on a condition."""
        effects, returned = self.effects, self._returned
        self.effects, self._returned = [], []
        try:
            yield
        finally:
            self.effects = effects + [self._make(word, [test, one]) for one in self.effects]
            self._returned = returned + [self._make(word, [test, one]) for one in self._returned]

    def _assign(self, target: ast.expr, value: Value, names: Names) -> None:
        match target:
            case ast.Name(name):
                names[name] = value
            case ast.Tuple(targets) | ast.List(targets):
                for number, one in enumerate(targets):
                    self._assign(one, self._item(value, number), names)
            case ast.Starred(one):
                self._assign(one, value, names)
            case ast.Attribute(owner, name) if self._value(owner, names) is SELF:
                self._attributes[name] = value
            case ast.Attribute(owner, name):
                self.effects.append(self._make(f"set {name}", [self._value(owner, names), value]))
            case ast.Subscript(owner, index):
                whole = self._value(owner, names)
                made = self._make("put", [whole, self._value(index, names), value])
                if whole is INPUT:
                    self.effects.append(made)
                self._assign(owner, made, names)

    def _item(self, value: Value, number: int) -> Value:
        if value.operation == "tuple" and number < len(value.parts):
            return value.parts[number]
        return self._make("item", [value, Value(repr(number))])

    # expressions

    def _value(self, node: ast.expr, names: Names) -> Value:
        if self._left <= 0:
            return INPUT
        self._left -= 1
        kind = type(node)
        self._written.append(kind)
        if reader := _READERS.get(kind):
            return reader(self, node, names)
        parts = [self._value(child, names) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        return self._make(type(node).__name__, parts)

    def _constant(self, node: ast.Constant, names: Names) -> Value:
        self._written.append(repr(node.value))
        return Value(lettered(node.value) if isinstance(node.value, str) else repr(node.value))

    def _name(self, node: ast.Name, names: Names) -> Value:
        return names.get(node.id, INPUT)

    def _attribute(self, node: ast.Attribute, names: Names) -> Value:
        if self._is_module(node.value, names):
            self._written.append(node.attr)
            return Value(ALIASES.get(node.attr, node.attr))
        owner = self._value(node.value, names)
        if owner is SELF:
            return self._attributes.get(node.attr, INPUT)
        self._written.append(node.attr)
        return self._make(ALIASES.get(node.attr, node.attr), [owner])

    def _is_module(self, node: ast.expr, names: Names) -> bool:
        """Return whether names of a module are asked for: of what is no value here, such as `torch.nn`."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id not in names

    def _binary(self, node: ast.BinOp, names: Names) -> Value:
        parts = [self._value(node.left, names), self._value(node.right, names)]
        return self._make(operator_name(node.op), parts)

    def _unary(self, node: ast.UnaryOp, names: Names) -> Value:
        match node:
            case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)):
                return Value(repr(-number))
        return self._make(operator_name(node.op), [self._value(node.operand, names)])

    def _logic(self, node: ast.BoolOp, names: Names) -> Value:
        return self._make(
            "and" if isinstance(node.op, ast.And) else "or", [self._value(one, names) for one in node.values]
        )

    def _comparison(self, node: ast.Compare, names: Names) -> Value:
        sides = [self._value(one, names) for one in (node.left, *node.comparators)]
        made = []
        for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if turned := TURNED_ROUND.get(type(operator)):
                made.append(self._make(turned, [right, left]))
            else:
                made.append(self._make(operator_name(operator), [left, right]))
        return made[0] if len(made) == 1 else self._make("and", made)

    def _choice(self, node: ast.IfExp, names: Names) -> Value:
        return self._make("choice", [self._value(one, names) for one in (node.test, node.body, node.orelse)])

    def _items(self, node: ast.Tuple | ast.List, names: Names) -> Value:
        return self._make("tuple", [self._value(one, names) for one in node.elts])

    def _subscript(self, node: ast.Subscript, names: Names) -> Value:
        value = self._value(node.value, names)
        match node.slice:
            case ast.Constant(int(number)) if value.operation == "tuple":
                return self._item(value, number)
            case ast.Tuple(indices):
                return self._make("item", [value, *(self._value(one, names) for one in indices)])
        return self._make("item", [value, self._value(node.slice, names)])

    def _text(self, node: ast.JoinedStr, names: Names) -> Value:
        return Value("text")

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, names: Names) -> Value:
        inner = dict(names)
        tests = self._generators(node.generators, inner)
        return self._make("comprehension", [self._value(node.elt, inner), *tests])

    def _dictionary(self, node: ast.DictComp, names: Names) -> Value:
        inner = dict(names)
        tests = self._generators(node.generators, inner)
        return self._make("comprehension", [self._value(node.key, inner), self._value(node.value, inner), *tests])

    def _generators(self, generators: Sequence[ast.comprehension], names: Names) -> list[Value]:
        tests = []
        for one in generators:
            self._assign(one.target, self._make("each", [self._value(one.iter, names)]), names)
            tests += [self._value(test, names) for test in one.ifs]
        return tests

    def _walrus(self, node: ast.NamedExpr, names: Names) -> Value:
        names[node.target.id] = made = self._value(node.value, names)
        return made

    def _lambda(self, node: ast.Lambda, names: Names) -> Value:
        return self._make("lambda", [self._value(node.body, {**names, **self._inputs(node)})])

    def _call(self, node: ast.Call, names: Names) -> Value:
        arguments = [self._value(one, names) for one in _flat(node.args)]
        keywords = sorted(node.keywords, key=_name_of) if node.keywords else ()
        self._written += map(_name_of, keywords)
        named = {one.arg or "": self._value(one.value, names) for one in keywords}
        function = node.func
        if isinstance(function, ast.Name):
            name = function.id
            if name in names:
                return self._make("call", [names[name], *arguments, *named.values()])
            if name in self._helpers:
                return self._helped(self._helpers[name], arguments, named, names)
            return self._operation(name, [*arguments, *named.values()])
        if not isinstance(function, ast.Attribute):
            return self._make("call", [self._value(function, names), *arguments, *named.values()])
        owner, name = function.value, function.attr
        if self._is_module(owner, names):
            self._written.append(name)
            return self._operation(name, [*arguments, *named.values()])
        if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "super":
            return INPUT
        whole = self._value(owner, names)
        if whole is SELF:
            return self._of_self(name, node, arguments, named)
        self._written.append(name)
        return self._operation(name, [whole, *arguments, *named.values()])

    def _operation(self, name: str, parts: list[Value]) -> Value:
        """Return what an operation makes, written in one way of several."""
        name = ALIASES.get(name, name)
        if name in IN_VAIN:
            return parts[0] if parts else INPUT
        match name:
            case "gt" | "ge":
                return self._make(name.replace("g", "l"), parts[::-1])
            case "transpose":
                return self._make(name, parts[:1])  # dimensions are counted from the front or from the back
            case "sqrt":
                return self._make("pow", [*parts, Value("0.5")])
            case "square":
                return self._make("pow", [*parts, Value("2")])
            case "size" if len(parts) == 2:
                return self._make("item", [self._make("shape", parts[:1]), parts[1]])
            case "size":
                return self._make("shape", parts)
            case "len" if parts:
                return self._make("item", [self._make("shape", parts), Value("0")])
        return self._make(name, parts)

    def _of_self(self, name: str, node: ast.Call, arguments: list[Value], named: Mapping[str, Value]) -> Value:
        if name in self._methods:
            return self._helped(self._methods[name], [SELF, *arguments], named, {})
        match node.args:
            case [ast.Constant(str(attribute)), _, *_] if name.startswith("register_"):
                self._attributes[attribute] = arguments[1]
                return INPUT
        if name in self._attributes:
            return self._make("call", [self._attributes[name], *arguments, *named.values()])
        return self._operation(name, [INPUT, *arguments, *named.values()])

    def _helped(self, helper: ast.stmt, arguments: list[Value], named: Mapping[str, Value], names: Names) -> Value:
        """Return what a helper of one's own makes of arguments, as if its code stood here."""
        if helper in self._open or len(self._open) >= DEEPEST_CALL or not isinstance(helper, Function):
            if isinstance(helper, ast.ClassDef) and helper not in self._open:
                self._open.append(helper)
                self.read_alone(helper)
            return self._make("own", [*arguments, *named.values()])
        self._open.append(helper)
        returned, self._returned = self._returned, []
        given = dict(zip(_parameters(helper), arguments, strict=False))
        self.run(helper.body, {**names, **self._inputs(helper), **given, **named})
        made, self._returned = self._returned, returned
        self._open.pop()
        return made[0] if len(made) == 1 else self._make("choice", made)


_READERS: dict[type[ast.expr], Callable[[_Reader, Any, Names], Value]] = {
    ast.Constant: _Reader._constant,
    ast.Name: _Reader._name,
    ast.Attribute: _Reader._attribute,
    ast.BinOp: _Reader._binary,
    ast.UnaryOp: _Reader._unary,
    ast.BoolOp: _Reader._logic,
    ast.Compare: _Reader._comparison,
    ast.IfExp: _Reader._choice,
    ast.Tuple: _Reader._items,
    ast.List: _Reader._items,
    ast.Subscript: _Reader._subscript,
    ast.JoinedStr: _Reader._text,
    ast.ListComp: _Reader._comprehension,
    ast.SetComp: _Reader._comprehension,
    ast.GeneratorExp: _Reader._comprehension,
    ast.DictComp: _Reader._dictionary,
    ast.NamedExpr: _Reader._walrus,
    ast.Lambda: _Reader._lambda,
    ast.Call: _Reader._call,
}


def _parameters(function: Function | ast.Lambda) -> list[str]:
    given = function.args
    several = [one for one in (given.vararg, given.kwarg) if one]
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several)]


def _name_of(keyword: ast.keyword) -> str:
    return keyword.arg or ""


def _flat(arguments: Sequence[ast.expr]) -> list[ast.expr]:
    """Return arguments, those of a tuple one by one: `reshape((a, b))` is `reshape(a, b)`."""
    flat: list[ast.expr] = []
    for one in arguments:
        flat += one.elts if isinstance(one, ast.Tuple | ast.List) else [one]
    return flat
