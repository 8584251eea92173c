"""Other correct implementations than the reference: for each part a file of cells, `course/PART/alternatives.py`.

A cell begins with `# %% step: label` and ends before the next one. What is above the first cell belongs to all of them.
Nothing is executed, so nothing here needs torch.
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
    """One correct way to write one step. text: a module of its own, whose lines have the numbers that they have in the file."""

    part: str
    step: str
    label: str
    text: str


def read(part: str, path: Path) -> tuple[Alternative, ...]:
    """Read the alternatives of a part; none if there is no such file. Raises BrokenCourse."""
    if not path.exists():
        return ()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenCourse(f"the alternatives {path} cannot be read: {error}") from error
    starts = [index for index, line in enumerate(lines) if CELL.match(line)]
    headings = _headings(path, lines, starts)
    alternatives = []
    for (step, label), (start, end) in zip(headings, itertools.pairwise([*starts, len(lines)]), strict=True):
        header, padding = lines[: starts[0]], [""] * (start - starts[0])
        text = "\n".join([*header, *padding, *lines[start:end]]).rstrip() + "\n"
        _check_definition(path, start + 1, step, text)
        alternatives.append(Alternative(part, step, label, text))
    return tuple(alternatives)


def _headings(path: Path, lines: list[str], starts: list[int]) -> list[tuple[str, str]]:
    """Return the step and label of each cell, no two of them alike."""
    numbers: dict[tuple[str, str], int] = {}
    for start in starts:
        where, heading = f"{path.name}, line {start + 1}", HEADING.fullmatch(lines[start].rstrip())
        if not heading:
            raise BrokenCourse(f"{where}: {lines[start]!r} does not name a cell; write `# %% step: label`")
        step, label = heading.groups()
        if (step, label) in numbers:
            earlier = numbers[step, label]
            raise BrokenCourse(f"{where}: {step} has the label {label!r} in line {earlier} already; write another")
        numbers[step, label] = start + 1
    return list(numbers)


def _check_definition(path: Path, line: int, step: str, text: str) -> None:
    """Check that a submission defines its step at the top level. line: where its cell begins."""
    try:
        defined = [node.name for node in definitions(ast.parse(text))]
    except SyntaxError as error:
        raise BrokenCourse(f"{path.name}, line {error.lineno}: {error.msg}") from error
    if step not in defined:
        what = f"the cell does not define {step}"
        raise BrokenCourse(
            f"{path.name}, line {line}: {what}; write `def {step}` or `class {step}`, or correct the heading"
        )
