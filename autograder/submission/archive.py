"""The files of a submission, by path: a folder, an archive (zip or tar) or a single file, with the contents of archives.

Nothing is unpacked onto the disk, so a path in an archive is only a name; no link is followed out of the submission, nothing
that blocks is opened, and reads are bounded.
"""

import gzip
import io
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from autograder.course.errors import FILE
from autograder.submission.model import Unreadable, shown

MOST_ENTRIES = 2_000
LARGEST_MEMBER = 20_000_000
"""Bytes of an archive within another."""
LARGEST_DIRECTORY = 16_000_000
"""Bytes of a zip's table of contents."""
MEMBER = b"PK\x01\x02"
"""How an entry of it begins."""
MOST_MEMBERS = 100_000
"""Files in all archives of one submission, what is junk too: as many as of a virtual environment."""
LARGEST_UNPACKED = 200_000_000
"""Bytes of all tar archives of one submission, and of all archives within others: each has to be unpacked from its beginning to its end."""
LARGEST_DESCRIPTION = 1_000_000
"""Bytes with which a tar archive describes a member: its name, and its holes."""
LARGEST_IN_ALL = 50_000_000
"""Bytes that are read of one submission, unpacked."""
LONGEST_NAME = 1_000
MOST_TIMES = 250
"""How many times as large as it was packed a file of a download may be: a text is packed to a tenth, and blanks to a thousandth."""
CHUNK = 1 << 16

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

