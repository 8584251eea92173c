"""Exams that a test process has read before: reading one takes longer than most of what is done with it, and nothing changes one."""

import contextlib
import functools
from collections.abc import Iterator
from unittest import mock

from autograder.exam import files

_read_once = functools.lru_cache(maxsize=8)(files.exam_from_bytes)


@contextlib.contextmanager
def exams_read_once() -> Iterator[None]:
    """Read each exam once, by the content of its file."""
    with mock.patch.object(files, "exam_from_bytes", _read_once):
        yield
