"""A watch that begins."""

import pytest
from watch_states import state_of

from autograder.exam.model import Exam
from autograder.student.watch.state import State
from autograder.workspace import Workspace


@pytest.fixture
def state(course: Workspace, practice: Exam) -> State:
    return state_of(course, practice.syllabus)
