"""What people have in common: of the fingerprints of a step, or of the wording of a part, what is rare weighing more."""

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

Traits = frozenset[Hashable]
"""What can be found again in another's work."""


@dataclass(frozen=True)
class Overlap:
    """What people have in common.

    way_of: the number of each one's way, which those share who have the same traits; -1 for who has none. counts: how many have each
    way. shared: of each two ways, the weight of what both have. total: the weight of each. sizes: how many traits each has.
    """

    way_of: Int[np.ndarray, " people"]
    counts: Int[np.ndarray, " ways"]
    shared: Float[np.ndarray, "ways ways"]
    total: Float[np.ndarray, " ways"]
    sizes: Int[np.ndarray, " ways"]

    def likeness(self) -> Float[np.ndarray, "ways ways"]:
        """Return the share of what two ways have that both have."""
        likeness: Float[np.ndarray, "ways ways"] = self.shared / np.maximum(self.either(), 1e-6)
        return likeness

    def either(self) -> Float[np.ndarray, "ways ways"]:
        """Return, of each two ways, the weight of what one has or the other."""
        either: Float[np.ndarray, "ways ways"] = self.total[:, None] + self.total[None, :] - self.shared
        return either

    def of_people(self, of_ways: Float[np.ndarray, "ways ways"]) -> Float[np.ndarray, "people people"]:
        """Return for each two people what is so of their ways; 0 where one has none."""
        of_people: Float[np.ndarray, "people people"] = np.pad(of_ways, ((0, 1), (0, 1)))[
            np.ix_(self.way_of, self.way_of)
        ]
        return of_people


def overlap(of_people: Sequence[Traits], known: Sequence[Traits] = ()) -> Overlap:
    """Return what people have in common; who has written nothing has no traits.

    known: right ways, which count as if somebody had written each that nobody has: a small class does not show how many there are.
    """
    counted = Counter([*(way for way in of_people if way), *(set(known) - set(of_people))])
    ways, counts = list(counted), np.array(list(counted.values()), dtype=np.intp)
    numbers = {way: number for number, way in enumerate(ways)}
    holders: dict[Hashable, list[int]] = {}
    for number, way in enumerate(ways):
        for trait in way:
            holders.setdefault(trait, []).append(number)
    together = Counter(map(tuple, holders.values()))
    sizes = np.fromiter(map(len, together), np.intp)
    rows = np.fromiter(itertools.chain.from_iterable(together), np.intp)
    columns = np.repeat(np.arange(len(together)), sizes)
    people = np.bincount(columns, counts[rows], len(together))
    weights = np.fromiter(together.values(), np.float32) * np.log2((counts.sum() + 1) / people)
    total = np.bincount(rows, weights[columns], len(ways)).astype(np.float32)
    several = np.flatnonzero(sizes > 1)
    held = np.zeros((len(ways), len(together)), dtype=bool)
    held[rows, columns] = True
    weighed = held[:, several] * np.sqrt(weights[several], dtype=np.float32)
    shared = weighed @ weighed.T
    np.fill_diagonal(shared, total)
    way_of = np.array([numbers.get(way, -1) for way in of_people], dtype=np.intp)
    return Overlap(way_of, counts, shared, total, np.array([len(way) for way in ways], dtype=np.intp))
