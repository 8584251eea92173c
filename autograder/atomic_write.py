"""Write files atomically.

If a write fails or the command ends early, the file keeps its old content.
"""

import errno
import os
import time
from collections.abc import Mapping
from pathlib import Path

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""Error numbers of a disk that is full, over quota or read-only."""

TRIES, PAUSE = 10, 0.05


def atomic_write(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file atomically. If the path is a link, the file replaces the link itself.

    mode: the permissions, from which the umask is removed. Raises OSError that names the file.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.touch(mode)
        draft.write_bytes(content)
        replace_file(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_output(path: Path, content: bytes) -> None:
    """Write to a path that a user has given: to a file atomically, to a device or a pipe directly.

    Missing folders are made. If the path is a link, the link stays, and the file at its end is written.
    Raises OSError.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path.resolve(), content)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files, given by path, into a folder. Raises OSError."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def replace_file(new: Path, path: Path) -> None:
    """Rename the file `new` to `path`, in place of the old file. Raises OSError.

    Windows refuses to rename while another program, such as an editor or a virus scanner, reads the
    old file. Then the function tries again for about half a second.
    """
    for _ in range(TRIES - 1):
        try:
            new.replace(path)
            return
        except PermissionError:
            time.sleep(PAUSE)
    new.replace(path)
