"""Tolerances: the largest differences at which two values count as equal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerance:
    """The largest accepted difference from an expected value: atol + rtol * |expected|."""

    rtol: float
    atol: float


TOLERANCE = Tolerance(1e-4, 1e-5)
"""The tolerance of a case without its own, and of each case whose float inputs are all float64.

Cases in float64 test the dtype, not the precision. A narrower tolerance would reject correct code,
such as code that adds `1e-8` to a sum.
"""

SAME, NOISE = 1e-4, 1e-6
"""The relative and the absolute part of the tolerance at which tensors in traces count as equal.

SAME: multiplies the sum of the two tensors' root mean squares. NOISE: added to the product.
"""

UNCHANGED = 1e-6
"""The largest relative change at which an output counts as independent of a changed input.

Both outputs are computed by the same operations, so a narrow tolerance suffices.
"""

SHOWN = 1e-4
"""The largest difference that pictures show as right, as a share of the largest expected value."""

NEARLY = 1e-3
"""The largest relative difference at which two factors count as equal, or a sum counts as 1."""
