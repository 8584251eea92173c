"""Files that are written whole or not at all, whatever fills the disk or ends the command: what was there before stays until then."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, or leave what is there as it is. A link is replaced. Raises OSError, which names the file."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
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
        write_whole(path.resolve(), content)
