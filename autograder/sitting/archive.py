"""The files of what a student handed in, a folder or a zip, by relative path and with bounded reads.

Nothing is unpacked onto the disk, no link is followed out of the submission, and nothing that blocks is opened.
"""

import io
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from autograder.sitting.submission import Unreadable, shown

MOST_ENTRIES = 2_000
DEEPEST = 4
"""Folders around a file that is still found."""
LARGEST_ZIP = 20_000_000
LARGEST_DIRECTORY = 1_000_000
"""Bytes of a zip's table of contents."""
LARGEST_INFLATED = 50_000_000
LONGEST_NAME = 1_000
CHUNK = 1 << 16

MODULES = (".py", ".ipynb")

JUNK = ("__MACOSX", "__pycache__", "timestamp.txt", "Thumbs.db", "desktop.ini", "venv", "site-packages", "node_modules")

COURSE = {
    **dict.fromkeys(("autograder", "docs", "exams"), "autograder/workspace.py"),
    **dict.fromkeys(("benchmarks", "solutions", "tests"), "autograder/course/mistakes/__init__.py"),
}
"""Folders that a release, or else a clone of the whole course, brings along, each with a file that gives it away."""

DRIVE = re.compile(r"[A-Za-z]:")

KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
}


@dataclass(frozen=True)
class Listing:
    """What lies in a submission. ignored: how many entries are hidden or junk. closed: folders that could not be read."""

    files: tuple[PurePosixPath, ...]
    ignored: int
    closed: tuple[str, ...] = ()


class Files(Protocol):
    """The files of a submission. `place` is how messages and tracebacks name where they lie."""

    place: str

    def listing(self) -> Listing:
        """Return everything that may be a file, the shallowest first. Raises Unreadable."""

    def has(self, path: PurePosixPath) -> bool:
        """Tell whether something lies there, listed or not."""

    def read(self, path: PurePosixPath, largest: int) -> bytes:
        """Return the content of one of them; largest: bytes it may have. Raises Unreadable."""


def is_junk(name: str) -> bool:
    """Tell whether an entry is hidden, or left behind by a system rather than handed in."""
    return name.startswith((".", "README")) or name in JUNK


def _is_ignored(path: PurePosixPath, has: Callable[[PurePosixPath], bool]) -> bool:
    """Tell whether an entry is junk, or the course's own, and with it whatever lies in it. has: whether the submission has a file."""
    return is_junk(path.name) or (path.name in COURSE and has(path.parent / COURSE[path.name]))


class Folder:
    """The files of a folder."""

    def __init__(self, root: Path, place: str) -> None:
        self.place = place
        self._root = root

    def listing(self) -> Listing:
        """Walk through the folder, without following links."""
        files: list[PurePosixPath] = []
        closed: list[str] = []
        ignored = seen = 0
        waiting = [PurePosixPath()]
        while waiting:
            folder = waiting.pop()
            try:
                for name, is_folder in _entries(self._root / folder):
                    seen += 1
                    if seen > MOST_ENTRIES:
                        raise Unreadable(_too_many(self.place))
                    path = folder / name
                    if _is_ignored(path, self.has):
                        ignored += 1
                    elif not is_folder or path.suffix in MODULES:
                        files.append(path)
                    elif len(path.parts) <= DEEPEST:
                        waiting.append(path)
            except OSError as error:
                closed.append(f"{self._shown(folder)} could not be read: {error.strerror}")
                if folder == PurePosixPath():
                    raise Unreadable(closed[0]) from None
        return Listing(_shallowest_first(files), ignored, tuple(closed))

    def has(self, path: PurePosixPath) -> bool:
        """Look for it, without following a link."""
        return os.path.lexists(self._root / path)

    def read(self, path: PurePosixPath, largest: int) -> bytes:
        """Read one file, or what a link inside the folder leads to inside the folder."""
        return read_file(self._root / path, self._root, self._shown(path), largest)

    def _shown(self, path: PurePosixPath) -> str:
        return shown(f"{self.place}/{path}") if path.parts else self.place


