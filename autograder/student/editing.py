"""Find a step in a student's file, and restore its stub or a backup."""

import ast
import re
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.atomic_write import write_output
from autograder.course.errors import ExplainedError
from autograder.exam.reference import Definition, first_line, stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.submission.parsed import parsed
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import StepMarks


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
    """Return the line of a step's TODO; without a TODO, that of its last definition, else the first line."""
    path = workspace.exercise(step.part)
    text = text_of(path.read_bytes()) if path.is_file() else ""
    definition = rf"^(?:def|class) {step.name}\b.*?(?=^(?:def|class) |\Z)"
    place = 0
    for found in re.finditer(definition, text, re.MULTILINE | re.DOTALL):
        place = found.start() + max(0, found[0].find(f"# TODO {step.number}:"))
    return Location(path, text.count("\n", 0, place) + 1)


def line_to_look_at(workspace: Workspace, step: SyllabusStep, marks: "StepMarks", error: str = "") -> Location:
    """Return the line of the cause, else the last line in the traceback or message, else the TODO.

    error: why the file cannot be loaded. If it is given, its last line number counts, not the cause.
    """
    file, failed = workspace.exercise(step.part), marks.first_failure
    spot = marks.diagnosis.spot if marks.diagnosis else None
    if spot and not error and Path(spot.file).name == file.name:
        return Location(file, spot.line)
    said = error or f"{marks.traceback or ''}\n{failed.message if failed else ''}"
    lines = re.findall(rf"{re.escape(file.name)}(?:, line |:)(\d+)", said)
    return Location(file, int(lines[-1])) if lines else locate(workspace, step)


def reset(workspace: Workspace, part: SyllabusPart, step: SyllabusStep | None = None) -> Path | None:
    """Restore the stub of a part or a step. Return the backup, or None without a file. Raises ExplainedError."""
    path = workspace.exercise(part.name)
    before = path.read_bytes() if path.exists() else b""
    content = part.stub.encode()
    if step and before.strip():  # in an empty file, the step alone would lack its imports
        content = _with_step(step, before, stub_of_step(part, step))
    backup = back_up(workspace, path)
    write_output(path, content)
    return backup


def undo(workspace: Workspace, part: SyllabusPart, step: SyllabusStep | None = None) -> tuple[Path, Path | None]:
    """Restore a part, or one step, from the newest backup in which it differs. Raises ExplainedError.

    Return this backup, and the backup of the replaced file. The second is None if there was no file.
    """
    path = workspace.exercise(part.name)
    before = path.read_bytes() if path.exists() else b""
    for last in sorted((workspace.memory / "backups").glob(f"{part.name}-*.py"), reverse=True):
        content = last.read_bytes()
        if step and before:
            content = _with_step(step, before, _step_in(text_of(content), step.name))
        if text_of(content) != text_of(before):
            backup = back_up(workspace, path)
            write_output(path, content)
            return last, backup
    raise ExplainedError(
        f"no backup has {step.path if step else part.name} otherwise than it is now: `attn reset` makes one whenever it puts a stub back."
    )


def _with_step(step: SyllabusStep, before: bytes, written: str) -> bytes:
    """Return the content with `written` in place of the step, or at the end. Raises ExplainedError."""
    text = text_of(before)
    try:
        ast.parse(before)
    except (SyntaxError, ValueError):
        raise ExplainedError(
            f"{step.part}.py cannot be parsed, so the step cannot be found in it. Fix that first, or reset the whole part: "
            f"`attn reset {step.part}`."
        ) from None
    if not written:
        return before
    now = _step_in(text, step.name)
    head, _, tail = text.rpartition(now) if now else (f"{text.rstrip()}\n\n\n", "", "")
    return (head + written + tail).encode()


def _step_in(text: str, name: str) -> str:
    """Return the last definition of a name that can be parsed; "" if there is none."""
    found = [node for node in parsed(text).statements if isinstance(node, Definition) and node.name == name]
    lines = text.splitlines(keepends=True)
    return "".join(lines[first_line(found[-1]) - 1 : found[-1].end_lineno]) if found else ""


def text_of(content: bytes) -> str:
    """Decode the content of a file, without a byte order mark and with the line ends of Linux."""
    return content.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def marked_copy(workspace: Workspace, part: str) -> Path:
    """Return the path of the copy that was made when the part's module was last marked."""
    return workspace.memory / "marked" / f"{part}.py"


def back_up(workspace: Workspace, path: Path) -> Path | None:
    """Back up a file and delete its marked copy. Return the backup, None without a file. Raises OSError."""
    if not path.exists():
        return None
    backup = workspace.memory / "backups" / f"{path.stem}-{datetime.now():%Y-%m-%d-%H%M%S-%f}.py"
    backup.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, backup)
    marked_copy(workspace, path.stem).unlink(missing_ok=True)
    return backup
