"""Edit a definition by one mutation operator at one location, to find repairs or to make mutants.

A mutant is a solution with one edit. A mutant that still meets the docstring is not wrong.
"""

import ast
import contextlib
import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from autograder.diagnosis.operators import python, tensors
from autograder.diagnosis.operators.source import Operator, Rewritten, Scope, Source, called
from autograder.diagnosis.places import Span, span_of

OPERATORS = (*tensors.OPERATORS, *python.OPERATORS)
"""All mutation operators. Operators of equal rank are tried in this order."""

SAYS = {one.id: one.says for one in OPERATORS}

SHORT = 44
"""The most characters of an expression that an edit shows as a whole."""


@dataclass(frozen=True)
class Edit:
    """One edit of a definition.

    operator: an id. span: the location of the edited node. was: the node's code before the edit, or its
    first line. what: the fault, in words. how: the edit, in words. text: the edited definition.
    before, after: the first line of the edited statement and of its replacement.
    """

    operator: str
    span: Span
    was: str
    what: str
    how: str
    text: str
    before: str
    after: str


def edits(text: str, near: Collection[int] = (), operators: Sequence[Operator] = OPERATORS) -> Iterator[Edit]:
    """Yield distinct edits of a definition, in order of rank. near: the lines to edit before others."""
    try:
        source = Source(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    ranks = [[one for one in operators if one.rank == rank] for rank in sorted({one.rank for one in operators})]
    seen = {hash(text)}
    for is_near, rank, (statement, scope) in itertools.product((True, False), ranks, source.statements):
        for edit in _edits(source, statement, scope, rank) if _is_near(statement, near) == is_near else ():
            if hash(edit.text) not in seen:
                seen.add(hash(edit.text))
                yield edit


def _is_near(statement: ast.stmt, near: Collection[int]) -> bool:
    body = getattr(statement, "body", None)
    last = body[0].lineno if body else (statement.end_lineno or 0) + 1
    return not near or any(statement.lineno <= line < last for line in near)


def _edits(source: Source, statement: ast.stmt, scope: Scope, operators: Sequence[Operator]) -> Iterator[Edit]:
    nodes, before = (
        list(_own(statement))[isinstance(statement, ast.ClassDef | ast.FunctionDef) :],
        ast.unparse(statement),
    )
    for operator in operators:
        for node in (one for one in nodes if isinstance(one, operator.on) and _is_read(one)):
            with contextlib.suppress(SyntaxError):  # an edit may be invalid, such as `*sizes + 1`
                for new in operator.rewrite(node, scope):
                    yield _edit(source, statement, before, operator, node, new)


def _edit(
    source: Source, statement: ast.stmt, before: str, operator: Operator, node: ast.AST, new: ast.AST | Rewritten
) -> Edit:
    was, of = ast.unparse(node), called(node) or ast.unparse(node)
    edited = statement
    if isinstance(new, Rewritten):
        edited, written = new.old, "\n".join(map(ast.unparse, new.others))
        how, was = new.done, was.splitlines()[0]
    elif isinstance(new, ast.stmt):
        written = ast.unparse(new)
        how = f"with `{written}` in place of `{was}`"
    else:
        written = source.written(statement, node, new)
        was, becomes = _shown(node, new)
        how = _left_out(node, new) or f"with `{becomes}` in place of `{was}`"
    text = source.text if written == before else source.with_statement(edited, written)
    what = operator.says.format(of=of, was=was)
    return Edit(operator.id, span_of(node), was, what, how, text, before.splitlines()[0], written.splitlines()[0])


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and its expressions, without annotations, decorators, bases and f-strings."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases") or isinstance(node, ast.Raise | ast.Import):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt | ast.JoinedStr | ast.ImportFrom):
                yield from _own(child)


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Tuple) or not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def _left_out(old: ast.AST, new: ast.AST) -> str:
    """Return `without …` for an edit that only removes an end of an expression; else `""`."""
    was, rest = ast.unparse(old), ast.unparse(new)
    if any(new is node for node in ast.walk(old)):
        if was.startswith(rest):
            return f"without `{was.removeprefix(rest).strip()}`"
        if was.endswith(rest):
            return f"without `{was.removesuffix(rest).strip()}`"
    return ""


