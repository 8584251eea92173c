"""What somebody has written of a part: what a module or a notebook holds beyond the stub, found in the syntax tree, without running it."""

import ast
from collections.abc import Iterator, Mapping

from autograder.exam.syllabus import SyllabusPart
from autograder.submission.model import Source, parse

Work = Mapping[str, frozenset[str]]
"""Statements without their formatting, comments, docstrings and types, by the name that they give a meaning to."""


def work_in(source: Source, part: SyllabusPart) -> Work:
    """Return what somebody has written: nothing for an untouched stub, in whatever words a release has put it.

    Work is a function, a class, or another statement that gives a step its meaning, in which something is done that the stub
    does not do. A text that is no Python is work as it stands.
    """
    given = frozenset(_statements(ast.parse(part.stub)))
    found: dict[str, frozenset[str]] = {}
    for block in source.blocks:
        try:
            named = [(node, {*_names(node, part)}) for node in parse(block.text).body]
            written = [(names, frozenset(_statements(node))) for node, names in named if names]
        except (SyntaxError, RecursionError):
            written = [({block.text}, frozenset([block.text]))]
        found |= {name: statements for names, statements in written if statements - given for name in names}
    return found


def _names(node: ast.stmt, part: SyllabusPart) -> Iterator[str]:
    """Yield the name of a function or class, and of any other statement the steps that it assigns, imports or defines within."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif not (isinstance(node, ast.ImportFrom) and node.module == part.name):  # which tries out the part itself
        steps = {"*", *(step.name for step in part.steps)}
        for child in ast.walk(node):
            match child:
                case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    yield from steps.intersection([name])
                case ast.alias(name=name, asname=other):
                    yield from steps.intersection([other or name])


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
