"""What the tests of labs share: the reference, loaded as a student's code is."""

from types import ModuleType

import pytest

from autograder.experiments.own_code import load
from autograder.workspace import Workspace


@pytest.fixture(scope="session")
def own(course: Workspace) -> dict[str, ModuleType]:
    return load(course.solutions, ["part2_trainable", "part5_inference"])
