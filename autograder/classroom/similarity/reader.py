"""What definitions compute from what; and their statements, as they are written but for their names.

Names, layout, comments, type hints, the order of independent statements, the names of values on the way and helpers of one's own
leave no trace in values; what nothing comes of is left out. Names, layout, comments, type hints and any order leave none in
statements. Code is read, never run: the top of a module like any other code, so that a name means what it would when it is run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from autograder.classroom.similarity.operations import ALIASES, IN_VAIN, TURNED_ROUND, lettered, operator_name
from autograder.classroom.similarity.values import (
    DEPTH,
    INPUT,
    OUTSIDE,
    SELF,
    Binding,
    Definition,
    Function,
    Names,
    Own,
    OwnChoice,
    OwnModule,
    Place,
    Value,
)
from autograder.submission.model import Source

MOST_WORK = 400_000
"""What is done for one hand-in at most: statements and expressions that are read, values that are made, names that are copied. About a second."""

SIGNS = 10
"""Of a constant, as much work as one expression."""


class TooMuch(Exception):
    """More would be to do than is ever done for one hand-in."""


class Work:
    """What may still be done for one hand-in."""

    def __init__(self, left: int = MOST_WORK) -> None:
        self.left = left

    def spend(self, much: int) -> None:
        """Charge for what is done. Raises TooMuch."""
        self.left -= much
        if self.left < 0:
            raise TooMuch


@dataclass(frozen=True)
class Reading:
    """What is read of a definition: the values that its results and effects are made of, and its statements.

    definitions: those at the top of a module that were read for it, itself first. depends: whether the name means one thing or another.
    """

    values: set[Value]
    statements: set[int]
    definitions: tuple[Own, ...] = ()
    depends: bool = False

    def fingerprints(self) -> frozenset[int]:
        """Return what can be found again: each operation with what it is computed from, down to each depth, and each statement."""
        labels = {label for value in self.values if value.parts for label in value.labels[1:]}
        return frozenset(labels | self.statements)


class Modules:
    """The modules of a hand-in. steps: of each part, by name, those that are not read where they are called.

    Whatever is read raises TooMuch, and RecursionError for what is nested too deeply.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        steps: Mapping[str, Collection[str]] | None = None,
        work: Work | None = None,
    ) -> None:
        self.sources = sources
        self.work = work or Work()
        self._steps = steps or {}
        self.frames: list[Names] = []
        self._names: dict[str, Names] = {}

    def names(self, module: str) -> Names:
        """Return what the names of a module mean once it is imported."""
        if module not in self._names:
            names = self._names[module] = {}  # so far: it may be imported by what it imports
            self.frames.append(names)
            try:
                self._run(self.sources[module], names)
            except (RecursionError, TooMuch):
                del self._names[module]
                raise
            for step in self._steps.get(module, ()):
                for own in self._own_within(names.get(step, INPUT)):
                    own.step = step
        return self._names[module]

    def let_go(self) -> None:
        """Empty what refers to itself: where a class is read, no garbage is looked for."""
        for names in self.frames:
            names.clear()

    def _run(self, source: Source, names: Names) -> None:
        for block in source.blocks:
            reader = _Reader(self, Place(names, block.text))
            reader.run(block.parsed.statements, names)

    def read(self, module: str, name: str) -> Reading | None:
        """Read what a name means at the end of a module; None if nothing can be seen."""
        names = self.names(module)
        if name not in names:
            return None
        value = names[name]
        own = self._own_within(value)
        reader = _Reader(self, Place(names, ""))
        depends = isinstance(value, OwnChoice) and len(own) > 1
        for one in own[:1] if depends else own:
            reader.read_alone(one)
        if not own:
            reader.effects.append(value)
        return Reading(reader.reached(), reader.statements, tuple(reader.read), depends)

    def _own_within(self, value: Value) -> list[Own]:
        """Return what is of one's own in a value."""
        if isinstance(value, Own):
            return [value]
        found = {value: None}
        waiting = [value]
        for one in waiting:
            self.work.spend(1)
            fresh = dict.fromkeys(part for part in one.parts if part not in found)
            found |= fresh
            waiting += fresh
        return [one for one in found if isinstance(one, Own)]


