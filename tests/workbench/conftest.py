"""What tests of experiments share: the reference as the code that is worked with."""

from collections.abc import Iterator

import pytest
import torch

from autograder.workspace import Workspace
from workbench.own_code import loaded
from workbench.task import ATTENTION, MODEL, Code


@pytest.fixture
def code(course: Workspace) -> Iterator[Code]:
    """A training seeds the random numbers of its process; they go on as before."""
    with loaded(course.solutions, [ATTENTION, MODEL]) as modules, torch.random.fork_rng(devices=[]):
        yield modules
