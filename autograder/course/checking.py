"""What an author of the course wrote and what is wrong with it, told with the place where it stands.

Nothing here is on the way of a student's command.
"""

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

FOLDERS = {
    "parts": "autograder/course/parts",
    "mistakes": "autograder/course/mistakes",
    "solutions": "solutions",
}
"""What authors write: the name of each folder, and where it lies."""


class BrokenCourse(Exception):
    """What an author wrote cannot be used; the message says where, what was expected and what to change."""


def refuse(problems: Iterable[str]) -> None:
    """Raise BrokenCourse with all problems, one a line; do nothing where there are none."""
    told = list(problems)
    if told:
        raise BrokenCourse("\n".join(told))


def shown(path: Path) -> str:
    """Return a file's path as an author knows it, from the root of the course."""
    if path.parent.name in FOLDERS:
        return f"{FOLDERS[path.parent.name]}/{path.name}"
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def place_of(error: BaseException) -> str:
    """Return `file, line N` of the author's own line that an exception went through last; empty for none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{shown(Path(error.filename))}, line {error.lineno}"
    place, step = "", error.__traceback__
    while step:
        path = Path(step.tb_frame.f_code.co_filename)
        if path.parent.name in FOLDERS:
            place = f"{shown(path)}, line {step.tb_lineno}"
        step = step.tb_next
    return place


def place_of_definition(implementation: Callable[..., Any]) -> str:
    """Return `file, line N` of a function or class that an author wrote; empty where nobody knows."""
    code = getattr(implementation, "__code__", None)
    if code:
        return f"{shown(Path(code.co_filename))}, line {code.co_firstlineno}"
    try:
        line = inspect.getsourcelines(implementation)[1]
        return f"{shown(Path(inspect.getfile(implementation)))}, line {line}"
    except (OSError, TypeError):
        return ""


def what_happened(error: BaseException) -> str:
    """Return an exception's type and message."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
