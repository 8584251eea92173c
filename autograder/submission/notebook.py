"""Convert a notebook to source: the cells that define a name, without commands of Jupyter.

The notebook is parsed and never run.
"""

import ast
import json
import re
from collections.abc import Iterable
from typing import Any

from autograder.submission.model import LARGEST_FILE, Block, Source, Unreadable
from autograder.submission.parsed import ParsedModule, error_of, names_of, parsed

BODY_RUNS = re.compile(r"%%(?:(?:time|timeit|capture|prun)\b|writefile\s+\S+\.py[ \t]*$)", re.MULTILINE)
"""Cell magics that run the code of a cell as Python or write it to a module."""

COMMAND = re.compile(r"^([ \t]*)(?:[%!?]|[^=\n]*=\s*[%!]|.*\?\s*$)(?:.*\\\n)*.*$", re.MULTILINE)
"""A command of Jupyter, such as `%time f()`, `!ls`, `?print`, `files = !ls` or `print?`."""

DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom


def read_notebook(content: bytes, place: str) -> Source:
    """Read a notebook. place: the path in messages and tracebacks. Raises Unreadable."""
    try:
        code = [cell for cell in json.loads(content)["cells"] if cell["cell_type"] == "code"]
        texts = [(number, _text(cell)) for number, cell in enumerate(code, start=1)]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        what = f"{place} is a broken notebook, or none of Jupyter's format 4 ({error})"
        raise Unreadable(f"{what}. Open it in Jupyter and save it again.") from None
    return source_of_cells(texts, place)


def _text(cell: dict[str, Any]) -> str:
    """Return the text of a cell with LF line ends; empty for a cell with tests of nbgrader."""
    nbgrader = cell.get("metadata", {}).get("nbgrader", {})
    if nbgrader.get("grade") and not nbgrader.get("solution"):
        return ""
    whole = "".join(cell.get("source", "")).encode(errors="replace").decode()  # JSON may contain lone surrogates
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
    """Return the text of a cell with `pass` for each command; "" for a cell in another language."""
    if text.lstrip().startswith("%%"):
        if not BODY_RUNS.match(text.lstrip()):
            return ""
        text = text.replace("%%", "#", 1)
    return COMMAND.sub(lambda found: f"{found[1]}pass" + "\n" * found[0].count("\n"), text) if error_of(text) else text


def definitions_of(text: str) -> str:
    """Return a cell's text with only imports, functions and classes. Other lines become empty."""
    kept: set[int] = set()
    for node in parsed(text).statements:
        if isinstance(node, DEFINITION):
            first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
            kept.update(range(first, (node.end_lineno or node.lineno) + 1))
    return "\n".join(line if number in kept else "" for number, line in enumerate(text.split("\n"), start=1))


def _defines(text: str) -> bool:
    """Return whether a cell binds a name, other than by a loop or an expression, or is broken."""
    module = ParsedModule(text)
    kept = (one for one in module.statements if not isinstance(one, ast.Expr | ast.For | ast.While))
    return bool(module.error) or any(map(names_of, kept))