class Zip:
    """The files of a zip archive, inflated in memory when they are read."""

    def __init__(self, content: bytes, place: str) -> None:
        self.place = place
        self._inflated = 0
        try:
            self._archive = zipfile.ZipFile(_Bounded(content))
        except Exception as error:  # zipfile has a dozen ways to fail at a broken archive
            raise Unreadable(
                f"{place} is no zip archive that can be read ({shown(str(error))}). Zip the folder again."
            ) from None
        self._members = self._by_path()
        self._ignored = frozenset(filter(self._is_ignored, self._members))
        if len(self._members) - len(self._ignored) > MOST_ENTRIES:
            raise Unreadable(_too_many(place))

    def _by_path(self) -> dict[PurePosixPath, zipfile.ZipInfo]:
        members: dict[PurePosixPath, zipfile.ZipInfo] = {}
        for member in self._archive.infolist():
            name = member.filename.replace("\\", "/")  # some programs on Windows write paths in their own way
            path = PurePosixPath(name)
            if len(name) > LONGEST_NAME:
                raise Unreadable(f"{self.place} holds a path of {len(name):,} characters: at most {LONGEST_NAME:,}.")
            if not path.parts or path.is_absolute() or ".." in path.parts or DRIVE.match(name):
                raise Unreadable(
                    f"{self.place} holds the path {shown(name)}, which is not inside it. Zip the folder again."
                )
            if path in members:
                raise Unreadable(f"{self.place} holds {shown(name)} twice. Zip the folder again.")
            members[path] = member
        return members

    def listing(self) -> Listing:
        """Look through the table of contents."""
        folders = {PurePosixPath(*parts) for parts in self._parents()}
        folders |= {path for path, member in self._members.items() if member.is_dir()}
        files = {path for path in {*self._members, *folders} if path not in folders or path.suffix in MODULES}
        return Listing(_shallowest_first(path for path in files if self._may_be_read(path)), len(self._ignored))

    def _parents(self) -> set[tuple[str, ...]]:
        """Return the folders that members lie in, but for those that are too deep to be looked at."""
        return {path.parts[:depth] for path in self._members for depth in range(1, min(len(path.parts), DEEPEST + 2))}

    def _may_be_read(self, path: PurePosixPath) -> bool:
        in_module = any(folder.suffix in MODULES for folder in path.parents)
        return len(path.parts) <= DEEPEST + 1 and not in_module and not self._is_ignored(path)

    def _is_ignored(self, path: PurePosixPath) -> bool:
        return any(_is_ignored(folder, self.has) for folder in (path, *path.parents))

    def has(self, path: PurePosixPath) -> bool:
        """Look for it in the table of contents."""
        return path in self._members

    def read(self, path: PurePosixPath, largest: int) -> bytes:
        """Inflate one file, counting what comes: the sizes that a zip tells may be wrong."""
        place = shown(f"{self.place}/{path}")
        member = self._members.get(path)
        kind = "a folder" if member is None or member.is_dir() else KINDS.get(stat.S_IFMT(member.external_attr >> 16))
        if member is None or kind:
            raise Unreadable(f"{place} is {kind}, not a file.")
        if member.flag_bits & 1:
            raise Unreadable(f"{place} is encrypted. Zip the folder again, without a password.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Unreadable(f"{place} is compressed by an unusual method. Zip the folder again.")
        try:
            return self._inflate(member, place, largest)
        except Unreadable:
            raise
        except Exception as error:
            raise Unreadable(f"{place} is damaged ({shown(str(error))}). Zip the folder again.") from None

    def _inflate(self, member: zipfile.ZipInfo, place: str, largest: int) -> bytes:
        content = bytearray()
        with self._archive.open(member) as stream:
            while chunk := stream.read(CHUNK):
                content += chunk
                self._inflated += len(chunk)
                if len(content) > largest:
                    raise Unreadable(too_large(place, largest))
                if self._inflated > LARGEST_INFLATED:
                    raise Unreadable(f"{self.place} has more than {LARGEST_INFLATED:,} bytes when unpacked.")
        return bytes(content)


class _Bounded(io.BytesIO):
    """A zip's bytes, of which the table of contents, which zipfile reads as a whole, may only be so long."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST_DIRECTORY:
            raise zipfile.BadZipFile(f"its table of contents has {size:,} bytes")
        return super().read(size)


def read_file(path: Path, root: Path, place: str, largest: int) -> bytes:
    """Read a regular file.

    root: the folder that a link must not leave. place: how messages name it. largest: bytes it may have. Raises Unreadable.
    """
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(root)):
        raise Unreadable(f"{place} is a link that leads out of {shown(root.name)}. Put the file itself there.")
    try:
        _refuse_kind(real.lstat().st_mode, place)
        opened = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(opened, "rb") as file:
            _refuse_kind(os.fstat(opened).st_mode, place)  # it may be another one by now
            content = file.read(largest + 1)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}") from None
    if len(content) > largest:
        raise Unreadable(too_large(place, largest))
    return content


def too_large(place: str, largest: int) -> str:
    """Return the message for a file that is too large."""
    return f"{place} has more than {largest:,} bytes, the most that is read."


def _entries(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the name of each entry of a folder, and whether it is a folder itself. Raises OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry.name, entry.is_dir(follow_symlinks=False)


def _refuse_kind(mode: int, place: str) -> None:
    if not stat.S_ISREG(mode):
        raise Unreadable(f"{place} is {KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file.")


def _shallowest_first(paths: Iterable[PurePosixPath]) -> tuple[PurePosixPath, ...]:
    return tuple(sorted(paths, key=lambda path: (len(path.parts), path.parts)))


def _too_many(place: str) -> str:
    return f"{place} has more than {MOST_ENTRIES:,} entries. Hand in the parts and what they import, nothing else."
