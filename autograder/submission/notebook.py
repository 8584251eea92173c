"""A notebook as the source of a module: the cells that define something, as text without Jupyter's own commands.

Read as text and never run. Outputs, pictures and all else that a notebook may hold are dropped before anything reads them.
"""

import ast
import json
import re
from collections.abc import Iterable
from typing import Any

from autograder.submission.model import LARGEST_FILE, Block, Source, Unreadable
from autograder.submission.parsed import ParsedModule, parsed, within

LARGEST_NOTEBOOK = 20_000_000

BODY_RUNS = re.compile(r"%%(?:(?:time|timeit|capture|prun)\b|writefile\s+\S+\.py\s*$)")
"""Cell magics that leave a cell's code as it is, or write it to a module."""

COMMAND = re.compile(r"(?P<indent>\s*+)(?:%time\s+(?P<timed>\S.*)|[%!?]|[^=]*+=\s*[%!]|.*\?\s*$)")
"""How a line looks that is no Python because it is a command of Jupyter's: `%time f()`, `!ls`, `?print`, `files = !ls`, `print?`."""

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
DEFINING = (*DEFINITIONS, ast.Assign, ast.AnnAssign, ast.AugAssign)


def read_notebook(content: bytes, place: str) -> Source:
    """Read a notebook. place: how messages and tracebacks name it. Raises Unreadable."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{place} is a broken notebook, not JSON ({error}). Save it again in Jupyter.") from None
    cells, number = (data.get("cells"), data.get("nbformat", 4)) if isinstance(data, dict) else (None, 0)
    if not isinstance(cells, list) or not isinstance(number, int) or number < 4:
        raise Unreadable(f"{place} is no notebook of Jupyter's format 4. Open it in Jupyter and save it again.")
    code = (cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code")
    return source_of_cells(((number, _text(cell)) for number, cell in enumerate(code, start=1)), place)


def source_of_cells(texts: Iterable[tuple[int, str]], place: str) -> Source:
    """Return the source of code cells by number. Raises Unreadable."""
    cells = list(texts)
    size = sum(len(text) for _, text in cells)
    if size > LARGEST_FILE:
        raise Unreadable(f"{place} has {size:,} characters of code; a notebook has at most {LARGEST_FILE:,}.")
    python = ((number, without_commands(text)) for number, text in cells)
    blocks = tuple(Block(f"{place}, cell {number}", text) for number, text in python if text and _defines(text))
    return Source(place, blocks, is_notebook=True)


def _text(cell: dict[str, Any]) -> str:
    """Return the text of a cell; empty if it is none, and for nbgrader's own tests."""
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    if isinstance(nbgrader, dict) and nbgrader.get("grade") is True and nbgrader.get("solution") is not True:
        return ""
    source = cell.get("source")
    text = "".join(line for line in (source if isinstance(source, list) else [source]) if isinstance(line, str))
    whole = text.encode(errors="replace").decode()  # JSON may hold half of a surrogate pair, a source may not
    return whole.replace("\r\n", "\n").replace("\r", "\n")


def without_commands(text: str) -> str | None:
    """Return a cell's text with Jupyter's commands replaced, its lines where they were; None if nothing of it is Python.

    A command is looked for in the line that Python stumbles over: elsewhere, what looks like one is an operator, or stands in a text.
    """
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if not BODY_RUNS.match(lines[first]):
            return None
        lines[first] = ""
    while (wrong := _wrong_line("\n".join(lines))) is not None and (command := COMMAND.match(lines[wrong])):
        last = next((number for number in range(wrong, len(lines)) if not lines[number].endswith("\\")), len(lines) - 1)
        in_body = command["indent"] and command["timed"]  # at the top, what is timed is somebody's experiment
        lines[wrong : last + 1] = [command["indent"] + (in_body or "pass"), *[""] * (last - wrong)]
    return "\n".join(lines)


def _wrong_line(text: str) -> int | None:
    """Return the index of the line that keeps a text from being Python; None if nothing does, or no line can be named."""
    error = ParsedModule(text).error
    return error.lineno - 1 if error and error.lineno and error.lineno <= text.count("\n") + 1 else None


def definitions_of(text: str) -> str:
    """Return a cell's text with only its imports, functions and classes, each on its old line."""
    kept: set[int] = set()
    for node in parsed(text).statements:
        if isinstance(node, DEFINITIONS):
            first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
            kept.update(range(first, (node.end_lineno or node.lineno) + 1))
    return "\n".join(line if number in kept else "" for number, line in enumerate(text.split("\n"), start=1))


def _defines(text: str) -> bool:
    """Return whether a cell binds a name, or cannot be parsed: running it will say why."""
    module = ParsedModule(text)
    waiting: list[ast.AST] = [*module.statements]
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, DEFINING):
            return True
        if isinstance(statement, ast.If | ast.Try | ast.With):
            waiting += within(statement)
    return module.error is not None
