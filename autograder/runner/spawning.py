"""Processes that multiprocessing starts: none looks for modules in the current folder, where `pickle.py` may be a student's work."""

import contextlib
import multiprocessing
import os
from collections.abc import Iterator
from multiprocessing.context import SpawnContext

SAFE_PATH = "PYTHONSAFEPATH"
"""The variable of the environment that stands for Python's option `-P`, which multiprocessing does not hand on."""


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
