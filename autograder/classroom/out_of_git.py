"""Folders that hold students' work or a key ignore themselves: one `git add -A` would publish them."""

from pathlib import Path

from autograder.atomic_write import atomic_write

IGNORED = ".gitignore"


def keep_out_of_git(folder: Path) -> None:
    """Have git ignore a folder and all that is in it, unless somebody has already said what of it is ignored. Raises OSError."""
    place = folder / IGNORED
    if not place.exists():
        atomic_write(place, b"*\n")
