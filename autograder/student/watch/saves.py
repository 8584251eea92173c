"""Notice saved files, whatever editor writes them.

Times and sizes of files are compared, because many network drives and links report no changes.
"""

import contextlib
import os
from pathlib import Path

SUFFIXES = (".py", ".ipynb")

Stamps = dict[str, tuple[int, int, int]]
"""By file name: the time of the last change, the size and the inode."""


class Saves:
    """Notices saves in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._known = self._seen = _stamps(self._folder)

    def look(self) -> set[str]:
        """Return the modules that were saved since the last result, once two calls in turn see the same files.

        At the first call a file may be half written, or missing because an editor is replacing it.
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
