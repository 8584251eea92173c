"""The time of the last commit of a clone."""

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

COMMITTED = re.compile(r"^committer .* (\d{1,11}) [+-]\d{4}$", re.MULTILINE)
SECONDS = 10


def commit_time(clone: Path) -> datetime | None:
    """Return the committer's time of the commit at HEAD; None if it cannot be read.

    A student may have written the settings of a clone. The command `git cat-file` runs no program
    that they name, unless it may fetch missing objects.
    """
    if (clone / ".git").is_symlink() or not (clone / ".git").is_dir():
        return None
    command = ["git", "-c", "safe.directory=*", f"--git-dir={clone / '.git'}", "cat-file", "commit", "HEAD"]
    environment = os.environ | {"GIT_NO_LAZY_FETCH": "1"}
    try:
        run = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS, check=True)
        found = COMMITTED.search(run.stdout.decode("utf-8", "replace").partition("\n\n")[0])
        return datetime.fromtimestamp(int(found[1]), UTC) if found else None
    except (OSError, ValueError, OverflowError, subprocess.SubprocessError):
        return None
