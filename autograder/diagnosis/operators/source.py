"""Mutation operators, and the data for their edits: a definition's source and names in scope."""

import ast
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

LIBRARIES = frozenset({"torch", "nn", "F", "functional", "np", "numpy", "math", "T", "init", "self"})
"""`self`, and names of modules whose functions take a tensor as the first argument."""


class _NegativeNumbers(ast.NodeTransformer):
    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        match node:
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                return ast.copy_location(ast.Constant(-value), node)
        return self.generic_visit(node)


class Source:
    """The text and syntax tree of a definition. In the tree, `-1` is one constant. Raises SyntaxError."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree: ast.Module = _NegativeNumbers().visit(ast.parse(text))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self._lines = text.splitlines(keepends=True)

    @cached_property
    def statements(self) -> list[tuple[ast.stmt, "Scope"]]:
        """Every statement, except docstrings, with its scope."""
        return list(self._statements(self.tree, Scope(self, None)))

    def _statements(self, owner: ast.AST, scope: "Scope") -> Iterator[tuple[ast.stmt, "Scope"]]:
        for node in ast.iter_child_nodes(owner):
            if isinstance(node, ast.stmt) and not _is_docstring(node):
                yield node, scope
                is_outer = isinstance(node, ast.FunctionDef) and not scope.function
                yield from self._statements(node, Scope(self, node) if is_outer else scope)

    def _span(self, statement: ast.stmt) -> tuple[int, int]:
        first = next(iter(getattr(statement, "decorator_list", ())), statement)
        begin = first.lineno, first.col_offset - (first is not statement)
        return self._place(*begin), self._place(statement.end_lineno or 0, statement.end_col_offset or 0)

    def _place(self, line: int, offset: int) -> int:
        return sum(map(len, self._lines[: line - 1])) + len(self._lines[line - 1].encode()[:offset].decode())

    def with_statement(self, old: ast.stmt, new: str) -> str:
        """Return the text with a statement replaced. All other text stays unchanged."""
        (start, end), text = self._span(old), self.text
        line = text[text.rfind("\n", 0, start) + 1 : start]
        blank = line[: len(line) - len(line.lstrip())]
        kept = "el" if text.startswith("elif", start) else ""
        return text[:start] + kept + textwrap.indent(new, blank).lstrip() + text[end:]

    def parent(self, node: ast.AST | None) -> ast.AST | None:
        """Return the parent of a node in the tree; None for the root."""
        return self.parents.get(node) if node else None

    def written(self, statement: ast.stmt, old: ast.AST, new: ast.AST) -> str:
        """Return the code of a statement in which an expression is replaced."""
        owner = self.parents[old]
        _put(owner, old, new)
        text = ast.unparse(statement)
        _put(owner, new, old)
        return text


def _put(owner: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for field, value in ast.iter_fields(owner):
        if value is old:
            setattr(owner, field, new)
        elif isinstance(value, list):
            value[:] = [new if one is old else one for one in value]


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@dataclass(frozen=True)
class Scope:
    """The names that a statement may use. function: the outermost function around the statement."""

    source: Source
    function: ast.stmt | None

    @cached_property
    def names(self) -> list[str]:
        """The arguments and variables of the function, and of functions inside it."""
        nodes = list(ast.walk(self.function)) if self.function else []
        arguments = [one.arg for one in nodes if isinstance(one, ast.arg) and one.arg != "self"]
        variables = [one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        return list(dict.fromkeys([*arguments, *variables]))

    @cached_property
    def attributes(self) -> list[str]:
        """The attributes of `self` that the definition assigns."""
        nodes = (one for one in ast.walk(self.source.tree) if isinstance(one, ast.Attribute))
        return sorted(
            {one.attr for one in nodes if isinstance(one.ctx, ast.Store) and ast.unparse(one.value) == "self"}
        )

    @cached_property
    def _known(self) -> frozenset[str]:
        """The names of variables and attributes that the source shows to be Python numbers."""
        known: set[str] = set()
        for node in ast.walk(self.source.tree):
            match node:
                case ast.arg(name, ast.Name("int" | "float")) | ast.For(ast.Name(name), ast.Call(ast.Name("range"))):
                    known.add(name)
                case ast.Assign([ast.Tuple(elements)], value) if _is_shape(value):
                    known.update(one.id for one in elements if isinstance(one, ast.Name))
        for node in ast.walk(self.source.tree):
            match node:
                case ast.Assign([ast.Name(name) | ast.Attribute(_, name)], value) if _is_size(value, known):
                    known.add(name)
        return frozenset(known)

    @property
    def sizes(self) -> list[str]:
        """The variables that hold Python numbers, such as sizes."""
        return [name for name in self.names if name in self._known]

    @property
    def tensors(self) -> list[str]:
        """The variables that may hold tensors."""
        return [name for name in self.names if name not in self._known]

    @property
    def measures(self) -> list[str]:
        """Expressions for sizes: variables, attributes, and last dimensions of tensors."""
        own = [f"self.{name}" for name in self.attributes if name in self._known]
        return [*self.sizes, *own, *(f"{name}.shape[-1]" for name in self.tensors[:6])]

    def is_size(self, node: ast.AST) -> bool:
        """Return whether an expression is a Python number, according to the source."""
        return _is_size(node, self._known)

    def block(self, statement: ast.stmt) -> tuple[ast.AST, list[ast.stmt]]:
        """Return the parent of a statement, and the list in the parent that contains the statement."""
        owner = self.source.parents[statement]
        lists = (value for _, value in ast.iter_fields(owner) if isinstance(value, list) and statement in value)
        return owner, next(lists)


@dataclass(frozen=True)
class Rewritten:
    """The edit of a statement, `old`, into other statements. done: the edit, in words."""

    old: ast.stmt
    others: tuple[ast.stmt, ...]
    done: str


USUAL = 1
"""The rank of operators that are tried after the operators of rank 0."""

Nodes = Iterator[ast.expr]


@dataclass(frozen=True)
class Operator:
    """A mutation operator: a kind of edit that repairs students' code or makes mutants of solutions.

    rewrite: yields the replacements of a node. on: the types of nodes to edit. says: the fault in
    words, with `{was}` for the expression and `{of}` for the called function. rank: operators of
    lower rank are tried first. removes: whether the edit only removes code.
    """

    id: str
    rewrite: Callable[[Any, Scope], Iterable[ast.AST | Rewritten]]
    on: type[ast.AST] | tuple[type[ast.AST], ...]
    says: str
    rank: int = 0
    removes: bool = False


def called(call: ast.AST | None) -> str:
    """Return the name of the function or method that a node calls; empty if the node is no call."""
    match call:
        case ast.Call(ast.Attribute(attr=name)) | ast.Call(ast.Name(name)):
            return name
    return ""


def is_library(node: ast.AST) -> bool:
    """Return whether an expression is `self` or a module, such as `torch` or `nn.functional`."""
    match node:
        case ast.Attribute(value, name):
            return name in LIBRARIES and is_library(value)
    return isinstance(node, ast.Name) and node.id in LIBRARIES


def subject(call: ast.AST) -> ast.expr | None:
    """Return the tensor that a call works on: the object of a method, or the first argument of a function."""
    match call:
        case ast.Call(ast.Attribute(value)) if not is_library(value):
            return value
        case ast.Call(args=[first, *_]):
            return first
    return None


def numbers_of(call: ast.Call) -> list[int]:
    """Return the indices of the arguments after the tensor that a call works on."""
    is_method = isinstance(call.func, ast.Attribute) and not is_library(call.func.value)
    return list(range(0 if is_method else 1, len(call.args)))


def _is_shape(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="shape") | ast.Call(ast.Attribute(attr="size"), []):
            return True
        case ast.Subscript(value, ast.Slice()):
            return _is_shape(value)
    return False


def _is_size(node: ast.AST, known: Collection[str]) -> bool:
    match node:
        case ast.Subscript(value, index):
            return _is_shape(value) and not isinstance(index, ast.Slice)
        case ast.Call(ast.Attribute(attr="size" | "numel" | "dim")) | ast.Call(ast.Name("len" | "int" | "round")):
            return True
        case ast.Name(name) | ast.Attribute(ast.Name("self"), name):
            return name in known
        case ast.BinOp(left, _, right):
            return _is_size(left, known) and _is_size(right, known)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def made(text: str, *parts: ast.AST | float | str) -> ast.expr:
    """Return the expression of a template. parts: the node, number or name in place of each `{}`."""
    filled = text.format(*(f"({ast.unparse(part)})" if isinstance(part, ast.AST) else part for part in parts))
    return ast.parse(filled, mode="eval").body


def with_argument(call: ast.Call, index: int, value: ast.expr | int) -> ast.Call:
    """Return a call with one positional argument replaced."""
    value = value if isinstance(value, ast.expr) else ast.Constant(value)
    return ast.Call(call.func, [*call.args[:index], value, *call.args[index + 1 :]], call.keywords)


def with_keyword(call: ast.Call, key: str, value: ast.expr | int) -> ast.Call:
    """Return a call with one keyword argument replaced or added."""
    new = ast.keyword(key, value if isinstance(value, ast.expr) else ast.Constant(value))
    others = [new if one.arg == key else one for one in call.keywords]
    return ast.Call(call.func, call.args, others if new in others else [*others, new])


def with_function(call: ast.Call, name: str) -> ast.Call:
    """Return a call of another function or method of the same owner, with the same arguments."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return ast.Call(ast.Attribute(owner, name) if owner else ast.Name(name), call.args, call.keywords)


def exchanged(items: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    """Yield copies of a list with two items exchanged, first two neighbours, then more distant items."""
    for apart in range(1, len(items)):
        for first in range(len(items) - apart):
            other = list(items)
            other[first], other[first + apart] = items[first + apart], items[first]
            yield other
