"""Unpack the course that a wheel contains, into a student's folder or beside a notebook."""

import hashlib
import tempfile
import tomllib
import zipfile
from contextlib import suppress
from pathlib import Path

import autograder
from autograder.course.errors import FILE, ExplainedError
from autograder.workspace import Workspace, find_workspace

INSTALLED = Path(autograder.__file__).parent / "course.zip"
"""A zip with the course for students. It exists only if the grader was installed from a wheel."""


def start(folder: Path | None = None) -> Path:
    """Unpack the course into a new or empty folder. Return the folder. Raises ExplainedError, OSError.

    folder: by default, a folder in the current folder, named by the course's id.
    """
    if not INSTALLED.is_file():
        raise ExplainedError(
            "this grader is part of a course: its folder is yours. Go there, and `attn` says what is next."
        )
    if around := find_workspace(Path.cwd()):
        raise ExplainedError(f"you are in a course already, {around.root}; nothing was changed. To go on: attn")
    with zipfile.ZipFile(INSTALLED) as archive:
        folder = folder or Path(tomllib.loads(archive.read(FILE).decode())["id"])
        if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
            if (folder / FILE).is_file():
                raise ExplainedError(f"{folder} holds a course already; nothing was changed. To go on: cd {folder}")
            raise ExplainedError(f"{folder} is not empty; nothing was changed. Name another: attn start FOLDER")
        archive.extractall(folder)
    return folder


def course_beside(folder: Path) -> Workspace | None:
    """Return the wheel's course, unpacked for a notebook in a folder outside of any course.

    It is unpacked into `.attn` of this folder, else of the home folder, else of the temporary folder.
    Returns None if none of them can be written, or if the grader did not come from a wheel.
    """
    if not INSTALLED.is_file():
        return None
    digest = hashlib.sha256(INSTALLED.read_bytes()).hexdigest()
    for place in (folder, Path.home(), Path(tempfile.gettempdir())):
        course = Workspace(place / ".attn" / "course")
        stamp = course.memory / "installed"
        with suppress(OSError):
            if not stamp.is_file() or stamp.read_text(encoding="utf-8") != digest:
                with zipfile.ZipFile(INSTALLED) as archive:
                    archive.extractall(course.root)
                course.memory.mkdir(exist_ok=True)
                stamp.write_text(digest, encoding="utf-8")
            return course
    return None
