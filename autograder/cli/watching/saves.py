"""Noticing saves, whichever way an editor writes a file and wherever the folder lies.

The files themselves are looked at, again and again: that takes next to no time, while many network drives, and whatever lies behind
a link, never tell of a change.
"""

import contextlib
import os
from pathlib import Path

SUFFIXES = (".py", ".ipynb")

Stamps = dict[str, tuple[int, int, int] | None]
"""By the names of files, when each was written, its size and its inode; none of these for one that is gone."""


class Saves:
    """What is saved in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken = self._seen = _stamps(folder)

    def look(self) -> tuple[str, ...]:
        """Return the modules that have been saved since they were last returned.

        A file is saved when two looks in a row find it the same: half of it may be written at the first, and where an editor puts
        another file in its place, there may be none.
        """
        before, self._seen = self._seen, _stamps(self._folder)
        names = self._taken.keys() | self._seen.keys()
        settled = {name: self._seen.get(name) for name in names if self._seen.get(name) == before.get(name)}
        saved = {Path(name).stem for name, stamp in settled.items() if stamp != self._taken.get(name)}
        self._taken = self._taken | settled
        return tuple(sorted(saved))


def _stamps(folder: Path) -> Stamps:
    """Return the stamps of the modules in a folder; none where there is no such folder."""
    stamps: Stamps = {}
    with contextlib.suppress(OSError):
        for name in filter(lambda name: name.endswith(SUFFIXES), os.listdir(folder)):
            with contextlib.suppress(OSError):  # it has just gone
                found = os.stat(folder / name)
                stamps[name] = (found.st_mtime_ns, found.st_size, found.st_ino)
    return stamps
