"""Processes that are forked from one with torch in it, in hundredths of a second: for code that must not run in the test's own."""

import contextlib
import multiprocessing
import os
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any
from unittest import mock


class Forks:
    """What starts such processes in place of `multiprocessing`'s ways, once one is wanted."""

    def __getattr__(self, name: str) -> Any:
        return getattr(forks(), name)


def forks() -> ForkServerContext:
    """Return what starts such processes. The first call of a session waits until torch is imported."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["imported_once"])
    # A course that a test stands in is gone before the process is.
    with contextlib.chdir("/"), mock.patch.dict(os.environ, {"PYTHONPATH": str(Path(__file__).parent)}):
        forkserver.ensure_running()
    return context
