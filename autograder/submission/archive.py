"""The files of a submission, by path: a folder, an archive (zip or tar) or a single file, with the contents of archives.

Nothing is unpacked onto the disk, so a path in an archive is only a name. No link is followed out of the submission, and nothing that
blocks is opened. Time and memory are bounded by the process that reads: see `reading.py`.
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
from typing import IO

from autograder.course.errors import FILE
from autograder.submission.model import Unreadable, shown

LARGEST = 200_000_000
"""Bytes of an archive, and of a file in one."""

MODULE = re.compile(r"(?P<kind>\.py|\.ipynb)(\.txt|\.json|\.download)?\Z", re.IGNORECASE)
"""How the name of a module or a notebook ends: mail programs and browsers put something after it."""
ARCHIVE = (".zip", ".tar", ".tar.gz", ".tgz")

TIMESTAMP = "timestamp.txt"
"""Beside a part or an archive, when it was handed in: nbgrader writes it when it collects submissions."""

JUNK = ("__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini", "site-packages", "node_modules")

BROUGHT_ALONG = {
    **dict.fromkeys(("autograder", "benchmarks", "course", "docs", "exams", "tests", "workbench"), FILE),
    **dict.fromkeys(("bin", "include", "lib", "lib64", "share", "Include", "Lib", "Scripts"), "pyvenv.cfg"),
}
"""Folders of a release or a clone of the course, and of a virtual environment, each with the file beside it that identifies it."""

Read = Callable[[], bytes]
"""Reads a file, but for what is beyond the largest size."""


class Files:
    """What somebody handed in: its files, except what is hidden, junk or the course's own. Raises Unreadable.

    place: how messages and tracebacks name where they are; empty for a single file. problems: what could not be looked into.
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
        """The files, the shallowest first."""
        found = (path for path in self._files if path.name != TIMESTAMP)
        return sorted(found, key=lambda path: (len(path.parts), path.parts))

    def shown(self, path: PurePosixPath) -> str:
        """Return how messages name a path."""
        return shown("/".join(filter(None, (self.place, *path.parts))))

    def read(self, path: PurePosixPath) -> bytes:
        """Return the content of a file. Raises Unreadable."""
        try:
            return _no_larger(self._files[path](), self.shown(path), LARGEST)
        except Unreadable:
            raise
        except Exception as error:  # of a damaged archive: zipfile and zlib have dozens
            told = f"could not be unpacked ({shown(str(error))}). Zip the folder again."
            raise Unreadable(f"{self.shown(path)} {told}") from None

    def time_of(self, path: PurePosixPath) -> str:
        """Return the text of the topmost timestamp beside or above a part; empty for none.

        A student may have handed in others with the rest.
        """
        places = (folder / TIMESTAMP for folder in reversed(path.parents))
        with contextlib.suppress(Unreadable, UnicodeDecodeError):
            text = next((self.read(place) for place in places if place in self._files), b"").decode().strip()
            return text if text.isprintable() and len(text) <= 200 else ""
        return ""

    def _add_folder(self, root: Path) -> None:
        """Walk through a folder, without following links."""
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
        """List the members of an archive. Raises Unreadable."""
        kind, listed = ("zip", _in_zip) if name.lower().endswith(".zip") else ("tar", _in_tar)
        try:
            members = {path: read for path, read in listed(io.BytesIO(content)) if path.parts}
        except Exception as error:  # of a broken archive: zipfile, tarfile and zlib have dozens
            reason = f"is no {kind} archive that can be read ({shown(str(error))})"
            raise Unreadable(f"{self.shown(place)} {reason}. Zip the folder again.") from None
        for path, read in members.items():
            junk = any(is_left_out(one, members.__contains__) for one in (path, *path.parents))
            if not junk and path.name != TIMESTAMP:  # what somebody packed tells no time but their own
                self._files[place / path] = read


def _in_zip(content: IO[bytes]) -> Iterator[tuple[PurePosixPath, Read]]:
    archive = zipfile.ZipFile(content)
    for member in archive.infolist():
        if not member.is_dir():
            yield _path(member.filename), partial(_inflated, archive, member)


def _inflated(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        raise zipfile.BadZipFile("it is no regular file")
    with archive.open(member) as stream:
        return stream.read(LARGEST + 1)


def _in_tar(content: IO[bytes]) -> Iterator[tuple[PurePosixPath, Read]]:
    """Read through a tar archive once, and keep what may be wanted of it."""
    with tarfile.open(fileobj=content, mode="r|*") as archive:
        for member in archive:
            path = _path(member.name)
            wanted = member.isreg() and (kind_of(path.name) or _is_archive(path.name))
            file = archive.extractfile(member) if wanted else None
            if not member.isdir():
                yield path, partial(bytes, file.read(LARGEST + 1) if file else b"")


def _no_larger(content: bytes, place: str, largest: int) -> bytes:
    if len(content) > largest:
        raise Unreadable(f"{place} has more than {largest:,} bytes, the most that is read.")
    return content


def _path(name: str) -> PurePosixPath:
    """Return a path in an archive without ways out; some programs on Windows write paths in their own way."""
    return PurePosixPath(*(part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")))


def kind_of(name: str) -> str:
    """Return whether a file is a module or a notebook by its name: `.py`, `.ipynb`, or nothing."""
    found = MODULE.search(name)
    return found["kind"].lower() if found else ""


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVE)


def is_junk(name: str) -> bool:
    """Return whether an entry is hidden, or left behind by a system rather than handed in."""
    return name.startswith((".", "README")) or name in JUNK


def is_left_out(path: PurePosixPath, exists: Callable[[PurePosixPath], bool]) -> bool:
    """Return whether an entry is junk, or nobody's work, and with it whatever is in it. exists: whether there is such a file."""
    return is_junk(path.name) or (path.name in BROUGHT_ALONG and exists(path.parent / BROUGHT_ALONG[path.name]))


def read_file(path: Path, root: Path, place: str, largest: int) -> bytes:
    """Read a regular file.

    root: the folder that a link must not leave. place: how messages name it. largest: bytes it may have. Raises Unreadable.
    """
    real = Path(os.path.realpath(path))
    if Path(os.path.realpath(root)) not in real.parents:
        raise Unreadable(f"{place} is a link that leads out of {shown(root.name)}. Put the file itself there.")
    try:
        if not stat.S_ISREG(real.lstat().st_mode):
            raise Unreadable(f"{place} is no regular file.")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # another by now
        with open(os.open(real, flags), "rb") as file:
            return _no_larger(file.read(largest + 1), place, largest)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}") from None


def unpack(path: Path, folder: Path, largest: int) -> list[str]:
    """Unpack a zip into a folder; return what could not be unpacked, and why.

    largest: bytes that one file may have. Raises Unreadable if it is no zip.
    """
    problems = []
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:
        raise Unreadable(f"{path} is no zip archive that can be read ({shown(str(error))}).") from None
    for member in archive.infolist():
        try:
            if member.file_size > largest:
                raise ValueError(f"more than {largest:,} bytes, the most that is read")
            archive.extract(member, folder)
        except Exception as error:
            problems.append(f"{shown(member.filename)} could not be unpacked ({shown(str(error))}).")
    return problems
