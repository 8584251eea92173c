"""The cause by the text of a step alone: an argument that nothing uses, a result that is not returned, code that is never reached."""

import ast
from collections.abc import Iterator

from autograder.course.answer import Answer, PlainValue
from autograder.grading.results import Diagnosis, Spot
from autograder.submission.model import Block, Source
from autograder.submission.parsed import unused_in

ENDS = {ast.Return: "returns", ast.Raise: "raises", ast.Break: "leaves the loop", ast.Continue: "begins the next turn"}
"""Statements after which nothing of their block is reached, and what they do."""


def by_unused_argument(step: str, source: Source) -> Diagnosis | None:
    """Return the first argument of a step's function, or of its class's methods, whose name is nowhere in it."""
    for block, node in _own(step, source):
        functions = node.body if isinstance(node, ast.ClassDef) else [node]
        for argument in (one for each in functions if isinstance(each, ast.FunctionDef) for one in unused_in(each)):
            line = block.text.splitlines()[argument.lineno - 1]
            first = len(line.encode()[: argument.col_offset].decode(errors="ignore"))
            says = f"Your code never uses `{argument.arg}`."
            spot = Spot(block.path, argument.lineno, first, first + len(argument.arg), line)
            return Diagnosis("influence", "unused", says, where=says, spot=spot)
    return None


def by_absence(step: str, source: Source, answer: Answer) -> Diagnosis | None:
    """Return the end of a step that returns nothing. answer: to the first wrong case."""
    outputs = answer.outputs.values()
    if not any(isinstance(one, PlainValue) and one.value is None and one.type == "NoneType" for one in outputs):
        return None
    for block, node in _own(step, source):
        methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "forward"]
        function = methods[-1] if isinstance(node, ast.ClassDef) and methods else node
        returns = (one for one in ast.walk(function) if isinstance(one, ast.Return | ast.Yield) and one.value)
        if isinstance(function, ast.FunctionDef) and not next(returns, None):
            line = function.end_lineno or function.lineno
            return _diagnosis(
                "place_absent", block, line, f"`{function.name}` ends with line {line} and returns nothing."
            )
    return None


def by_idleness(step: str, source: Source) -> Diagnosis | None:
    """Return the first statement of a step after which something is never reached: the next one, or a loop's second turn."""
    for block, node in _own(step, source):
        for owner in ast.walk(node):
            for body in (getattr(owner, name, None) for name in ("body", "orelse", "finalbody")):
                if isinstance(body, list) and (found := _unreached(owner, body)):
                    return _diagnosis("place_idle", block, *found)
    return None


def _own(step: str, source: Source) -> Iterator[tuple[Block, ast.FunctionDef | ast.ClassDef]]:
    """Yield the last definition of a step in each block."""
    for block in source.blocks:
        own = [
            one
            for one in block.parsed.statements
            if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == step
        ]
        if own:
            yield block, own[-1]


def _unreached(owner: ast.AST, body: list[ast.stmt]) -> tuple[int, str] | None:
    """Return the line of the statement that ends a block early, and the sentence about it.

    What only raises may follow, as what is left of a stub does.
    """
    for index, one in enumerate(body):
        if does := next((does for kind, does in ENDS.items() if isinstance(one, kind)), ""):
            after = next((other for other in body[index + 1 :] if not isinstance(other, ast.Raise | ast.Pass)), None)
            if after:
                return one.lineno, f"Line {one.lineno} {does}: line {after.lineno} is never reached."
            may_go_on = any(isinstance(inner, ast.Continue) for inner in ast.walk(owner))
            if isinstance(owner, ast.For) and body is owner.body and does == "returns" and not may_go_on:
                return one.lineno, f"Line {one.lineno} returns in the first turn of the loop: there is no second one."
            return None
    return None


def _diagnosis(id: str, block: Block, line: int, says: str) -> Diagnosis:
    text = block.text.splitlines()[line - 1]
    spot = Spot(block.path, line, len(text) - len(text.lstrip()), len(text.rstrip()), text)
    return Diagnosis("place", id, says, where=says, spot=spot)
