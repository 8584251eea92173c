"""What somebody has written of a part: what a module or a notebook holds beyond the stub, found in the syntax tree, without running it."""

import ast
from collections.abc import Iterator, Mapping

from autograder.exam.syllabus import SyllabusPart
from autograder.sitting.submission import Source, TooDeep, parse

Code = tuple[str, ...]
"""Statements without their formatting, comments, docstrings and types."""

Work = Mapping[str, Code]
"""What is written, by the name that it gives a meaning to; what cannot be parsed, by its text."""


def work_in(source: Source, part: SyllabusPart) -> Work:
    """Return what somebody has written: nothing for an untouched stub, in whatever words a release has put it.

    Work is a function, a class, or another statement that gives a step its meaning, in which something is done that the stub
    does not do. A text that is no Python is work as it stands.
    """
    given = set(_statements(ast.parse(part.stub)))
    found: dict[str, Code] = {}
    for block in source.blocks:
        try:
            meanings = list(_meanings(block.text, part))
        except (TooDeep, RecursionError):
            meanings = [(block.text, (block.text,))]
        found |= {name: code for name, code in meanings if not given.issuperset(code)}
    return found


def steps_in(work: Work, part: SyllabusPart) -> int:
    """Return how many steps of a part are written, or begun."""
    return sum(step.name in work for step in part.steps)


def _meanings(text: str, part: SyllabusPart) -> Iterator[tuple[str, Code]]:
    """Yield what may be work, by name. Raises TooDeep or RecursionError."""
    tree = parse(text)
    if tree is None:
        yield text, (text,)
        return
    steps = {"*", *(step.name for step in part.steps)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, tuple(_statements(node))
        elif not (isinstance(node, ast.ImportFrom) and node.module == part.name):  # which tries out the part itself
            yield from dict.fromkeys(steps.intersection(_bound(node)), tuple(_statements(node))).items()


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement assigns, imports or defines, itself or within."""
    for child in ast.walk(node):
        match child:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name


def _statements(tree: ast.AST) -> Iterator[str]:
    """Yield the simple statements of a text that do something."""
    for node in ast.walk(tree):
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                pass
            case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
                pass
            case ast.stmt() if not any(isinstance(child, ast.stmt) for child in ast.iter_child_nodes(node)):
                yield ast.dump(node)
