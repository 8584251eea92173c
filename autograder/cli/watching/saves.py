"""Noticing saves, whichever way an editor writes a file and whether or not the file system tells of it.

What was saved is read from the files themselves; events only say when to look. Where they do not come, as on many network
drives and behind links, the files are looked at ten times a second.
"""

import contextlib
import os
import threading
from pathlib import Path

from watchfiles import watch
from watchfiles._rust_notify import WatchfilesRustInternalError

from autograder.cli.watching.events import Deaf, Saved, Tell

DEBOUNCE_MS, STEP_MS = 60, 10
LOOK_MS = 500
"""How long no event may come before the files are looked at all the same."""

POLL = 0.1
SUFFIXES = (".py", ".ipynb")

Stamp = tuple[int, int, int]
"""When a file was written, its size and its inode."""


class Saves:
    """Tells of each save in a folder."""

    def __init__(self, folder: Path, tell: Tell) -> None:
        self._folder = folder
        self._tell = tell
        self._known = _stamps(folder)

    def follow(self, stop: threading.Event) -> None:
        """Tell of saves until told to stop."""
        with contextlib.suppress(OSError, WatchfilesRustInternalError):  # no such folder for now, no watches left
            self._follow_events(stop)
        if not stop.is_set():
            self._tell(Deaf())
        while not stop.wait(POLL):
            self._look()

    def _follow_events(self, stop: threading.Event) -> None:
        """Tell of saves as events come; return when saves are found of which no event has come, twice in a row.

        Once may be an event that is on its way, or a save from before this began to listen.
        """
        silent = 0
        for changes in watch(
            self._folder,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            rust_timeout=LOOK_MS,
            yield_on_timeout=True,
            stop_event=stop,
            raise_interrupt=False,
            force_polling=False,
        ):
            found = self._look()
            silent = 0 if changes else silent + found
            if silent == 2:
                return

    def _look(self) -> bool:
        """Tell of what has changed since the last look, and return whether anything was written.

        A file that is gone is told of at the second look: many editors put another in its place.
        """
        now = _stamps(self._folder)
        written = {path for path, stamp in now.items() if self._known.get(path) != stamp}
        gone = {path for path, stamp in self._known.items() if path not in now and stamp is None}
        going: dict[str, Stamp | None] = {path: None for path in self._known if path not in now and path not in gone}
        self._known = now | going
        if written or gone:
            self._tell(Saved(tuple(sorted({Path(path).stem for path in written | gone}))))
        return bool(written)


def _stamps(folder: Path) -> dict[str, Stamp | None]:
    """Return the stamps of the modules in a folder; none where there is no such folder."""
    stamps: dict[str, Stamp | None] = {}
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(SUFFIXES):
                stamps |= _stamp(entry)
    return stamps


def _stamp(entry: "os.DirEntry[str]") -> dict[str, Stamp | None]:
    try:
        found = os.stat(entry.path)  # the entry's own lacks the inode on Windows
    except OSError:
        return {}
    return {entry.name: (found.st_mtime_ns, found.st_size, found.st_ino)}
