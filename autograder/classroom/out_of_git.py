"""Keep folders with students' work or a key out of git."""

from pathlib import Path

from autograder.atomic_write import atomic_write

IGNORED = ".gitignore"


def keep_out_of_git(folder: Path) -> None:
    """Let git ignore a folder, unless it has a `.gitignore`. Raises OSError."""
    place = folder / IGNORED
    if not place.exists():
        atomic_write(place, b"*\n")
