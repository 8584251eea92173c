"""Diagnosis from source, without a run: unused arguments, loops that return in the first iteration."""

import ast
from collections.abc import Iterator

from autograder.diagnosis.places import line_spot, span_of, span_spot
from autograder.grading.results import Diagnosis
from autograder.submission.model import Block, Source
from autograder.submission.parsed import unused_in


def by_unused_argument(step: str, source: Source) -> Diagnosis | None:
    """Return a diagnosis of the first argument that a step's function, or a method, never uses; or None."""
    for block, node in _own(step, source):
        functions = node.body if isinstance(node, ast.ClassDef) else [node]
        for argument in (one for each in functions if isinstance(each, ast.FunctionDef) for one in unused_in(each)):
            says, spot = f"Your code never uses `{argument.arg}`.", span_spot(block.path, span_of(argument), block.text)
            return Diagnosis("influence", "unused", says, where=says, spot=spot)
    return None


def by_only_turn(step: str, source: Source) -> Diagnosis | None:
    """Return a diagnosis of the first `for` loop of a step that always returns in its first iteration."""
    for block, node in _own(step, source):
        for loop in (one for one in ast.walk(node) if isinstance(one, ast.For)):
            may_go_on = any(isinstance(one, ast.Continue) for one in ast.walk(loop))
            for line in (one.lineno for one in loop.body if isinstance(one, ast.Return) and not may_go_on):
                says = f"Line {line} returns in the first turn of the loop: there is no second one."
                return Diagnosis("place", "place_idle", says, where=says, spot=line_spot(block.path, line, block.text))
    return None


def _own(step: str, source: Source) -> Iterator[tuple[Block, ast.FunctionDef | ast.ClassDef]]:
    """Yield each block of a source that defines a step, with its last definition of the step."""
    for block in source.blocks:
        own = [node for name, node in block.parsed.definitions if name == step]
        if own and isinstance(own[-1], ast.FunctionDef | ast.ClassDef):
            yield block, own[-1]
