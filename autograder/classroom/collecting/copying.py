"""What somebody handed in, copied: nothing of it is run, no link is followed, and sizes and counts are bounded."""

import os
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from autograder.atomic_write import NO_ROOM, atomic_write
from autograder.classroom.collecting.entry_names import safe_name
from autograder.classroom.collecting.platforms import BadDownload, Upload
from autograder.classroom.people import folded
from autograder.submission.archive import TIMESTAMP, is_left_out, read_file, unpack
from autograder.submission.model import Unreadable, shown

LARGEST_HAND_IN = 200_000_000
"""Bytes of a hand-in that are copied."""

MOST_ENTRIES = 2_000
"""Files and folders of a hand-in that are copied."""

DEEPEST = 50
"""Folders within each other that are copied; others would be too deep for what walks through them."""


def unpacked(path: Path, folder: Path, problems: list[str]) -> Path:
    """Unpack a download; note what could not be. Raises BadDownload."""
    try:
        problems.extend(unpack(path, folder, LARGEST_HAND_IN))
    except Unreadable as error:
        raise BadDownload(f"{error} Give the folder or the zip that the platform gave.") from None
    return folder


@dataclass(frozen=True)
class _File:
    """A file that was handed in. root: the folder that it must not leave. name: where it is copied to."""

    path: Path
    root: Path
    name: str

    @property
    def size(self) -> int:
        """Its bytes; 0 for what is no regular file, or gone."""
        with suppress(OSError):
            return self.path.lstat().st_size
        return 0


def copy_uploads(uploads: Sequence[Upload], folder: Path, keeps_time: bool) -> list[str]:
    """Copy what a student handed in, the smallest files first; return what could not be copied, and why.

    keeps_time: whether a `timestamp.txt` may be nbgrader's, and not the student's. Raises OSError where the disk takes nothing more.
    """
    folder.mkdir()
    problems: list[str] = []
    room = LARGEST_HAND_IN
    for file in sorted(_files(_named_apart(uploads), problems), key=lambda file: file.size):
        room -= file.size
        if room < 0:
            problems.append(
                f"{shown(file.name)} and what is larger were left out: of a hand-in {LARGEST_HAND_IN:,} bytes are copied."
            )
            break
        if keeps_time or PurePosixPath(file.name).name != TIMESTAMP:
            problems += _copy(file, folder)
    return problems


def _named_apart(uploads: Sequence[Upload]) -> list[Upload]:
    """Return uploads of which no two have one name: they keep that of the download where they would."""
    times = Counter(folded(safe_name(upload.name)) for upload in uploads)
    alone = (times[folded(safe_name(upload.name))] == 1 for upload in uploads)
    return [
        upload if one else replace(upload, name=upload.path.name) for upload, one in zip(uploads, alone, strict=True)
    ]


def _files(uploads: Iterable[Upload], problems: list[str]) -> list[_File]:
    """Return the files of uploads, but for junk and links, the shallowest first; note what is left out, and why."""
    waiting = deque(
        _File(upload.path, upload.path.parent if upload.name else upload.path, safe_name(upload.name))
        for upload in uploads
    )
    files: list[_File] = []
    entries = 0
    while waiting:
        file = waiting.popleft()
        if file.name and is_left_out(PurePosixPath(file.path), os.path.lexists):
            continue
        entries += bool(file.name)  # not the folder of all
        if entries > MOST_ENTRIES:
            problems.append(f"of more than {MOST_ENTRIES:,} files and folders, the others were left out.")
            break
        if file.path.is_symlink():
            problems.append(f"{shown(file.name)} is a link, and was left out.")
        elif file.name.count("/") > DEEPEST:
            problems.append(f"{shown(file.name)} lies in more than {DEEPEST} folders, and was left out.")
        elif file.path.is_dir():
            inner = sorted(file.path.iterdir())
            waiting.extend(_File(path, file.root, "/".join(filter(None, (file.name, path.name)))) for path in inner)
        else:
            files.append(file)
    return files


def _copy(file: _File, folder: Path) -> list[str]:
    """Copy a file; return why it could not be copied."""
    target = folder / file.name
    try:
        content = read_file(file.path, file.root, shown(file.name), LARGEST_HAND_IN)
        target.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(target, content)
    except Unreadable as error:
        return [str(error)]
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        return [f"{shown(file.name)} could not be copied: {error.strerror}."]
    return []
