"""The files of a submission, by path: a folder, a zip or a single file, with the contents of zips.

Nothing is unpacked onto the disk, so a path in a zip is only a name; no link is followed out of the submission, nothing
that blocks is opened, and reads are bounded.
"""

import io
import os
import re
import stat
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath

from autograder.course.broken_course import FILE
from autograder.sitting.submission import Unreadable, shown

MOST_ENTRIES = 2_000
LARGEST_ZIP = 20_000_000
LARGEST_DIRECTORY = 4_000_000
"""Bytes of a zip's table of contents."""
LARGEST_IN_ALL = 50_000_000
"""Bytes that are read of one submission, unpacked."""
LONGEST_NAME = 1_000
CHUNK = 1 << 16

MODULES = (".py", ".ipynb")
EXPECTED = "A folder, a .py, an .ipynb or a .zip was expected."

TIMESTAMP = "timestamp.txt"
"""Beside a part, when it was handed in: nbgrader writes it when it collects submissions."""

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

    place: how messages and tracebacks name where they lie; empty for a single file. paths: the files, the shallowest first.
    ignored: how many entries are left out. problems: what could not be looked into.
    """

    def __init__(self, path: Path) -> None:
        self.place = shown(path.name)
        self.ignored = 0
        self.problems: list[str] = []
        self._files: dict[PurePosixPath, Read] = {}
        self._zips: list[tuple[PurePosixPath, Read]] = []
        self._entries = 0
        self._left = LARGEST_IN_ALL
        whole = partial(read_file, path, path.parent, self.place)
        if _is_folder(path, self.place):
            self._add_folder(path)
        elif path.suffix.lower() == ".zip":
            self._add_zip(PurePosixPath(), whole)
        elif path.suffix.lower() in MODULES:
            self.place = ""
            self._add(PurePosixPath(path.name), whole)
        else:
            raise Unreadable(f"{self.place} is nothing that can be marked. {EXPECTED}")
        while self._zips:
            try:
                self._add_zip(*self._zips.pop())
            except Unreadable as error:
                self.problems.append(str(error))
        found = (path for path in self._files if path.name != TIMESTAMP)
        self.paths = sorted(found, key=lambda path: (len(path.parts), path.parts))

    def shown(self, path: PurePosixPath) -> str:
        """Return how messages name a path."""
        return shown("/".join(filter(None, (self.place, *path.parts))))

    def read(self, path: PurePosixPath, largest: int) -> bytes:
        """Return the content of a file; largest: bytes it may have. Raises Unreadable."""
        return self._bounded(self._files[path], largest)

    def timestamp_of(self, path: PurePosixPath) -> PurePosixPath | None:
        """Return the file beside or above a part that tells when it was handed in.

        The topmost counts: that is where nbgrader writes it, while a student may have handed in others with the rest.
        """
        return next(filter(self._files.__contains__, (folder / TIMESTAMP for folder in reversed(path.parents))), None)

    def _add(self, path: PurePosixPath, read: Read) -> None:
        self._count()
        if path.suffix.lower() == ".zip":
            self._zips.append((path, read))
        else:
            self._files[path] = read

    def _count(self) -> None:
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            advice = "Submit the parts and what they import, nothing else."
            raise Unreadable(f"{self.place} has more than {MOST_ENTRIES:,} entries. {advice}")

    def _bounded(self, read: Read, largest: int) -> bytes:
        content = read(largest)
        self._left -= len(content)
        if self._left < 0:
            raise Unreadable(f"{self.place} has more than {LARGEST_IN_ALL:,} bytes of files to be read.")
        return content

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
                if _is_left_out(path, lambda other: os.path.lexists(root / other)):
                    self.ignored += 1
                elif entry.is_dir(follow_symlinks=False):
                    self._count()
                    waiting.append(path)
                else:
                    self._add(path, partial(read_file, root / path, root, self.shown(path)))

    def _add_zip(self, place: PurePosixPath, read: Read) -> None:
        """Look through the table of contents of a zip. Raises Unreadable."""
        content = self._bounded(read, LARGEST_ZIP)
        try:
            archive = zipfile.ZipFile(_Bounded(content))
            named = ((_path_of(member), member) for member in archive.infolist())
            members = {path: member for path, member in named if path.parts and not member.is_dir()}
        except Exception as error:  # zipfile has a dozen ways to fail at a broken archive
            reason = f"is no zip archive that can be read ({shown(str(error))}). Zip the folder again."
            raise Unreadable(f"{self.shown(place)} {reason}") from None
        for path, member in members.items():
            if any(_is_left_out(folder, members.__contains__) for folder in (path, *path.parents)):
                self.ignored += 1
            else:
                self._add(place / path, partial(_inflated, archive, member, self.shown(place / path)))


def is_junk(name: str) -> bool:
    """Return whether an entry is hidden, or left behind by a system rather than handed in."""
    return name.startswith((".", "README")) or name in JUNK


def _is_left_out(path: PurePosixPath, exists: Callable[[PurePosixPath], bool]) -> bool:
    """Return whether an entry is junk, or nobody's work, and with it whatever lies in it. exists: whether there is such a file."""
    return is_junk(path.name) or (path.name in BROUGHT_ALONG and exists(path.parent / BROUGHT_ALONG[path.name]))


