"""Noticing saves, however an editor writes a file and wherever the folder is.

The files themselves are read again and again, which is quick: many network drives and links never report a change.
"""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

SUFFIXES = (".py", ".ipynb")
MOMENT = 0.005
"""Seconds in which no file is left half written."""

Stamps = dict[str, tuple[int, int, int]]
"""By the names of files, when each was written, its size and its inode."""


class Saves:
    """What is saved in a folder. wait: lets a moment pass."""

    def __init__(self, folder: Path, wait: Callable[[], None] = lambda: time.sleep(MOMENT)) -> None:
        self._folder = str(folder)
        self._wait = wait
        self._known = _stamps(self._folder)

    def look(self) -> set[str]:
        """Return the modules that have been saved since they were last returned.

        A file that has changed is looked at twice: at first it may be half written, or missing if an editor replaces it.
        """
        first = _stamps(self._folder)
        if first == self._known:
            return set()
        self._wait()
        second = _stamps(self._folder)
        names = self._known.keys() | second.keys()
        settled = {name: second.get(name) for name in names if second.get(name) == first.get(name)}
        saved = {Path(name).stem for name, stamp in settled.items() if stamp != self._known.get(name)}
        self._known = {name: stamp for name, stamp in (self._known | settled).items() if stamp}
        return saved


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
