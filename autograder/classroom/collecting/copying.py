"""Copy hand-ins without running any of their files and without following links."""

import os
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from autograder.classroom.collecting.identity import safe_name
from autograder.classroom.collecting.platforms import BadDownload, Upload
from autograder.submission.archive import TIMESTAMP, is_left_out
from autograder.submission.model import shown


def unpacked(path: Path, folder: Path, problems: list[str]) -> Path:
    """Unpack a zip archive into a folder. Files that fail are named in `problems`. Raises BadDownload."""
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:  # zipfile raises many kinds of errors
        reason = f"{path} is no zip archive that can be read ({shown(str(error))})"
        raise BadDownload(f"{reason}. Give the folder or the zip that the platform gave.") from None
    for member in archive.infolist():
        try:
            archive.extract(member, folder)
        except Exception as error:
            problems.append(f"{shown(member.filename)} could not be unpacked ({shown(str(error))}).")
    return folder


def copy_uploads(uploads: Sequence[Upload], folder: Path, keeps_time: bool) -> None:
    """Copy a student's uploads, without junk. keeps_time: True to copy nbgrader's `timestamp.txt`, too.

    Links are copied as links, so that no file outside the hand-in is read. Raises BadDownload.
    """

    def left_out(place: str, names: list[str]) -> list[str]:
        junk = (name for name in names if is_left_out(PurePosixPath(place, name), os.path.lexists))
        return [*junk, *(() if keeps_time else (TIMESTAMP,))]

    folder.mkdir()
    for upload in uploads:
        name = safe_name(upload.name)
        if upload.name and (folder / name).exists():  # two files of one name: this one keeps that of the download
            name = safe_name(upload.path.name)
        try:
            if not upload.name:
                shutil.copytree(upload.path, folder, symlinks=True, ignore=left_out, dirs_exist_ok=True)
            elif keeps_time or name != TIMESTAMP:
                shutil.copy2(upload.path, folder / name, follow_symlinks=False)
        except shutil.Error as error:
            source, _, why = error.args[0][0]
            raise BadDownload(f"{shown(source)} could not be copied: {why}.") from None
