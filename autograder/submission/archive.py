"""The files of a submission, by path: a folder, an archive (zip or tar) or a single file, with the contents of archives.

Nothing is unpacked onto the disk, so a path in an archive is only a name. No link is followed out of the submission, and nothing that
blocks is opened. Time and memory are bounded by the process that reads: see `reader.py`.
"""

import io
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.course.errors import FILE
from autograder.submission.model import Unreadable, shown

MOST_ENTRIES = 2_000

LARGEST_MEMBER = 20_000_000
"""Bytes of a file in a tar archive, and of an archive within another."""

MODULE = re.compile(r"(?P<kind>\.py|\.ipynb)(\.txt|\.json|\.download)?", re.IGNORECASE)
"""How the name of a module or a notebook ends: mail programs and browsers put something after it."""
ZIP, TAR = (".zip",), (".tar", ".tar.gz", ".tgz")
EXPECTED = "A folder, a .py, an .ipynb, a .zip or a .tar.gz was expected."

TIMESTAMP = "timestamp.txt"
"""Beside a part or an archive, when it was handed in: nbgrader writes it when it collects submissions."""

JUNK = ("__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini", "site-packages", "node_modules")

BROUGHT_ALONG = {
    **dict.fromkeys(("autograder", "benchmarks", "course", "docs", "exams", "tests", "workbench"), FILE),
    **dict.fromkeys(("bin", "include", "lib", "lib64", "share", "Include", "Lib", "Scripts"), "pyvenv.cfg"),
}
"""Folders of a release or a clone of the course, and of a virtual environment, each with the file beside it that identifies it."""

SEPARATOR = re.compile(r"[/\\]")
"""Between the folders of a path in a zip; some programs on Windows write paths in their own way."""

Read = Callable[[int], bytes]
"""Reads a file of at most so many bytes. Raises Unreadable."""


class Files:
    """What somebody handed in: its files, except what is hidden, junk or the course's own. Raises Unreadable.

    place: how messages and tracebacks name where they are; empty for a single file. paths: the files, the shallowest first.
    ignored: how many entries are left out. problems: what could not be looked into.
    """

    def __init__(self, path: Path) -> None:
        self.place = shown(path.name)
        self.ignored = 0
        self.problems: list[str] = []
        self._files: dict[PurePosixPath, Read] = {}
        if path.is_symlink():
            told = "is a link, which may lead to somebody else's work. Put the work itself there."
            raise Unreadable(f"{self.place} {told}")
        if _is_folder(path, self.place):
            self._add_folder(path)
        elif _is_archive(path.name):
            self._add_archive(PurePosixPath(), _opened(path, path.parent, self.place), path.name)
        elif kind_of(path.name):
            self._add(PurePosixPath(path.name), partial(read_file, path, path.parent, self.place))
            self.place = ""
        else:
            raise Unreadable(f"{self.place} is nothing that can be marked. {EXPECTED}")
        while archives := [place for place in self._files if _is_archive(place.name)]:
            for place in archives:
                try:
                    self._add_archive(place, io.BytesIO(self._files.pop(place)(LARGEST_MEMBER)), place.name)
                except Unreadable as error:
                    self.problems.append(str(error))
        found = (path for path in self._files if path.name != TIMESTAMP)
        self.paths = sorted(found, key=lambda path: (len(path.parts), path.parts))

    def shown(self, path: PurePosixPath) -> str:
        """Return how messages name a path."""
        return shown("/".join(filter(None, (self.place, *path.parts))))

    def read(self, path: PurePosixPath, largest: int) -> bytes:
        """Return the content of a file; largest: bytes it may have. Raises Unreadable."""
        return self._files[path](largest)

    def timestamp_of(self, path: PurePosixPath) -> PurePosixPath | None:
        """Return the file beside or above a part that holds when it was handed in.

        The topmost counts: that is where nbgrader writes it, while a student may have handed in others with the rest.
        """
        return next(filter(self._files.__contains__, (folder / TIMESTAMP for folder in reversed(path.parents))), None)

    def _add(self, path: PurePosixPath, read: Read) -> None:
        self._files[path] = read
        if len(self._files) > MOST_ENTRIES:
            advice = "Submit the parts and what they import, nothing else."
            raise Unreadable(f"{self.place} has more than {MOST_ENTRIES:,} entries. {advice}")

    def _add_folder(self, root: Path) -> None:
        """Walk through a folder, without following links."""
        waiting = [PurePosixPath()]
        while waiting:
            folder = waiting.pop()
            try:
                entries = list(os.scandir(root / folder))
            except OSError as error:
                self.problems.append(f"{self.shown(folder)} could not be read: {error.strerror}")
                continue
            for entry in entries:
                path = folder / entry.name
                if is_left_out(path, lambda other: os.path.lexists(root / other)):
                    self.ignored += 1
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                else:
                    self._add(path, partial(read_file, root / path, root, self.shown(path)))

    def _add_archive(self, place: PurePosixPath, content: IO[bytes], name: str) -> None:
        """List the members of an archive. Raises Unreadable."""
        is_tar = name.lower().endswith(TAR)
        try:
            members = (_in_tar if is_tar else _in_zip)(content, self.shown(place))
        except Exception as error:  # of a broken archive: zipfile, tarfile and zlib have dozens
            reason = f"is no {'tar' if is_tar else 'zip'} archive that can be read ({shown(str(error))})"
            raise Unreadable(f"{self.shown(place)} {reason}. Zip the folder again.") from None
        for path, read in members.items():
            packed_time = path.name == TIMESTAMP  # what somebody packed tells no time but their own
            if packed_time or any(is_left_out(folder, members.__contains__) for folder in (path, *path.parents)):
                self.ignored += 1
            else:
                self._add(place / path, read)


