"""What the tests of publishing share."""

import pytest
from tiny_course import TinyCourse
from warm import lend

from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.sitting.processes import Sitter


@pytest.fixture
def tiny_exam(tiny: TinyCourse) -> Exam:
    """The tiny course's practice exam."""
    return read_exam(tiny.workspace.practice_exam)


@pytest.fixture
def sitter(tiny: TinyCourse) -> Sitter:
    """A warm process that sits the tiny course."""
    borrowed: Sitter = lend(tiny.workspace.root)
    return borrowed
