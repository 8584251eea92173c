"""A reference module as text: its steps, their signatures with named shapes, their solution regions, and the stub that is made of it.

Nothing is executed, so nothing here needs torch.
"""

import ast
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import BrokenCourse, refuse, shown
from autograder.course.model import SINGLE
from autograder.exam.syllabus import SyllabusPart, SyllabusStep

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
TODO = re.compile(r"# TODO (\d+):")

SPECIAL = {"__len__": "len"}
"""How students are shown methods that they do not call by their names."""

Definition = ast.FunctionDef | ast.ClassDef


class BrokenReference(BrokenCourse):
    """A reference module does not have the form that the course needs; the message says where and what to change."""


@dataclass(frozen=True)
class Signature:
    """What a step is called with and what it returns, with the dimensions of each tensor.

    takes_tensors: whether it is given any, be it by a method of a class.
    """

    text: str
    arguments: dict[str, str]
    returns: dict[str, str]
    takes_tensors: bool


@dataclass(frozen=True)
class StepSource:
    """One step of a reference module: a function or a class, as text."""

    name: str
    kind: str
    first_line: int
    last_line: int
    text: str
    summary: str
    docstring: str
    signature: Signature


@dataclass(frozen=True)
class ReferenceModule:
    """A reference module: its name, its text, its steps in order, and the first and the last line of each solution region."""

    name: str
    path: Path
    text: str
    steps: tuple[StepSource, ...]
    regions: tuple[tuple[int, int], ...]

    @property
    def solution_lines(self) -> frozenset[int]:
        """The numbers of the lines inside solution regions."""
        return frozenset(line for begin, end in self.regions for line in range(begin + 1, end))


def read(path: Path) -> ReferenceModule:
    """Read a reference module. A step is a public top-level function or class. Raises BrokenReference."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenReference(f"the reference module {path} cannot be read: {error}") from error
    except SyntaxError as error:
        raise BrokenReference(f"{shown(path)}, line {error.lineno}: {error.msg}") from error
    lines = text.splitlines()
    public = [node for node in definitions(tree) if not node.name.startswith("_")]
    steps = tuple(_step(node, lines) for node in public)
    regions = tuple(_regions(shown(path), lines))
    problems = [*_problems_of_regions(regions, lines, steps), *_problems_of_annotations(public)]
    refuse((f"{shown(path)}, line {line}: {problem}" for line, problem in problems), BrokenReference)
    return ReferenceModule(path.stem, path, text, steps, regions)


def _regions(file: str, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each solution region. Raises BrokenReference."""
    begin = 0
    for number, mark in enumerate(map(str.strip, lines), start=1):
        if mark == BEGIN and begin:
            break
        if mark == BEGIN:
            begin = number
        if mark == END and not begin:
            what = f"`{END}` without a beginning; write `{BEGIN}` where the region begins"
            raise BrokenReference(f"{file}, line {number}: {what}")
        if mark == END:
            yield begin, number
            begin = 0
    if begin:
        raise BrokenReference(f"{file}, line {begin}: this solution region has no `{END}`; write it where it ends")


def definitions(tree: ast.Module) -> Iterator[Definition]:
    """Yield the functions and classes at the top level of a module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node


def first_line(node: Definition) -> int:
    """Return the first line of a definition, its decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _step(node: Definition, lines: list[str]) -> StepSource:
    docstring = ast.get_docstring(node) or ""
    start, end = first_line(node), node.end_lineno or node.lineno
    rest = [line.strip() for line in lines[end:]]
    trailing = list(itertools.takewhile(lambda line: not line or line.startswith("#"), rest))
    if END in trailing:  # comments after the last statement are no part of the tree
        end += trailing.index(END) + 1
    return StepSource(
        name=node.name,
        kind="class" if isinstance(node, ast.ClassDef) else "function",
        first_line=start,
        last_line=end,
        text="\n".join(lines[start - 1 : end]) + "\n",
        summary=" ".join(docstring.partition("\n\n")[0].split()),
        docstring=docstring,
        signature=_signature(node),
    )


def _signature(node: Definition) -> Signature:
    if isinstance(node, ast.FunctionDef):
        arguments = _arguments(node)
        returns = _returns(node)
        text = f"{node.name}({_written(node)}) -> {_result(node)}"
        return Signature(text, arguments, returns, _takes_tensors(node))
    methods = {method.name: method for method in _shown_methods(node)}
    made = f"{node.name}({_written(methods['__init__'])})" if "__init__" in methods else node.name
    text = "; ".join([made, *(_written_method(method) for name, method in methods.items() if name != "__init__")])
    takes_tensors = any(map(_takes_tensors, methods.values()))
    if "forward" not in methods:
        return Signature(text, {}, {}, takes_tensors)
    return Signature(text, _arguments(methods["forward"]), _returns(methods["forward"]), takes_tensors)


def _written_method(method: ast.FunctionDef) -> str:
    name = SPECIAL.get(method.name, method.name)
    return f"{name}({_written(method)}) -> {_result(method)}"


def _arguments(function: ast.FunctionDef) -> dict[str, str]:
    named = {argument.arg: _dims(argument.annotation) for argument in function.args.args}
    return {name: dims for name, dims in named.items() if dims is not None}


def _takes_tensors(function: ast.FunctionDef) -> bool:
    annotations = (argument.annotation for argument in function.args.args if argument.annotation)
    return any(isinstance(node, ast.Name) and node.id == "Tensor" for one in annotations for node in ast.walk(one))


