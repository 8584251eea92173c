"""What the tests of setting an exam share."""

from pathlib import Path

import pytest
from tiny_course import TinyCourse


@pytest.fixture
def tiny(tmp_path: Path) -> TinyCourse:
    """A course of two steps, of which nothing has been made yet."""
    return TinyCourse(tmp_path)
