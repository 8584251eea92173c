"""Copy a hand-in: nothing of it is run, and no link is followed."""

import os
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from autograder.atomic_write import NO_ROOM, atomic_write
from autograder.classroom.collecting.identity import safe_name
from autograder.classroom.collecting.platforms import BadDownload, Upload
from autograder.submission.archive import LARGEST, TIMESTAMP, is_left_out, read_file
from autograder.submission.model import Unreadable, shown


def unpacked(path: Path, folder: Path, problems: list[str]) -> Path:
    """Unpack a download and return its folder. Adds messages to problems. Raises BadDownload."""
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:  # zipfile and zlib raise many kinds of errors
        reason = f"{path} is no zip archive that can be read ({shown(str(error))})"
        raise BadDownload(f"{reason}. Give the folder or the zip that the platform gave.") from None
    for member in archive.infolist():
        try:
            if member.file_size > LARGEST:
                raise ValueError(f"more than {LARGEST:,} bytes, the most that is read")
            archive.extract(member, folder)
        except Exception as error:
            problems.append(f"{shown(member.filename)} could not be unpacked ({shown(str(error))}).")
    return folder


def copy_uploads(uploads: Sequence[Upload], folder: Path, keeps_time: bool) -> list[str]:
    """Copy the uploads of a student; return a message for each file that is left out.

    keeps_time: copy `timestamp.txt`, too, as nbgrader's. Raises OSError if the disk is full.
    """
    folder.mkdir()
    problems = list[str]()
    for upload in uploads:
        name = safe_name(upload.name)
        if upload.name and (folder / name).exists():  # two files of one name: this one keeps that of the download
            name = safe_name(upload.path.name)
        root = upload.path.parent if upload.name else upload.path
        for path in _files(upload.path):
            place = (PurePosixPath(name) / path.relative_to(upload.path).as_posix()).as_posix()
            if keeps_time or path.name != TIMESTAMP:
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
        content = read_file(path, root, shown(place), LARGEST)
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        atomic_write(folder / place, content)
    except Unreadable as error:
        return [str(error)]
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        return [f"{shown(place)} could not be copied: {error.strerror}."]
    return []
