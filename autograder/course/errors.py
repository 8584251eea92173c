"""Exceptions with messages for users, and the file and line of an error in a course."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class ExplainedError(Exception):
    """The base of errors with messages for users. A command prints the message and exits with 2."""

    def _render_traceback_(self) -> list[str]:  # Jupyter shows the message alone
        return [str(self)]


FILE = "course.toml"
"""The name of the file that every course has in its root folder."""

WRITTEN = ("course/", "solutions/")
"""The folders of the modules that the author of a course writes."""


class BrokenCourse(ExplainedError):
    """An error in a course. The message says where it is, what was expected and what to change."""


def refuse(problems: Iterable[str]) -> None:
    """Raise BrokenCourse, with one problem per line in the message, if there are problems."""
    if found := list(problems):
        raise BrokenCourse("\n".join(found))


@contextmanager
def author_errors(where: str) -> Iterator[None]:
    """Raise BrokenCourse for any exception of an author's code, with the code's file and line.

    where: the location in the message if the exception has no line in the author's modules.
    """
    try:
        yield
    except BrokenCourse:
        raise
    except Exception as error:
        raise BrokenCourse(f"{place_of(error) or where}: {what_happened(error)}") from error


def shown(path: Path) -> str:
    """Return a path relative to the root of its course, or the path itself outside a course."""
    root = next((folder for folder in path.parents if (folder / FILE).is_file()), None)
    return path.relative_to(root).as_posix() if root else str(path)


def place_of(error: BaseException) -> str:
    """Return `file, line N` of a SyntaxError or of the innermost frame in WRITTEN; else `""`."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{shown(Path(error.filename))}, line {error.lineno}"
    place, step = "", error.__traceback__
    while step:
        file = shown(Path(step.tb_frame.f_code.co_filename))
        if file.startswith(WRITTEN):
            place = f"{file}, line {step.tb_lineno}"
        step = step.tb_next
    return place


def what_happened(error: BaseException) -> str:
    """Return the type and the message of an exception as one text."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
