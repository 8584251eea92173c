"""Exams that a test process has read before: reading the practice exam takes longer than marking a step of it."""

import contextlib
import functools
from collections.abc import Iterator
from unittest import mock

from autograder.exam import files

_read_once = functools.cache(files.exam_from_bytes)


@contextlib.contextmanager
def exams_read_once() -> Iterator[None]:
    """Read each exam once, by the content of its file."""
    with mock.patch.object(files, "exam_from_bytes", _read_once):
        yield
