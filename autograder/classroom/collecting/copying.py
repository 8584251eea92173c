"""What somebody handed in, copied: nothing of it is run, no link is followed, and sizes and counts are bounded."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from autograder.classroom.collecting.entry_names import safe_name
from autograder.classroom.collecting.platforms import BadDownload, Upload
from autograder.classroom.people import folded
from autograder.sitting.archive import MOST_ENTRIES, TIMESTAMP, is_left_out, read_file, unpack
from autograder.sitting.submission import Unreadable, shown
from autograder.whole_files import NO_ROOM, write_whole

LARGEST_UPLOAD = 200_000_000
"""Bytes of one file that is copied."""

DEEPEST = 50
"""Folders within each other that are copied; others would be too deep for what walks through them."""


def unpacked(path: Path, folder: Path, problems: list[str]) -> Path:
    """Unpack a download; note what could not be. Raises BadDownload."""
    try:
        problems.extend(unpack(path, folder, LARGEST_UPLOAD))
    except Unreadable as error:
        raise BadDownload(f"{error} Give the folder or the zip that the platform gave.") from None
    return folder


def copy_uploads(uploads: Sequence[Upload], folder: Path, keeps_time: bool) -> list[str]:
    """Copy what a student handed in; return what could not be copied, and why. Raises OSError where the disk takes nothing more.

    keeps_time: whether a `timestamp.txt` may be nbgrader's, and not the student's.
    """
    folder.mkdir()
    times = Counter(folded(safe_name(upload.name)) for upload in uploads)
    problems = []
    for upload in uploads:
        alone = times[folded(safe_name(upload.name))] == 1
        problems += _copy(upload if alone else replace(upload, name=upload.path.name), folder)
    for own in [] if keeps_time else [path for path in folder.rglob(TIMESTAMP) if not path.is_dir()]:
        own.unlink()
    return problems


def _copy(upload: Upload, target: Path) -> list[str]:
    """Copy what was handed in, but for junk and links; return what could not be copied, and why."""
    if upload.name:
        root, waiting = upload.path.parent, [(upload.path, safe_name(upload.name))]
    else:
        root, waiting = upload.path, [(path, path.name) for path in upload.path.iterdir()]
    problems, files = [], 0
    while waiting:
        path, name = waiting.pop()
        if is_left_out(PurePosixPath(path), os.path.lexists):
            continue
        if path.is_symlink():
            problems.append(f"{shown(name)} is a link, and was left out.")
        elif name.count("/") > DEEPEST:
            problems.append(f"{shown(name)} lies in more than {DEEPEST} folders, and was left out.")
        elif path.is_dir():
            waiting.extend((inner, f"{name}/{inner.name}") for inner in path.iterdir())
        elif files := files + 1:
            if files > MOST_ENTRIES:
                problems.append(f"of more than {MOST_ENTRIES:,} files, the others were left out.")
                break
            try:
                content = read_file(path, root, shown(name), LARGEST_UPLOAD)
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                write_whole(target / name, content)
            except Unreadable as error:
                problems.append(str(error))
            except OSError as error:
                if error.errno in NO_ROOM:
                    raise
                problems.append(f"{shown(name)} could not be copied: {error.strerror}.")
    return problems
