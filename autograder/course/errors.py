"""Errors that explain themselves, and places in authors' files."""

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


class ExplainedError(Exception):
    """Something cannot be done; the message says why. A command prints it and exits with 2."""


FILE = "course.toml"
"""The file that makes a folder a course."""

WRITTEN = ("course/", "solutions/")
"""The folders in which an author writes."""


class BrokenCourse(ExplainedError):
    """A course cannot be used; the message says where, what was expected and what to change."""


def refuse(problems: Iterable[str], kind: type[BrokenCourse] = BrokenCourse) -> None:
    """Raise BrokenCourse, or a kind of it, with all problems, one per line, if there are any."""
    if found := list(problems):
        raise kind("\n".join(found))


def shown(path: Path) -> str:
    """Return a file's path as an author knows it, from the root of the course."""
    root = next((folder for folder in path.parents if (folder / FILE).is_file()), None)
    return path.relative_to(root).as_posix() if root else str(path)


def place_of(error: BaseException) -> str:
    """Return `file, line N` of the author's last line that an exception passed; empty for none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{shown(Path(error.filename))}, line {error.lineno}"
    place, step = "", error.__traceback__
    while step:
        file = shown(Path(step.tb_frame.f_code.co_filename))
        if file.startswith(WRITTEN):
            place = f"{file}, line {step.tb_lineno}"
        step = step.tb_next
    return place


def place_of_definition(implementation: Callable[..., Any]) -> str:
    """Return `file, line N` of a function or class that an author wrote; empty if unknown."""
    try:
        line = inspect.getsourcelines(implementation)[1]
        return f"{shown(Path(inspect.getfile(implementation)))}, line {line}"
    except (OSError, TypeError):
        return ""


def what_happened(error: BaseException) -> str:
    """Return an exception's type and message."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
