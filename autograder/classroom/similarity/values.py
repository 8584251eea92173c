"""Values, as they are compared: by the operation that makes them, and what they are made of; and what is of one's own."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from autograder.classroom.similarity.operations import COMMUTATIVE

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

    @property
    def own(self) -> tuple[Own, ...]:
        """What of one's own it may be: several, where that depends on a condition."""
        return ()


def _deepest(value: Value) -> int:
    return value.labels[DEPTH]


INPUT = Value("input")
SELF = Value("self")
OUTSIDE = Value("outside")
"""What is no value here, such as a module of torch's."""

Names = dict[str, Value]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Binding = Definition | ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Place:
    """Where code stands. names: those of its module. text: of which it has its lines."""

    names: Names
    text: str


class Own(Value):
    """A function or class of one's own; handed on as a value, it is like any input.

    around: the names of the function in which it stands; None at the top of a module. step: the name under which it is a step, which is
    not read where it is called.
    """

    __slots__ = ("around", "node", "place", "step")

    def __init__(self, node: Function | ast.ClassDef, place: Place, around: Names | None = None) -> None:
        self.operation, self.parts, self.labels = INPUT.operation, (), INPUT.labels
        self.node, self.place, self.around, self.step = node, place, around, ""

    @property
    def own(self) -> tuple[Own, ...]:
        """Itself."""
        return (self,)

    @property
    def text(self) -> str:
        """Its own lines, decorators included."""
        decorators: list[ast.expr] = getattr(self.node, "decorator_list", [])
        first = min([self.node.lineno, *(decorator.lineno for decorator in decorators)])
        return "\n".join(self.place.text.split("\n")[first - 1 : self.node.end_lineno])


class OwnModule(Value):
    """A module of the hand-in."""

    __slots__ = ("names",)

    def __init__(self, names: Names) -> None:
        super().__init__(INPUT.operation)
        self.names = names


class OwnChoice(Value):
    """What is one or the other of one's own."""

    __slots__ = ("_own",)

    def __init__(self, parts: Sequence[Value], own: tuple[Own, ...]) -> None:
        super().__init__("choice", parts)
        self._own = own

    @property
    def own(self) -> tuple[Own, ...]:
        """The one and the other."""
        return self._own
