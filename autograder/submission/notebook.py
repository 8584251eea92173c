"""Convert a notebook to source: the cells that define a name, without Jupyter's own commands.

The notebook is parsed and never run.
"""

import ast
import json
import re
from collections.abc import Iterable

import msgspec

from autograder.submission.model import LARGEST_FILE, Block, Source, Unreadable
from autograder.submission.parsed import ParsedModule, error_of, parsed, within

BODY_RUNS = re.compile(r"%%(?:(?:time|timeit|capture|prun)\b|writefile\s+\S+\.py\s*$)")
"""Cell magics that run the code of a cell as Python or write it to a module."""

COMMAND = re.compile(r"(?P<indent>\s*+)(?:%time\s+(?P<timed>\S.*)|[%!?]|[^=]*+=\s*[%!]|.*\?\s*$)")
"""A line with a command of Jupyter: `%time f()`, `!ls`, `?print`, `files = !ls` or `print?`."""

DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom


class _Metadata(msgspec.Struct):
    nbgrader: dict[str, object] = {}


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str] = ""
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class _Notebook(msgspec.Struct):
    cells: list[_Cell]


def read_notebook(content: bytes, place: str) -> Source:
    """Read a notebook. place: its path in messages and tracebacks. Raises Unreadable."""
    try:
        cells = msgspec.convert(json.loads(content), _Notebook).cells
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        what = f"{place} is a broken notebook, or none of Jupyter's format 4 ({error})"
        raise Unreadable(f"{what}. Open it in Jupyter and save it again.") from None
    code = (cell for cell in cells if cell.cell_type == "code")
    return source_of_cells(((number, _text(cell)) for number, cell in enumerate(code, start=1)), place)


def _text(cell: _Cell) -> str:
    """Return the text of a cell with LF line ends; empty for a test cell of nbgrader's."""
    nbgrader = cell.metadata.nbgrader
    if nbgrader.get("grade") and not nbgrader.get("solution"):
        return ""
    whole = "".join(cell.source).encode(errors="replace").decode()  # JSON may contain lone surrogates
    return whole.replace("\r\n", "\n").replace("\r", "\n")


def source_of_cells(texts: Iterable[tuple[int, str]], place: str) -> Source:
    """Return the source of code cells. texts: the number and the text of each cell. Raises Unreadable."""
    cells = list(texts)
    if sum(len(text) for _, text in cells) > LARGEST_FILE:
        raise Unreadable(f"{place} has more than {LARGEST_FILE:,} characters of code, the most that is read.")
    python = ((number, without_commands(text)) for number, text in cells)
    blocks = tuple(Block(f"{place}, cell {number}", text) for number, text in python if _defines(text))
    return Source(place, blocks, is_notebook=True)


def without_commands(text: str) -> str:
    """Replace the commands of Jupyter in a cell's text, and keep the line numbers.

    A command is replaced only where Python reports an error: elsewhere `%` or `!` is an operator or
    text. A cell of another language, such as `%%bash`, becomes empty.
    """
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if not BODY_RUNS.match(lines[first]):
            return ""
        lines[first] = ""
    while error := error_of("\n".join(lines)):
        wrong = min(error.lineno or 1, len(lines)) - 1
        command = COMMAND.match(lines[wrong])
        if not command:
            break
        last = next((number for number in range(wrong, len(lines)) if not lines[number].endswith("\\")), len(lines) - 1)
        in_body = command["indent"] and command["timed"]  # `%time` at the top level is an experiment
        lines[wrong : last + 1] = [command["indent"] + (in_body or "pass"), *[""] * (last - wrong)]
    return "\n".join(lines)


def definitions_of(text: str) -> str:
    """Return a cell's text with all lines empty except imports, functions and classes."""
    kept: set[int] = set()
    for node in parsed(text).statements:
        if isinstance(node, DEFINITION):
            first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
            kept.update(range(first, (node.end_lineno or node.lineno) + 1))
    return "\n".join(line if number in kept else "" for number, line in enumerate(text.split("\n"), start=1))


def _defines(text: str) -> bool:
    """Return whether a cell binds a name, or cannot be parsed, so that a run reports its syntax error."""
    module = ParsedModule(text)
    waiting: list[ast.AST] = [*module.statements]
    for statement in waiting:
        if isinstance(statement, ast.If | ast.Try | ast.With):
            waiting += within(statement)
    binding = DEFINITION | ast.Assign | ast.AnnAssign | ast.AugAssign
    return bool(module.error) or any(isinstance(statement, binding) for statement in waiting)
