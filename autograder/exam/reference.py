"""A reference module as text: its steps, their signatures with named shapes, their solution regions, and its stub.

Nothing is executed, so nothing here needs torch.
"""

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import BrokenCourse, place_of, refuse, shown, what_happened
from autograder.course.model import SINGLE
from autograder.exam.syllabus import SyllabusPart, SyllabusStep

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

SPECIAL = {"__len__": "len"}
"""How students are shown methods that they do not call by their names."""

SHAPED = re.compile(r"\w+\[Tensor, '([^']*)'\]")
"""An annotation with the dimensions of a tensor, such as `Float[Tensor, 't d']`."""

UNSHAPED = re.compile(r"(?<!\[)(?<!\], )\bTensor\b|: \?|> \?")
"""A tensor without its shape in a signature that is shown, or no type at all."""

Definition = ast.FunctionDef | ast.ClassDef


class BrokenReference(BrokenCourse):
    """A reference module does not have the form that the course needs; the message says where and what to change."""


@dataclass(frozen=True)
class StepSource:
    """One step of a reference module: a function or a class, as text.

    signature: as students are shown it. arguments, returns: the dimensions of each tensor.
    takes_tensors: True if any is an argument, be it of a method of a class.
    """

    name: str
    kind: str
    first_line: int
    last_line: int
    text: str
    docstring: str
    signature: str
    arguments: dict[str, str]
    returns: dict[str, str]
    takes_tensors: bool

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring in one line."""
        return " ".join(self.docstring.partition("\n\n")[0].split())


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
        tree = ast.parse(text, str(path))
    except (OSError, ValueError, SyntaxError) as error:
        where = place_of(error) or shown(path)
        raise BrokenReference(f"{where}: the reference module cannot be read: {what_happened(error)}") from error
    lines = text.splitlines()
    marks = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip() in (BEGIN, END)]
    for (_, before), (number, mark) in itertools.pairwise([(0, END), *marks, (len(lines), BEGIN)]):
        if before == mark:
            wanted = END if mark == BEGIN else BEGIN
            raise BrokenReference(f"{shown(path)}, line {number}: expected `{wanted}` before this line; write it there")
    regions = tuple((begin, end) for (begin, _), (end, _) in zip(marks[::2], marks[1::2], strict=True))
    steps = tuple(_step(node, lines, regions) for node in definitions(tree) if not node.name.startswith("_"))
    module = ReferenceModule(path.stem, path, text, steps, regions)
    refuse((f"{shown(path)}, line {line}: {problem}" for line, problem in _problems_of(module)), BrokenReference)
    return module


def _problems_of(module: ReferenceModule) -> Iterator[tuple[int, str]]:
    """Yield line and problem of each step without a region or a type, and of each region that names no step."""
    lines, numbers = module.text.splitlines(), {begin: _step_of(module, begin) for begin, _ in module.regions}
    for number, step in enumerate(module.steps, start=1):
        if number not in numbers.values():
            what = f"step {step.name} has no solution region"
            yield step.first_line, f"{what}; write `{BEGIN}` and `{END}` around what students are to write"
        if UNSHAPED.search(step.signature):
            what = 'write each type, of a tensor with its shape: `Float[Tensor, "t d"]`'
            yield step.first_line, f"step {step.name} is shown as `{step.signature}`; {what}"
    for begin, number in numbers.items():
        if not number or not lines[begin].strip().startswith(f"# TODO {number}:"):
            expected = f"`# TODO {number}:` below this line" if number else "this solution region within a step"
            yield begin, f"expected {expected}"


def _step_of(module: ReferenceModule, line: int) -> int:
    """Return the number of the step in which a line is; 0 for none."""
    numbered = enumerate(module.steps, start=1)
    return next((number for number, step in numbered if step.first_line <= line <= step.last_line), 0)


def definitions(tree: ast.Module) -> Iterator[Definition]:
    """Yield the functions and classes at the top level of a module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node


