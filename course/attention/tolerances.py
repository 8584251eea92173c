"""How far numbers may be off if the usual tolerance does not fit."""

from autograder.course.tolerances import Tolerance

LARGE_SCORES = Tolerance(rtol=1e-3, atol=1e-3)
"""For scores of hundreds and more, whose rounding shows."""

EXACT = Tolerance(rtol=1e-4, atol=0.0)
"""For weights that must be zero, not just small."""