Stream = io.RawIOBase | io.BytesIO
Open = Callable[[], Stream]
"""Opens an archive. Raises Unreadable."""


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
        self._archives: list[tuple[PurePosixPath, Open]] = []
        self._entries = 0
        self._left = self._room = LARGEST_IN_ALL
        self._members = MOST_MEMBERS
        self._unpacked = LARGEST_UNPACKED
        if path.is_symlink():
            raise Unreadable(
                f"{self.place} is a link, which may lead to somebody else's work. Put the work itself there."
            )
        whole = partial(read_file, path, path.parent, self.place)
        if _is_folder(path, self.place):
            self._add_folder(path)
        elif _is_archive(path.name):
            self._add_archive(PurePosixPath(), partial(_OnDisk, path, path.parent, self.place), path.name)
        elif kind_of(path.name):
            self.place = ""
            self._add(PurePosixPath(path.name), whole)
        else:
            raise Unreadable(f"{self.place} is nothing that can be marked. {EXPECTED}")
        while self._archives:
            place, content = self._archives.pop()
            try:
                self._add_archive(place, content, place.name)
            except Unreadable as error:
                if str(error) not in self.problems:
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

    def _add(self, path: PurePosixPath, read: Read, on_disk: Open | None = None) -> None:
        """Add a file. on_disk: opens it where it lies as a file of its own, so that an archive need not fit into memory."""
        self._count()
        if _is_archive(path.name):
            self._archives.append((path, on_disk or partial(self._in_memory, read)))
        else:
            self._files[path] = read

    def _count(self) -> None:
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            advice = "Submit the parts and what they import, nothing else."
            raise Unreadable(f"{self.place} has more than {MOST_ENTRIES:,} entries. {advice}")

    def _count_members(self, number: int) -> None:
        self._members -= number
        if self._members < 0:
            raise Unreadable(
                f"{self.place} holds more than {MOST_MEMBERS:,} files in archives. Submit the parts alone."
            )

    def _count_unpacked(self, size: int) -> None:
        self._unpacked -= size
        if self._unpacked < 0:
            told = f"holds more than {LARGEST_UNPACKED:,} bytes in archives, unpacked"
            raise Unreadable(f"{self.place} {told}. Pack the parts and what they import alone.")

    def _in_memory(self, read: Read) -> Stream:
        """Open an archive within another."""
        self._count_unpacked(LARGEST_MEMBER)  # as much is unpacked of one that turns out to be broken
        content = self._bounded(read, LARGEST_MEMBER)
        self._count_unpacked(len(content) - LARGEST_MEMBER)
        return io.BytesIO(content)

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
                if is_left_out(path, lambda other: os.path.lexists(root / other)):
                    self.ignored += 1
                elif entry.is_dir(follow_symlinks=False):
                    self._count()
                    waiting.append(path)
                else:
                    where = root / path, root, self.shown(path)
                    self._add(path, partial(read_file, *where), partial(_OnDisk, *where))

    def _add_archive(self, place: PurePosixPath, content: Open, name: str) -> None:
        """List what is in an archive. Raises Unreadable."""
        members = (self._in_tar if name.lower().endswith(TAR) else self._in_zip)(place, content())
        for path, read in members.items():
            packed_time = path.name == TIMESTAMP  # what somebody packed tells no time but their own
            if packed_time or any(is_left_out(folder, members.__contains__) for folder in (path, *path.parents)):
                self.ignored += 1
            else:
                self._add(place / path, read)

    def _in_zip(self, place: PurePosixPath, content: Stream) -> dict[PurePosixPath, Read]:
        """Look through the table of contents of a zip. Raises Unreadable."""
        try:
            archive = zipfile.ZipFile(_Bounded(content, self.shown(place), self._count_members))
            named = ((_path_of(member), member) for member in archive.infolist())
            members = {path: member for path, member in named if path.parts and not member.is_dir()}
        except Unreadable:
            raise
        except Exception as error:  # zipfile has a dozen ways to fail at a broken archive
            reason = f"is no zip archive that can be read ({shown(str(error))}). Zip the folder again."
            raise Unreadable(f"{self.shown(place)} {reason}") from None
        return {path: partial(self._unzipped, archive, member, place, path) for path, member in members.items()}

    def _unzipped(
        self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, place: PurePosixPath, path: PurePosixPath, largest: int
    ) -> bytes:
        """Return the content of a member of a zip in this place; most members are never read. Raises Unreadable."""
        return _inflated(archive, member, self.shown(place / path), largest)

    def _in_tar(self, place: PurePosixPath, content: Stream) -> dict[PurePosixPath, Read]:
        """Read through a tar archive, and keep what may be wanted of it. Raises Unreadable."""
        stream: Any = _Untarred(
            content, self.shown(place), self._count_unpacked
        )  # which does all that tarfile asks for in this mode
        members: dict[PurePosixPath, Read] = {}
        try:
            with tarfile.open(fileobj=stream, mode="r:") as archive:
                while member := archive.next():
                    archive.members.clear()  # type: ignore[attr-defined]  # it would keep them all
                    self._count_members(1)
                    if (path := _path(member.name)).parts and not member.isdir():
                        content_of = self._kept(archive, member, path, stream)
                        members[path] = partial(_no_larger, content_of, self.shown(place / path))
                    stream.room = LARGEST_DESCRIPTION
            return members
        except Unreadable:
            raise
        except Exception as error:  # tarfile and zlib fail in as many ways
            reason = f"is no tar archive that can be read ({shown(str(error))}). Pack the folder again, as a zip."
            raise Unreadable(f"{self.shown(place)} {reason}") from None

    def _kept(
        self, archive: tarfile.TarFile, member: tarfile.TarInfo, path: PurePosixPath, stream: "_Untarred"
    ) -> bytes:
        """Return the content of a member that may be wanted, of another nothing. Raises Unreadable."""
        wanted = kind_of(path.name) or _is_archive(path.name)
        stream.room = LARGEST_MEMBER + 1
        file = archive.extractfile(member) if wanted and member.isreg() and not any(map(is_junk, path.parts)) else None
        content = file.read(LARGEST_MEMBER + 1) if file else b""
        self._room -= len(content)
        if self._room < 0:
            raise Unreadable(f"{self.place} has more than {LARGEST_IN_ALL:,} bytes of files in tar archives.")
        return content


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
    opened = _opened(path, root, place)
    try:
        with open(opened, "rb") as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}") from None
    return _no_larger(content, place, largest)


def _opened(path: Path, root: Path, place: str) -> int:
    """Open a regular file. Raises Unreadable."""
    real = _within(path, root, place)
    try:
        if not stat.S_ISREG(real.lstat().st_mode):
            raise Unreadable(f"{place} is no regular file.")
        return os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)  # it may be another by now
    except OSError as error:
        raise Unreadable(f"{place} could not be read: {error.strerror}") from None


