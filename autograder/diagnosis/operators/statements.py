"""Slips of whole statements: dropped, in the wrong order, in or out of a loop, a result that nothing keeps."""

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.diagnosis.operators.building import combined, method, name
from autograder.diagnosis.operators.scope import Scope, called, is_library
from autograder.diagnosis.operators.source import Splice

Loop = ast.For | ast.While


@dataclass(frozen=True)
class Statement:
    """A statement among others. owner: what the block belongs to."""

    node: ast.stmt
    block: list[ast.stmt]
    index: int
    owner: ast.AST

    @property
    def following(self) -> ast.stmt | None:
        """The next statement of the block."""
        return self.block[self.index + 1] if self.index + 1 < len(self.block) else None


@dataclass(frozen=True)
class Rewritten:
    """A statement after an edit, and what of the text has changed. done: the edit in words, where it is more than one for the other."""

    becomes: str
    splices: tuple[Splice, ...]
    done: str = ""


def dropped(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """It should not be there."""
    if not isinstance(it.node, ast.Pass | ast.Return | ast.FunctionDef):
        whole = f"without `{_line(it.node)}` and what stands in it" if hasattr(it.node, "body") else ""
        yield Rewritten("", (Splice(*scope.source.span(it.node), "pass"),), whole)
    if isinstance(it.node, ast.If) and it.node.orelse:
        never = scope.source.replaced(it.node.test, ast.Constant(False))
        yield Rewritten(
            "", (never,), f"without the case `{_line(it.node)}`, so that what stands under `else` is always done"
        )


def exchanged(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """Two neighbours are in the wrong order."""
    if it.following is not None and _simple(it.node) and _simple(it.following):
        one, other = scope.source.segment(it.node), scope.source.segment(it.following)
        splices = Splice(*scope.source.span(it.node), other), Splice(*scope.source.span(it.following), one)
        yield Rewritten(f"{_line(it.following)}; {_line(it.node)}", splices, f"with `{_line(it.following)}` before it")


def _simple(node: ast.stmt) -> bool:
    return not isinstance(node, ast.FunctionDef | ast.ClassDef)


def _line(node: ast.stmt) -> str:
    return ast.unparse(node).splitlines()[0]


def out_of_loop(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """The last statement of a loop belongs behind it, the first before it."""
    if not isinstance(it.owner, Loop):
        return
    source, loop = scope.source, it.owner
    text = _moved(scope, it.node, source.indentation(loop))
    gone = Splice(*source.span(it.node), "pass")
    start, end = source.span(loop)
    if it.following is None:
        after = gone, Splice(end, end, f"\n{source.indentation(loop)}{text}")
        yield Rewritten(_line(it.node), after, f"with `{_line(it.node)}` after the loop")
    if it.index == 0:
        before = gone, Splice(start, start, f"{text}\n{source.indentation(loop)}")
        yield Rewritten(_line(it.node), before, f"with `{_line(it.node)}` before the loop")


def into_loop(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """The statement behind a loop belongs into it; that before it too, at its beginning."""
    source = scope.source
    before = it.block[it.index - 1] if it.index else None
    later = next((node for node in it.block[it.index + 1 :] if isinstance(node, Loop)), None)
    gone = Splice(*source.span(it.node), "pass")
    if isinstance(before, Loop):
        last = before.body[-1]
        indentation = source.indentation(last)
        end = source.span(last)[1]
        inside = Splice(end, end, f"\n{indentation}{_moved(scope, it.node, indentation)}")
        yield Rewritten(_line(it.node), (inside, gone), f"with `{_line(it.node)}` at the end of the loop, in it")
    if later is not None and not isinstance(it.node, Loop):
        first = later.body[0]
        indentation = source.indentation(first)
        start = source.span(first)[0]
        inside = Splice(start, start, f"{_moved(scope, it.node, indentation)}\n{indentation}")
        yield Rewritten(_line(it.node), (gone, inside), f"with `{_line(it.node)}` at the beginning of the loop, in it")


def _moved(scope: Scope, node: ast.stmt, indentation: str) -> str:
    """Return a statement as it is written at another indentation."""
    own = scope.source.indentation(node)
    text = textwrap.dedent(own + scope.source.segment(node))
    return textwrap.indent(text, indentation).removeprefix(indentation)


def lost_result(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """What a call returns is kept by nothing."""
    start = scope.source.span(it.node)[0]
    match it.node:
        case ast.Expr(ast.Call(function, arguments, keywords) as given_call):
            holders = [function.value] if isinstance(function, ast.Attribute) and not is_library(function.value) else []
            holders += [argument for argument in arguments if isinstance(argument, ast.Name)]
            for holder in holders:
                if isinstance(holder, ast.Name | ast.Attribute | ast.Subscript) and not _is_own_module(holder):
                    prefix = f"{scope.source.segment(holder)} = "
                    yield Rewritten(prefix + _line(it.node), (Splice(start, start, prefix),))
            given = called(given_call)
            if isinstance(function, ast.Attribute) and not given.endswith("_") and given not in ("append", "extend"):
                text = ast.unparse(
                    ast.Call(ast.Attribute(function.value, f"{given}_", ast.Load()), arguments, keywords)
                )
                yield Rewritten(text, (Splice(*scope.source.span(it.node), text),))
    match it.node:
        case ast.Expr(ast.Call() | ast.BinOp() | ast.Name() as lost):
            for kept in _lists(scope):
                text = f"{kept}.append({ast.unparse(lost)})"
                yield Rewritten(text, (Splice(*scope.source.span(it.node), text),))
    match it.node:
        case ast.Expr(value) if it.following is None and not isinstance(value, ast.Constant):
            yield Rewritten(f"return {_line(it.node)}", (Splice(start, start, "return "),))


def _lists(scope: Scope) -> Iterator[str]:
    """Yield the names of lists that begin empty."""
    for node in ast.walk(scope.source.tree):
        match node:
            case ast.Assign([ast.Name(identifier)], ast.List([])):
                yield identifier


def _is_own_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def missing_return(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """The function ends without returning what it has made."""
    if (
        it.following is None
        and it.owner is scope.function
        and not isinstance(it.node, ast.Return)
        and scope.function.name != "__init__"
    ):
        end, indentation = scope.source.span(it.node)[1], scope.source.indentation(it.node)
        last = [target.id for target in _targets(it.node) if isinstance(target, ast.Name)]
        for identifier in dict.fromkeys([*last, *reversed(scope.tensors)]):
            text = f"return {identifier}"
            yield Rewritten(text, (Splice(end, end, f"\n{indentation}{text}"),), f"with `{text}` at its end")


def _targets(node: ast.stmt) -> list[ast.expr]:
    match node:
        case ast.Assign(targets):
            return targets
        case ast.AugAssign(target) | ast.AnnAssign(target):
            return [target]
    return []


def other_assignment(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """`=` for `+=`, or the other way round; added in place, or to a copy."""
    made: list[ast.stmt] = []
    match it.node:
        case ast.AugAssign(target, operator, value):
            made = [
                ast.Assign([target], ast.BinOp(_loaded(target), operator, value), lineno=0),
                ast.Assign([target], value, lineno=0),
            ]
            made += [
                ast.AugAssign(target, other(), value)
                for other in (ast.Add, ast.Sub, ast.Mult, ast.Div)
                if not isinstance(operator, other)
            ]
        case ast.Assign([ast.Name() | ast.Attribute() | ast.Subscript() as target], value):
            made = [
                ast.AugAssign(target, ast.Add(), value),
                ast.Assign([target], combined(_loaded(target), ast.Add, value), lineno=0),
            ]
            made += [
                ast.AugAssign(target, ast.Mult(), value),
                ast.Assign([target], combined(_loaded(target), ast.Mult, value), lineno=0),
            ]
    for statement in made:
        text = ast.unparse(statement)
        yield Rewritten(text, (Splice(*scope.source.span(it.node), text),))


def _loaded(target: ast.expr) -> ast.expr:
    loaded = ast.parse(ast.unparse(target), mode="eval").body
    assert isinstance(loaded, ast.expr)
    return loaded


def other_branch(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """The condition is the wrong way round, or should not be there."""
    if isinstance(it.node, ast.If | ast.While):
        always, otherwise = ast.Constant(True), ast.UnaryOp(ast.Not(), it.node.test)
        if isinstance(it.node, ast.If):
            yield Rewritten(
                "if True:",
                (scope.source.replaced(it.node.test, always),),
                f"without the condition `{ast.unparse(it.node.test)}`",
            )
        becomes = f"if {ast.unparse(otherwise)}:"
        yield Rewritten(becomes, (scope.source.replaced(it.node.test, otherwise),))


def needless_context(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """What is done in a `with` should be done without it, as with `torch.no_grad`."""
    if isinstance(it.node, ast.With):
        start, last = scope.source.span(it.node)[0], it.node.items[-1]
        end = scope.source.span(last.optional_vars or last.context_expr)[1]
        yield Rewritten("", (Splice(start, end, "if True"),))


def missing_super(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """The module's own `__init__` is not called."""
    function = scope.function
    if function is None or function.name != "__init__" or it.owner is not function or it.index:
        return
    if "super()" not in ast.unparse(function):
        start, indentation = scope.source.span(it.node)[0], scope.source.indentation(it.node)
        text = "super().__init__()"
        yield Rewritten(text, (Splice(start, start, f"{text}\n{indentation}"),), f"with `{text}` as its first line")


def changed_input(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """What is handed over is written into, not a copy of it."""
    given = _written_by(it.node)
    if scope.function and given in scope.tensors and given in {one.arg for one in scope.function.args.args}:
        start = scope.source.span(scope.function.body[0])[0]
        indentation = scope.source.indentation(scope.function.body[0])
        text = f"{given} = {given}.clone()"
        yield Rewritten(text, (Splice(start, start, f"{text}\n{indentation}"),), f"with `{text}` at the beginning")


def alias(it: Statement, scope: Scope) -> Iterator[Rewritten]:
    """A second name for a tensor is taken for a copy of it, and is written into."""
    match it.node:
        case ast.Assign([ast.Name(given)], ast.Name(of) as value) if scope.function:
            if given in map(_written_by, ast.walk(scope.function)):
                splice = scope.source.replaced(value, method(name(of), "clone"))
                yield Rewritten(f"{given} = {of}.clone()", (splice,), f"with `{of}.clone()` in place of `{of}`")


def _written_by(node: ast.AST) -> str:
    """Return the variable into whose tensor a statement writes; nothing if it writes into none."""
    match node:
        case ast.Assign([ast.Subscript(ast.Name(given))]) | ast.AugAssign(
            ast.Subscript(ast.Name(given)) | ast.Name(given)
        ):
            return given
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(given), called))) if called.endswith("_"):
            return given
    return ""
