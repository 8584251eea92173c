"""Read the right implementations in `course/PART/alternatives.py`.

Each cell begins with `# %% step: label`. Code above the first cell belongs to all. No code is run.
"""

import ast
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import BrokenCourse
from autograder.exam.reference import definitions

CELL = re.compile(r"#\s*%%")
HEADING = re.compile(r"# %% (\w+): (\S.*)")


@dataclass(frozen=True)
class Alternative:
    """A right implementation of a step. text: a module with the line numbers of the file."""

    part: str
    step: str
    label: str
    text: str


def read(part: str, path: Path) -> tuple[Alternative, ...]:
    """Read the alternatives of a part, or none if the file does not exist. Raises BrokenCourse."""
    if not path.exists():
        return ()
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if CELL.match(line)]
    found = []
    for start, end in itertools.pairwise([*starts, len(lines)]):
        where, heading = f"{path.name}, line {start + 1}", HEADING.fullmatch(lines[start].rstrip())
        if not heading:
            raise BrokenCourse(f"{where}: {lines[start]!r} does not name a cell; write `# %% step: label`")
        step, label = heading.groups()
        padding = [""] * (start - starts[0])
        text = "\n".join([*lines[: starts[0]], *padding, *lines[start:end]]).rstrip() + "\n"
        try:
            defined = [node.name for node in definitions(ast.parse(text))]
        except SyntaxError as error:
            raise BrokenCourse(f"{path.name}, line {error.lineno}: {error.msg}") from error
        if step not in defined:
            raise BrokenCourse(f"{where}: the cell does not define {step}; write it, or correct the heading")
        found.append(Alternative(part, step, label, text))
    return tuple(found)
