"""The cause by the text of a step alone: an argument that nothing uses, something that is not there, code that cannot do its work."""

import ast
import re
from collections.abc import Iterator

from autograder.course.answer import Answer, PlainValue
from autograder.grading.results import Diagnosis, Spot
from autograder.submission.model import Block, Source
from autograder.submission.parsed import parse, unused_in

UNKNOWN = re.compile(r"NameError: name '(\w+)' is not defined$|AttributeError: '\w+' object has no attribute '(\w+)'$")
"""The message about a name or an attribute that there is not, where none is nearly alike."""

ENDS = {ast.Return: "returns", ast.Raise: "raises", ast.Break: "leaves the loop", ast.Continue: "begins the next turn"}
"""Statements after which nothing of their block is reached, and what they do."""

TRAINED = frozenset(("Parameter", "Linear", "Bilinear", "Embedding", "LayerNorm", "Conv1d", "Conv2d", "Conv3d"))
"""Modules of torch with numbers to be trained."""

LATER = ("append", "register")
"""How methods begin that keep a function to be called later."""

Found = tuple[int, str]
"""A line, and the sentence about it."""


def by_unused_argument(step: str, source: Source) -> Diagnosis | None:
    """Return the first argument of a step's function, or of its class's methods, whose name is nowhere in it."""
    for block, node, _ in _own(step, source):
        functions = node.body if isinstance(node, ast.ClassDef) else [node]
        for argument in (one for each in functions if isinstance(each, ast.FunctionDef) for one in unused_in(each)):
            line = block.text.splitlines()[argument.lineno - 1]
            first = len(line.encode()[: argument.col_offset].decode(errors="ignore"))
            says = f"Your code never uses `{argument.arg}`."
            spot = Spot(block.path, argument.lineno, first, first + len(argument.arg), line)
            return Diagnosis("influence", "unused", says, where=says, spot=spot)
    return None


def by_absence(step: str, source: Source, answer: Answer, raised: int | None) -> Diagnosis | None:
    """Return the end of a step that returns nothing, or the `pass` where what its code lacks could be made.

    answer: to the first wrong case. raised: the line where the code raised, if it did.
    """
    for block, node, _ in _own(step, source):
        if found := _unreturned(node, answer) or _unmade(node, answer, raised):
            return _diagnosis("place_absent", block, *found)
    return None


def by_idleness(step: str, source: Source) -> Diagnosis | None:
    """Return the first code of a step that is never reached, is made anew in each call, or shares what it should not."""
    for block, node, modules in _own(step, source):
        if found := next(_idle(node, modules), None):
            return _diagnosis("place_idle", block, *found)
    return None


def _own(step: str, source: Source) -> Iterator[tuple[Block, ast.FunctionDef | ast.ClassDef, set[str]]]:
    """Yield the last definition of a step in each block, with the names of the block's classes that are made from others."""
    for block in source.blocks:
        try:
            body = parse(block.text).body
        except SyntaxError:
            continue
        own = [one for one in body if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == step]
        if own:
            yield block, own[-1], {one.name for one in body if isinstance(one, ast.ClassDef) and one.bases}


def _unreturned(node: ast.FunctionDef | ast.ClassDef, answer: Answer) -> Found | None:
    """Return the end of a function, or of a class's `forward`, that returns nothing."""
    is_nothing = any(
        isinstance(one, PlainValue) and one.value is None and one.type == "NoneType" for one in answer.outputs.values()
    )
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "forward"]
    function = methods[-1] if isinstance(node, ast.ClassDef) and methods else node
    if not is_nothing or not isinstance(function, ast.FunctionDef):
        return None
    if any(isinstance(one, ast.Return | ast.Yield) and one.value for one in ast.walk(function)):
        return None
    line = function.end_lineno or function.lineno
    return line, f"`{function.name}` ends with line {line} and returns nothing."


