"""The files of a training: each is written whole or not at all, and failures are reported."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


class CannotKeep(Exception):
    """A file cannot be written; the message says what may be wrong."""


def folder_of(memory: Path) -> Path:
    """Return the folder of all trainings, in what a checkout remembers."""
    return memory / "training"


def made_folder(memory: Path) -> Path:
    """Return the folder of all trainings, and make it if it is not there. Raises CannotKeep."""
    folder = folder_of(memory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise CannotKeep(
            f"{folder} is not a folder, and what is learned would be saved in it: move it away."
        ) from error
    except OSError as error:
        raise CannotKeep(
            f"{folder}, where what is learned would be saved, cannot be made: {error.strerror}."
        ) from error
    return folder


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield where to write; what was written replaces `path` at the end. A kill leaves the old file or the new one.

    Raises CannotKeep, and leaves nothing half written.
    """
    new = path.with_name(f"{path.name}.part")
    try:
        new.unlink(missing_ok=True)  # a link there would lead elsewhere
        yield new
        os.replace(new, path)
    except (OSError, RuntimeError) as error:  # torch reports a full disk as a RuntimeError
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        raise _cannot_write(path, error) from error


def set_aside(path: Path) -> Path:
    """Move a file to another name, over what was there before, and return it. Raises CannotKeep."""
    if not path.is_file():
        raise CannotKeep(f"{path} is not a file, and what is learned would be saved there: move it away.")
    earlier = path.with_suffix(f".earlier{path.suffix}")
    try:
        return path.replace(earlier)
    except OSError as error:
        raise _cannot_write(earlier, error) from error


def _cannot_write(path: Path, error: OSError | RuntimeError) -> CannotKeep:
    reason = f" ({error.strerror})" if isinstance(error, OSError) else ""
    return CannotKeep(
        f"{path} cannot be written{reason}: is the disk full, or may you not write there? "
        "What was saved before is unchanged."
    )
