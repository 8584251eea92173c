"""Read a class folder: each entry is one student's file or folder."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from autograder.course.errors import ExplainedError
from autograder.submission.archive import is_junk, kind_of
from autograder.submission.model import shown

EXTENSION = re.compile(
    r"(\.py|\.ipynb)(\.txt|\.json|\.download)?$|(\.tar)?\.(zip|rar|7z|tar|tgz|gz|bz2|xz|pdf|docx?|odt)$", re.IGNORECASE
)
"""The end of a file's name that does not belong to the student's name."""

NO_SUBMISSION = {
    *(".csv", ".ods", ".tsv", ".xls", ".xlsx", ".html", ".log", ".md", ".txt", ".cfg", ".db", ".exam"),
    *(".ini", ".json", ".sqlite", ".toml", ".xml", ".yaml", ".yml"),
}
"""Suffixes of files that are not submissions, such as `.csv` of a roster."""


class BadClassFolder(ExplainedError):
    """A folder cannot be marked as a class. The message says why and what to do."""


@dataclass(frozen=True, order=True)
class Entry:
    """A student's file or folder in a class folder. student: the name, made safe to display."""

    student: str
    path: Path


@dataclass(frozen=True)
class ClassFolder:
    """The entries of a class folder, sorted by student. beside: names of files that are no entries."""

    entries: tuple[Entry, ...]
    beside: tuple[str, ...] = ()


def read_class_folder(folder: Path, parts: Collection[str] = ()) -> ClassFolder:
    """Read a class folder. Raises BadClassFolder, for example if all entries are named like parts."""
    try:
        paths = {path for path in folder.iterdir() if not is_junk(path.name)}
    except OSError as error:
        said = f"{_shown(folder)} cannot be read ({error.strerror}). A folder with one entry per student was expected."
        raise BadClassFolder(said) from None
    if (folder / "nbgrader_config.py").is_file() or {folder / "gradebook.db", folder / "submitted"} <= paths:
        raise BadClassFolder(f"{_shown(folder)} is an nbgrader course directory: give {_shown(folder / 'submitted')}.")
    beside = {path for path in paths if is_beside(path)}
    entries = sorted(Entry(_student(path), path) for path in paths - beside)
    if not entries:
        raise BadClassFolder(
            f"{_shown(folder)} holds no submissions. One folder, .zip, .py or .ipynb per student was expected there."
        )
    if all(entry.student in parts for entry in entries):
        raise BadClassFolder(
            f"{_shown(folder)} holds parts, not students: it looks like one student's submission, or like the course itself. "
            "Give the folder that holds one entry per student."
        )
    for entry, other in pairwise(entries):
        if entry.student == other.student:
            names = f"{_shown(entry.path)} and {_shown(other.path)}"
            raise BadClassFolder(f"{names} are both {entry.student}'s: leave only the one to be marked.")
    return ClassFolder(tuple(entries), tuple(sorted(shown(path.name) for path in beside)))


def _student(path: Path) -> str:
    name = path.name if path.is_dir() else EXTENSION.sub("", path.name)
    return shown(unicodedata.normalize("NFC", name))  # systems encode an accent in two ways


def is_beside(path: Path) -> bool:
    """Return whether a file is not a submission, for example a table that a platform wrote."""
    return path.suffix.lower() in NO_SUBMISSION and not kind_of(path.name) and not path.is_dir()


def _shown(path: Path) -> str:
    return shown(str(path))
