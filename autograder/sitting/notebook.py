"""A notebook as the source of a module: which of its cells are run, and their text without Jupyter's own commands.

Read as text and never run. Outputs, pictures and whatever else a notebook may hold are dropped before anything looks at them.
"""

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.sitting.submission import Block, Source, TooDeep, Unreadable, decoded, parse

LARGEST_NOTEBOOK = 20_000_000
LARGEST_CODE = 100_000
MOST_CELLS = 2_000
MOST_ELEMENTS = 2_000_000
"""Commas and brackets of a notebook's JSON: a bound on the memory that parsing it takes."""

BODY_RUNS = re.compile(r"%%(?:(?:time|timeit|capture|prun)\b|writefile\s+\S+\.py\s*$)")
"""Cell magics under which a cell's code runs as it does without, or is that of a module."""

COMMAND = re.compile(
    r"""(?P<indent>\s*)(?:
        (?:%{1,2}\w|!(?!=))                # %time f(), !ls; not `% x` and `!= x` of an expression that goes on
        | \?{1,2}[\w.%*]                  # ?print
        | [\w.%*]+\?{1,2}\s*$             # print?
        | \w[^=]*=\s*(?:%{1,2}\w|!(?!=))  # files = !ls
    )""",
    re.VERBOSE,
)
"""A line that is a command of Jupyter's and no Python."""

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)

TIMED = re.compile(r"(?P<indent>\s+)%time\s+(?P<statement>\S.*)")
"""A line in a body whose statement runs as it does without the command before it. At the top it is somebody's experiment."""

DEFINING = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
)


@dataclass(frozen=True)
class Cell:
    """A code cell. number: its place among the code cells, from 1. nbgrader: the metadata of a released cell, else empty."""

    number: int
    text: str
    nbgrader: Mapping[str, Any]

    @property
    def is_answer(self) -> bool:
        """Whether the student was to write here."""
        return self.nbgrader.get("solution") is True

    @property
    def is_test(self) -> bool:
        """Whether it holds nbgrader's own tests."""
        return self.nbgrader.get("grade") is True and not self.is_answer


def read_notebook(content: bytes, place: str) -> Source:
    """Read a notebook. place: how messages and tracebacks name it. Raises Unreadable."""
    data = _json(content, place)
    raw = (cell for cell in _raw_cells(data, place) if isinstance(cell, dict))
    return _source(_code_cells(raw, "input" if _is_old(data) else "source", place), place)


def source_of_cells(texts: Iterable[tuple[int, str]], place: str) -> Source:
    """Return the source of code cells by number, as somebody has run them. Raises Unreadable."""
    cells = [Cell(number, text, {}) for number, text in texts]
    _bound(cells, place)
    return _source(cells, place)


def definitions_of(text: str) -> str:
    """Return a cell's text with its imports, functions and classes alone, their lines where they were."""
    tree = _tree(text)
    kept = {
        line
        for node in (tree.body if tree else ())
        if isinstance(node, DEFINITIONS)
        for line in range(_first_line(node), (node.end_lineno or node.lineno) + 1)
    }
    return "\n".join(line if number in kept else "" for number, line in enumerate(text.split("\n"), start=1))


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _json(content: bytes, place: str) -> dict[str, Any]:
    if len(content) > LARGEST_NOTEBOOK:
        raise Unreadable(f"{place} has {len(content):,} bytes; a notebook has at most {LARGEST_NOTEBOOK:,}.")
    if sum(map(content.count, (b",", b"[", b"{"))) > MOST_ELEMENTS:
        raise Unreadable(f"{place} holds too much to be read. Clear the outputs and save it again.")
    try:
        data = json.loads(decoded(content, place))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{place} is a broken notebook, not JSON ({error}). Save it again in Jupyter.") from None
    if not isinstance(data, dict):
        raise Unreadable(_no_notebook(place))
    return data


