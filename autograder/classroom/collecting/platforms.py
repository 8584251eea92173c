"""Read from the file names in a platform's download who handed in each file, and if it was late."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from autograder.classroom.class_folder import EXTENSION
from autograder.classroom.people import Person
from autograder.course.errors import ExplainedError
from autograder.submission.archive import is_junk
from autograder.submission.model import shown


class BadDownload(ExplainedError):
    """A download cannot be collected. The message says why and what to do."""


@dataclass(frozen=True)
class Upload:
    """A file or a folder of a download.

    person: what the platform tells about the student. name: the student's name of the file; empty for a
    folder. late: None if unknown. number: Canvas's, higher for later uploads; 0 on other platforms.
    """

    path: Path
    person: Person
    name: str = ""
    late: bool | None = None
    number: int = 0


@dataclass(frozen=True)
class Download:
    """A download. not_files: names of submitted texts and links. nobodys: names without a student."""

    platform: str
    uploads: tuple[Upload, ...]
    not_files: tuple[str, ...] = ()
    nobodys: tuple[str, ...] = ()


CANVAS_FILES = (
    re.compile(r"(?P<name>[^\d_]+)(?P<id>\d+)_(?:LATE_)?question_\d+_(?P<number>\d+)_(?P<file>.+)"),
    re.compile(r"(?P<anonymous>anon_(?:LATE_)?\w{5})_(?:LATE_)?(?P<number>\d+)_(?P<file>.+)"),
    re.compile(r"(?P<name>.+?)_(?:LATE_)?(?P<id>\d+)_(?P<number>\d+)_(?P<file>.+)"),
)
"""Names of files of a quiz, of an anonymous student, and of an ordinary assignment."""
LATE = "_LATE_"
CANVAS_TEXT = re.compile(r".+_(text|link)\.html?")
CANVAS_AGAIN = re.compile(r"-\d{1,2}(?=(\.\w+)*$)")
"""The number that Canvas adds to the name of a file that is handed in again: `part-2.py`."""

MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<file>.*)", re.DOTALL)

CANVAS, FOLDERS = "canvas", "folders"
CANVAS_NAMES = "`doejane_101_9001_part.py`"
MOODLE_NAMES = "`Jane Doe_12345_assignsubmission_file_`"


def read_download(folder: Path, platform: str = "") -> Download:
    """Read a download. platform: one of PLATFORMS; empty if unknown. Raises BadDownload."""
    entries = _entries(folder)
    if platform:
        return PLATFORMS[platform](entries)
    found = max((PLATFORMS[name](entries) for name in RECOGNIZED), key=lambda download: len(download.uploads))
    if found.uploads:
        return found
    inner = [path for path in entries if not is_junk(path.name)]
    if len(inner) == 1 and _is_folder(inner[0]):  # a zip often holds the folder that it was made of
        return read_download(inner[0])
    raise BadDownload(
        f"{shown(str(folder))} is no download that is known: Canvas names files like {CANVAS_NAMES}, Moodle folders like "
        f"{MOODLE_NAMES}, and a clone holds `.git`. If it has one entry a student under the student's name, say `--from folders`."
    )


def number_of(file: str) -> int:
    """Return the number of an upload in Canvas; 0 if the file name is not of Canvas."""
    told = _canvas_parts(file)
    return int(told["number"]) if told else 0


def _canvas_parts(file: str) -> dict[str, str] | None:
    found = (match for pattern in CANVAS_FILES if (match := pattern.fullmatch(file)))
    return next((match.groupdict() for match in found), None)


def _canvas(entries: Sequence[Path]) -> Download:
    uploads: list[Upload] = []
    texts: list[Path] = []
    nobodys: list[Path] = []
    for path in entries:
        told = _canvas_parts(path.name)
        if told and not _is_folder(path):
            uploads.append(_canvas_upload(path, told))
        else:
            (texts if CANVAS_TEXT.fullmatch(path.name) else nobodys).append(path)
    return Download(CANVAS, tuple(uploads), _names(texts), _names(nobodys))


def _canvas_upload(path: Path, told: dict[str, str]) -> Upload:
    late = LATE in path.name.removesuffix(told["file"])
    name, number = told.get("anonymous", "").replace(LATE, "_") or told["name"], told.get("id", "")
    file = CANVAS_AGAIN.sub("", told["file"])
    return Upload(path, Person(name=name, id=number), file, late, int(told["number"]))


def _moodle(entries: Sequence[Path]) -> Download:
    uploads: list[Upload] = []
    texts: list[Path] = []
    nobodys: list[Path] = []
    for path in entries:
        found = MOODLE.fullmatch(path.name)
        if not found:
            nobodys.append(path)
        elif found["kind"] != "file":
            texts.append(path)
        else:
            name = "" if _is_folder(path) else found["file"] or path.name
            person = Person(name=found["name"], folder=f"{found['name']}-{found['id']}")  # the id is per assignment
            uploads.append(Upload(path, person, name))
    return Download("moodle", tuple(uploads), _names(texts), _names(nobodys))


def _clones(entries: Sequence[Path]) -> Download:
    """Read clones. GitHub's classrooms name all clones of an assignment `assignment-login`."""
    clones = [path for path in entries if _is_folder(path) and os.path.lexists(path / ".git")]
    first, last = (clones[0].name, clones[-1].name) if len(clones) > 1 else ("", "")
    alike = takewhile(
        lambda pair: pair[0] == pair[1], zip(first, last, strict=False)
    )  # the paths are sorted, so that all begin alike
    start = "".join(letter for letter, _ in alike).rfind("-") + 1
    uploads = (Upload(path, Person(login=path.name[start:], folder=path.name)) for path in clones)
    return Download("clones", tuple(uploads), (), _names(path for path in entries if path not in clones))


def _folders(entries: Sequence[Path]) -> Download:
    uploads = []
    for path in (path for path in entries if not is_junk(path.name)):
        student = path.name if _is_folder(path) else EXTENSION.sub("", path.name)
        name = "" if _is_folder(path) else path.name
        uploads.append(Upload(path, Person(login=student, folder=student), name))
    return Download(FOLDERS, tuple(uploads))


PLATFORMS: dict[str, Callable[[Sequence[Path]], Download]] = {
    CANVAS: _canvas,
    "moodle": _moodle,
    "clones": _clones,
    FOLDERS: _folders,
}
RECOGNIZED = (CANVAS, "moodle", "clones")
"""The platforms that are recognized by file names."""


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise BadDownload(f"{shown(str(folder))} cannot be read: {error.strerror}.") from None


def _names(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return the names of paths, except junk."""
    return tuple(shown(path.name) for path in paths if not is_junk(path.name))


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
