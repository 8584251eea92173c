"""List and read the files of a submission: a folder, an archive (zip or tar) or a single file.

`Files` unpacks archives in memory, never on the disk. No link out of the submission is followed.
Only regular files are opened. `reading.py` limits time and memory.
"""

import contextlib
import io
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from autograder.course.errors import FILE
from autograder.submission.model import Unreadable, shown

LARGEST = 200_000_000
"""The most bytes of a file, in an archive or not."""

MODULE = re.compile(r"(?P<kind>\.py|\.ipynb)(\.txt|\.json|\.download)?\Z", re.IGNORECASE)
"""The suffix of a module or a notebook. Mail programs and browsers may append another suffix."""
ARCHIVE = (".zip", ".tar", ".tar.gz", ".tgz")

TIMESTAMP = "timestamp.txt"
"""The file with the time of a hand-in, which nbgrader writes when it collects submissions."""

JUNK = ("__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini", "site-packages", "node_modules")

BROUGHT_ALONG = {
    **dict.fromkeys(("autograder", "benchmarks", "course", "docs", "exams", "tests", "workbench"), FILE),
    **dict.fromkeys(("bin", "include", "lib", "lib64", "share", "Include", "Lib", "Scripts"), "pyvenv.cfg"),
}
"""Folders of the course or of a virtual environment, each with a file that is beside the folder."""

Read = Callable[[], bytes]
"""A function that returns the content of a file. A file in an archive is cut to LARGEST bytes."""


class Files:
    """The files of a hand-in, except hidden files, junk and the course's own files.

    place: the name of the hand-in in messages; empty for a single file. problems: a message for each
    unreadable folder or archive in the hand-in. Raises Unreadable if the hand-in itself is unreadable.
    """

    def __init__(self, path: Path) -> None:
        self.place = shown(path.name)
        self.problems: list[str] = []
        self._files: dict[PurePosixPath, Read] = {}
        read = partial(read_file, path, path.parent, self.place, LARGEST)
        if path.is_symlink():
            told = "is a link, which may lead to somebody else's work. Put the work itself there."
            raise Unreadable(f"{self.place} {told}")
        if path.is_dir():
            self._add_folder(path)
        elif _is_archive(path.name):
            self._add_archive(PurePosixPath(), read(), path.name)
        elif kind_of(path.name):
            self._files[PurePosixPath(path.name)] = read
            self.place = ""
        else:
            expected = "A folder, a .py, an .ipynb, a .zip or a .tar.gz was expected."
            raise Unreadable(f"{self.place} is nothing that can be marked. {expected}")
        while archives := [place for place in self._files if _is_archive(place.name)]:
            for place in archives:
                try:
                    self._add_archive(place, self.read(place), place.name)
                except Unreadable as error:
                    self.problems.append(str(error))
                del self._files[place]

    @property
    def paths(self) -> list[PurePosixPath]:
        """The paths of the files. Files inside fewer folders come first."""
        found = (path for path in self._files if path.name != TIMESTAMP)
        return sorted(found, key=lambda path: (len(path.parts), path.parts))

    def shown(self, path: PurePosixPath) -> str:
        """Return a path for messages, with the name of the hand-in before it."""
        return shown("/".join(filter(None, (self.place, *path.parts))))

    def read(self, path: PurePosixPath) -> bytes:
        """Return the content of a file. Raises Unreadable."""
        try:
            return self._files[path]()
        except Unreadable:
            raise
        except Exception as error:  # zipfile and zlib raise many kinds of errors
            told = f"could not be unpacked ({shown(str(error))}). Zip the folder again."
            raise Unreadable(f"{self.shown(path)} {told}") from None

    def time_of(self, path: PurePosixPath) -> str:
        """Return the text of the topmost timestamp file beside or above a file; empty without one."""
        places = (folder / TIMESTAMP for folder in reversed(path.parents))
        with contextlib.suppress(Unreadable, UnicodeDecodeError):
            text = next((self.read(place) for place in places if place in self._files), b"").decode().strip()
            return text if text.isprintable() and len(text) <= 200 else ""
        return ""

    def _add_folder(self, root: Path) -> None:
        waiting = [PurePosixPath()]
        for folder in waiting:
            try:
                entries = list(os.scandir(root / folder))
            except OSError as error:
                self.problems.append(f"{self.shown(folder)} could not be read: {error.strerror}")
                continue
            for entry in entries:
                path = folder / entry.name
                if is_left_out(path, lambda other: os.path.lexists(root / other)):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                else:
                    self._files[path] = partial(read_file, root / path, root, self.shown(path), LARGEST)

    def _add_archive(self, place: PurePosixPath, content: bytes, name: str) -> None:
        kind, listed = ("zip", _in_zip) if name.lower().endswith(".zip") else ("tar", _in_tar)
        try:
            members = {_path(name): read for name, read in listed(io.BytesIO(content)) if _path(name).parts}
        except Exception as error:  # zipfile, tarfile and zlib raise many kinds of errors
            reason = f"is no {kind} archive that can be read ({shown(str(error))})"
            raise Unreadable(f"{self.shown(place)} {reason}. Zip the folder again.") from None
        for path, read in members.items():
            junk = any(is_left_out(one, members.__contains__) for one in (path, *path.parents))
            if not junk and path.name != TIMESTAMP:  # a timestamp in an archive may be the student's own
                self._files[place / path] = read


def _in_zip(content: IO[bytes]) -> Iterator[tuple[str, Read]]:
    archive = zipfile.ZipFile(content)
    for member in archive.infolist():
        if not member.is_dir():
            yield member.filename, partial(_content, archive.open, member)


def _in_tar(content: IO[bytes]) -> Iterator[tuple[str, Read]]:
    archive = tarfile.TarFile.open(fileobj=content)
    for member in archive:
        if not member.isdir():
            yield member.name, partial(_content, archive.extractfile, member)


def _content(opened: Callable[[Any], Any], member: object) -> bytes:
    with opened(member) as stream:
        return bytes(stream.read(LARGEST))


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(*(part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")))


def kind_of(name: str) -> str:
    """Return `.py` for the name of a module, `.ipynb` for the name of a notebook, else `""`."""
    found = MODULE.search(name)
    return found["kind"].lower() if found else ""


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVE)


def is_junk(name: str) -> bool:
    """Return whether a file is hidden, is a README, or is made by an operating system or a tool."""
    return name.startswith((".", "README")) or name in JUNK


def is_left_out(path: PurePosixPath, exists: Callable[[PurePosixPath], bool]) -> bool:
    """Return whether a path is junk or not the student's. exists: returns whether a path exists."""
    return is_junk(path.name) or (path.name in BROUGHT_ALONG and exists(path.parent / BROUGHT_ALONG[path.name]))


def read_file(path: Path, root: Path, place: str, largest: int) -> bytes:
    """Read a regular file. Raises Unreadable.

    root: the folder that a link must not leave. place: the path in messages. largest: the most bytes.
    """
    real = Path(os.path.realpath(path))
    if Path(os.path.realpath(root)) not in real.parents:
        raise Unreadable(f"{place} is a link that leads out of {shown(root.name)}. Put the file itself there.")
    try:
        if not stat.S_ISREG(real.lstat().st_mode):
            raise Unreadable(f"{place} is no regular file.")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # it may be replaced by now
        with open(os.open(real, flags), "rb") as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}") from None
    if len(content) > largest:
        raise Unreadable(f"{place} has more than {largest:,} bytes, the most that is read.")
    return content