def _returns(function: ast.FunctionDef) -> dict[str, str]:
    dims = _dims(function.returns)
    return {} if dims is None else {SINGLE: dims}


def dims_of(annotation: object) -> str | None:
    """Return the dimensions in an annotation as a function has it where all are texts; None for any other."""
    return _dims(ast.parse(annotation, mode="eval").body) if isinstance(annotation, str) else None


def _dims(annotation: ast.expr | None) -> str | None:
    """Return the dimensions in an annotation such as `Float[Tensor, "t d"]`; None for any other."""
    match annotation:
        case ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant(value=str(dims))])):
            return dims.strip()
    return None


def _written(function: ast.FunctionDef) -> str:
    arguments = [argument for argument in function.args.args if argument.arg != "self"] + function.args.kwonlyargs
    defaults = [""] * (len(arguments) - len(function.args.defaults) - len(function.args.kwonlyargs))
    values = [*function.args.defaults, *function.args.kw_defaults]
    defaults += [f" = {ast.unparse(value)}" if value else "" for value in values]
    return ", ".join(
        f"{argument.arg}: {_type(argument.annotation)}{default}"
        for argument, default in zip(arguments, defaults, strict=True)
    )


def _result(function: ast.FunctionDef) -> str:
    match function.returns:
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=elements)):
            return "(" + ", ".join(_type(element) for element in elements) + ")"
    return _type(function.returns)


def _type(annotation: ast.expr | None) -> str:
    dims = _dims(annotation)
    if dims is not None:
        return f"({dims})"
    return ast.unparse(annotation) if annotation else "?"


def _problems_of_annotations(steps: Iterable[Definition]) -> Iterator[tuple[int, str]]:
    """Yield line and problem of each argument and result that students would be shown without its type or shape."""
    for node in steps:
        yield from ((line, f"step {node.name}: {problem}") for line, problem in _unshaped(node))


def _unshaped(node: Definition) -> Iterator[tuple[int, str]]:
    for function in [node] if isinstance(node, ast.FunctionDef) else _shown_methods(node):
        for argument in (*function.args.args, *function.args.kwonlyargs):
            if argument.arg != "self":
                yield from _untyped(argument.lineno, f"the argument {argument.arg}", argument.annotation)
        if function.name != "__init__":
            yield from _untyped(function.lineno, "the result", function.returns)


def _shown_methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """Return how a class is made and called or, if it is not called, its public methods."""
    methods = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
    shown = ("__init__", "forward") if "forward" in methods else ("__init__", *SPECIAL, *filter(_is_public, methods))
    return [method for name, method in methods.items() if name in shown]


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _untyped(line: int, what: str, annotation: ast.expr | None) -> Iterator[tuple[int, str]]:
    if annotation is None:
        yield line, f'{what} has no annotation; write its type, for a tensor with its shape: `Float[Tensor, "t d"]`'
    elif _is_bare_tensor(annotation):
        yield line, f'{what} is a Tensor without a shape; name its dimensions: `Float[Tensor, "t d"]`'


def _is_bare_tensor(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Name(id="Tensor") | ast.Attribute(attr="Tensor"):
            return True
        case ast.BinOp(left=left, right=right):  # Tensor | None
            return _is_bare_tensor(left) or _is_bare_tensor(right)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=elements)):
            return any(_is_bare_tensor(element) for element in elements)
    return False


def _problems_of_regions(
    regions: Sequence[tuple[int, int]], lines: Sequence[str], steps: Sequence[StepSource]
) -> Iterator[tuple[int, str]]:
    for begin, _ in regions:
        if not any(step.first_line <= begin <= step.last_line for step in steps):
            yield begin, "a solution region outside any step; move it into one"
        elif not TODO.match(lines[begin].strip()):
            yield begin, "a solution region begins with its `# TODO N:`; write it below this line"
    for number, step in enumerate(steps, start=1):
        todos = {int(found) for found in TODO.findall(step.text)}
        if BEGIN not in step.text:
            what = f"step {step.name} has no solution region"
            yield step.first_line, f"{what}; write `{BEGIN}` and `{END}` around what students are to write"
        elif todos and todos != {number}:
            what = f"step {step.name} is number {number}, its TODOs say {sorted(todos)}"
            yield step.first_line, f"{what}; write `# TODO {number}:`"


def stub_of(module: ReferenceModule) -> str:
    """Return the text of the stub module: each solution region keeps its TODO and raises NotImplementedError."""
    lines, written, done = module.text.splitlines(), list[str](), 0
    for begin, end in module.regions:
        step = next(number for number, one in enumerate(module.steps) if one.first_line <= begin <= one.last_line)
        comment = list(itertools.takewhile(lambda line: line.strip().startswith("#"), lines[begin : end - 1]))
        indent = comment[0].partition("#")[0]
        message = f"step {step + 1}: {module.steps[step].name}"
        written += [*lines[done : begin - 1], *comment, f'{indent}raise NotImplementedError("{message}")']
        done = end
    return "\n".join([*written, *lines[done:]]) + "\n"


def stub_of_step(part: SyllabusPart, step: SyllabusStep) -> str:
    """Return the text of a step's stub."""
    found = next(node for node in definitions(ast.parse(part.stub)) if node.name == step.name)
    return "\n".join(part.stub.splitlines()[first_line(found) - 1 : found.end_lineno]) + "\n"
