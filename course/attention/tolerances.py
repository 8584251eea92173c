"""How far numbers may be off where the usual tolerance is not the right one."""

from autograder.course.model import Tolerance

LARGE_SCORES = Tolerance(rtol=1e-3, atol=1e-3)
"""For scores of hundreds and more: honest rounding shows."""

EXACT = Tolerance(rtol=1e-4, atol=1e-12)
"""For weights that must be zero, not just small."""
