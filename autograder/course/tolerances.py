"""Tolerances: the largest differences at which two numbers count as equal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerance:
    """The largest accepted distance from an expected number: atol + rtol * |expected|."""

    rtol: float
    atol: float


TOLERANCE = Tolerance(1e-4, 1e-5)
"""The tolerance of a case that names none, and of each case whose float inputs are all float64.

Cases in float64 test the dtype, not the precision. A narrower tolerance would reject correct code,
such as code that adds `1e-8` to a sum.
"""

ROUNDED = Tolerance(1e-3, 1e-4)
"""The tolerance of an output in a wrong dtype, whose numbers may be rounded."""

SAME, NOISE = 1e-4, 1e-6
"""The tolerance of numbers in traces, which is the sum of a relative and an absolute part.

SAME: the relative part, a share of the numbers' root mean square. NOISE: the absolute part.
"""

UNCHANGED = 1e-6
"""The largest relative change of an output that counts as independent of a changed input.

Both outputs are computed by the same operations, so a narrow tolerance suffices.
"""

SHOWN = 1e-4
"""Differences up to this share of the largest expected number are drawn as right."""

MOVED = 1e-5
"""The largest difference between an expected number and the equal number at another index.

The difference is a share of the largest expected number.
"""

NEARLY = 1e-3
"""The largest relative difference between two equal factors, or between 1 and a sum of 1."""
