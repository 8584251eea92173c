"""Find a step in a student's file, and put its stub or a backup back."""

import ast
import codecs
import re
import shutil
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.atomic_write import atomic_write
from autograder.course.errors import ExplainedError
from autograder.exam.reference import definitions, first_line, stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import StepMarks


class CannotReset(ExplainedError):
    """A stub or a backup cannot be put back; the message says why and what to do."""


@dataclass(frozen=True)
class Location:
    """A line of a file."""

    path: Path
    line: int

    def shown(self, root: Path) -> str:
        """Return `path:line`. The path is relative to `root` if it is in that folder."""
        path = self.path.relative_to(root) if self.path.is_relative_to(root) else self.path
        return f"{path}:{self.line}"


def locate(workspace: Workspace, step: SyllabusStep) -> Location:
    """Return the line of a step's TODO, else of its definition, else the top of the file."""
    path = workspace.exercise(step.part)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return Location(path, 1)
    keyword = "class" if step.kind == "class" else "def"
    found, inside = 1, False
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith((f"{keyword} {step.name}(", f"{keyword} {step.name}:")):
            found, inside = number, True  # the last definition counts
        elif line.startswith(("def ", "class ")):
            inside = False
        elif inside and f"# TODO {step.number}:" in line:
            found, inside = number, False
    return Location(path, found)


def place_named(text: str, otherwise: Location) -> Location:
    """Return the last line of a file that a traceback or another text names, or else `otherwise`."""
    lines = re.findall(rf"{re.escape(otherwise.path.name)}(?:, line |:)(\d+)", text)
    return replace(otherwise, line=int(lines[-1])) if lines else otherwise


def line_to_look_at(file: Path, marks: "StepMarks", error: str = "") -> int:
    """Return the line that cannot be loaded, holds the cause or raised; 0 if there is none.

    error: why the file cannot be loaded.
    """
    nowhere = Location(file, 0)
    spot, failed = marks.diagnosis.spot if marks.diagnosis else None, marks.first_failure
    if error or marks.passed:
        return place_named(error, nowhere).line
    if spot and Path(spot.file).name == file.name:
        return spot.line
    return place_named(f"{marks.traceback or ''}\n{failed.message if failed else ''}", nowhere).line


def look_at(workspace: Workspace, step: SyllabusStep, line: int) -> Location:
    """Return the location of this line in a step's file. For line 0, return that of the step's TODO."""
    return Location(workspace.exercise(step.part), line) if line else locate(workspace, step)


def reset(workspace: Workspace, part: SyllabusPart, step: SyllabusStep | None = None) -> Path | None:
    """Put back the stub of a part or step. Return the backup, if there was a file. Raises CannotReset."""
    path = workspace.exercise(part.name)
    before = path.read_bytes() if path.exists() else b""
    if step and before.strip():  # in an empty file, the step alone would lack its imports
        content = _with_step(path, before, step, stub_of_step(part, step).splitlines())
    else:
        content = _ended_as(before, part.stub)
    backup = back_up(workspace, path)
    write_file(path, content)
    return backup


def undo(workspace: Workspace, part: SyllabusPart, step: SyllabusStep | None = None) -> tuple[Path, Path | None]:
    """Put back a part, or one step, from the last backup in which it differs. Raises CannotReset.

    Return this backup, and the backup of the replaced file, or None if there was no file.
    """
    path = workspace.exercise(part.name)
    before = path.read_bytes() if path.exists() else b""
    for last in sorted(_backups(workspace).glob(f"{part.name}-*.py"), reverse=True):
        content = last.read_bytes()
        if step and before:
            content = _with_step(path, before, step, lines_of_step(last, step.name))
        if content != before:
            backup = back_up(workspace, path)
            write_file(path, content)
            return last, backup
    raise CannotReset(
        f"no backup has {step.path if step else part.name} otherwise than it is now: `attn reset` makes one whenever it puts a stub back."
    )


def _with_step(path: Path, before: bytes, step: SyllabusStep, written: list[str]) -> bytes:
    """Replace a step's lines in a file's content, or append them if it has none. Raises CannotReset."""
    now = lines_of_step(path, step.name)
    if not can_be_parsed(path):
        raise CannotReset(
            f"{path.name} cannot be parsed, so the step cannot be found in it. Fix that first, or reset the whole part: "
            f"`attn reset {step.part}`."
        )
    if not written or written == now:
        return before
    text = _decoded(before)
    lines = text.rstrip("\n").split("\n")
    if now:
        first, last = _lines_of(text, step.name)
        lines[first - 1 : last] = written
    else:
        lines += ["", "", *written]
    return _ended_as(before, "\n".join(lines) + "\n")


def lines_of_step(path: Path, name: str) -> list[str]:
    """Return a step's lines in a file. Return none if the step is missing or the file is not readable."""
    try:
        text = _decoded(path.read_bytes())
        first, last = _lines_of(text, name)
    except (OSError, SyntaxError, ValueError):
        return []
    return text.split("\n")[first - 1 : last]


def can_be_parsed(path: Path) -> bool:
    """Return whether all of a file can be parsed."""
    try:
        ast.parse(_decoded(path.read_bytes()))
    except (SyntaxError, ValueError):
        return False
    return True


def _decoded(content: bytes) -> str:
    return content.decode("utf-8-sig").replace("\r\n", "\n")


def _lines_of(text: str, name: str) -> tuple[int, int]:
    """Return the first and last line of the last definition of a name, or 1 and 0 if there is none."""
    found = [node for node in definitions(ast.parse(text)) if node.name == name]
    return (first_line(found[-1]), found[-1].end_lineno or 0) if found else (1, 0)


def _backups(workspace: Workspace) -> Path:
    return workspace.memory / "backups"


def marked_copy(workspace: Workspace, part: str) -> Path:
    """Return the path of the copy of a part's module that was marked last."""
    return workspace.memory / "marked" / f"{part}.py"


def back_up(workspace: Workspace, path: Path) -> Path | None:
    """Copy a file to the backups, named by the time. Delete its marked copy. Raises OSError."""
    if not path.exists():
        return None
    backup = _backups(workspace) / f"{path.stem}-{datetime.now():%Y-%m-%d-%H%M%S-%f}.py"
    backup.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, backup)
    marked_copy(workspace, path.stem).unlink(missing_ok=True)
    return backup


def _ended_as(before: bytes, text: str) -> bytes:
    """Encode a text with the line ends and the byte order mark of the content before."""
    if b"\r\n" in before:
        text = text.replace("\n", "\r\n")
    return (codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b"") + text.encode()


def write_file(path: Path, content: bytes) -> None:
    """Write a file atomically. Create missing folders; write through a link."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, content)
