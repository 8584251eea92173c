"""How long the cause of a wrong step is searched for. Free of torch, for the command line."""

EFFORTS = {"none": 0.0, "quick": 0.3, "full": 3.0}
"""Seconds a wrong step, by name: nothing is run again, what a whole class can wait for, what one student can."""

QUICK, FULL = EFFORTS["quick"], EFFORTS["full"]
VARIABLE = "ATTN_CAUSES"
"""The variable of the environment that names another effort than a command's own."""