def _shown(old: ast.AST, new: ast.AST) -> tuple[str, str]:
    """Return an expression before and after an edit; if it is long, only the part that differs."""
    was, becomes = ast.unparse(old), ast.unparse(new)
    if max(len(was), len(becomes)) > SHORT and type(old) is type(new):
        parts, others = list(ast.iter_child_nodes(old)), list(ast.iter_child_nodes(new))
        match [pair for pair in zip(parts, others, strict=False) if pair[0] is not pair[1]]:
            case [(ast.expr() | ast.keyword() as before, after)] if len(parts) == len(others):
                return _shown(before, after)
    return was, becomes


@dataclass(frozen=True)
class Mutant:
    """A module with one fault. was, becomes: the line before and after the edit. text: the module."""

    definition: str
    was: str
    becomes: str
    text: str


def mutants(text: str, lines: Collection[int]) -> Iterator[Mutant]:
    """Yield the mutants of a module. lines: the lines on which the edited nodes begin."""
    whole = text.splitlines(keepends=True)
    for definition in ast.parse(text).body:
        if isinstance(definition, ast.FunctionDef | ast.ClassDef):
            first = min(one.lineno for one in (definition, *definition.decorator_list))
            own = "".join(whole[first - 1 : definition.end_lineno])
            for was, becomes, changed in (*_broken_promises(definition, own), *_faults(own, first, lines)):
                before, after = "".join(whole[: first - 1]), "".join(whole[definition.end_lineno :])
                yield Mutant(definition.name, was, becomes, f"{before}{changed}{after}")


def _faults(text: str, first: int, lines: Collection[int]) -> Iterator[tuple[str, str, str]]:
    """Yield (old line, new line, edited definition) for one edit per operator and location."""
    seen = set[object]()
    for edit in edits(text) if lines else ():
        keys = {(edit.operator, edit.span), (edit.before, edit.after)}
        if edit.span[0] + first - 1 in lines and not keys & seen:
            seen |= keys
            yield edit.before, edit.after, edit.text


def _broken_promises(definition: ast.FunctionDef | ast.ClassDef, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield faults that change no values: rename a documented attribute, or change a module's mode."""
    documented = [one for one in ast.walk(definition) if isinstance(one, ast.ClassDef | ast.FunctionDef)]
    docstrings = " ".join(ast.get_docstring(one) or "" for one in documented)
    if isinstance(definition, ast.ClassDef):
        registered = re.findall(r"register_\w+\(\s*[\"'](\w+)", text)
        for name in [*sorted(set(re.findall(r"self\.(\w+)(?:, self\.\w+)* = ", text))), *registered]:
            is_word = name.isalpha() and name.islower()  # a plain word may have another meaning in a docstring
            if re.search(rf"`{name}`" if is_word else rf"\b{name}\b", docstrings):
                renamed = re.sub(rf"(\bself\.|register_\w+\(\s*[\"']){name}\b", rf"\g<1>{name}_", text)
                yield f"self.{name}", f"self.{name}_", renamed
    elif re.search(r"\bmode\b", docstrings):
        given = ((one.arg, one.annotation) for one in definition.args.args if one.annotation)
        modules = [name for name, annotation in given if ast.unparse(annotation).endswith("Module")]
        calls = [f"{name}.{mode}()" for name in modules for mode in ("eval", "train")]
        doing = [one for one in definition.body[1:] if ast.unparse(one) not in calls][:1]
        for one, call in itertools.product(doing, calls):
            was = ast.unparse(one).splitlines()[0]
            lines = text.splitlines(keepends=True)
            lines.insert(one.lineno - definition.lineno, " " * one.col_offset + call + "\n")
            yield was, f"{call}; {was}", "".join(lines)
