"""The cause by an argument that a step is given and never looks at."""

import ast
from collections.abc import Iterator

from autograder.grading.results import Diagnosis, Spot
from autograder.submission.definitions import unused_in
from autograder.submission.model import Source, parse


def by_unused_argument(step: str, source: Source) -> Diagnosis | None:
    """Return the first argument of a step's function, or of its class's methods, whose name is nowhere in it; None if each is used."""
    for block in source.blocks:
        try:
            tree = parse(block.text)
        except SyntaxError:
            continue
        own = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == step]
        for argument in (one for node in own[-1:] for one in _unused(node)):
            line = block.text.splitlines()[argument.lineno - 1]
            first = len(line.encode()[: argument.col_offset].decode(errors="ignore"))
            says = f"Your code never uses `{argument.arg}`."
            spot = Spot(block.path, argument.lineno, first, first + len(argument.arg), line)
            return Diagnosis("influence", "unused", says, where=says, spot=spot)
    return None


def _unused(node: ast.FunctionDef | ast.ClassDef) -> Iterator[ast.arg]:
    functions = node.body if isinstance(node, ast.ClassDef) else [node]
    return (argument for one in functions if isinstance(one, ast.FunctionDef) for argument in unused_in(one))
