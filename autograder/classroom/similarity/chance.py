"""How rare it is in this class that two are so alike.

Two submissions are close whose differences are few: closeness is how often what one has or the other is to be halved until what one
has alone is left. How often chance makes two so close is read off the class: as many of its closest pairs as there are people show by
how much two must be closer to be half as rare a pair. Beyond them the same step is taken on and on. That needs no assumption on how
people choose, or on how many ways there are: where habits, a page or the task itself make many alike, the steps are large.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from autograder.classroom.similarity.overlap import Overlap

FEWEST_PAIRS = 3
"""Of fewer it cannot be said what is usual."""

MARGIN = 4
"""Doublings above those that the closest pair of a class has by chance."""

HALVINGS = np.array([1, 2, 3])
"""So often the closest pairs are halved to see how fast they become fewer: copies, as long as they are fewer than an eighth, change little."""

LEAST_STEP = 0.05
"""The smallest step that makes a pair half as rare: who shares one thing more of thirty is no closer."""


@dataclass(frozen=True)
class Common:
    """What each two people have in common, as weights: what both have, and what one has or the other. The first are the class."""

    shared: Float[np.ndarray, "people everybody"]
    either: Float[np.ndarray, "people everybody"]

    @classmethod
    def of(cls, several: Iterable[Overlap], people: int, everybody: int) -> "Common":
        """Return what people have in common in all of several: steps of a part, say, of those that both have written."""
        shared, either = np.zeros((2, people, everybody), dtype=np.float32)
        for one in several:
            shared += one.of_people(one.shared)[:people]
            either += one.of_people(one.either())[:people]
        return cls(shared, either)

    def doublings(self) -> Float[np.ndarray, "people everybody"]:
        """Return how rare it is to be so close: ten, if one pair in a thousand is; 0 for what is usual."""
        written = self.either > 0
        one = math.log2(self.either.shape[1] + 1)  # the weight of a trait that nobody else has
        closeness = np.log2((self.either + one) / (self.either - self.shared + one))
        pairs = closeness[np.triu(written, 1)]
        people = int(written.any(axis=0).sum())
        if len(pairs) < FEWEST_PAIRS:
            return np.zeros_like(closeness)
        last = len(pairs) - 1 - min(people, len(pairs) - 1)
        closest = np.partition(pairs, last)[last:]
        beyond = (closeness - closest[0]) / _step(closest)
        known = people / 2
        rarity = math.log2(len(pairs) / len(closest)) + known * np.log2(1 + (math.log(2) * beyond / known).clip(0))
        return np.where(written & (beyond >= 0), rarity, 0).astype(np.float32)


class Rarity:
    """How rare each two are in one kind of likeness: that of the part in which they are rarest, or of all parts."""

    def __init__(self, people: int, everybody: int) -> None:
        self._all = Common.of([], people, everybody)
        self._most = np.zeros((people, everybody), dtype=np.float32)
        self._parts = 0

    def add_part(self, common: Common) -> None:
        """Add what people have in common in one more part."""
        self._parts += 1
        self._all = Common(self._all.shared + common.shared, self._all.either + common.either)
        np.maximum(self._most, common.doublings(), out=self._most)

    @property
    def compared(self) -> int:
        """In how many ways each two have been compared."""
        return self._parts + (self._parts > 1)

    def doublings(self) -> Float[np.ndarray, "people everybody"]:
        """Return how rare each two are: who copied one part has worked for the others alone."""
        return np.maximum(self._most, self._all.doublings()) if self._parts > 1 else self._most


def _step(closest: Float[np.ndarray, " pairs"]) -> float:
    """Return by how much closer pairs are half as many: the largest that a half, a quarter and an eighth of the closest show."""
    beyond = np.quantile(closest, [1 - 0.5**halvings for halvings in HALVINGS]) - closest.min()
    return max(LEAST_STEP, float((beyond / HALVINGS).max()))


def threshold(pairs: float, likenesses: int) -> float:
    """Return the doublings from which on a pair is beyond chance, of so many that are compared in so many ways."""
    return math.log2(max(pairs, 1) * max(likenesses, 1)) + MARGIN
