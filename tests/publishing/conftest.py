"""What the tests of publishing share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_course import TinyCourse, taught

from autograder.exam.files import read_exam
from autograder.exam.model import Exam


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[TinyCourse]:
    """A course of two steps in place of the real one, with all that is made from it."""
    with taught(tmp_path) as made:
        made.make()
        yield made


@pytest.fixture
def tiny_exam(tiny: TinyCourse) -> Exam:
    """The tiny course's practice exam."""
    return read_exam(tiny.workspace.practice_exam)
