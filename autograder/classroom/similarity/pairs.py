"""How alike two submissions are, and how rare it is in this class to be so alike.

The likeness of two ways to write a step is the share of their fingerprints that both have, a rare one weighing more. It is told
in doublings: if one pair in a thousand is at least as alike in that step, that is ten. Those of a pair's steps are added up in such a
way that people who work by themselves reach a sum with a probability of at most one half to its power: each step adds the binary
logarithm of a factor whose mean over the class is 1. Where many are alike, or little is written, likeness tells next to nothing.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, UInt8

LEVELS = 100
"""Likeness is told in per cent."""

LEAST_LIKENESS = 0.5
"""Two ways are alike in a step from here on."""

FEWEST_SHARED = 15
"""Fingerprints that two ways must share, about five operations: fewer are shared by people who never met."""

CAUTION = 0.75
"""The power to which a rarity is raised: at 1 a factor has no bounded mean, at 0 it tells nothing."""

MARGIN = 6
"""Doublings above those that the most alike pair of a class has by chance: at most one class in 64 has a pair that reaches them."""

LITTLE = 1.0
"""A step of which no two can be told more doublings tells next to nothing."""

Fingerprints = frozenset[int]


@dataclass(frozen=True)
class Ways:
    """One step as people have written it.

    way_of: the number of each one's way; -1 for who has not written the step. levels: for each two ways, how alike they are, in
    per cent; 0 where they share too little. doublings, shares: by level, what it tells, and how many of all pairs are at least so alike.
    """

    way_of: Int[np.ndarray, " people"]
    levels: UInt8[np.ndarray, "ways ways"]
    doublings: Float[np.ndarray, " levels"]
    shares: Float[np.ndarray, " levels"]
    size: int
    """How many fingerprints a way has, as a rule."""

    @property
    def can_tell(self) -> bool:
        """Whether two who are alike here are told from two who are so by chance."""
        return self.size >= FEWEST_SHARED and bool(self.doublings[-1] >= LITTLE)

    def told(self) -> Float[np.ndarray, "people people"]:
        """Return the doublings of each two people; 0 where one has not written the step."""
        told = np.pad(self.doublings[self.levels], ((0, 1), (0, 1)))
        of_people: Float[np.ndarray, "people people"] = told[np.ix_(self.way_of, self.way_of)]
        return of_people

    def level(self, one: int, other: int) -> int:
        """Return how alike two people's ways are, in per cent; 0 where one has not written the step."""
        ways = self.way_of[one], self.way_of[other]
        return 0 if min(ways) < 0 else int(self.levels[ways])


def ways_of(written: Sequence[Fingerprints], known: Sequence[Fingerprints] = ()) -> Ways:
    """Compare how one step was written by some people; who has not written it has no fingerprints.

    known: right ways, which count as if somebody had written each that nobody has: a small class does not show how many there are.
    """
    counted = Counter([*(way for way in written if way), *(set(known) - set(written))])
    numbers = {way: number for number, way in enumerate(counted)}
    counts = np.array(list(counted.values()), dtype=np.intp)
    levels = _levels(list(counted), counts)
    size = int(np.median([len(way) for way in counted.elements()])) if counted else 0
    return Ways(
        np.array([numbers.get(way, -1) for way in written], dtype=np.intp), levels, *_told(levels, counts), size
    )


def _levels(ways: Sequence[Fingerprints], counts: Int[np.ndarray, " ways"]) -> UInt8[np.ndarray, "ways ways"]:
    """Return how alike each two ways are, in per cent; 0 where they share too little."""
    people, holders = Counter[int](), Counter[int]()
    for way, count in zip(ways, counts.tolist(), strict=True):
        people.update(dict.fromkeys(way, count))
        holders.update(way)
    everybody = int(counts.sum())
    weight = {label: math.log2((everybody + 1) / count) for label, count in people.items()}
    column = {label: number for number, label in enumerate(label for label, count in holders.items() if count > 1)}
    held = np.zeros((len(ways), len(column)), dtype=np.float32)
    for number, way in enumerate(ways):
        held[number, [column[label] for label in way if label in column]] = 1
    both, shared = (held * np.array([weight[label] for label in column], dtype=np.float32)) @ held.T, held @ held.T
    total = np.array([sum(weight[label] for label in way) for way in ways], dtype=np.float32)
    np.fill_diagonal(both, total)
    np.fill_diagonal(shared, [len(way) for way in ways])
    likeness = both / np.maximum(total[:, None] + total[None, :] - both, 1e-6)
    likeness[(likeness < LEAST_LIKENESS) | (shared < FEWEST_SHARED)] = 0
    return np.rint(likeness * LEVELS).clip(0, LEVELS).astype(np.uint8)


def _told(
    levels: UInt8[np.ndarray, "ways ways"], counts: Int[np.ndarray, " ways"]
) -> tuple[Float[np.ndarray, " levels"], Float[np.ndarray, " levels"]]:
    """Return, by level, what it tells, and how many of all pairs are at least so alike."""
    pairs = np.outer(counts, counts).astype(float)
    np.fill_diagonal(pairs, counts * (counts - 1.0))
    if not (number := pairs.sum()):
        return np.zeros(LEVELS + 1, np.float32), np.ones(LEVELS + 1)
    histogram = np.bincount(levels.ravel(), pairs.ravel(), LEVELS + 1) / number
    shares = np.maximum(histogram[::-1].cumsum()[::-1], 2 / number)
    factors = shares**-CAUTION
    return np.log2(factors / (histogram @ factors)).astype(np.float32), shares
