"""What is slow the first time, done once before any student waits for it."""

from pathlib import Path

import jaxtyping
import torch

from autograder.course.course import read_course
from autograder.sitting.child import rehearse


def warm_up(folder: str) -> None:
    """Load all parts of the course in a folder, and rehearse a sitting, in one thread: a process that has run threads must not fork."""
    assert jaxtyping.Float  # every stub imports it
    torch.set_num_threads(1)
    # It would compile GELU anew for every shape that comes.
    torch.backends.mkldnn.set_flags(_enabled=False)  # type: ignore[no-untyped-call]
    course = read_course(Path(folder))
    for name in course.parts:
        course.part(name)
    rehearse()
