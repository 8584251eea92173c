"""Files that are written whole or not at all, whatever fills the disk or ends the command: what was there before stays until then."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, or leave what is there as it is. Raises OSError, which names the file."""
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