def _raw_cells(data: Mapping[str, Any], place: str) -> list[Any]:
    """Return the cells of a notebook; before 2015 they lay on worksheets. Jupyter goes by the format's number, and so does this."""
    if not _is_old(data) and isinstance(data.get("cells"), list):
        return list(data["cells"])
    if _is_old(data) and isinstance(data.get("worksheets"), list):
        sheets = [sheet.get("cells") for sheet in data["worksheets"] if isinstance(sheet, dict)]
        return [cell for cells in sheets if isinstance(cells, list) for cell in cells]
    raise Unreadable(_no_notebook(place))


def _is_old(data: Mapping[str, Any]) -> bool:
    number = data.get("nbformat", 4)
    return isinstance(number, int) and number < 4


def _code_cells(raw: Iterable[Mapping[str, Any]], key: str, place: str) -> list[Cell]:
    code = [cell for cell in raw if cell.get("cell_type") == "code"]
    cells = [Cell(number, _text(cell.get(key)), _nbgrader(cell)) for number, cell in enumerate(code, start=1)]
    _bound(cells, place)
    return cells


def _bound(cells: Sequence[Cell], place: str) -> None:
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"{place} has {len(cells):,} code cells; a notebook has at most {MOST_CELLS:,}.")
    size = sum(len(cell.text) for cell in cells)
    if size > LARGEST_CODE:
        raise Unreadable(f"{place} has {size:,} characters of code; a notebook has at most {LARGEST_CODE:,}.")


def _text(source: Any) -> str:
    """Return the text of a cell's source; empty where it is none."""
    lines = source if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str))
    whole = text.encode(errors="replace").decode()  # JSON may hold half of a surrogate pair, a source may not
    return whole.replace("\r\n", "\n").replace("\r", "\n")


def _nbgrader(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = cell.get("metadata")
    found = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return found if isinstance(found, dict) else {}


def _source(cells: Iterable[Cell], place: str) -> Source:
    blocks = (_block(cell, place) for cell in cells)
    return Source(place, tuple(block for block in blocks if block), is_notebook=True)


def _block(cell: Cell, place: str) -> Block | None:
    """Return the block of a cell that is run, None for one that is not."""
    text = None if cell.is_test or not cell.text.strip() else without_commands(cell.text)
    if text is None or not (cell.is_answer or _defines(text)):
        return None
    return Block(f"{place}, cell {cell.number}", text)


def without_commands(text: str) -> str | None:
    """Return a cell's text with Jupyter's commands replaced, its lines where they were; None where nothing of it is Python."""
    if _tree(text):
        return text  # what looks like a command stands in a text, or is an operator
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if not BODY_RUNS.match(lines[first]):
            return None
        lines[first] = ""
        if _tree("\n".join(lines)):
            return "\n".join(lines)
    goes_on = False
    for number, line in enumerate(lines):
        command = COMMAND.match(line)
        if (timed := TIMED.match(line)) and not goes_on:
            lines[number], command = f"{timed['indent']}{timed['statement']}", None
        elif command and not goes_on:
            lines[number] = f"{command['indent']}pass"
        elif goes_on:
            lines[number] = ""
        goes_on = (bool(command) or goes_on) and line.endswith("\\")
    return "\n".join(lines)


def _defines(text: str) -> bool:
    """Tell whether a cell gives a name a meaning, or cannot be parsed: running it will say why."""
    tree = _tree(text)
    if tree is None:
        return True
    waiting = list(tree.body)
    while waiting:
        match waiting.pop():
            case ast.If(body=body, orelse=other) | ast.Try(body=body, orelse=other):
                waiting += [*body, *other]
            case ast.With(body=body):
                waiting += body
            case statement if isinstance(statement, DEFINING):
                return True
    return False


def _tree(text: str) -> ast.Module | None:
    try:
        return parse(text)
    except TooDeep:
        return None


def _no_notebook(place: str) -> str:
    return f"{place} is no notebook: it holds no list of cells. Save it again in Jupyter."