def _is_folder(path: Path, place: str) -> bool:
    try:
        real = _within(path, path.parent, place)
        return stat.S_ISDIR(real.lstat().st_mode)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}. {EXPECTED}") from None


def _within(path: Path, root: Path, place: str) -> Path:
    """Return where a file or a link leads. Raises Unreadable if that is outside the folder."""
    real = Path(os.path.realpath(path))
    if Path(os.path.realpath(root)) not in real.parents:
        raise Unreadable(f"{place} is a link that leads out of {shown(root.name)}. Put the file itself there.")
    return real


def read_file(path: Path, root: Path, place: str, largest: int) -> bytes:
    """Read a regular file.

    root: the folder that a link must not leave. place: how messages name it. largest: bytes it may have. Raises Unreadable.
    """
    real = _within(path, root, place)
    try:
        if not stat.S_ISREG(real.lstat().st_mode):
            raise Unreadable(f"{place} is no regular file.")
        opened = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)  # it may be another by now
        with open(opened, "rb") as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}") from None
    return _no_larger(content, place, largest)


class _Bounded(io.BytesIO):
    """A zip's bytes, of which the table of contents, which zipfile reads as a whole, may only be so long."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST_DIRECTORY:
            raise zipfile.BadZipFile(f"its table of contents has {size:,} bytes")
        return super().read(size)


def _path_of(member: zipfile.ZipInfo) -> PurePosixPath:
    if len(member.filename) > LONGEST_NAME:
        raise zipfile.BadZipFile(f"it holds a path of {len(member.filename):,} characters")
    return PurePosixPath(*(part for part in SEPARATOR.split(member.filename) if part not in ("", ".", "..")))


def _inflated(archive: zipfile.ZipFile, member: zipfile.ZipInfo, place: str, largest: int) -> bytes:
    """Inflate a member of a zip, counting the bytes: the sizes that a zip states may be wrong. Raises Unreadable."""
    content = bytearray()
    try:
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
            raise zipfile.BadZipFile("it is no regular file")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise zipfile.BadZipFile("it is compressed by an unusual method")
        with archive.open(member) as stream:
            while len(content) <= largest and (chunk := stream.read(CHUNK)):
                content += chunk
    except Exception as error:
        raise Unreadable(f"{place} could not be unpacked ({shown(str(error))}). Zip the folder again.") from None
    return _no_larger(bytes(content), place, largest)


def _no_larger(content: bytes, place: str, largest: int) -> bytes:
    if len(content) > largest:
        raise Unreadable(f"{place} has more than {largest:,} bytes, the most that is read.")
    return content
