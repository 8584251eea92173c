"""Files that are written whole or not at all, whatever fills the disk or ends the command: what was there before stays until then."""

import errno
import os
import time
from pathlib import Path

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""Errors of a disk that takes nothing more, whatever is written."""

TRIES, PAUSE = 10, 0.05


def atomic_write(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file, or leave what is there as it is. A link is replaced. mode: who may read a new one. Raises OSError, which names the file."""
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


def write_where_told(path: Path, content: bytes) -> None:
    """Write what somebody has named the place of: as a whole, but through a link, and into a device or a pipe. Raises OSError."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
    else:
        atomic_write(path.resolve(), content)


def replace_file(new: Path, path: Path) -> None:
    """Let a new file take an old one's name, in one go. Raises OSError.

    On Windows that is refused while somebody reads the old one, as an editor or a virus scanner does for a moment.
    """
    for _ in range(TRIES - 1):
        try:
            new.replace(path)
            return
        except PermissionError:
            time.sleep(PAUSE)
    new.replace(path)
