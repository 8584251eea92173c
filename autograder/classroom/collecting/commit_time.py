"""The time of the last commit of a clone."""

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

COMMITTED = re.compile(r"^committer .* (\d{1,11}) [+-]\d{4}$", re.MULTILINE)
LARGEST_ALLOCATION = 64_000_000
SECONDS = 10

ALONE = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOC_LIMIT": str(LARGEST_ALLOCATION),
}
"""Variables that restrict git, because a student may have written the settings of a clone."""


def commit_time(clone: Path) -> datetime | None:
    """Return the committer's time of the commit at HEAD; None if it cannot be read.

    The command `git cat-file` is safe, because it runs no program that a clone's settings name.
    """
    if (clone / ".git").is_symlink() or not (clone / ".git").is_dir():
        return None
    command = ["git", "-c", "safe.directory=*", f"--git-dir={clone / '.git'}", "cat-file", "commit", "HEAD"]
    environment = {"PATH": os.environ.get("PATH", os.defpath), **ALONE}
    try:
        run = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=True
        )
        found = COMMITTED.search(run.stdout.decode("utf-8", "replace").partition("\n\n")[0])
        return datetime.fromtimestamp(int(found[1]), UTC) if found else None
    except (OSError, ValueError, OverflowError, subprocess.SubprocessError):
        return None