def read_given(statements: Sequence[ast.stmt]) -> Reading:
    """Read statements at the top of a module, and all that is defined there, to whatever it comes. Raises RecursionError and TooMuch."""
    reader = _Reader(Modules({}), Place({}, ""))
    reader.run(statements, reader.place.names)
    for statement in statements:
        if isinstance(statement, Definition):
            reader.read_alone(Own(statement, reader.place))
    reader.effects += reader.all
    return Reading(reader.reached(), reader.statements)


class _Reader:
    """Follows code from statement to statement, with the value of each name."""

    def __init__(self, modules: Modules, place: Place) -> None:
        self.effects: list[Value] = []
        self.all: list[Value] = []
        self.statements: set[int] = set()
        self.read: dict[Own, None] = {}
        self._written: list[object] = []
        self._returned: list[Value] = []
        self._methods: Names = {}
        self._attributes: Names = {}
        self._open: list[ast.AST] = []
        self._mentioned: set[ast.AST] = set()
        self._modules = modules
        self._work = modules.work
        self.place = place

    def reached(self) -> set[Value]:
        """Return the values of which results and effects are made."""
        found: dict[int, Value] = {}
        waiting = [*self.effects, *self._returned]
        for value in waiting:
            if value.labels[DEPTH] not in found:
                found[value.labels[DEPTH]] = value
                waiting += value.parts
        self._work.spend(len(found))
        return set(found.values())

    def read_alone(self, own: Own) -> None:
        """Read a definition with inputs that nothing is known of."""
        with self._within(own):
            match own.node:
                case ast.ClassDef():
                    self._read_class(own)
                case _:
                    self._run_function(own, self._inputs(own.node))

    @contextmanager
    def _within(self, own: Own) -> Iterator[None]:
        """Read code of another definition, maybe of another module, and come back."""
        if own.around is None:
            self.read[own] = None
        place, self.place = self.place, own.place
        self._open.append(own.node)
        yield
        self._open.pop()
        self.place = place

    def _run_function(self, own: Own, inputs: Names) -> None:
        names = {**(own.around or {}), **inputs}
        self._work.spend(len(names))
        if isinstance(own.node, ast.Lambda):
            self._returned.append(self._value(own.node.body, names))
        elif not isinstance(own.node, ast.ClassDef):
            self.run(own.node.body, names)

    def run(self, statements: Sequence[ast.stmt], names: Names) -> None:
        """Read statements one after the other."""
        for statement in statements:
            self._statement(statement, names)

    def _read_class(self, own: Own) -> None:
        outside = self._methods, self._attributes
        self._methods, self._attributes = {}, {}
        self._read_body(own, every=not own.step)
        self.effects += self._attributes.values()
        self._methods, self._attributes = outside

    def _read_body(self, own: Own, every: bool) -> None:
        """Read a class after those that it is made from. every: the methods for others to call, and those for itself."""
        if not isinstance(own.node, ast.ClassDef):
            return
        for named in own.node.bases:
            for base in self._meaning(named, own.around or {}).own:
                if base.node not in self._open and not base.step:
                    with self._within(base):
                        self._read_body(base, every)
        body: Names = {}
        self.run(own.node.body, body)
        methods = {name: value for name, value in body.items() if value.own}
        self._methods |= methods
        self._attributes |= {name: value for name, value in body.items() if name not in methods}
        for name in sorted(methods, key=lambda name: name != "__init__"):
            if every or name.startswith("__") or not name.startswith("_"):
                for method in methods[name].own:
                    self._read_method(method)

    def _read_method(self, method: Own) -> None:
        if isinstance(method.node, ast.ClassDef):
            self._handed_on(method)
        else:
            with self._within(method):
                self._run_function(method, self._inputs(method.node, of_class=True))

    def _inputs(self, function: Function, of_class: bool = False) -> Names:
        """Return what is known of the parameters of a function: which of one's own they are where nothing is given."""
        names = dict.fromkeys(_parameters(function), INPUT)
        if of_class and names:
            names[next(iter(names))] = SELF
        given = function.args
        backwards = zip([*given.posonlyargs, *given.args][::-1], given.defaults[::-1], strict=False)
        for one, default in (*backwards, *zip(given.kwonlyargs, given.kw_defaults, strict=True)):
            if default and (meaning := self._meaning(default, {})).own:
                names[one.arg] = meaning
        return names

    def _make(self, operation: str, parts: Sequence[Value] = ()) -> Value:
        self._work.spend(1 + len(parts))
        value = self._one_or_other(parts) if operation == "choice" else Value(operation, parts)
        self.all.append(value)
        return value

    def _one_or_other(self, parts: Sequence[Value]) -> Value:
        own = dict.fromkeys(own for part in parts for own in part.own)
        self._work.spend(len(own))
        return OwnChoice(parts, tuple(own)) if own else Value("choice", parts)

    # statements

    def _statement(self, node: ast.stmt, names: Names) -> None:
        self._work.spend(1)
        if isinstance(node, Binding):
            self._define(node, names)
            return
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
            case ast.If(ast.Constant(value), body, others):
                self.run(body if value else others, names)
            case ast.If(test, body, others):
                self._branches(self._value(test, names), body, others, names)
            case ast.For(target, iterated, body, others) | ast.AsyncFor(target, iterated, body, others):
                self._assign(target, self._make("each", [self._value(iterated, names)]), names)
                self._maybe_run([*body, *others], names)
            case ast.While(test, body, others):
                with self._under(self._value(test, names), "while"):
                    self._maybe_run([*body, *others], names)
            case ast.With(items, body) | ast.AsyncWith(items, body):
                for item in items:
                    made = self._value(item.context_expr, names)
                    self.effects.append(made)
                    if item.optional_vars:
                        self._assign(item.optional_vars, made, names)
                self._maybe_run(body, names)
            case ast.Raise(ast.expr() as value):
                self.effects.append(self._make("raise", [self._value(value, names)]))
            case ast.Assert(test):
                self.effects.append(self._make("assert", [self._value(test, names)]))
            case ast.Try(body, handlers, others, finally_) | ast.TryStar(body, handlers, others, finally_):
                self.run([*body, *others], names)
                for handler in handlers:
                    self._maybe_run(handler.body, names)
                self.run(finally_, names)
            case ast.Match(subject, cases):
                made = self._value(subject, names)
                for case in cases:
                    with self._under(made, "case"):
                        self._maybe_run(case.body, names)

    def _maybe_run(self, statements: Sequence[ast.stmt], names: Names) -> None:
        """Read statements that may be run: a definition of one's own that they replace may be meant as well."""
        self._work.spend(len(names))
        before = [(name, value) for name, value in names.items() if value.own]
        self.run(statements, names)
        for name, value in before:
            if (now := names.get(name, INPUT)) is not value:
                names[name] = self._make("choice", [now, value])

    def _define(self, node: Binding, names: Names) -> None:
        """Give names a meaning of one's own."""
        match node:
            case ast.Import():
                for one in node.names:
                    self._bind(one.asname or one.name, self._module(one.name), names)
            case ast.ImportFrom(origin, aliases):
                module = self._module(origin or "")
                for one in aliases:
                    if one.name == "*":
                        self._import_all(module, names)
                    else:
                        self._bind(one.asname or one.name, module and module.names.get(one.name), names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names[node.name] = self._decorated(node, names)

    def _decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, names: Names) -> Value:
        """Return what a definition means with what decorators of one's own make of it."""
        if self._open:
            self._modules.frames.append(names)
        made: Value = Own(node, self.place, names if self._open else None)
        for decorator in node.decorator_list[::-1]:
            for own in self._meaning(decorator, names).own:
                replaced = self._called(own, [made], {})
                made = replaced if replaced.own else made
        return made

    def _module(self, name: str) -> OwnModule | None:
        """Return a module of the hand-in; None for any other."""
        return OwnModule(self._modules.names(name)) if name in self._modules.sources else None

    def _bind(self, name: str, value: Value | None, names: Names) -> None:
        if value:
            names[name] = value
        else:
            names.pop(name, None)

    def _import_all(self, module: OwnModule | None, names: Names) -> None:
        if not module:
            return
        self._work.spend(len(module.names))
        listed = module.names.get("__all__", INPUT)
        public = {one.operation for one in listed.parts}
        for name, value in list(module.names.items()):
            if repr(name) in public if listed.operation == "tuple" else not name.startswith("_"):
                names[name] = value

    def _expression(self, node: ast.expr, names: Names) -> None:
        """Read an expression that stands alone: what it does to a name is all that may come of it."""
        if isinstance(node, ast.Constant):
            return
        made = self._value(node, names)
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), _)) if (
                type(names.get(name)) is Value and names[name] is not SELF
            ):
                names[name] = made
                if made.parts and made.parts[0] is INPUT:
                    self.effects.append(made)
            case _ if made is not INPUT:
                self.effects.append(made)

    def _branches(self, test: Value, body: Sequence[ast.stmt], others: Sequence[ast.stmt], names: Names) -> None:
        self._work.spend(3 * len(names))
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
        work = self._work
        work.left -= 1  # what `spend` does, at a place that is reached most often
        if work.left < 0:
            raise TooMuch
        kind = type(node)
        self._written.append(kind)
        if reader := _READERS.get(kind):
            return reader(self, node, names)
        parts = [self._value(child, names) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        return self._make(type(node).__name__, parts)

    def _constant(self, node: ast.Constant, names: Names) -> Value:
        written = repr(node.value)
        self._work.spend(len(written) // SIGNS)
        self._written.append(written)
        return Value(lettered(node.value) if isinstance(node.value, str) else written)

    def _name(self, node: ast.Name, names: Names) -> Value:
        value = names.get(node.id) or self._global(node.id)
        return self._handed_on(value) if value.own else INPUT if value is OUTSIDE else value

    def _attribute(self, node: ast.Attribute, names: Names) -> Value:
        meaning = self._meaning(node, names)
        if meaning is OUTSIDE:
            self._written.append(node.attr)
            return Value(ALIASES.get(node.attr, node.attr))
        if meaning is not INPUT:
            return self._handed_on(meaning)
        owner = self._value(node.value, names)
        if owner is SELF:
            return self._attributes.get(node.attr, INPUT)
        self._written.append(node.attr)
        return self._make(ALIASES.get(node.attr, node.attr), [owner])

    def _global(self, name: str) -> Value:
        """Return what of one's own a name means at the top of the module; else it is of no interest what is behind it."""
        value = self.place.names.get(name, OUTSIDE)
        return OUTSIDE if type(value) is Value else value

    def _meaning(self, node: ast.expr, names: Names) -> Value:
        """Return what of one's own a name means, with the modules before it, such as `helper.rotate`.

        OUTSIDE: a name of another module, such as `torch.nn`. INPUT: anything else, which is a value.
        """
        attributes = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        self._work.spend(len(attributes))
        if not isinstance(node, ast.Name):
            return INPUT
        value = names.get(node.id) or self._global(node.id)
        if type(value) is Value:
            return value if value is OUTSIDE else INPUT
        for attribute in attributes[::-1]:
            if isinstance(value, OwnModule):
                value = value.names.get(attribute, OUTSIDE)
            elif value.own:  # what stands in a class
                self._handed_on(value)
                return OUTSIDE
        return OUTSIDE if type(value) is Value else value

    def _handed_on(self, value: Value) -> Value:
        """Read what of one's own is not called where it is named, once: what it will be given is not known."""
        for own in value.own:
            if self._open and not own.step and own.node not in self._mentioned and own.node not in self._open:
                self._mentioned.add(own.node)
                returned, self._returned = self._returned, []
                self.read_alone(own)
                self.effects += self._returned
                self._returned = returned
        return value

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

    def _starred(self, node: ast.Starred, names: Names) -> Value:
        several = self._value(node.value, names)
        return several if several is INPUT else self._make("Starred", [several])

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
        self._work.spend(len(names))
        inner = dict(names)
        tests = self._generators(node.generators, inner)
        return self._make("comprehension", [self._value(node.elt, inner), *tests])

    def _dictionary(self, node: ast.DictComp, names: Names) -> Value:
        self._work.spend(len(names))
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
        if not self._open:
            return Own(node, self.place)
        self._work.spend(len(names))
        return self._make("lambda", [self._value(node.body, {**names, **self._inputs(node)})])

    def _call(self, node: ast.Call, names: Names) -> Value:
        arguments = [self._value(one, names) for one in _flat(node.args)]
        keywords = sorted(node.keywords, key=_name_of) if node.keywords else ()
        self._written += map(_name_of, keywords)
        named = {one.arg or "": self._value(one.value, names) for one in keywords}
        given = [*arguments, *named.values()]
        function = node.func
        meaning = self._meaning(function, names)
        if meaning is not INPUT:
            if isinstance(function, ast.Attribute):
                self._written.append(function.attr)
            return (
                self._operation(_last(function), given)
                if meaning is OUTSIDE
                else self._call_own(meaning, arguments, named)
            )
        match function:
            case ast.Attribute(ast.Call(ast.Name("super"))):
                return INPUT
            case ast.Attribute(owner, name):
                whole = self._value(owner, names)
                if whole is SELF:
                    return self._of_self(name, node, arguments, named)
                self._written.append(name)
                return self._operation(name, [whole, *given])
            case ast.Name(name):
                return self._make("call", [names[name], *given])
        called = self._value(function, names)
        return self._call_own(called, arguments, named) if called.own else self._make("call", [called, *given])

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
            return self._call_own(self._methods[name], [SELF, *arguments], named)
        match node.args:
            case [ast.Constant(str(attribute)), _, *_] if name.startswith("register_"):
                self._attributes[attribute] = arguments[1]
                return INPUT
        if name in self._attributes and self._attributes[name].own:
            return self._call_own(self._attributes[name], arguments, named)
        if name in self._attributes:
            return self._make("call", [self._attributes[name], *arguments, *named.values()])
        return self._operation(name, [INPUT, *arguments, *named.values()])

    def _call_own(self, called: Value, arguments: list[Value], named: Mapping[str, Value]) -> Value:
        """Return what one's own makes of arguments: one thing or another, where it may be several."""
        made = [self._called(own, arguments, named) for own in called.own]
        return made[0] if len(made) == 1 else self._make("choice", made)

    def _called(self, own: Own, arguments: list[Value], named: Mapping[str, Value]) -> Value:
        """Return what a function of one's own makes of arguments, as if its code stood here."""
        if own.step:
            return self._operation(own.step, [*arguments, *named.values()])
        if own.node in self._open or isinstance(own.node, ast.ClassDef):
            self._handed_on(own)
            return self._make("own", [*arguments, *named.values()])
        returned, self._returned = self._returned, []
        with self._within(own):
            given = dict(zip(_parameters(own.node), arguments, strict=False))
            self._run_function(own, {**self._inputs(own.node), **given, **named})
        made, self._returned = self._returned, returned
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
    ast.Starred: _Reader._starred,
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


def _parameters(function: Function) -> list[str]:
    given = function.args
    several = [one for one in (given.vararg, given.kwarg) if one]
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several)]


def _last(name: ast.expr) -> str:
    return name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""


def _name_of(keyword: ast.keyword) -> str:
    return keyword.arg or ""


def _flat(arguments: Sequence[ast.expr]) -> list[ast.expr]:
    """Return arguments, those of a tuple one by one: `reshape((a, b))` is `reshape(a, b)`."""
    flat: list[ast.expr] = []
    for one in arguments:
        flat += one.elts if isinstance(one, ast.Tuple | ast.List) else [one]
    return flat
