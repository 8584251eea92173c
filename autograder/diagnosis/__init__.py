"""Diagnosis: the causes of wrong steps, found by running a graded submission again."""

import os

from autograder.course.errors import ExplainedError

EFFORTS = {"none": 0.0, "quick": 0.3, "full": 3.0}
"""Seconds that the search for the cause of one wrong step may take, by the name of the effort."""

QUICK, FULL = EFFORTS["quick"], EFFORTS["full"]
VARIABLE = "ATTN_CAUSES"
"""The environment variable with the name of the effort to use in place of the usual effort."""


class UnknownEffort(ExplainedError):
    """The environment variable names an effort that does not exist."""


def effort(usual: str) -> float:
    """Return the seconds of the effort in `ATTN_CAUSES`; if the variable is unset, of `usual`.

    A command with the option `--causes` reads the variable itself. Raises UnknownEffort.
    """
    name = os.environ.get(VARIABLE) or usual
    if name not in EFFORTS:
        raise UnknownEffort(f"{VARIABLE} is {name!r}; expected one of {', '.join(EFFORTS)}.")
    return EFFORTS[name]
