"""Diagnosis: find the causes of wrong steps by running a graded submission again."""

import os

EFFORTS = {"none": 0.0, "quick": 0.3, "full": 3.0}
"""The seconds that a search for the cause in one step may take, by the name of the effort."""

QUICK, FULL = EFFORTS["quick"], EFFORTS["full"]
VARIABLE = "ATTN_CAUSES"
"""The environment variable that may name another effort than the usual one."""


def effort(usual: str) -> float:
    """Return the seconds of the effort that ATTN_CAUSES names, or else of the effort `usual`."""
    return EFFORTS.get(os.environ.get(VARIABLE, usual), EFFORTS[usual])