def _in_zip(content: IO[bytes], place: str) -> dict[PurePosixPath, Read]:
    archive = zipfile.ZipFile(content)
    members = [(_path(member.filename), member) for member in archive.infolist() if not member.is_dir()]
    return {
        path: partial(_inflated, archive, member, f"{place}/{shown(str(path))}")
        for path, member in members
        if path.parts
    }


def _in_tar(content: IO[bytes], place: str) -> dict[PurePosixPath, Read]:
    """Read through a tar archive once, and keep what may be wanted of it."""
    members: dict[PurePosixPath, Read] = {}
    with tarfile.open(fileobj=content, mode="r|*") as archive:
        for member in archive:
            path = _path(member.name)
            wanted = member.isreg() and (kind_of(path.name) or _is_archive(path.name))
            file = archive.extractfile(member) if wanted and not any(map(is_junk, path.parts)) else None
            if path.parts and not member.isdir():
                kept = file.read(LARGEST_MEMBER + 1) if file else b""
                members[path] = partial(_no_larger, kept, f"{place}/{shown(str(path))}")
    return members


def _inflated(archive: zipfile.ZipFile, member: zipfile.ZipInfo, place: str, largest: int) -> bytes:
    """Inflate a member of a zip, whose stated size may be wrong. Raises Unreadable."""
    try:
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
            raise zipfile.BadZipFile("it is no regular file")
        with archive.open(member) as stream:
            content = stream.read(largest + 1)
    except Exception as error:
        raise Unreadable(f"{place} could not be unpacked ({shown(str(error))}). Zip the folder again.") from None
    return _no_larger(content, place, largest)


def _no_larger(content: bytes, place: str, largest: int) -> bytes:
    if len(content) > largest:
        raise Unreadable(f"{place} has more than {largest:,} bytes, the most that is read.")
    return content


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(*(part for part in SEPARATOR.split(name) if part not in ("", ".", "..")))


def kind_of(name: str) -> str:
    """Return whether a file is a module or a notebook by its name: `.py`, `.ipynb`, or nothing."""
    found = MODULE.fullmatch("".join(PurePosixPath(name).suffixes[-2:])) or MODULE.fullmatch(PurePosixPath(name).suffix)
    return found["kind"].lower() if found else ""


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ZIP + TAR)


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
    try:
        with _opened(path, root, place) as file:
            return _no_larger(file.read(largest + 1), place, largest)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}") from None


def _opened(path: Path, root: Path, place: str) -> IO[bytes]:
    """Open a regular file. Raises Unreadable."""
    real = _within(path, root, place)
    try:
        if not stat.S_ISREG(real.lstat().st_mode):
            raise Unreadable(f"{place} is no regular file.")
        return open(os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")  # another by now
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}") from None


def _is_folder(path: Path, place: str) -> bool:
    try:
        return stat.S_ISDIR(_within(path, path.parent, place).lstat().st_mode)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}. {EXPECTED}") from None


def _within(path: Path, root: Path, place: str) -> Path:
    """Return where a file or a link leads. Raises Unreadable if that is outside the folder."""
    real = Path(os.path.realpath(path))
    if Path(os.path.realpath(root)) not in real.parents:
        raise Unreadable(f"{place} is a link that leads out of {shown(root.name)}. Put the file itself there.")
    return real


def unpack(path: Path, folder: Path, largest: int) -> list[str]:
    """Unpack a zip into a folder, without what is junk; return what could not be unpacked, and why.

    largest: bytes that one file may have. Raises Unreadable if it is no zip.
    """
    problems = []
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:
        raise Unreadable(f"{path} is no zip archive that can be read ({shown(str(error))}).") from None
    with archive:
        for member in archive.infolist():
            inner = _path(member.filename)
            if not inner.parts or any(map(is_junk, inner.parts)):
                continue
            member.filename = inner.as_posix() + "/" * member.is_dir()
            try:
                if member.file_size > largest:
                    raise Unreadable(f"{shown(str(inner))} has more than {largest:,} bytes, the most that is read.")
                archive.extract(member, folder)
            except Unreadable as error:
                problems.append(str(error))
            except Exception as error:
                problems.append(f"{shown(str(inner))} could not be unpacked ({shown(str(error))}).")
    return problems
