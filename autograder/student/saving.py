"""Putting a file that has been written in the place of another one, on every system."""

import os
import time
from pathlib import Path

TRIES, PAUSE = 10, 0.05


def replace_file(new: Path, path: Path) -> None:
    """Let a new file take an old one's name, in one go. Raises OSError.

    On Windows that is refused while somebody reads the old one, as an editor or a virus scanner does for a moment.
    """
    for _ in range(TRIES - 1):
        try:
            os.replace(new, path)
            return
        except PermissionError:
            time.sleep(PAUSE)
    os.replace(new, path)
