"""Edits: what a definition may become by one slip undone, the likeliest first."""

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile

from autograder.diagnosis.operators.flow import steps_back
from autograder.diagnosis.operators.scope import Scope, called, subject
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
    """One small edit of a definition, or of several places of it that have the same slip.

    line: from 1, in the text that was given; first, last: the columns of what is meant, as characters. was, becomes: the expression or statement before and
    after, short. statement: the whole statement after the edit. text: the definition after the edit. of: what the slip is a slip of, as `softmax`.
    places: how many there are. done: the edit in words, where `was` and `becomes` do not say it.
    """

    slip: str
    line: int
    first: int
    last: int
    was: str
    becomes: str
    statement: str
    text: str
    of: str = ""
    places: int = 1
    done: str = ""


@dataclass(frozen=True)
class _Candidate:
    """An edit of one place, before the text is made. again: what is the same at every place that has the same slip."""

    slip: str
    node: ast.AST
    was: str
    becomes: str
    of: str
    splices: tuple[Splice, ...]
    statement: ast.stmt
    again: str
    done: str = ""


def edits(
    text: str,
    uses: Collection[str] = (),
    near: Collection[int] = (),
    kinds: Collection[str] = SAYS,
    first: Collection[str] = (),
) -> Iterator[Edit]:
    """Yield edits of one top-level definition, the likeliest first, each text once. Nothing if it is no Python.

    uses: the names of operations that the reference uses, which may be put in. near: lines that are looked at first. kinds: of slips.
    first: kinds that come before all others in these lines.
    """
    try:
        source = Source(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    rounds = _rounds(source, frozenset(uses), near, kinds, first)
    made = (edit for candidates in rounds for edit in _made(source, candidates))
    yield from islice(_once(made, text), MOST)


def _once(made: Iterator[Edit], text: str) -> Iterator[Edit]:
    """Yield the edits whose text was not there before."""
    seen = {hash(text)}
    for edit in made:
        if hash(edit.text) not in seen:
            seen.add(hash(edit.text))
            yield edit


def _rounds(
    source: Source, uses: frozenset[str], near: Collection[int], kinds: Collection[str], first: Collection[str]
) -> Iterator[Iterator[_Candidate]]:
    """Yield the candidates rank by rank, those of the lines that are near first; what is a step back from these is later."""
    visited = [_Visited(place, scope) for place, scope in _all_visited(source, uses)]
    statements = [one.place.node for one in visited]
    begin = [one for one in statements if not _distance(one, near)]
    steps = steps_back(statements, begin)
    late = [min(BACK * steps[one], AWAY) if one in steps else AWAY for one in statements]
    likeliest = tuple(slip for rank in RANKS for slip in rank if slip.id in first)
    if likeliest:
        yield (
            candidate
            for one, after in zip(visited, late, strict=True)
            if not after
            for candidate in one.candidates(likeliest)
        )
    ranks = [tuple(slip for slip in rank if slip.id in kinds) for rank in RANKS]
    turns = [
        (turn + after, slips, [one for one, mine in zip(visited, late, strict=True) if mine == after])
        for turn, slips in enumerate(ranks)
        for after in sorted(set(late))
    ]
    for _, slips, those in sorted(turns, key=lambda turn: turn[0]):
        yield (candidate for one in those for candidate in one.candidates(slips))


def _distance(statement: ast.stmt, near: Collection[int]) -> int:
    """Return how many lines lie between a statement and the nearest of some lines; none if there are none."""
    body = getattr(statement, "body", None)
    last = max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno or statement.lineno
    return min((max(statement.lineno - line, line - last, 0) for line in near), default=0)


def _all_visited(source: Source, uses: frozenset[str]) -> Iterator[tuple[Statement, Scope]]:
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
                    yield from visit(node, Scope(source, node, outer, uses))
                elif not isinstance(node, ast.expr):
                    yield from visit(node, scope)

    yield from visit(source.tree, Scope(source, None, (), uses))


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

    def candidates(self, slips: tuple[ExpressionSlip | StatementSlip, ...]) -> Iterator[_Candidate]:
        """Yield what the statement may become by some slips."""
        statement = self.place.node
        for slip in slips:
            if isinstance(slip, StatementSlip):
                if isinstance(statement, ast.ClassDef | ast.FunctionDef):
                    continue
                was = ast.unparse(statement).splitlines()[0]
                for rewritten in slip.find(self.place, self.scope):
                    splices, becomes, done = rewritten.splices, rewritten.becomes, rewritten.done
                    yield _Candidate(
                        slip.id, statement, was, becomes, _short(was), splices, statement, rewritten.again, done
                    )
            else:
                for kind in slip.on:
                    for node in self.by_type.get(kind, ()):
                        if slip.targets or isinstance(getattr(node, "ctx", _LOAD), ast.Load):
                            yield from self._replaced(slip, node)

    def _replaced(self, slip: ExpressionSlip, node: ast.AST) -> Iterator[_Candidate]:
        source = self.scope.source
        for new in slip.find(node, self.scope):
            splice = source.replaced(node, new)
            was, becomes = shown(source, node, new)
            again = f"{slip.id} {_without_subject(node, source.text[splice.start : splice.end], splice.text)}"
            done = _left_out(node, new)
            yield _Candidate(slip.id, node, was, becomes, named(node), (splice,), self.place.node, again, done)


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


def _without_subject(node: ast.AST, was: str, becomes: str) -> str:
    """Return what a slip does, without what it does it to: `x.detach()` and `y.detach()` may be the same slip."""
    on = subject(node) if isinstance(node, ast.Call) else getattr(node, "value", None)
    text = ast.unparse(on) if isinstance(on, ast.expr) else ""
    if text and (was.startswith(text) or f"({text}" in was):
        was, becomes = was.replace(text, "…", 1), becomes.replace(text, "…", 1)
    return f"{was} → {becomes}"


def _own_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of a statement, without those of statements inside it, annotations and what errors say."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt | ast.JoinedStr):
                yield child
                yield from _own_expressions(child)


def _made(source: Source, candidates: Iterator[_Candidate]) -> Iterator[Edit]:
    """Yield the edits, each with its text; then those of several places that have the same slip."""
    alike: dict[str, list[_Candidate]] = {}
    for candidate in candidates:
        yield _edit(source, [candidate])
        if candidate.again:
            alike.setdefault(candidate.again, []).append(candidate)
    for same in alike.values():
        if len(same) > 1 and not _overlapping(same):
            yield _edit(source, same)


def _overlapping(candidates: list[_Candidate]) -> bool:
    splices = sorted((splice.start, splice.end) for each in candidates for splice in each.splices)
    return any(before[1] > after[0] for before, after in pairwise(splices))


def _edit(source: Source, candidates: list[_Candidate]) -> Edit:
    main = candidates[0]
    text = source.spliced(splice for each in candidates for splice in each.splices)
    line, first, last = source.columns(main.node)
    statement = _statement_after(source, candidates)
    return Edit(
        main.slip, line, first, last, main.was, main.becomes, statement, text, main.of, len(candidates), main.done
    )


def _statement_after(source: Source, candidates: list[_Candidate]) -> str:
    """Return the statement after the edit, its header alone if it holds others, on one line."""
    main = candidates[0]
    if main.node is main.statement:
        return main.becomes
    start, end = source.header(main.statement)
    inside = {splice for each in candidates for splice in each.splices if start <= splice.start and splice.end <= end}
    moved = source.spliced(inside)
    return " ".join(moved[start : end + len(moved) - len(source.text)].split())


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
    sentence = SAYS[edit.slip].format(of=edit.of, was=edit.was)
    return sentence[:1].upper() + sentence[1:] + (f", at {edit.places} places" if edit.places > 1 else "")


def how(edit: Edit) -> str:
    """Say the edit."""
    places = f" at {edit.places} places" if edit.places > 1 else ""
    if edit.done:
        return f"{edit.done}{places}"
    if not edit.becomes:
        return f"without `{edit.was}`{places}"
    return f"with `{edit.becomes}` in place of `{edit.was}`{places}"
