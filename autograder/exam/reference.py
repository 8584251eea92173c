"""Parse a reference module into steps and solution regions, and make its stub for students.

The module is parsed and never executed, so torch is not needed.
"""

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import BrokenCourse, author_errors, refuse, shown
from autograder.course.model import SINGLE
from autograder.exam.syllabus import SyllabusPart, SyllabusStep

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

SPECIAL = {"__len__": "len"}
"""The special methods that signatures show, each with the function that calls the method."""

SHAPED = re.compile(r"\w+\[Tensor, '([^']*)'\]")
"""An annotation with the dimensions of a tensor, such as `Float[Tensor, 't d']`."""

Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class StepSource:
    """The source of a step: a function or class in a reference module.

    kind: `function` or `class`. signature: the arguments and the result, in the form for students.
    arguments, returns: the dimensions of each tensor, by name.
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


@dataclass(frozen=True)
class ReferenceModule:
    """A parsed reference module: its steps, and the first and last line of each solution region."""

    name: str
    path: Path
    text: str
    steps: tuple[StepSource, ...]
    regions: tuple[tuple[int, int], ...]

    @property
    def solution_lines(self) -> frozenset[int]:
        """The line numbers inside solution regions, without the BEGIN and END lines."""
        return frozenset(line for begin, end in self.regions for line in range(begin + 1, end))


def read(path: Path) -> ReferenceModule:
    """Parse a reference module. Each public definition is a step. Raises BrokenCourse."""
    with author_errors(shown(path)):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text, str(path))
    lines = text.splitlines()
    marks = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip() in (BEGIN, END)]
    for (_, before), (number, mark) in itertools.pairwise([(0, END), *marks, (len(lines), BEGIN)]):
        if before == mark:
            wanted = END if mark == BEGIN else BEGIN
            raise BrokenCourse(f"{shown(path)}, line {number}: expected `{wanted}` before this line; write it there")
    regions = tuple((begin, end) for (begin, _), (end, _) in zip(marks[::2], marks[1::2], strict=True))
    steps = tuple(_step(node, lines, regions) for node in definitions(tree) if not node.name.startswith("_"))
    module = ReferenceModule(path.stem, path, text, steps, regions)
    refuse(f"{shown(path)}, line {line}: {problem}" for line, problem in _problems_of(module))
    return module


def _problems_of(module: ReferenceModule) -> Iterator[tuple[int, str]]:
    lines, numbers = module.text.splitlines(), {begin: _step_of(module, begin) for begin, _ in module.regions}
    for number, step in enumerate(module.steps, start=1):
        if number not in numbers.values():
            what = f"step {step.name} has no solution region"
            yield step.first_line, f"{what}; write `{BEGIN}` and `{END}` around what students are to write"
    for begin, number in numbers.items():
        if not number or not lines[begin].strip().startswith(f"# TODO {number}:"):
            expected = f"`# TODO {number}:` below this line" if number else "this solution region within a step"
            yield begin, f"expected {expected}"


def _step_of(module: ReferenceModule, line: int) -> int:
    numbered = enumerate(module.steps, start=1)
    return next((number for number, step in numbered if step.first_line <= line <= step.last_line), 0)


def definitions(tree: ast.Module) -> Iterator[Definition]:
    """Yield the functions and classes at the top level of a module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node


def first_line(node: Definition) -> int:
    """Return the number of the first line of a definition, including its decorators."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _step(node: Definition, lines: list[str], regions: tuple[tuple[int, int], ...]) -> StepSource:
    first, last = first_line(node), node.end_lineno or node.lineno
    # the end mark may follow the last statement: the syntax tree contains no comments
    last = max([last, *(end for begin, end in regions if first <= begin <= last)])
    called: ast.FunctionDef | None
    if isinstance(node, ast.FunctionDef):
        called, shown, signature = node, [node], _called(node)
    else:
        methods = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
        called, init = methods.get("forward"), methods.get("__init__")
        shown = [method for name, method in methods.items() if name in SPECIAL or not name.startswith("_")]
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
    )


def _dims_of(function: ast.FunctionDef) -> tuple[dict[str, str], dict[str, str]]:
    types = {argument.arg: argument.annotation for argument in function.args.args} | {SINGLE: function.returns}
    dims = {name: found for name, one in types.items() if one and (found := dims_of(ast.unparse(one))) is not None}
    returns = {name: dims.pop(name) for name in (SINGLE,) if name in dims}
    return dims, returns


def dims_of(annotation: object) -> str | None:
    """Return the dimensions in an annotation like `Float[Tensor, 't d']`; None if it has none."""
    found = SHAPED.fullmatch(annotation) if isinstance(annotation, str) else None
    return found[1].strip() if found else None


def _called(function: ast.FunctionDef) -> str:
    returns = f" -> {_shown(ast.unparse(function.returns))}" if function.returns else ""
    return f"{SPECIAL.get(function.name, function.name)}{_arguments(function)}{returns}"


def _arguments(function: ast.FunctionDef) -> str:
    arguments = re.sub(r"^self(, )?", "", ast.unparse(function.args))
    return f"({_shown(arguments).replace('=', ' = ')})"


def _shown(types: str) -> str:
    """Return types in the form for students: `(t d)` for a tensor, `((b t), int)` for a tuple."""
    text = SHAPED.sub(lambda found: f"({found[1].strip()})", types)
    return f"({text[6:-1]})" if text.startswith("tuple[") else text


def stub_of(module: ReferenceModule) -> str:
    """Return the stub of a reference module: each solution region raises NotImplementedError."""
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
    """Return the source of the stub of one step."""
    found = next(node for node in definitions(ast.parse(part.stub)) if node.name == step.name)
    return "\n".join(part.stub.splitlines()[first_line(found) - 1 : found.end_lineno]) + "\n"
