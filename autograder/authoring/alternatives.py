"""Read the right implementations in `course/PART/alternatives.py`.

Each cell begins with `# %% step: label`. Code above the first cell belongs to every cell. If the
step's function has several returns at its top level, each of them ends another implementation,
labelled by the comment behind the return. No code is run.
"""

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import BrokenCourse
from autograder.exam.reference import definitions

CELL = re.compile(r"#\s*%%")
HEADING = re.compile(r"# %% (\w+): (\S.*)")


@dataclass(frozen=True)
class Alternative:
    """A right implementation of a step. text: a module whose lines keep their numbers in the file."""

    part: str
    step: str
    label: str
    text: str


def read(part: str, path: Path) -> tuple[Alternative, ...]:
    """Return the alternatives of a part; empty if the file does not exist. Raises BrokenCourse."""
    if not path.exists():
        return ()
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if CELL.match(line)]
    found: list[Alternative] = []
    for start, end in itertools.pairwise([*starts, len(lines)]):
        where, heading = f"{path.name}, line {start + 1}", HEADING.fullmatch(lines[start].rstrip())
        if not heading:
            raise BrokenCourse(f"{where}: {lines[start]!r} does not name a cell; write `# %% step: label`")
        step, label = heading.groups()
        cell = [*lines[: starts[0]], *[""] * (start - starts[0]), *lines[start:end]]
        try:
            defined = {node.name: node for node in definitions(ast.parse("\n".join(cell)))}
        except SyntaxError as error:
            raise BrokenCourse(f"{path.name}, line {error.lineno}: {error.msg}") from error
        if step not in defined:
            raise BrokenCourse(f"{where}: the cell does not define {step}; write it, or correct the heading")
        ways = _ways(cell, defined[step], label)
        found += [Alternative(part, step, label, "\n".join(way).rstrip() + "\n") for label, way in ways]
    return tuple(found)


def _ways(cell: list[str], defined: ast.stmt, label: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the label and the lines of each implementation. The lines of the others become blank."""
    body = defined.body if isinstance(defined, ast.FunctionDef) else []
    ends = [one.end_lineno or 0 for one in body if isinstance(one, ast.Return | ast.Raise)]
    if len(ends) < 2:
        yield label, cell
        return
    begin, last = body[0].lineno - 1, ends[-1]
    for start, end in itertools.pairwise([begin, *ends]):
        _, _, comment = cell[end - 1].partition("  # ")
        own = [*cell[:begin], *[""] * (start - begin), *cell[start:end], *[""] * (last - end), *cell[last:]]
        yield comment or f"{label}, line {end}", own
