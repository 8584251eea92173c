"""Read from a platform's download who handed in each file, and, if known, when or whether late."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
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

    person: what the platform says about the student. name: the name that the student gave to the file;
    empty for a folder. late: None if unknown. number: Canvas's number, higher for later uploads; 0 on
    other platforms. time: the time of the last commit of a git clone, if known.
    """

    path: Path
    person: Person
    name: str = ""
    late: bool | None = None
    number: int = 0
    time: datetime | None = None


@dataclass(frozen=True)
class Download:
    """A download. ignored: the names of entries that are not uploads of a student."""

    platform: str
    uploads: tuple[Upload, ...]
    ignored: tuple[str, ...] = ()


CANVAS_FILES = (
    re.compile(r"(?P<name>[^\d_]+)(?P<id>\d+)_(?:LATE_)?question_\d+_(?P<number>\d+)_(?P<file>.+)"),
    re.compile(r"(?P<anonymous>anon_(?:LATE_)?\w{5})_(?:LATE_)?(?P<number>\d+)_(?P<file>.+)"),
    re.compile(r"(?P<name>.+?)_(?:LATE_)?(?P<id>\d+)_(?P<number>\d+)_(?P<file>.+)"),
)
"""Patterns of Canvas's file names: for a quiz, for anonymous students, for an ordinary assignment."""
LATE = "_LATE_"
CANVAS_AGAIN = re.compile(r"-\d{1,2}(?=(\.\w+)*$)")
"""The number that Canvas adds to the name of a file that is handed in again: `part-2.py`."""

MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_file_?(?P<file>.*)", re.DOTALL)

COMMITTED = re.compile(r"^committer .* (\d{1,11}) [+-]\d{4}$", re.MULTILINE)
SECONDS = 10


def read_download(folder: Path, platform: str = "") -> Download:
    """Read a download. platform: one of PLATFORMS; empty if unknown. Raises BadDownload."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise BadDownload(f"{shown(str(folder))} cannot be read: {error.strerror}.") from None
    platforms = [platform] if platform else [name for name in PLATFORMS if name != FOLDERS]
    downloads = [_read(entries, name) for name in platforms]
    found = max(downloads, key=lambda download: len(download.uploads))
    if platform or found.uploads:
        return found
    inner = [path for path in entries if not is_junk(path.name)]
    if len(inner) == 1 and _is_folder(inner[0]):  # a zip often holds the folder that it was made of
        return read_download(inner[0])
    raise BadDownload(
        f"{shown(str(folder))} is no download that is known: Canvas names files like `doejane_101_9001_part.py`, "
        "Moodle folders like `Jane Doe_12345_assignsubmission_file_`, and a clone holds `.git`. If it has one entry a "
        "student under the student's name, say `--from folders`."
    )


def _read(entries: Sequence[Path], platform: str) -> Download:
    uploads = tuple(PLATFORMS[platform](entries))
    others = {*entries} - {upload.path for upload in uploads}
    return Download(platform, uploads, tuple(sorted(shown(path.name) for path in others if not is_junk(path.name))))


def number_of(file: str) -> int:
    """Return Canvas's number of an upload, from the file's name; 0 if the name is not from Canvas."""
    told = _canvas_parts(file)
    return int(told["number"]) if told else 0


def _canvas_parts(file: str) -> dict[str, str] | None:
    found = (match for pattern in CANVAS_FILES if (match := pattern.fullmatch(file)))
    return next((match.groupdict() for match in found), None)


def _canvas(entries: Sequence[Path]) -> Iterator[Upload]:
    for path in entries:
        if (told := _canvas_parts(path.name)) and not _is_folder(path):
            late = LATE in path.name.removesuffix(told["file"])
            name, number = told.get("anonymous", "").replace(LATE, "_") or told["name"], told.get("id", "")
            file = CANVAS_AGAIN.sub("", told["file"])
            yield Upload(path, Person(name=name, id=number), file, late, int(told["number"]))


def _moodle(entries: Sequence[Path]) -> Iterator[Upload]:
    for path in entries:
        if found := MOODLE.fullmatch(path.name):
            name = "" if _is_folder(path) else found["file"] or path.name
            identifier = f"Participant {found['id']}"  # in this assignment, as in Moodle's grading worksheet
            student = identifier if found["name"] == "Participant" else found["name"]  # anonymous, or by name
            yield Upload(path, Person(student, folder=f"{found['name']}-{found['id']}", sis_id=identifier), name)


def _clones(entries: Sequence[Path]) -> Iterator[Upload]:
    """Yield git clones. GitHub's classrooms name all clones of an assignment `ASSIGNMENT-LOGIN`."""
    clones = [path for path in entries if _is_folder(path) and os.path.lexists(path / ".git")]
    alike = os.path.commonprefix([path.name for path in clones]) if len(clones) > 1 else ""  # noqa: RUF071 - letters are meant
    for path in clones:
        person = Person(login=path.name[alike.rfind("-") + 1 :], folder=path.name)
        yield Upload(path, person, time=commit_time(path))


def _folders(entries: Sequence[Path]) -> Iterator[Upload]:
    for path in (path for path in entries if not is_junk(path.name)):
        student = path.name if _is_folder(path) else EXTENSION.sub("", path.name)
        name, time = ("", commit_time(path)) if _is_folder(path) else (path.name, None)
        yield Upload(path, Person(login=student, folder=student), name, time=time)


def commit_time(clone: Path) -> datetime | None:
    """Return the committer's time of the commit at HEAD; None if it cannot be read.

    A student may have put the names of programs into a clone's settings. `git cat-file` runs such a
    program only to fetch missing objects, and the variable GIT_NO_LAZY_FETCH forbids that.
    """
    if (clone / ".git").is_symlink() or not (clone / ".git").is_dir():
        return None
    command = ["git", "-c", "safe.directory=*", f"--git-dir={clone / '.git'}", "cat-file", "commit", "HEAD"]
    environment = os.environ | {"GIT_NO_LAZY_FETCH": "1"}
    try:
        run = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS, check=True)
        found = COMMITTED.search(run.stdout.decode("utf-8", "replace").partition("\n\n")[0])
        return datetime.fromtimestamp(int(found[1]), UTC) if found else None
    except (OSError, ValueError, OverflowError, subprocess.SubprocessError):
        return None


FOLDERS = "folders"
PLATFORMS: dict[str, Callable[[Sequence[Path]], Iterator[Upload]]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "clones": _clones,
    FOLDERS: _folders,
}


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
