"""What tests of experiments share: the reference as the code that is worked with."""

import pytest

from autograder.experiments.own_code import load
from autograder.experiments.task import ATTENTION, MODEL, Code
from autograder.workspace import Workspace


@pytest.fixture
def code(course: Workspace) -> Code:
    return load(course.solutions, [ATTENTION, MODEL])
