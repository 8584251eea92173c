"""What is slow the first time, done once before any student waits for it."""

import jaxtyping
import torch

from autograder.course import parts
from autograder.sitting.child import rehearse


def warm_up() -> None:
    """Load all parts and rehearse a sitting, in one thread: a process that has run threads must not fork."""
    assert jaxtyping.Float  # every stub imports it
    torch.set_num_threads(1)
    # It would compile GELU anew for every shape that comes.
    torch.backends.mkldnn.set_flags(_enabled=False)  # type: ignore[no-untyped-call]
    for name in parts.NAMES:
        parts.load(name)
    rehearse()
