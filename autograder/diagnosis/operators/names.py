"""Slips of names and indices: one for another, part of a tensor for the whole."""

import ast
import difflib
from collections.abc import Iterator

from autograder.diagnosis.operators.building import constant, item, name, own
from autograder.diagnosis.operators.places import exchanged
from autograder.diagnosis.operators.scope import Scope, called, is_library

COLON = ast.Slice(None, None, None)


def sibling_name(node: ast.Name, scope: Scope) -> Iterator[ast.expr]:
    """Another name of the same kind: a size for a size, a tensor for a tensor."""
    group = scope.sizes if node.id in scope.sizes else scope.tensors
    if node.id in scope.names and isinstance(node.ctx, ast.Load):
        others = [other for other in group if other != node.id]
        yield from map(name, sorted(others, key=lambda other: -_likeness(node.id, other)))


def stranger_name(node: ast.Name, scope: Scope) -> Iterator[ast.expr]:
    """A name of another kind."""
    if isinstance(node.ctx, ast.Load) and not is_library(node):
        group = scope.tensors if node.id in scope.sizes else scope.sizes
        yield from (name(other) for other in (scope.names if node.id not in scope.names else group) if other != node.id)


def misspelt_name(node: ast.Name, scope: Scope) -> Iterator[ast.expr]:
    """A name that nothing has, like one that there is."""
    if node.id not in scope.names and isinstance(node.ctx, ast.Load):
        yield from map(name, difflib.get_close_matches(node.id, scope.names, 3, 0.6))
        if node.id in scope.attributes:
            yield own(node.id)


def sibling_attribute(node: ast.Attribute, scope: Scope) -> Iterator[ast.expr]:
    """Another attribute of the same thing."""
    match node:
        case ast.Attribute(ast.Name("self") as owner, given):
            others = [other for other in scope.attributes if other != given]
            yield from (
                ast.Attribute(owner, other, node.ctx)
                for other in sorted(others, key=lambda other: -_likeness(given, other))
            )
        case ast.Attribute(ast.Attribute(ast.Name("self"), _) as owner, given):
            yield from (ast.Attribute(own(other), given, node.ctx) for other in scope.attributes if other != owner.attr)


def own_for_name(node: ast.Name, scope: Scope) -> Iterator[ast.expr]:
    """An attribute of `self` where a name stands."""
    if isinstance(node.ctx, ast.Load) and not is_library(node) and node.id != "self":
        yield from map(own, sorted(scope.attributes, key=lambda other: other != node.id))


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).quick_ratio()


def exchanged_elements(node: ast.Tuple | ast.List, scope: Scope) -> Iterator[ast.expr]:
    """Two elements in each other's place."""
    if isinstance(scope.parent(node), ast.Subscript):
        return
    elements = node.elts
    for index in range(len(elements) - 1):
        yield type(node)(exchanged(elements, index), node.ctx)
    for first in range(len(elements)):
        for second in range(first + 2, len(elements)):
            others = list(elements)
            others[first], others[second] = others[second], others[first]
            yield type(node)(others, node.ctx)


def other_index(node: ast.Subscript, scope: Scope) -> Iterator[ast.expr]:
    """Another row, another column; counted along another dimension."""
    match node:
        case ast.Subscript(ast.Attribute(attr="shape")):
            return
        case ast.Subscript(value, ast.Tuple(elements)):
            yield from (item(value, *exchanged(elements, index)) for index in range(len(elements) - 1))
            for index, element in enumerate(elements):
                siblings = [
                    other for other in elements if isinstance(other, ast.Slice) and isinstance(element, ast.Slice)
                ]
                for other in (*siblings, *_other_parts(element)):
                    yield item(value, *elements[:index], other, *elements[index + 1 :])
            for index in range(len(elements)):
                rest = [*elements[:index], *elements[index + 1 :]]
                yield item(value, *rest)
            for index in range(len(elements) + 1):
                yield item(value, *elements[:index], COLON, *elements[index:])
        case ast.Subscript(value, index):
            yield from (item(value, other) for other in _other_parts(index))
            yield item(value, COLON, index)
            yield item(value, ast.Constant(...), index)


def _other_parts(part: ast.expr) -> Iterator[ast.expr]:
    match part:
        case ast.Slice(lower, upper, step):
            if lower or upper:
                yield ast.Slice(upper, lower, step)
            if upper and not lower:
                yield ast.Slice(ast.UnaryOp(ast.USub(), upper), None, step)
            match lower, upper:
                case ast.expr() as start, ast.BinOp(begin, ast.Add(), length) if ast.unparse(start) == ast.unparse(
                    begin
                ):
                    after = ast.BinOp(start, ast.Add(), ast.Constant(1))
                    yield ast.Slice(ast.BinOp(start, ast.Mult(), length), ast.BinOp(after, ast.Mult(), length), step)
            for bound in filter(None, (lower, upper)):
                for other in _shifted(bound):
                    yield ast.Slice(other if bound is lower else lower, other if bound is upper else upper, step)
            if lower and upper:
                yield ast.Slice(lower, None, step)
                yield ast.Slice(None, upper, step)
            if not lower and not upper and not step:
                for end in (-1, 1):
                    yield ast.Slice(None, constant(end), None)
                    yield ast.Slice(constant(end), None, None)
                yield constant(-1)
                yield constant(0)
            if step:
                yield ast.Slice(lower, upper, None)
                yield from (ast.Slice(constant(start), upper, step) for start in (0, 1))
            if lower or upper:
                yield COLON
        case ast.Constant(None):
            yield COLON
        case ast.Constant(int(value)):
            yield from (constant(other) for other in (-1, 0, value + 1, value - 1) if other != value)
            yield ast.Slice(part, constant(value + 1) if value != -1 else None, None)
            yield COLON
            yield constant(None)
        case ast.Constant():
            pass
        case _:
            yield from _shifted(part)
            yield COLON


def _shifted(bound: ast.expr) -> Iterator[ast.expr]:
    match bound:
        case ast.Constant(int(value)):
            yield from map(constant, (value + 1, value - 1, -value) if value else (1, -1))
        case ast.UnaryOp(ast.USub(), value):
            yield value
        case ast.BinOp(left, ast.Add() | ast.Sub(), ast.Constant()):
            yield left
        case _:
            yield ast.BinOp(bound, ast.Add(), ast.Constant(1))
            yield ast.BinOp(bound, ast.Sub(), ast.Constant(1))
            yield ast.UnaryOp(ast.USub(), bound)


def whole(node: ast.Subscript, scope: Scope) -> Iterator[ast.expr]:
    """A part is taken where the whole belongs."""
    if not isinstance(node.value, ast.Attribute) or node.value.attr != "shape":
        yield node.value


def default(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """A loop over a range that begins or ends elsewhere."""
    if called(node) in ("range", "arange") and node.args:
        end = 1 if len(node.args) > 1 else 0
        yield from (
            ast.Call(node.func, [*node.args[:end], other, *node.args[end + 1 :]], node.keywords)
            for other in _shifted(node.args[end])
        )
        if len(node.args) == 1:
            yield ast.Call(node.func, [constant(1), node.args[0]], node.keywords)
            yield ast.Call(node.func, [constant(1), ast.BinOp(node.args[0], ast.Add(), ast.Constant(1))], node.keywords)
        else:
            yield ast.Call(node.func, [constant(0), *node.args[1:]], node.keywords)
            if len(node.args) == 3:
                yield ast.Call(node.func, node.args[:2], node.keywords)
