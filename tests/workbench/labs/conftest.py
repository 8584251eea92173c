"""What the tests of labs share: the reference, loaded as a student's code is."""

from collections.abc import Iterator
from types import ModuleType

import pytest

from autograder.workspace import Workspace
from workbench.own_code import loaded


@pytest.fixture(scope="module")
def own(course: Workspace) -> Iterator[dict[str, ModuleType]]:
    with loaded(course.solutions, ["part2_trainable", "part5_inference"]) as modules:
        yield modules
