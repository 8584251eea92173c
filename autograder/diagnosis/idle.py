"""The cause by code that cannot do what it is there for, as its text alone shows: it is never reached, or nothing uses what it makes."""

import ast
from collections.abc import Iterator, Sequence

from autograder.grading.results import Diagnosis, Spot
from autograder.submission.model import Block, Source, parse

ENDS = {ast.Return: "returns", ast.Raise: "raises", ast.Break: "leaves the loop", ast.Continue: "begins the next turn"}
"""Statements after which nothing of their block is reached, and what they do."""

TRAINED = frozenset(("Parameter", "Linear", "Bilinear", "Embedding", "LayerNorm", "Conv1d", "Conv2d", "Conv3d"))
"""What torch makes that has numbers to be trained."""

LATER = ("append", "register")
"""How methods begin that keep a function to be called later."""

Found = tuple[int, str]
"""A line, and what is said of it."""


def by_idleness(step: str, source: Source) -> Diagnosis | None:
    """Return the first code of a step that cannot do what it is there for; None if there is none."""
    for block in source.blocks:
        try:
            tree = parse(block.text)
        except SyntaxError:
            continue
        own = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == step]
        modules = {node.name for node in tree.body if isinstance(node, ast.ClassDef) and node.bases}
        for node in own[-1:]:
            if found := next(_idle(node, modules), None):
                return _diagnosis(block, *found)
    return None


def _idle(node: ast.FunctionDef | ast.ClassDef, modules: set[str]) -> Iterator[Found]:
    bodies = [body for one in ast.walk(node) for body in _bodies(one)]
    for body in bodies:
        yield from _unreached(body)
    yield from _first_turns(node)
    for body in bodies:
        yield from _overwritten(body)
    if isinstance(node, ast.ClassDef):
        yield from _made_anew(node, modules)
    yield from _sharing(node)


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    fields = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return (one for one in fields if isinstance(one, list))


def _unreached(body: Sequence[ast.stmt]) -> Iterator[Found]:
    """Yield a statement after which something stands that does more than to raise, as what is left of a stub does."""
    rest = iter(body)
    for one in rest:
        if does := next((does for kind, does in ENDS.items() if isinstance(one, kind)), None):
            if after := next((other for other in rest if not isinstance(other, ast.Raise | ast.Pass)), None):
                yield one.lineno, f"Line {one.lineno} {does}: line {after.lineno} is never reached."
            return


def _first_turns(node: ast.AST) -> Iterator[Found]:
    """Yield a `return` that ends a loop in its first turn, whatever happens in that."""
    for loop in (one for one in ast.walk(node) if isinstance(one, ast.For)):
        may_go_on = any(isinstance(one, ast.Continue) for one in ast.walk(loop))
        ends = (one for one in loop.body if isinstance(one, ast.Return))
        if (end := next(ends, None)) and not may_go_on:
            yield end.lineno, f"Line {end.lineno} returns in the first turn of the loop: there is no second one."


def _overwritten(body: Sequence[ast.stmt]) -> Iterator[Found]:
    """Yield a statement that gives another value to a name before anything has used what was computed for it."""
    computed: dict[str, int] = {}
    for one in body:
        for node in ast.walk(one):
            if isinstance(node, ast.Name) and _uses(node):
                computed.pop(node.id, None)
        name = _assigned(one)
        if line := computed.pop(name, None):
            yield one.lineno, f"Line {one.lineno} overwrites `{name}` before anything uses what line {line} makes."
        if not isinstance(one, ast.Assign | ast.Expr):
            computed.clear()  # a value may be needed in some cases
        if _computes(one):
            computed[name] = one.lineno


def _uses(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Store)


def _assigned(statement: ast.stmt) -> str:
    """Return the name that a statement gives a value to, if it does nothing else."""
    match statement:
        case ast.Assign(targets=[ast.Name(name)]):
            return name
    return ""


def _computes(statement: ast.stmt) -> bool:
    """Return whether a statement gives a name a value that it computes: a constant may only be there to begin with."""
    does = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call | ast.BinOp)
    return does and bool(_assigned(statement))


def _made_anew(node: ast.ClassDef, modules: set[str]) -> Iterator[Found]:
    """Yield a layer with numbers to be trained that is made in `forward`."""
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "forward":
            continue
        for call in (one for one in ast.walk(method) if isinstance(one, ast.Call)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            is_layer = isinstance(call.func, ast.Attribute) and name in TRAINED
            if is_layer or (isinstance(call.func, ast.Name) and name in modules):
                yield (
                    call.lineno,
                    f"`{ast.unparse(call)}` is made anew in each call of `forward`, with other numbers. Make it in `__init__`.",
                )


def _sharing(node: ast.AST) -> Iterator[Found]:
    """Yield a function that a loop makes for later, and that looks at what only the last turn leaves."""
    for loop in (one for one in ast.walk(node) if isinstance(one, ast.For)):
        names = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
        made = {one.name: one for one in ast.walk(loop) if isinstance(one, ast.FunctionDef)}
        for call in (one for one in ast.walk(loop) if isinstance(one, ast.Call)):
            if not isinstance(call.func, ast.Attribute) or not call.func.attr.startswith(LATER):
                continue
            for given in call.args:
                function = made.get(given.id) if isinstance(given, ast.Name) else given
                if isinstance(function, ast.FunctionDef | ast.Lambda) and (shared := names & _free(function)):
                    name = min(shared)
                    says = f"All functions that the loop makes look at one `{name}`, which is the last one when they run. Give each its own as a default: `{name}={name}`."
                    yield function.lineno, says


def _free(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    """Return the names that a function's body uses and that are no arguments of its own."""
    body = function.body if isinstance(function.body, list) else [function.body]
    given = {one.arg for one in (*function.args.args, *function.args.kwonlyargs, *function.args.posonlyargs)}
    return {node.id for one in body for node in ast.walk(one) if isinstance(node, ast.Name)} - given


def _diagnosis(block: Block, line: int, says: str) -> Diagnosis:
    text = block.text.splitlines()[line - 1]
    spot = Spot(block.path, line, len(text) - len(text.lstrip()), len(text.rstrip()), text)
    return Diagnosis("place", "place_idle", says, where=says, spot=spot)
