"""Looking into and changing a student's file: where a step's TODO is, and putting a stub back with a backup."""

import ast
import codecs
import errno
import re
import shutil
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.atomic_write import atomic_write
from autograder.course.errors import ExplainedError
from autograder.exam.reference import Definition, definitions, first_line, stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import StepMarks

STAMP = re.compile(r"-(\d{4}-\d\d-\d\d-\d{6})(?:-(\d+))?$")
"""How the name of a backup ends: when it was made, and which one of that second it is."""


class CannotReset(ExplainedError):
    """A stub or a backup cannot be put back; the message says why and what to do."""


@dataclass(frozen=True)
class Location:
    """A line of a file, as messages write it."""

    path: Path
    line: int

    def shown(self, root: Path) -> str:
        """Return `path:line`, the path relative to the checkout."""
        path = self.path.relative_to(root) if self.path.is_relative_to(root) else self.path
        return f"{path}:{self.line}"


def locate(workspace: Workspace, step: SyllabusStep) -> Location:
    """Return where a step is to be written: its TODO, else its definition, else the top of the file."""
    path = workspace.exercise(step.part)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return Location(path, 1)
    keyword = "class" if step.kind == "class" else "def"
    found, inside = 1, False
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith((f"{keyword} {step.name}(", f"{keyword} {step.name}:")):
            found, inside = number, True  # of several, the last one counts
        elif line.startswith(("def ", "class ")):
            inside = False
        elif inside and f"# TODO {step.number}:" in line:
            found, inside = number, False
    return Location(path, found)


def place_named(text: str, otherwise: Location) -> Location:
    """Return the last line of a file that a text names, as tracebacks and syntax errors do; else the place that is given."""
    lines = re.findall(rf"{re.escape(otherwise.path.name)}(?:, line |:)(\d+)", text)
    return replace(otherwise, line=int(lines[-1])) if lines else otherwise


def line_to_look_at(file: Path, marks: "StepMarks", error: str = "") -> int:
    """Return the wrong line of a step's file: it stops loading, holds the cause, or raised; else 0.

    error: what keeps the file from being loaded.
    """
    nowhere = Location(file, 0)
    spot, failed = marks.diagnosis.spot if marks.diagnosis else None, marks.first_failure
    if error or marks.passed:
        return place_named(error, nowhere).line
    if spot and Path(spot.file).name == file.name:
        return spot.line
    return place_named(f"{marks.traceback or ''}\n{failed.message if failed else ''}", nowhere).line


def look_at(workspace: Workspace, step: SyllabusStep, line: int) -> Location:
    """Return the line of a step's file where it is wrong; if that is not known, 0, where it is to be written."""
    return Location(workspace.exercise(step.part), line) if line else locate(workspace, step)


def reset_part(workspace: Workspace, part: SyllabusPart) -> Path | None:
    """Put a part's stub back. Returns the backup, None if there was no file."""
    path = workspace.exercise(part.name)
    backup = back_up(workspace, path)
    _write(path, part.stub, path.read_bytes() if backup else b"")
    return backup


def reset_step(workspace: Workspace, part: SyllabusPart, step: SyllabusStep) -> Path | None:
    """Put one step's stub back and leave the rest of the file as it is. Returns the backup. Raises CannotReset."""
    path = workspace.exercise(part.name)
    if not path.exists():
        return reset_part(workspace, part)
    text = _text_to_change(path, f"reset the whole part: `attn reset {part.name}`")
    if not text.strip():
        return reset_part(workspace, part)  # the step alone would lack its imports
    return _exchange(workspace, path, text, step, stub_of_step(part, step).splitlines())


def _text_to_change(path: Path, instead: str) -> str:
    """Return the text of a module in which a step can be found. instead: what else can be done. Raises CannotReset."""
    try:
        text = _decoded(path.read_bytes())
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        where = f" (line {error.lineno}: {error.msg})" if isinstance(error, SyntaxError) else ""
        raise CannotReset(
            f"{path.name} cannot be parsed{where}, so the step cannot be found in it. Fix that first, or {instead}."
        ) from error
    return text


def _exchange(workspace: Workspace, path: Path, text: str, step: SyllabusStep, written: list[str]) -> Path | None:
    """Write a step in a file anew, at its end if it is not there. text: what the file holds. Returns the backup."""
    before = path.read_bytes()
    backup = back_up(workspace, path)
    lines, found = text.rstrip("\n").split("\n"), _find(text, step.name)
    if found:
        lines[first_line(found) - 1 : found.end_lineno] = written
    else:
        lines += ["", "", *written]
    _write(path, "\n".join(lines) + "\n", before)
    return backup


def last_backup(workspace: Workspace, part: str) -> Path:
    """Return the backup of a part that was made last. Raises CannotReset where there is none."""
    if made := _backups_of(workspace, part):
        return made[0]
    raise CannotReset(f"there is no backup of {part}: `attn reset` makes one whenever it puts a stub back.")


