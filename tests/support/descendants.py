"""Run a command and tell which of all that it has started is left when it has ended.

Run as `python descendants.py REPORT COMMAND …`. What the command leaves behind becomes a child of this process, whatever session,
group or name it has given itself, because this process is its reaper; so nobody else's processes can be meant.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from autograder.sandbox import linux

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 10
"""Seconds: a process that was killed takes a while to be gone."""


def main() -> None:
    """Run the command, wait until nothing of it is left, and write the report."""
    linux.prctl(PR_SET_CHILD_SUBREAPER, 1)
    exit_code = subprocess.Popen(sys.argv[2:]).wait()
    deadline = time.monotonic() + PATIENCE
    while (left := _left()) and time.monotonic() < deadline:
        time.sleep(0.02)
    Path(sys.argv[1]).write_text(json.dumps({"exit_code": exit_code, "left": left}))


def _left() -> list[str]:
    """Return what is left, after burying what has died."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    own = os.getpid()
    children = Path(f"/proc/self/task/{own}/children").read_text().split()
    return [f"{child} {_command(child)}" for child in children]


def _command(process: str) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return "gone"


if __name__ == "__main__":
    main()