def first_line(node: Definition) -> int:
    """Return the first line of a definition, its decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _step(node: Definition, lines: list[str], regions: tuple[tuple[int, int], ...]) -> StepSource:
    """Read a step. Its signature is a function's, or that of a class and of `forward`, else of its public methods."""
    first, last = first_line(node), node.end_lineno or node.lineno
    # comments after the last statement are no part of the tree
    last = max([last, *(end for begin, end in regions if first <= begin <= last)])
    called: ast.FunctionDef | None
    if isinstance(node, ast.FunctionDef):
        called, shown, signature = node, [node], _called(node)
    else:
        methods = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
        called, init = methods.get("forward"), methods.get("__init__")
        public = ("forward",) if called else (*SPECIAL, *(name for name in methods if name[0] != "_"))
        shown = [method for name, method in methods.items() if name in public]
        signature = "; ".join([f"{node.name}{_arguments(init) if init else ''}", *map(_called, shown)])
        shown += [init] if init else []
    arguments, returns = _dims_of(called) if called else ({}, {})
    return StepSource(
        name=node.name,
        kind="class" if isinstance(node, ast.ClassDef) else "function",
        first_line=first,
        last_line=last,
        text="\n".join(lines[first - 1 : last]) + "\n",
        docstring=ast.get_docstring(node) or "",
        signature=signature,
        arguments=arguments,
        returns=returns,
        takes_tensors=any(re.search(r"\bTensor\b", ast.unparse(method.args)) for method in shown),
    )


def _dims_of(function: ast.FunctionDef) -> tuple[dict[str, str], dict[str, str]]:
    """Return the dimensions of the arguments that are tensors, and of the result if it is one."""
    annotations = {argument.arg: argument.annotation for argument in function.args.args}
    named = {name: dims_of(ast.unparse(one)) for name, one in annotations.items() if one}
    result = dims_of(ast.unparse(function.returns)) if function.returns else None
    arguments = {name: dims for name, dims in named.items() if dims is not None}
    return arguments, {} if result is None else {SINGLE: result}


def dims_of(annotation: object) -> str | None:
    """Return the dimensions in the text of an annotation such as `Float[Tensor, 't d']`; None for any other."""
    found = SHAPED.fullmatch(annotation) if isinstance(annotation, str) else None
    return found[1].strip() if found else None


def _called(function: ast.FunctionDef) -> str:
    return f"{SPECIAL.get(function.name, function.name)}{_arguments(function)} -> {_type(function.returns)}"


def _arguments(function: ast.FunctionDef) -> str:
    arguments = [argument for argument in function.args.args if argument.arg != "self"] + function.args.kwonlyargs
    values = [*function.args.defaults, *function.args.kw_defaults]
    defaults = [""] * (len(arguments) - len(values)) + [f" = {ast.unparse(one)}" if one else "" for one in values]
    pairs = zip(arguments, defaults, strict=True)
    return f"({', '.join(f'{argument.arg}: {_type(argument.annotation)}{default}' for argument, default in pairs)})"


def _type(annotation: ast.expr | None) -> str:
    """Return a type as students are shown it: `(t d)`, `((b t), int)`, `float`."""
    text = SHAPED.sub(lambda found: f"({found[1].strip()})", ast.unparse(annotation)) if annotation else "?"
    return f"({text[6:-1]})" if text.startswith("tuple[") else text


def stub_of(module: ReferenceModule) -> str:
    """Return the text of the stub module: each solution region keeps its TODO and raises NotImplementedError."""
    lines, written, done = module.text.splitlines(), list[str](), 0
    for begin, end in module.regions:
        number = _step_of(module, begin)
        comment = list(itertools.takewhile(lambda line: line.strip().startswith("#"), lines[begin : end - 1]))
        indent = comment[0].partition("#")[0]
        message = f"step {number}: {module.steps[number - 1].name}"
        written += [*lines[done : begin - 1], *comment, f'{indent}raise NotImplementedError("{message}")']
        done = end
    return "\n".join([*written, *lines[done:]]) + "\n"


def stub_of_step(part: SyllabusPart, step: SyllabusStep) -> str:
    """Return the text of a step's stub."""
    found = next(node for node in definitions(ast.parse(part.stub)) if node.name == step.name)
    return "\n".join(part.stub.splitlines()[first_line(found) - 1 : found.end_lineno]) + "\n"
