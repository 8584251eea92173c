"""One step as a class has written it: in how much two are alike, and whether that tells anything."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, UInt8

from autograder.classroom.similarity.overlap import Overlap

FEWEST = 15
"""Fingerprints that a step has that tells something, about four operations: what has fewer is written alike by people who never met."""

MOST_ALIKE = 0.5
"""The share of pairs that may be altogether alike in a step that tells something."""

LEAST_LIKENESS = 50
"""Two are alike in a step from so many per cent on."""


@dataclass(frozen=True)
class Step:
    """One step. levels: for each two ways, how alike they are, in per cent. shares: by level, of all pairs, those at least so alike.

    way_of: the number of each one's way; -1 for who has not written the step. size: how many fingerprints a way has as a rule.
    """

    way_of: Int[np.ndarray, " people"]
    levels: UInt8[np.ndarray, "ways ways"]
    shares: Float[np.ndarray, " levels"]
    size: int

    @classmethod
    def of(cls, common: Overlap) -> "Step":
        """Return the step of which this is what people have in common."""
        levels = np.rint(100 * common.likeness()).clip(0, 100).astype(np.uint8)
        pairs = np.outer(common.counts, common.counts).astype(float)
        np.fill_diagonal(pairs, common.counts * (common.counts - 1.0))
        at_level = np.bincount(levels.ravel(), pairs.ravel(), 101) / max(float(pairs.sum()), 1)
        sizes = np.repeat(common.sizes, common.counts)
        size = int(np.median(sizes)) if len(sizes) else 0
        return cls(common.way_of, levels, at_level[::-1].cumsum()[::-1], size)

    @property
    def can_tell(self) -> bool:
        """Whether two who are alike here are told from two who are so by chance."""
        return self.size >= FEWEST and bool(self.shares[100] <= MOST_ALIKE)

    def level(self, one: int, other: int) -> int:
        """Return how alike two people's ways are, in per cent; 0 where one has not written the step."""
        ways = self.way_of[one], self.way_of[other]
        return 0 if min(ways) < 0 else int(self.levels[ways])
