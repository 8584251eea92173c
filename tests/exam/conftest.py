"""What the tests of setting an exam share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_course import TinyCourse, taught


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[TinyCourse]:
    """A course of two steps, from which exams are set in this process in place of the real one."""
    with taught(tmp_path) as made:
        yield made
