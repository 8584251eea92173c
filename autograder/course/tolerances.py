"""The tolerances of the engine: how far numbers may differ that count as the same."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerance:
    """The largest distance from an expected number: atol + rtol * |expected|."""

    rtol: float
    atol: float


TOLERANCE = Tolerance(1e-4, 1e-5)
"""The tolerance of a case, unless it names its own.

In float64, too: there the dtype is checked. A narrower one refuses right work, as with `1e-8`
beside a sum.
"""

ROUNDED = Tolerance(1e-3, 1e-4)
"""Of numbers in another dtype than they should be."""

SAME, NOISE = 1e-4, 1e-6
"""Of the numbers of a trace: as a share of their root mean square, and at least."""

UNCHANGED = 1e-6
"""Of outputs that do not depend on an input, as a share: they are computed in the same way."""

SHOWN = 1e-4
"""Differences below this share of the largest expected number are drawn as right."""

MOVED = 1e-5
"""Below this share of the largest expected number, a number is the same one in another place."""

NEARLY = 1e-3
"""The largest difference of two equal factors, or of a sum and 1, as a share."""
