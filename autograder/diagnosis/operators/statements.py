"""Operators on whole statements: one dropped, moved or exchanged, a result kept."""

import ast
from collections.abc import Iterator

from autograder.diagnosis.operators.source import FAULT, USUAL, Operator, Rewritten, Scope, is_library, made

SPOILED = (
    ".detach()",
    "[:1]",
    "[..., :1]",
    " * 2",
    " + 0.001",
    " * -1",
    ".double()",
    ".float()",
    "[None]",
    ".flip(-1)",
)
"""Texts after a result that spoil it: its gradient, its shape, its numbers, their kind."""


def _line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0]


def _with_body(loop: ast.For, body: list[ast.stmt]) -> ast.stmt:
    return ast.For(loop.target, loop.iter, body or [ast.Pass()], loop.orelse, lineno=0)


def _dropped(it: ast.stmt, scope: Scope) -> Iterator[Rewritten]:
    if not isinstance(it, ast.Pass | ast.Return):
        inner = " and what stands in it" if hasattr(it, "body") else ""
        yield Rewritten(((it, (ast.Pass(),)),), f"without `{_line(it)}`{inner}")
    if isinstance(it, ast.If) and it.orelse:
        done = f"without the case `{_line(it)}`, so that what stands under `else` is always done"
        yield Rewritten(((it, (ast.If(ast.Constant(False), it.body, it.orelse),)),), done)


def _branch(it: ast.If, scope: Scope) -> Iterator[Rewritten]:
    condition, other = ast.unparse(it.test), made("not {}", it.test)
    done = f"with `{ast.unparse(other)}` in place of `{condition}`"
    yield Rewritten(((it, (ast.If(other, it.body, it.orelse),)),), done)
    always = ast.If(ast.Constant(True), it.body, it.orelse)
    yield Rewritten(((it, (always,)),), f"without the condition `{condition}`")


def _statement_order(it: ast.stmt, scope: Scope) -> Iterator[Rewritten]:
    _, block, index = scope.block(it)
    following = next(iter(block[index + 1 :]), None)
    if following and not isinstance(following, ast.FunctionDef | ast.ClassDef):
        yield Rewritten(((it, (following,)), (following, (it,))), f"with `{_line(following)}` before it")


def _out_of_loop(it: ast.stmt, scope: Scope) -> Iterator[Rewritten]:
    loop, block, index = scope.block(it)
    if isinstance(loop, ast.For) and block is loop.body:
        rest = _with_body(loop, [*block[:index], *block[index + 1 :]])
        if index == len(block) - 1:
            yield Rewritten(((loop, (rest, it)),), f"with `{_line(it)}` after the loop")
        if index == 0:
            yield Rewritten(((loop, (it, rest)),), f"with `{_line(it)}` before the loop")


def _into_loop(it: ast.stmt, scope: Scope) -> Iterator[Rewritten]:
    _, block, index = scope.block(it)
    before, gone = block[index - 1] if index else None, (it, (ast.Pass(),))
    later = next((one for one in block[index + 1 :] if isinstance(one, ast.For)), None)
    if isinstance(before, ast.For):
        loop = before, (_with_body(before, [*before.body, it]),)
        yield Rewritten((loop, gone), f"with `{_line(it)}` at the end of the loop, in it")
    if later:
        loop = later, (_with_body(later, [it, *later.body]),)
        yield Rewritten((gone, loop), f"with `{_line(it)}` at the beginning of the loop, in it")


def _lost_result(it: ast.Expr, scope: Scope) -> Iterator[ast.stmt]:
    match it.value:
        case ast.Call(ast.Attribute(ast.Name() | ast.Attribute() as holder)) if not is_library(holder):
            yield from ast.parse(f"{_line(holder)} = {_line(it)}").body
    _, block, _ = scope.block(it)
    if it is block[-1]:
        yield ast.Return(it.value)


def _assignment(it: ast.stmt, scope: Scope) -> Iterator[ast.stmt]:
    match it:
        case ast.AugAssign(target, operator, value):
            yield ast.Assign([target], ast.BinOp(made("{}", target), operator, value), lineno=0)
            yield ast.Assign([target], value, lineno=0)
            yield from (ast.AugAssign(target, other(), value) for other in (ast.Add, ast.Sub, ast.Mult, ast.Div))
        case ast.Assign([ast.Name() | ast.Attribute() | ast.Subscript() as target], value):
            yield from (ast.AugAssign(target, other(), value) for other in (ast.Add, ast.Mult))


def _spoiled(it: ast.stmt, scope: Scope) -> Iterator[ast.stmt]:
    match it:
        case ast.Assign(targets, value):
            yield ast.Assign(targets, made("{}.detach()", value), lineno=0)
        case ast.Return(ast.expr() as value):
            yield from (ast.Return(made(f"{{}}{after}", value)) for after in SPOILED)


OPERATORS = (
    Operator("branch", _branch, ast.If, "what follows `{was}` is needed in other cases"),
    Operator("lost_result", _lost_result, ast.Expr, "the result of `{was}` is kept by nothing"),
    Operator("out_of_loop", _out_of_loop, ast.stmt, "`{was}` is done in every turn of the loop"),
    Operator("assignment", _assignment, ast.stmt, "`{was}` has the wrong one of `=`, `+=`, `-=` and `*=`", USUAL),
    Operator("into_loop", _into_loop, ast.stmt, "`{was}` is done once, outside the loop", USUAL),
    Operator("dropped", _dropped, ast.stmt, "`{was}` should not be there", USUAL, True),
    Operator("statement_order", _statement_order, ast.stmt, "`{was}` comes at the wrong place", USUAL),
    Operator("spoiled", _spoiled, ast.stmt, "`{was}` makes something else of the result", FAULT),
)
