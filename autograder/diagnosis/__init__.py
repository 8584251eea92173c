"""The causes of wrong steps, found by running the submission again once its marks are known; and how long each is searched for."""

import os

from autograder.course.errors import ExplainedError

EFFORTS = {"none": 0.0, "quick": 0.3, "full": 3.0}
"""Seconds a wrong step, by name: nothing is run again, what a whole class can wait for, what one student can."""

QUICK, FULL = EFFORTS["quick"], EFFORTS["full"]
VARIABLE = "ATTN_CAUSES"
"""The variable of the environment that names another effort than the usual one."""


class UnknownEffort(ExplainedError):
    """The environment asks for an effort that there is not."""


def effort(usual: str) -> float:
    """Return the seconds of the usual effort, or of that which the environment asks for. Raises UnknownEffort.

    For what has no options of its own: a command's `--causes` reads the variable itself.
    """
    name = os.environ.get(VARIABLE) or usual
    if name not in EFFORTS:
        raise UnknownEffort(f"{VARIABLE} is {name!r}; expected one of {', '.join(EFFORTS)}.")
    return EFFORTS[name]
