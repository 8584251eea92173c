"""Start a program inside the sandbox. If root starts it, the program runs as an unprivileged user.

Run as `python -m autograder.sandbox.launch ORDER`. ORDER is a JSON list: the ID of that user, the
paths that the program reads, and the program with its arguments. The program replaces this
process.
"""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from autograder.sandbox import linux


def main() -> None:
    """Replace this process with the program; on an error, exit with one line on standard error."""
    user, readable, command = json.loads(sys.argv[1])
    try:
        Path("/proc/self/oom_score_adj").write_text("1000")  # the kernel kills this process first if memory runs out
        if os.getuid() == 0:
            _bring_within_reach(readable)
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        if unreadable := [path for path in readable if not os.access(path, os.R_OK)]:
            sys.exit(f"the sandbox cannot read {unreadable[0]}: `chmod -R o+rX {unreadable[0]}` lets it")
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"the sandbox could not be started: {error}")


def _bring_within_reach(paths: Iterable[str]) -> None:
    """Make paths accessible that are inside folders which only root may enter. Exits on failure.

    Root's Python is often in such a folder, `/root`. In a new mount namespace, a folder that holds
    only the given paths covers each such folder.
    """
    closed: dict[Path, list[str]] = {}
    for path in paths:
        for folder in reversed(Path(path).parents):
            if not folder.stat().st_mode & 0o001:
                closed.setdefault(folder, []).append(path)
                break
    if not closed:
        return
    try:
        linux.unshare(linux.CLONE_NEWNS)
    except PermissionError:
        folder, needed = next(iter(closed.items()))
        sys.exit(f"{needed[0]} is in {folder}, which only root may enter: `chmod o+x {folder}` lets the sandbox in")
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    for folder, needed in closed.items():
        opened = [(path, os.open(path, os.O_PATH), os.path.isdir(path)) for path in needed]
        linux.mount("none", str(folder), "tmpfs", linux.MS_NOSUID, "mode=755,size=1m")
        for path, descriptor, is_folder in opened:
            os.makedirs(path if is_folder else os.path.dirname(path), 0o755, exist_ok=True)
            if not is_folder:
                Path(path).touch()
            linux.mount(f"/proc/self/fd/{descriptor}", path, flags=linux.MS_BIND | linux.MS_REC)
            os.close(descriptor)


if __name__ == "__main__":
    main()
