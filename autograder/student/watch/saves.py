"""Noticing saves, however an editor writes a file and wherever the folder is.

The files themselves are read again and again, which is quick: many network drives and links never report a change.
"""

import contextlib
import os
from pathlib import Path

SUFFIXES = (".py", ".ipynb")

Stamps = dict[str, tuple[int, int, int]]
"""By the names of files, when each was written, its size and its inode."""


class Saves:
    """The saves in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._known = self._seen = _stamps(self._folder)

    def look(self) -> set[str]:
        """Return the modules that have been saved since they were last returned, once two looks in turn have seen the same.

        At the first look a file may be half written, or missing if an editor replaces it.
        """
        before, self._seen = self._seen, _stamps(self._folder)
        if self._seen != before or self._seen == self._known:
            return set()
        names = {name for name in self._known.keys() | before.keys() if before.get(name) != self._known.get(name)}
        self._known = before
        return {Path(name).stem for name in names}


def _stamps(folder: str) -> Stamps:
    """Return the stamps of the modules in a folder; none if there is no such folder."""
    stamps: Stamps = {}
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.endswith(SUFFIXES):
                with contextlib.suppress(OSError):  # it has just gone
                    found = os.stat(os.path.join(folder, name))
                    stamps[name] = (found.st_mtime_ns, found.st_size, found.st_ino)
    return stamps
