"""Who handed in what: the entries of a class folder, one a student."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from autograder.sitting.archive import is_junk
from autograder.sitting.submission import shown

EXTENSIONS = (".zip", ".py", ".ipynb")

COURSE_FILES = ("source", "release", "gradebook.db", "nbgrader_config.py")
"""What lies beside `submitted` in a course directory of nbgrader's."""


class BadClassFolder(Exception):
    """A folder cannot be marked as a class. The message says why and what to do."""


@dataclass(frozen=True)
class Entry:
    """What one student handed in. student: the name, as it can be shown."""

    student: str
    path: Path


@dataclass(frozen=True)
class Roster:
    """The entries of a class folder by student. ignored: how many entries are hidden or junk."""

    entries: tuple[Entry, ...]
    ignored: int


def read_roster(folder: Path) -> Roster:
    """List a class folder's entries. Raises BadClassFolder."""
    paths = _paths(folder)
    if folder / "submitted" in paths and any(folder / name in paths for name in COURSE_FILES):
        raise BadClassFolder(
            f"{_shown(folder)} is a course directory of nbgrader's: give {_shown(folder / 'submitted')}."
        )
    kept = [path for path in paths if not is_junk(path.name)]
    entries = sorted((Entry(_student(path), path) for path in kept), key=lambda entry: (entry.student, entry.path))
    if not entries:
        raise BadClassFolder(
            f"{_shown(folder)} holds no submissions. One folder, .zip, .py or .ipynb a student was expected there."
        )
    for entry, other in pairwise(entries):
        if entry.student == other.student:
            names = f"{_shown(entry.path)} and {_shown(other.path)}"
            raise BadClassFolder(f"{names} are both {entry.student}'s: leave only the one to be marked.")
    return Roster(tuple(entries), len(paths) - len(kept))


def _paths(folder: Path) -> set[Path]:
    try:
        return set(folder.iterdir())
    except NotADirectoryError:
        raise BadClassFolder(f"{_shown(folder)} is a file. A folder with one entry a student was expected.") from None
    except FileNotFoundError:
        raise BadClassFolder(f"There is no folder {_shown(folder)}.") from None
    except OSError as error:
        raise BadClassFolder(f"{_shown(folder)} could not be read: {error.strerror}.") from None


def _student(path: Path) -> str:
    return shown(path.stem if path.suffix.lower() in EXTENSIONS and not _is_folder(path) else path.name)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _shown(path: Path) -> str:
    return shown(str(path))
