"""Edits: what a definition may become by one operator at one place, the likeliest first."""

import ast
import contextlib
import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from autograder.diagnosis.operators import statements, tensors, values
from autograder.diagnosis.operators.source import FAULT, Operator, Rewritten, Scope, Source, called

OPERATORS = (*tensors.OPERATORS, *values.OPERATORS, *statements.OPERATORS)
"""The operators, those of a rank in the order in which they are tried."""

REPAIRS = tuple(one for one in OPERATORS if one.rank < FAULT)
"""The operators that are tried on students' code. The others only make mutants."""

SAYS = {one.id: one.says for one in OPERATORS}

SHORT, FAR = 44, 3
"""Characters of an expression that is shown whole, and steps back from the lines that are near, as far as they are counted."""


@dataclass(frozen=True)
class Edit:
    """One small edit of a definition, at one place.

    line: from 1, in the text that was given; first, last: the columns of what is edited, as characters. was, becomes: the expression or
    statement before and after. text: the definition after the edit. of: what the operator is applied to, as `softmax`. done: the edit in
    words, where `was` and `becomes` are not enough. before, after: the first line of the statement.
    """

    operator: str
    line: int
    first: int
    last: int
    was: str
    becomes: str
    text: str
    of: str
    done: str
    before: str
    after: str


def edits(text: str, near: Collection[int] = (), operators: Sequence[Operator] = REPAIRS) -> Iterator[Edit]:
    """Yield edits of one top-level definition, the likeliest first, each text once. Nothing if it is no Python.

    near: lines that are looked at first, then those that make what these use, step by step.
    """
    try:
        source = Source(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    visited = [_Visited(source, *one) for one in source.statements]
    steps = _steps_back(visited, near)
    ranks = [[one for one in operators if one.rank == rank] for rank in sorted({one.rank for one in operators})]
    order = itertools.product(range(FAR + 1), ranks, visited)
    made = (edit for far, rank, one in order if steps.get(one.statement, FAR) == far for edit in one.edits(rank))
    seen = {hash(text)}
    for edit in made:
        if hash(edit.text) not in seen:
            seen.add(hash(edit.text))
            yield edit


class _Visited:
    """A statement with its expressions, without the statements inside it."""

    def __init__(self, source: Source, statement: ast.stmt, scope: Scope) -> None:
        self.source, self.statement, self.scope = source, statement, scope
        self.nodes = list(_own(statement))
        self.before = ast.unparse(statement)
        made = [node for node in self.nodes if isinstance(getattr(node, "ctx", None), ast.Store)]
        match statement:
            case ast.Assign([target]) | ast.AugAssign(target) | ast.Expr(target):
                made += ast.walk(target)
        self.makes = {*map(_word, made)} - {""}
        self.uses = {*map(_word, self.nodes)}

    def is_near(self, near: Collection[int]) -> bool:
        """Return whether one of some lines is the statement's own; any is if there are none."""
        body = getattr(self.statement, "body", None)
        last = body[0].lineno if body else (self.statement.end_lineno or 0) + 1
        return not near or any(self.statement.lineno <= line < last for line in near)

    def edits(self, operators: Sequence[Operator]) -> Iterator[Edit]:
        """Yield what the statement may become."""
        is_definition = isinstance(self.statement, ast.ClassDef | ast.FunctionDef)
        for operator in operators:
            for node in self.nodes[is_definition:]:
                if isinstance(node, operator.on) and _is_read(node):
                    with contextlib.suppress(SyntaxError):  # such as that of `*sizes + 1`
                        for new in operator.rewrite(node, self.scope):
                            yield self._edit(operator.id, node, new)

    def _edit(self, operator: str, node: ast.AST, new: ast.AST | Rewritten) -> Edit:
        source, was, becomes = self.source, ast.unparse(node), ""
        of = called(node) or was
        if isinstance(new, Rewritten):
            written = [(old, "\n".join(map(ast.unparse, others))) for old, others in new.changes]
            done, was = new.done, was.splitlines()[0]
        elif isinstance(new, ast.stmt):
            written, becomes, done = [(self.statement, ast.unparse(new))], ast.unparse(new), ""
        else:
            written = [(self.statement, source.written(self.statement, node, new))]
            was, becomes = _shown(node, new)
            done = _left_out(node, new)
        text = source.text if written[0][1] == self.before else source.with_statements(written)
        before = self.before.splitlines()[0]
        after = "; ".join(one.splitlines()[0] for _, one in written)
        return Edit(operator, *source.columns(node), was, becomes, text, of, done, before, after)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement and its expressions, without annotations and what errors say."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases") or isinstance(node, ast.Raise | ast.Import):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt | ast.JoinedStr | ast.ImportFrom):
                yield from _own(child)


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Tuple) or not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def _word(node: ast.AST) -> str:
    """Return the name, the attribute of `self` or the text that a node is."""
    match node:
        case ast.Attribute(ast.Name("self"), name) | ast.Name(name) | ast.arg(name) | ast.Constant(str(name)):
            return name if name != "self" else ""
    return ""


def _steps_back(visited: Sequence[_Visited], near: Collection[int]) -> dict[ast.stmt, int]:
    """Return how many steps back from the lines that are near each statement lies that makes what they use."""
    waiting = [one for one in visited if one.is_near(near)]
    found = {one.statement: 0 for one in waiting}
    for one in waiting:
        for maker in visited:
            if maker.statement not in found and maker.makes & one.uses:
                found[maker.statement] = min(found[one.statement] + 1, FAR)
                waiting.append(maker)
    return found


def _left_out(old: ast.AST, new: ast.AST) -> str:
    """Name what is left out, if one part of an expression remains; else nothing."""
    was, rest = ast.unparse(old), ast.unparse(new)
    if any(new is node for node in ast.walk(old)):
        if was.startswith(rest):
            return f"without `{was.removeprefix(rest).strip()}`"
        if was.endswith(rest):
            return f"without `{was.removesuffix(rest).strip()}`"
    return ""


def _shown(old: ast.AST, new: ast.AST) -> tuple[str, str]:
    """Return an expression before and after, whole if it is short, else the part that differs."""
    was, becomes = ast.unparse(old), ast.unparse(new)
    if max(len(was), len(becomes)) > SHORT and type(old) is type(new):
        parts, others = list(ast.iter_child_nodes(old)), list(ast.iter_child_nodes(new))
        match [pair for pair in zip(parts, others, strict=False) if pair[0] is not pair[1]]:
            case [(ast.expr() | ast.keyword() as before, after)] if len(parts) == len(others):
                return _shown(before, after)
    return was, becomes


def what(edit: Edit) -> str:
    """Say what is wrong, as a teacher says it, without the edit."""
    sentence = SAYS[edit.operator].format(of=edit.of, was=edit.was)
    return sentence[:1].upper() + sentence[1:]


def how(edit: Edit) -> str:
    """Say the edit."""
    return edit.done or f"with `{edit.becomes}` in place of `{edit.was}`"