class _OnDisk(io.RawIOBase):
    """A file that is open only while it is read from: a submission may hold many archives."""

    def __init__(self, path: Path, root: Path, place: str) -> None:
        self._where = path, root, place
        self._at = 0
        opened = _opened(*self._where)
        self._size = os.fstat(opened).st_size
        os.close(opened)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if self._at < 0:
            raise OSError("a place before the file's beginning")
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        opened = _opened(*self._where)
        try:
            content = os.pread(opened, len(buffer), self._at)
        finally:
            os.close(opened)
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)


class _Bounded(io.BufferedReader):
    """A zip, of which the table of contents, which zipfile reads as a whole, may only be so long. count: is told its members."""

    def __init__(self, content: Stream, place: str, count: Callable[[int], None]) -> None:
        super().__init__(content, CHUNK)
        self._place = place
        self._count = count

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST_DIRECTORY:
            told = f"its table of contents has {size:,} bytes, and at most {LARGEST_DIRECTORY:,} are read"
            raise Unreadable(f"{self._place} holds too many files: {told}. Zip the parts and what they import alone.")
        content = super().read(size)
        if content.startswith(MEMBER):
            self._count(content.count(MEMBER))
        return content


class _Untarred:
    """The bytes of a tar archive, compressed or not, from its beginning to its end, of which only so many are read.

    count: is told how many come. room: how many may be read from here on; what is passed over does not count.
    """

    def __init__(self, content: Stream, place: str, count: Callable[[int], None]) -> None:
        stream = io.BufferedReader(content, CHUNK)
        compressed = stream.peek(2)[:2] == b"\x1f\x8b"
        self._stream = gzip.GzipFile(fileobj=stream) if compressed else stream
        self._place = place
        self._count = count
        self._at = 0
        self.room = LARGEST_DESCRIPTION

    def tell(self) -> int:
        return self._at

    def seek(self, place: int, /) -> int:
        """Pass over what lies before a place."""
        if place < self._at:
            raise tarfile.ReadError("one of its files begins before the one in front of it ends")
        while self._at < place and self._next(min(CHUNK, place - self._at)):
            pass
        return self._at

    def read(self, size: int, /) -> bytes:
        """Return the next bytes. Raises Unreadable."""
        self.room -= size
        if self.room < 0:
            raise Unreadable(
                f"{self._place} is a tar archive that describes a file in too many bytes. Pack a zip instead."
            )
        return self._next(size)

    def _next(self, size: int) -> bytes:
        content = self._stream.read(size)
        self._at += len(content)
        self._count(len(content))
        return content


def unpack(path: Path, folder: Path, largest: int) -> list[str]:
    """Unpack a zip into a folder, without what is junk; return what could not be unpacked, and why.

    largest: bytes that one file may have; no more than so many times its own come onto the disk. Raises Unreadable if it is no zip.
    """
    problems = []
    try:
        archive = zipfile.ZipFile(path)
        members = [(inner, member) for member in archive.infolist() if (inner := _path_of(member)).parts]
        if sum(member.compress_size for _, member in members) > path.stat().st_size:
            raise zipfile.BadZipFile("the same bytes are in several files")
    except Exception as error:
        raise Unreadable(f"{path} is no zip archive that can be read ({shown(str(error))}).") from None
    with archive:
        for inner, member in members:
            target = folder / inner
            try:
                if member.is_dir():
                    target.mkdir(parents=True, exist_ok=True)
                elif not any(map(is_junk, inner.parts)):
                    most = min(largest, MOST_TIMES * member.compress_size)
                    content = _inflated(archive, member, shown(str(inner)), most)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
            except Unreadable as error:
                problems.append(str(error))
            except OSError as error:
                problems.append(f"{shown(str(inner))} could not be unpacked: {error.strerror}.")
    return problems


def _path_of(member: zipfile.ZipInfo) -> PurePosixPath:
    if len(member.filename) > LONGEST_NAME:
        raise zipfile.BadZipFile(f"it holds a path of {len(member.filename):,} characters")
    return _path(member.filename)


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(*(part for part in SEPARATOR.split(name) if part not in ("", ".", "..")))


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
