"""What tests of experiments share: the reference as the code that is worked with."""

from collections.abc import Iterator

import pytest

from autograder.experiments.own_code import loaded
from autograder.experiments.task import ATTENTION, MODEL, Code
from autograder.workspace import Workspace


@pytest.fixture
def code(course: Workspace) -> Iterator[Code]:
    with loaded(course.solutions, [ATTENTION, MODEL]) as modules:
        yield modules
