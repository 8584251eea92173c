"""Comparing a class: with itself, with earlier classes and with the course's own solutions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.classroom.similarity.pairs import MARGIN, Fingerprints, Ways, ways_of
from autograder.classroom.similarity.work import Compared, KnownWay
from autograder.exam.syllabus import Syllabus

MOST_PAIRS = 100
"""Pairs that are shown."""

AS_KNOWN = 0.8
"""The share of fingerprints from which on a way is told to be as one that is known."""


@dataclass(frozen=True)
class AlikeStep:
    """A step in which two are alike.

    likeness: from 0 to 1. share: of all pairs, those at least as alike here. doublings: what that tells. known: the way that it is, of those that the course
    knows; empty for none.
    """

    step: str
    likeness: float
    share: float
    doublings: float
    known: str


@dataclass(frozen=True)
class Pair:
    """Two people. doublings: how rare it is that two are so alike. beyond_chance: whether chance makes hardly any such pair in such a class."""

    one: str
    other: str
    doublings: float
    beyond_chance: bool
    steps: tuple[AlikeStep, ...]

    @property
    def known(self) -> str:
        """The known way that the two are alike in, where it is the same in all steps that tell something; else empty."""
        ways = {step.known for step in self.steps if step.doublings > 0}
        return ways.pop() if len(ways) == 1 else ""


@dataclass(frozen=True)
class StepTells:
    """What likeness tells in one step. size: fingerprints that a way has as a rule. alike: the share of pairs that are alike."""

    step: str
    written: int
    size: int
    alike: float
    can_tell: bool


@dataclass(frozen=True)
class Similarity:
    """What came of it. threshold: doublings from which on a pair is beyond chance."""

    pairs: tuple[Pair, ...]
    steps: tuple[StepTells, ...]
    threshold: float
    compared: int


def compare(
    people: Sequence[Compared], others: Sequence[Compared], syllabus: Syllabus, known: Mapping[str, Sequence[KnownWay]]
) -> Similarity:
    """Compare people of a class with each other and with others: those of earlier classes, the solutions. known: right ways, by step."""
    everybody = [*people, *others]
    ways: dict[str, Ways] = {}
    total = np.zeros((len(everybody), len(everybody)), dtype=np.float32)
    most = total.copy()
    for part in syllabus.parts:
        of_part = np.zeros_like(total)
        for step in part.steps:
            written = [one.steps.get(step.path, frozenset()) for one in everybody]
            ways[step.path] = ways_of(written, [way.fingerprints for way in known.get(step.path, ())])
            of_part += ways[step.path].told()
        total += of_part
        np.maximum(most, of_part, out=most)
    np.maximum(most, total, out=most)  # who copied one part has worked for the others alone
    number = len(people) * (len(people) - 1) / 2 + len(people) * len(others)
    threshold = math.log2(max(number, 1)) + MARGIN
    pairs = []
    for one, other in _highest(most[: len(people)]):
        alike = _alike_steps(everybody, one, other, ways, known)
        told = float(most[one, other])
        if alike:
            pairs.append(Pair(everybody[one].name, everybody[other].name, told, told >= threshold, alike))
    steps = (
        StepTells(path, int((one.way_of >= 0).sum()), one.size, float(one.shares[1]), one.can_tell)
        for path, one in ways.items()
    )
    return Similarity(tuple(pairs), tuple(steps), threshold, sum(bool(one.steps) for one in people))


def _highest(told: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs that are told most, each once. told: of a class's people with everybody."""
    rows, columns = np.triu_indices(len(told), 1, told.shape[1])
    values = told[rows, columns]
    best = np.argsort(-values, kind="stable")[:MOST_PAIRS]
    return [(int(rows[index]), int(columns[index])) for index in best if values[index] > 0]


def _alike_steps(
    everybody: Sequence[Compared],
    one: int,
    other: int,
    ways: Mapping[str, Ways],
    known: Mapping[str, Sequence[KnownWay]],
) -> tuple[AlikeStep, ...]:
    found = []
    for path, written in ways.items():
        if level := written.level(one, other):
            way = everybody[one].steps[path] & everybody[other].steps[path]
            found.append(
                AlikeStep(
                    path,
                    level / 100,
                    float(written.shares[level]),
                    float(written.doublings[level]),
                    _known_as(way, known.get(path, ())),
                )
            )
    return tuple(sorted(found, key=lambda alike: -alike.doublings))


def _known_as(way: Fingerprints, known: Sequence[KnownWay]) -> str:
    """Return the label of the known way that a way is; empty if it is none."""
    alike = {one.label: len(way & one.fingerprints) / max(1, len(way | one.fingerprints)) for one in known}
    best = max(alike, key=alike.__getitem__, default="")
    return best if best and alike[best] >= AS_KNOWN else ""
