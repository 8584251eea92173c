"""The cause by something that is not there: a function that returns nothing, a name or an attribute of which a `pass` stands in the place."""

import ast
import re
from collections.abc import Iterator

from autograder.course.answer import Answer, PlainValue
from autograder.grading.results import Diagnosis, Spot
from autograder.submission.model import Block, Source, parse

UNKNOWN = re.compile(r"NameError: name '(\w+)' is not defined$|AttributeError: '\w+' object has no attribute '(\w+)'$")
"""What is said of a name or an attribute that there is not, where none is nearly alike."""


def by_absence(step: str, source: Source, answer: Answer, line: int | None) -> Diagnosis | None:
    """Return the end of a step that returns nothing, or the `pass` where what its code lacks could be made; None if neither is there.

    answer: to the first wrong case. line: where the code raised, if it did.
    """
    for block in source.blocks:
        try:
            own = [one for one in parse(block.text).body if getattr(one, "name", "") == step]
        except SyntaxError:
            continue
        for node in own[-1:]:
            return _unreturned(node, block, answer) or _unmade(node, block, answer, line)
    return None


def _unreturned(node: ast.stmt, block: Block, answer: Answer) -> Diagnosis | None:
    """Return the end of a function, or of a class's `forward`, that returns nothing."""
    is_nothing = any(
        isinstance(one, PlainValue) and one.value is None and one.type == "NoneType" for one in answer.outputs.values()
    )
    methods = [one for one in getattr(node, "body", []) if isinstance(one, ast.FunctionDef) and one.name == "forward"]
    function = methods[-1] if isinstance(node, ast.ClassDef) and methods else node
    if not is_nothing or not isinstance(function, ast.FunctionDef):
        return None
    if any(isinstance(one, ast.Return | ast.Yield) and one.value for one in ast.walk(function)):
        return None
    line = function.end_lineno or function.lineno
    return _diagnosis(f"`{function.name}` ends with line {line} and returns nothing.", block, line)


def _unmade(node: ast.stmt, block: Block, answer: Answer, raised: int | None) -> Diagnosis | None:
    """Return the `pass` that stands where what is unknown could be made, if nothing makes that."""
    unknown = UNKNOWN.match(answer.failure.message) if answer.failure else None
    if not unknown:
        return None
    name, attribute = unknown.groups()
    made = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    made |= {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)}
    if (name or attribute) in made:
        return None
    for function in (one for one in ast.walk(node) if isinstance(one, ast.FunctionDef)):
        has_raised = raised is not None and function.lineno <= raised <= (function.end_lineno or 0)
        if not (has_raised if name else function.name == "__init__"):
            continue
        gaps = [one.lineno for one in _gaps(function) if attribute or one.lineno < (raised or 0)]
        if len(gaps) == 1:
            made_of = name or f"self.{attribute}"
            return _diagnosis(f"Nothing makes `{made_of}`: line {gaps[0]} does nothing, it is `pass`.", block, gaps[0])
    return None


def _gaps(function: ast.FunctionDef) -> Iterator[ast.Pass]:
    """Yield the `pass` of a function that stand among other statements."""
    for owner in ast.walk(function):
        for body in (getattr(owner, "body", None), getattr(owner, "orelse", None)):
            if isinstance(body, list) and len(body) > 1:
                yield from (one for one in body if isinstance(one, ast.Pass))


def _diagnosis(says: str, block: Block, line: int) -> Diagnosis:
    text = block.text.splitlines()[line - 1]
    spot = Spot(block.path, line, len(text) - len(text.lstrip()), len(text.rstrip()), text)
    return Diagnosis("place", "place_absent", says, where=says, spot=spot)
