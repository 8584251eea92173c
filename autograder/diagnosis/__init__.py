"""Diagnosis: the causes of wrong steps, found by running a graded submission again."""

import os

EFFORTS = {"none": 0.0, "quick": 0.3, "full": 3.0}
"""Seconds that the search for the cause of one wrong step may take, by the name of the effort."""

QUICK, FULL = EFFORTS["quick"], EFFORTS["full"]
VARIABLE = "ATTN_CAUSES"
"""The environment variable with the name of the effort to use in place of the usual effort."""


def effort(usual: str) -> float:
    """Return the seconds of the effort that ATTN_CAUSES names; else of `usual`."""
    return EFFORTS.get(os.environ.get(VARIABLE, usual), EFFORTS[usual])
