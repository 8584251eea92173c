"""Start a program inside the sandbox. Root first becomes an unprivileged user, for whom every folder needed is within reach.

Run as `python -m autograder.sandbox.launch ORDER`, where ORDER is a `Launch` as JSON. It becomes that program.
"""

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox import linux


@dataclass(frozen=True)
class Launch:
    """What to start. user: the user to become if this is root. readable: what the program reads. command: the program."""

    user: int
    readable: tuple[str, ...]
    command: tuple[str, ...]


def main() -> None:
    """Become the program. What prevents that is reported in one line on standard error."""
    order = Launch(**json.loads(sys.argv[1]))
    try:
        Path("/proc/self/oom_score_adj").write_text("1000")  # if memory runs out, it is the first to go
        if os.getuid() == 0:
            _bring_within_reach(order.readable)
            os.setgroups([])
            os.setresgid(order.user, order.user, order.user)
            os.setresuid(order.user, order.user, order.user)
        if unreadable := [path for path in order.readable if not os.access(path, os.R_OK)]:
            sys.exit(f"the sandbox cannot read {unreadable[0]}: `chmod -R o+rX {unreadable[0]}` lets it")
        os.execvp(order.command[0], order.command)
    except OSError as error:
        sys.exit(f"the sandbox could not be started: {error}")


def _bring_within_reach(paths: Iterable[str]) -> None:
    """Show only what is needed of folders that others may not enter, in a mount namespace of our own.

    Root's Python is often in /root, which is closed to all others.
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
