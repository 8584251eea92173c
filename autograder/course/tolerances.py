"""Tolerances: the largest differences at which two values count as equal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerance:
    """The largest accepted difference from an expected value: atol + rtol * |expected|."""

    rtol: float
    atol: float


TOLERANCE = Tolerance(1e-4, 1e-5)
"""The tolerance of a case without its own tolerance. It accepts code that adds `1e-8` to a sum."""

SAME, NOISE = 1e-4, 1e-6
"""Tensors in traces are equal within SAME times the sum of their root mean squares, plus NOISE."""

UNCHANGED = 1e-6
"""The largest relative change of an output that counts as no effect of a changed input."""

SHOWN = 1e-4
"""The largest difference that pictures show as right, as a share of the largest expected value."""

NEARLY = 1e-3
"""The largest relative difference at which two factors count as equal, or a sum counts as 1."""
