"""Copy a hand-in: nothing of it is run, no link is followed, and its size is bounded."""

import os
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from autograder.atomic_write import NO_ROOM, atomic_write
from autograder.classroom.collecting.identity import safe_name
from autograder.classroom.collecting.platforms import BadDownload, Upload
from autograder.classroom.people import folded
from autograder.submission.archive import TIMESTAMP, is_left_out, read_file
from autograder.submission.model import Unreadable, shown

LARGEST_HAND_IN = 200_000_000
"""The most bytes of a hand-in."""


def unpacked(path: Path, folder: Path, problems: list[str]) -> Path:
    """Unpack a download and return its folder. Adds messages to problems. Raises BadDownload."""
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:  # zipfile and zlib raise many kinds of errors
        reason = f"{path} is no zip archive that can be read ({shown(str(error))})"
        raise BadDownload(f"{reason}. Give the folder or the zip that the platform gave.") from None
    for member in archive.infolist():
        try:
            if member.file_size > LARGEST_HAND_IN:
                raise ValueError(f"more than {LARGEST_HAND_IN:,} bytes, the most that is read")
            archive.extract(member, folder)
        except Exception as error:
            problems.append(f"{shown(member.filename)} could not be unpacked ({shown(str(error))}).")
    return folder


def copy_uploads(uploads: Sequence[Upload], folder: Path, keeps_time: bool) -> list[str]:
    """Copy the uploads of a student, the smallest files first; return a message if files are left out.

    keeps_time: copy `timestamp.txt`, too, as nbgrader's. Raises OSError if the disk is full.
    """
    folder.mkdir()
    times = Counter(folded(safe_name(upload.name)) for upload in uploads)
    files: list[tuple[int, Path, Path, str]] = []
    for upload in uploads:
        is_alone = times[folded(safe_name(upload.name))] == 1  # else the file keeps its name in the download
        name = safe_name(upload.name if is_alone or not upload.name else upload.path.name)
        for path in _files(upload.path):
            place = (PurePosixPath(name) / path.relative_to(upload.path).as_posix()).as_posix()
            root = upload.path.parent if upload.name else upload.path
            files.append((path.lstat().st_size, path, root, place))
    problems, room = list[str](), LARGEST_HAND_IN
    for size, path, root, place in sorted(files):
        room -= size
        if room < 0:
            problems.append(
                f"{shown(place)} and all larger files were left out: a hand-in has at most {LARGEST_HAND_IN:,} bytes."
            )
            break
        if keeps_time or PurePosixPath(place).name != TIMESTAMP:
            problems += _copy(path, root, folder, place)
    return problems


def _files(path: Path) -> Iterator[Path]:
    """Yield the files, links and unreadable folders of an upload, except junk."""
    waiting = [path]
    while waiting:
        one = waiting.pop()
        try:
            inner = list(one.iterdir()) if one.is_dir() and not one.is_symlink() else None
        except OSError:
            inner = None
        if inner is None:
            yield one
        else:
            waiting += (other for other in inner if not is_left_out(PurePosixPath(other), os.path.lexists))


def _copy(path: Path, root: Path, folder: Path, place: str) -> list[str]:
    """Copy a file; return a message if it cannot be copied."""
    if path.is_symlink():
        return [f"{shown(place)} is a link, and was left out."]
    try:
        content = read_file(path, root, shown(place), LARGEST_HAND_IN)
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        atomic_write(folder / place, content)
    except Unreadable as error:
        return [str(error)]
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        return [f"{shown(place)} could not be copied: {error.strerror}."]
    return []
