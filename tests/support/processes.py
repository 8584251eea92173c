"""Looking at other processes, and waiting for what they do."""

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0


def eventually(holds: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Wait until something holds; tell whether it does."""
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def alive(pid: int) -> bool:
    """Tell whether a process is there and not merely unburied."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def children(pid: int) -> set[int]:
    """Return the processes that the threads of a process have started."""
    found: set[int] = set()
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found |= {int(child) for child in (task / "children").read_text().split()}
    except OSError:  # it has ended
        pass
    return found


def descendants(pid: int) -> set[int]:
    """Return the processes that a process has started, and those that they have."""
    own = children(pid)
    return own.union(*map(descendants, own))
