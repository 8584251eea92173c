"""Edits: what a definition may become by one slip undone, the likeliest first."""

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from autograder.diagnosis.operators.flow import steps_back
from autograder.diagnosis.operators.scope import Scope, called
from autograder.diagnosis.operators.source import Source, Splice, smallest_difference
from autograder.diagnosis.operators.statements import Statement
from autograder.diagnosis.operators.vocabulary import RANKS, SAYS, ExpressionSlip, StatementSlip

SHORT = 44
"""An expression of so many characters is shown whole."""


MOST = 10_000
"""No definition has more edits; what comes later is no likely cause."""


BACK, AWAY = 1.5, 3.5
"""Ranks by which what is a step back from the lines that are looked at first comes later, and all that is far from them."""


@dataclass(frozen=True)
class Edit:
    """One small edit of a definition, at one place.

    line: from 1, in the text that was given; first, last: the columns of what is meant, as characters. was, becomes: the expression or statement before and
    after, short. text: the definition after the edit. of: what the operator is applied to, as `softmax`. done: the edit in words, where `was` and `becomes` do
    not say it.
    """

    operator: str
    line: int
    first: int
    last: int
    was: str
    becomes: str
    text: str
    of: str = ""
    done: str = ""


def edits(text: str, near: Collection[int] = (), first: Collection[str] = ()) -> Iterator[Edit]:
    """Yield edits of one top-level definition, the likeliest first, each text once. Nothing if it is no Python.

    near: lines that are looked at first. first: operators that come before all others in these lines.
    """
    try:
        source = Source(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    yield from islice(_once(_ranked(source, near, first), text), MOST)


def _once(made: Iterator[Edit], text: str) -> Iterator[Edit]:
    """Yield the edits whose text was not there before."""
    seen = {hash(text)}
    for edit in made:
        if hash(edit.text) not in seen:
            seen.add(hash(edit.text))
            yield edit


def _ranked(source: Source, near: Collection[int], first: Collection[str]) -> Iterator[Edit]:
    """Yield the edits rank by rank, those of the lines that are near first; what is a step back from these is later."""
    visited = [_Visited(place, scope) for place, scope in _all_visited(source)]
    statements = [one.place.node for one in visited]
    begin = [one for one in statements if not _distance(one, near)]
    steps = steps_back(statements, begin)
    late = [min(BACK * steps[one], AWAY) if one in steps else AWAY for one in statements]
    likeliest = tuple(slip for rank in RANKS for slip in rank if slip.id in first)
    turns = [(float(turn), rank) for turn, rank in enumerate(RANKS)]
    rounds = [(turn + after, rank, after) for turn, rank in turns for after in sorted(set(late))]
    for _, rank, after in [(-1.0, likeliest, 0.0), *sorted(rounds, key=lambda one: one[0])]:
        for one, mine in zip(visited, late, strict=True):
            if mine == after:
                yield from one.edits(rank)


def _distance(statement: ast.stmt, near: Collection[int]) -> int:
    """Return how many lines lie between a statement and the nearest of some lines; none if there are none."""
    body = getattr(statement, "body", None)
    last = max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno or statement.lineno
    return min((max(statement.lineno - line, line - last, 0) for line in near), default=0)


def _all_visited(source: Source) -> Iterator[tuple[Statement, Scope]]:
    """Yield every statement with what it may use; a function itself too, for the defaults of its arguments."""

    def visit(owner: ast.AST, scope: Scope) -> Iterator[tuple[Statement, Scope]]:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(owner, field, [])
            if not isinstance(block, list):
                continue
            code = [node for node in block if not _is_docstring(node)]
            for index, node in enumerate(code):
                yield Statement(node, code, index, owner), scope
                if isinstance(node, ast.FunctionDef):
                    outer = tuple(scope.names) if scope.function else ()
                    yield from visit(node, Scope(source, node, outer))
                elif not isinstance(node, ast.expr):
                    yield from visit(node, scope)

    yield from visit(source.tree, Scope(source, None, ()))


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


_LOAD = ast.Load()


class _Visited:
    """A statement and its expressions, by their types."""

    def __init__(self, place: Statement, scope: Scope) -> None:
        self.place, self.scope = place, scope
        self._by_type: dict[type[ast.AST], list[ast.AST]] | None = None

    @property
    def by_type(self) -> dict[type[ast.AST], list[ast.AST]]:
        """The expressions of the statement, but those of the statements inside it."""
        if self._by_type is None:
            self._by_type = {}
            if not isinstance(self.place.node, ast.Raise | ast.Import | ast.ImportFrom):
                for node in _own_expressions(self.place.node):
                    self._by_type.setdefault(type(node), []).append(node)
                    if self.scope.may_be_tensor(node):
                        self._by_type.setdefault(ast.expr, []).append(node)
        return self._by_type

    def edits(self, slips: tuple[ExpressionSlip | StatementSlip, ...]) -> Iterator[Edit]:
        """Yield what the statement may become by some operators."""
        statement = self.place.node
        for slip in slips:
            if isinstance(slip, StatementSlip):
                if isinstance(statement, ast.ClassDef | ast.FunctionDef):
                    continue
                was = ast.unparse(statement).splitlines()[0]
                for rewritten in slip.find(self.place, self.scope):
                    shown_as = was, rewritten.becomes, _short(was), rewritten.done
                    yield self._edit(slip.id, statement, rewritten.splices, *shown_as)
            else:
                for kind in slip.on:
                    for node in self.by_type.get(kind, ()):
                        if slip.targets or isinstance(getattr(node, "ctx", _LOAD), ast.Load):
                            yield from self._replaced(slip, node)

    def _replaced(self, slip: ExpressionSlip, node: ast.AST) -> Iterator[Edit]:
        source = self.scope.source
        for new in slip.find(node, self.scope):
            shown_as = *shown(source, node, new), named(node), _left_out(node, new)
            yield self._edit(slip.id, node, (source.replaced(node, new),), *shown_as)

    def _edit(
        self, operator: str, node: ast.AST, splices: tuple[Splice, ...], was: str, becomes: str, of: str, done: str
    ) -> Edit:
        source = self.scope.source
        return Edit(operator, *source.columns(node), was, becomes, source.spliced(splices), of, done)


def _left_out(old: ast.AST, new: ast.AST) -> str:
    """Say what is left out, if an operation or the call of a method is; else nothing."""
    match old:
        case ast.BinOp(left, operator, right) if new in (left, right):
            text, gap = ast.unparse(old), ast.Name("_")
            before = len(ast.unparse(ast.BinOp(left, operator, gap))) - 1
            sign = ast.unparse(ast.BinOp(gap, operator, gap)).split()[1]
            return (
                f"without `{sign} {_short(text[before:])}`"
                if new is left
                else f"without `{_short(text[:before].strip())}`"
            )
        case ast.Call(ast.Attribute(value, called)) if new is value:
            arguments = ast.unparse(old)[len(ast.unparse(old.func)) :]
            return f"without `.{called}{_short(arguments)}`"
    return ""


def _own_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of a statement, without those of statements inside it, annotations and what errors say."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt | ast.JoinedStr):
                yield child
                yield from _own_expressions(child)


def named(node: ast.AST) -> str:
    """Return what a slip at a node is a slip of, in a word: an operation, a name."""
    match node:
        case ast.Call():
            return called(node) or _short(ast.unparse(node))
        case ast.Name(name):
            return name
    return _short(ast.unparse(node))


def shown(source: Source, old: ast.AST, new: ast.AST) -> tuple[str, str]:
    """Return an expression before and after, as short as it can be understood."""
    was, becomes = ast.unparse(old), ast.unparse(new)
    if len(was) <= SHORT and len(becomes) <= SHORT:
        return was, becomes
    before, after = smallest_difference(old, new)
    if isinstance(before, ast.Slice):  # a colon alone says nothing
        before, after = old, new
    above = source.parents.get(before)
    was, becomes = _both_short(ast.unparse(before), ast.unparse(after))
    return (f"{above.arg}={was}", f"{above.arg}={becomes}") if isinstance(above, ast.keyword) else (was, becomes)


def _both_short(was: str, becomes: str) -> tuple[str, str]:
    """Shorten two texts so that it stays in sight where they differ."""
    if was == becomes or _short(was) != _short(becomes):
        return _short(was), _short(becomes)
    begin = _alike(was, becomes)
    end = _alike(reversed(was[begin:]), reversed(becomes[begin:]))
    return _around(was, begin, len(was) - end), _around(becomes, begin, len(becomes) - end)


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    """Return how many characters at the beginning are the same."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))


def _around(text: str, first: int, last: int) -> str:
    """Return a part of a text with what stands beside it, as far as there is room."""
    room = max(SHORT - (last - first), 0) // 2
    before = text[:first] if first <= room else f"… {text[first - room : first].lstrip()}"
    after = text[last:] if len(text) - last <= room else f"{text[last : last + room].rstrip()} …"
    return f"{before}{_short(text[first:last])}{after}"


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[: SHORT - 12].rstrip()} … {text[-9:].lstrip()}"


def what(edit: Edit) -> str:
    """Say what is wrong, as a teacher says it, without the edit."""
    sentence = SAYS[edit.operator].format(of=edit.of, was=edit.was)
    return sentence[:1].upper() + sentence[1:]


def how(edit: Edit) -> str:
    """Say the edit."""
    if edit.done:
        return edit.done
    return f"with `{edit.becomes}` in place of `{edit.was}`" if edit.becomes else f"without `{edit.was}`"