def _unmade(node: ast.AST, answer: Answer, raised: int | None) -> Found | None:
    """Return the `pass` that stands where what is unknown could be made, if nothing makes that."""
    unknown = UNKNOWN.match(answer.failure.message) if answer.failure else None
    if not unknown:
        return None
    name, attribute = unknown.groups()
    given = (
        one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)
    )
    if (name or attribute) in {one.id if isinstance(one, ast.Name) else one.attr for one in given}:
        return None
    for function in (one for one in ast.walk(node) if isinstance(one, ast.FunctionDef)):
        has_raised = raised is not None and function.lineno <= raised <= (function.end_lineno or 0)
        if not (has_raised if name else function.name == "__init__"):
            continue
        among_others = (body for one in ast.walk(function) for body in _bodies(one) if len(body) > 1)
        gaps = [one.lineno for body in among_others for one in body if isinstance(one, ast.Pass)]
        if len(gaps) == 1 and (attribute or gaps[0] < (raised or 0)):
            made = name or f"self.{attribute}"
            return gaps[0], f"Nothing makes `{made}`: line {gaps[0]} does nothing, it is `pass`."
    return None


def _idle(node: ast.FunctionDef | ast.ClassDef, modules: set[str]) -> Iterator[Found]:
    for body in (body for one in ast.walk(node) for body in _bodies(one)):
        yield from _unreached(body)
    loops = [one for one in ast.walk(node) if isinstance(one, ast.For)]
    for loop in loops:
        yield from _first_turn(loop)
    if isinstance(node, ast.ClassDef):
        yield from _made_anew(node, modules)
    for loop in loops:
        yield from _sharing(loop)


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    fields = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return (one for one in fields if isinstance(one, list))


def _unreached(body: list[ast.stmt]) -> Iterator[Found]:
    """Yield a statement after which something stands that does more than to raise, as what is left of a stub does."""
    rest = iter(body)
    for one in rest:
        if does := next((does for kind, does in ENDS.items() if isinstance(one, kind)), None):
            if after := next((other for other in rest if not isinstance(other, ast.Raise | ast.Pass)), None):
                yield one.lineno, f"Line {one.lineno} {does}: line {after.lineno} is never reached."
            return


def _first_turn(loop: ast.For) -> Iterator[Found]:
    """Yield a `return` that ends a loop in its first turn, whatever happens in that."""
    may_go_on = any(isinstance(one, ast.Continue) for one in ast.walk(loop))
    end = next((one for one in loop.body if isinstance(one, ast.Return)), None)
    if end and not may_go_on:
        yield end.lineno, f"Line {end.lineno} returns in the first turn of the loop: there is no second one."


def _made_anew(node: ast.ClassDef, modules: set[str]) -> Iterator[Found]:
    """Yield a layer with numbers to be trained that is made in `forward`."""
    methods = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "forward")
    for call in (one for method in methods for one in ast.walk(method) if isinstance(one, ast.Call)):
        is_layer = isinstance(call.func, ast.Attribute) and call.func.attr in TRAINED
        if is_layer or (isinstance(call.func, ast.Name) and call.func.id in modules):
            made = ast.unparse(call)
            says = f"`{made}` is made anew in each call of `forward`, with other numbers. Make it in `__init__`."
            yield call.lineno, says


def _sharing(loop: ast.For) -> Iterator[Found]:
    """Yield a function that a loop makes for later, and that looks at what only the last turn leaves."""
    names = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
    made = {one.name: one for one in ast.walk(loop) if isinstance(one, ast.FunctionDef)}
    for call in (one for one in ast.walk(loop) if isinstance(one, ast.Call)):
        if not isinstance(call.func, ast.Attribute) or not call.func.attr.startswith(LATER):
            continue
        for given in call.args:
            function = made.get(given.id) if isinstance(given, ast.Name) else given
            if isinstance(function, ast.FunctionDef | ast.Lambda) and (shared := names & _free(function)):
                name = min(shared)
                says = f"All functions that the loop makes look at one `{name}`, which is the last one when they run. "
                yield function.lineno, says + f"Give each its own as a default: `{name}={name}`."


def _free(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    """Return the names that a function's body uses and that are no arguments of its own."""
    body = function.body if isinstance(function.body, list) else [function.body]
    given = {one.arg for one in (*function.args.args, *function.args.kwonlyargs, *function.args.posonlyargs)}
    return {node.id for one in body for node in ast.walk(one) if isinstance(node, ast.Name)} - given


def _diagnosis(id: str, block: Block, line: int, says: str) -> Diagnosis:
    text = block.text.splitlines()[line - 1]
    spot = Spot(block.path, line, len(text) - len(text.lstrip()), len(text.rstrip()), text)
    return Diagnosis("place", id, says, where=says, spot=spot)