def last_backup_of_step(workspace: Workspace, part: SyllabusPart, step: SyllabusStep) -> Path:
    """Return the last backup in which a step is written, and otherwise than in its part now. Raises CannotReset where there is none."""
    path = workspace.exercise(part.name)
    last = last_backup(workspace, part.name)
    if not path.exists():
        return last
    now = lines_of_step(path, step.name)
    for backup in _backups_of(workspace, part.name):
        if lines_of_step(backup, step.name) not in ([], now):
            return backup
    raise CannotReset(
        f"no backup has {step.name} otherwise than it is now. All of {part.name} as it was in the last one: `attn reset {part.name} --undo`."
    )


def undo_reset(workspace: Workspace, part: SyllabusPart) -> tuple[Path, Path | None]:
    """Put the last backup of a part back, and keep what it replaces as a backup instead, so that this can be undone too.

    Returns the backup that was put back and the one that was made, None if there was no file. Raises CannotReset.
    """
    path, last = workspace.exercise(part.name), last_backup(workspace, part.name)
    backup = back_up(workspace, path)
    write_file(path, last.read_bytes())
    last.unlink()  # what it held is the exercise now, and the next undo is to find what was replaced
    return last, backup


def undo_step(workspace: Workspace, part: SyllabusPart, step: SyllabusStep) -> tuple[Path, Path | None]:
    """Put a step back as it is in the last backup that has it otherwise, and leave the rest of the file as it is.

    Of a file that is gone, all comes back. Returns as `undo_reset`. Raises CannotReset.
    """
    path = workspace.exercise(part.name)
    if not path.exists():
        return undo_reset(workspace, part)
    text = _text_to_change(path, f"put the whole part back: `attn reset {part.name} --undo`")
    last = last_backup_of_step(workspace, part, step)
    return last, _exchange(workspace, path, text, step, lines_of_step(last, step.name))


def lines_of_step(path: Path, name: str) -> list[str]:
    """Return how a step is written in a file; nothing where it is not, or the file cannot be read or parsed."""
    try:
        text = _decoded(path.read_bytes())
        found = _find(text, name)
    except (OSError, SyntaxError, ValueError):
        return []
    return text.split("\n")[first_line(found) - 1 : found.end_lineno] if found else []


def can_be_parsed(path: Path) -> bool:
    """Return whether all of a file can be parsed."""
    try:
        ast.parse(_decoded(path.read_bytes()))
    except (SyntaxError, ValueError):
        return False
    return True


def _decoded(content: bytes) -> str:
    return content.decode("utf-8-sig").replace("\r\n", "\n")


def _find(text: str, name: str) -> Definition | None:
    """Return the last definition of that name, which is the one that counts."""
    return next((node for node in reversed(list(definitions(ast.parse(text)))) if node.name == name), None)


def _backups(workspace: Workspace) -> Path:
    return workspace.memory / "backups"


def _backups_of(workspace: Workspace, part: str) -> list[Path]:
    """Return the backups of a part, the last one first."""
    folder = _backups(workspace)
    if not workspace.holds(folder):
        return []
    return sorted(folder.glob(f"{part}-*.py"), key=_when_made, reverse=True)


def _when_made(backup: Path) -> tuple[str, int]:
    """Return what orders backups of a part: date and time, then the number of those made in the same second."""
    found = STAMP.search(backup.stem)
    return (found[1], int(found[2] or 1)) if found else ("", 0)


def marked_copy(workspace: Workspace, part: str) -> Path:
    """Return where a copy of a part is kept as it was marked last."""
    return workspace.memory / "marked" / f"{part}.py"


def back_up(workspace: Workspace, path: Path) -> Path | None:
    """Copy a file to the backups under today's date and time; never over an earlier backup. The copy of what was marked goes.

    Raises OSError, also where a link, as a release may bring one, leads the backups out of the course.
    """
    if not path.exists():
        return None
    folder = made_in_course(workspace, _backups(workspace))
    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    number = max(
        (which for when, which in map(_when_made, folder.glob(f"{path.stem}-*.py")) if when == stamp), default=0
    )
    backup = folder / (f"{path.stem}-{stamp}-{number + 1}.py" if number else f"{path.stem}-{stamp}.py")
    shutil.copy2(path, backup)
    marked_copy(workspace, path.stem).unlink(missing_ok=True)
    return backup


def made_in_course(workspace: Workspace, folder: Path) -> Path:
    """Make a folder and return it. Raises OSError, also where a link leads it out of the course."""
    if not workspace.holds(folder):
        raise OSError(errno.EPERM, "a link leads it out of the course, so delete that link", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write(path: Path, text: str, before: bytes) -> None:
    """Write a text, with line ends and a mark at its beginning as in what was there before."""
    if b"\r\n" in before:
        text = text.replace("\n", "\r\n")
    mark = codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b""
    write_file(path, mark + text.encode())


def write_file(path: Path, content: bytes) -> None:
    """Write a file in one go, in a folder that is made if need be; a link stays one."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, content)
