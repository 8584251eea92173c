"""A watch that begins."""

import pytest
from watching import state_of

from autograder.cli.watching.state import State
from autograder.exam.model import Exam
from autograder.workspace import Workspace


@pytest.fixture
def state(course: Workspace, practice: Exam) -> State:
    return state_of(course, practice.syllabus)
