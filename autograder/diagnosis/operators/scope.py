"""What may be written at a place of a definition: the names, the sizes and the attributes that there are."""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from autograder.diagnosis.operators.places import names_in, own_attributes
from autograder.diagnosis.operators.source import Source

LIBRARIES = frozenset({"torch", "nn", "F", "functional", "np", "numpy", "math", "T", "init"})
"""Owners of functions that take their tensor as the first argument."""

MADE_OF_SIZES = frozenset({"Linear", "Embedding", "Dropout", "full", "new_zeros", "new_full", "new_ones", "unflatten"})
NO_TENSORS = frozenset(
    {
        "shape",
        "size",
        "ndim",
        "dim",
        "numel",
        "dtype",
        "device",
        "len",
        "range",
        "int",
        "float",
        "super",
        "isinstance",
        "hasattr",
    }
    | {"__init__", "register_buffer", "append", "slice", "print"}
)
"""Attributes and results that are no tensors."""
TAKES_SIZES = frozenset(
    {"view", "reshape", "range", "arange", "ones", "zeros", "rand", "randn", "empty", "expand", "repeat"}
)


@dataclass(frozen=True)
class Scope:
    """The names that a statement may use."""

    source: Source
    function: ast.FunctionDef | None
    outer: tuple[str, ...]

    @cached_property
    def names(self) -> list[str]:
        """The arguments and variables, those of functions around it too."""
        own = names_in(self.function) if self.function else []
        return list(dict.fromkeys([*own, *self.outer]))

    @cached_property
    def attributes(self) -> list[str]:
        """What the class gives to itself, or says that it has."""
        tree = self.source.tree
        said = [
            node.target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        ]
        registered = [
            node.args[0].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and called(node).startswith("register_")
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ]
        in_class = said if isinstance(tree.body[0], ast.ClassDef) else []
        return list(
            dict.fromkeys(
                [*own_attributes(tree), *(name for name in [*registered, *in_class] if isinstance(name, str))]
            )
        )

    @cached_property
    def sizes(self) -> list[str]:
        """The names that hold whole numbers, as far as it can be seen."""
        return [name for name in self.names if name in self._sizes]

    @cached_property
    def tensors(self) -> list[str]:
        """The names that may hold tensors."""
        return [name for name in self.names if name not in self._sizes]

    @cached_property
    def _sizes(self) -> frozenset[str]:
        return frozenset(_sizes(self.source.tree))

    def may_be_tensor(self, node: ast.AST) -> bool:
        """Return whether an expression may be a tensor, as far as it can be seen."""
        above = self.parent(node)
        if isinstance(above, ast.Call) and above.func is node:
            return False
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return False
        match node:
            case ast.Name(identifier):
                return identifier in self.names and identifier not in self._sizes
            case ast.Attribute(ast.Name("self"), attr):
                return attr not in self.size_attributes
            case ast.Attribute(value, attr):
                return not is_library(value) and attr not in NO_TENSORS
            case ast.Call():
                return called(node) not in NO_TENSORS and not called(node)[:1].isupper()
            case ast.BinOp():
                return not _is_size(node, self._sizes)
            case ast.Subscript(value):
                return not _is_shape(value)
            case ast.Compare(left):
                return self.may_be_tensor(left)
        return False

    @cached_property
    def size_attributes(self) -> list[str]:
        """The attributes of `self` that hold whole numbers, as far as it can be seen."""
        found = [
            target.attr
            for node in ast.walk(self.source.tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Attribute) and _is_size(node.value, self._sizes)
        ]
        return list(dict.fromkeys(found))

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node above a node."""
        return self.source.parents.get(node)


def goes_into(node: ast.AST, scope: Scope) -> str:
    """Return the name of the method or function that works on a value."""
    above = scope.parent(node)
    if isinstance(above, ast.Attribute):
        above = scope.parent(above)
    return called(above) if isinstance(above, ast.Call) and subject(above) is node else ""


def called(call: ast.AST) -> str:
    """Return the name of what a call calls, without what it belongs to."""
    match call:
        case ast.Call(ast.Attribute(attr=name)) | ast.Call(ast.Name(name)):
            return name
    return ""


def is_library(node: ast.AST) -> bool:
    """Return whether an expression is a module such as `torch` or `nn.functional`."""
    match node:
        case ast.Name(name):
            return name in LIBRARIES
        case ast.Attribute(value, name):
            return name in LIBRARIES and is_library(value)
    return False


def subject(call: ast.AST) -> ast.expr | None:
    """Return what a call works on: the object of a method, or the first argument of a function."""
    match call:
        case ast.Call(ast.Attribute(value)) if not is_library(value):
            return value
        case ast.Call(args=[first, *_]):
            return first
    return None


def numbers_of(call: ast.Call) -> list[int]:
    """Return the places of the arguments that come after what a call works on."""
    match call.func:
        case ast.Attribute(value) if not is_library(value):
            return list(range(len(call.args)))
    return list(range(1, len(call.args)))


def _sizes(tree: ast.AST) -> Iterator[str]:
    known: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.arg(name, ast.Name("int" | "float")):
                known.add(name)
            case ast.Call(args=arguments) if called(node) in TAKES_SIZES or called(node) in MADE_OF_SIZES:
                known.update(_names_in(arguments))
            case ast.keyword("diagonal" | "k" | "dim", value):
                known.update(_names_in([value]))
            case ast.Slice(lower, upper):
                known.update(_names_in([bound for bound in (lower, upper) if bound]))
            case ast.arguments(args=arguments, defaults=defaults) if defaults:
                given = zip(arguments[-len(defaults) :], defaults, strict=True)
                known.update(argument.arg for argument, value in given if _is_size(value, ()))
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"))):
                known.add(name)
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Tuple(elements)], value) if _is_shape(value):
                known.update(element.id for element in elements if isinstance(element, ast.Name))
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], value) if _is_size(value, known):
                known.add(name)
            case ast.Assign([ast.Tuple(elements)], ast.Tuple(values)):
                pairs = zip(elements, values, strict=False)
                known.update(name.id for name, value in pairs if isinstance(name, ast.Name) and _is_size(value, known))
    yield from known


def _names_in(nodes: list[ast.expr]) -> Iterator[str]:
    """Yield the names that stand in some sums, products and tuples by themselves."""
    for node in nodes:
        match node:
            case ast.Name(identifier):
                yield identifier
            case ast.Tuple(elements) | ast.List(elements):
                yield from _names_in(elements)
            case ast.BinOp(left, _, right):
                yield from _names_in([left, right])


def _is_shape(node: ast.AST) -> bool:
    match node:
        case (
            ast.Attribute(attr="shape")
            | ast.Call(ast.Attribute(attr="size"), [])
            | ast.Subscript(ast.Attribute(attr="shape"), ast.Slice())
        ):
            return True
    return False


def _is_size(node: ast.AST, known: Collection[str]) -> bool:
    match node:
        case ast.Subscript(value, index):
            return _is_shape(value) and not isinstance(index, ast.Slice)
        case ast.Call(ast.Attribute(attr="size" | "numel" | "dim")) | ast.Call(ast.Name("len" | "int" | "round")):
            return True
        case ast.Constant(int() | float()):
            return True
        case ast.Name(name):
            return name in known
        case ast.BinOp(left, _, right):
            return _is_size(left, known) and _is_size(right, known)
        case ast.Attribute(ast.Name("self"), name):
            return name in known
    return False
