"""Starting processes: fork or spawn. No process looks for modules in the current folder, where `pickle.py` may be a student's work."""

import contextlib
import multiprocessing
import os
import sys
from collections.abc import Iterator
from multiprocessing.context import SpawnContext

SAFE_PATH = "PYTHONSAFEPATH"
"""The variable of the environment that stands for Python's option `-P`, which multiprocessing does not hand on."""


CHOICE, WORKER = "ATTN_RUNNER", "worker"
"""A variable of the environment, and the value that chooses the worker where a forker would be chosen: to try the other systems'."""


def can_fork() -> bool:
    """Return whether a process may be forked here that has torch: macOS says no, and Windows has no fork."""
    return sys.platform == "linux"


@contextlib.contextmanager
def spawning() -> Iterator[SpawnContext]:
    """Give a context of multiprocessing, whose processes are to be started within this one."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield multiprocessing.get_context("spawn")
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before
