"""Whether students' code runs in forked processes here, or in a worker that is used again. Needs no library."""

import os
import sys

CHOICE, WORKER = "ATTN_SITTING", "worker"
"""A variable of the environment, and the value that chooses the worker where a forker would be chosen: to try the other systems'."""


def can_fork() -> bool:
    """Tell whether a forker works here: on Linux, where Python and the kernel let a process be followed by a descriptor."""
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True
