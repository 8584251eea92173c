"""Comparing a class: with itself, with earlier classes and with the course's own solutions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.classroom.similarity.chance import Common, Rarity, threshold
from autograder.classroom.similarity.overlap import Overlap, overlap
from autograder.classroom.similarity.steps import LEAST_LIKENESS, Step
from autograder.classroom.similarity.wording import Rare
from autograder.classroom.similarity.work import Compared, KnownWay
from autograder.exam.syllabus import Syllabus, SyllabusPart

MOST_PAIRS = 100
"""Pairs that are shown."""

AS_KNOWN = 0.7
"""The share of fingerprints from which on a way is told to be as one that is known."""

Known = Mapping[str, Sequence[KnownWay]]


@dataclass(frozen=True)
class AlikeStep:
    """A step in which two are alike.

    likeness: from 0 to 1. share: of all pairs, those at least as alike here. can_tell: whether that tells anything. known: the way that
    it is, of those that the course knows; empty for none.
    """

    step: str
    likeness: float
    share: float
    can_tell: bool
    known: str


@dataclass(frozen=True)
class Pair:
    """Two people.

    computed, worded: how rare it is that two compute so much alike, or have so much wording in common, in doublings. beyond_chance: whether
    chance makes hardly any such pair in such a class. steps: where they compute alike, the rarest first. wording: what few have, the rarest first.
    """

    one: str
    other: str
    computed: float
    worded: float
    beyond_chance: bool
    steps: tuple[AlikeStep, ...]
    wording: tuple[int, ...]

    @property
    def doublings(self) -> float:
        """How rare it is that two are so alike, be it in what they compute or in its wording."""
        return max(self.computed, self.worded)


@dataclass(frozen=True)
class StepTells:
    """What likeness tells in one step. size: fingerprints that a way has as a rule. alike: the share of pairs that are alike."""

    step: str
    written: int
    size: int
    alike: float
    can_tell: bool


@dataclass(frozen=True)
class Unread:
    """Steps or parts of one submission that were not compared, or not all of them, for one reason."""

    name: str
    steps: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Similarity:
    """What came of it. threshold: doublings from which on a pair is beyond chance. unread: of whom not all work was compared."""

    pairs: tuple[Pair, ...]
    steps: tuple[StepTells, ...]
    threshold: float
    compared: int
    unread: tuple[Unread, ...] = ()


def compare(people: Sequence[Compared], others: Sequence[Compared], syllabus: Syllabus, known: Known) -> Similarity:
    """Compare people of a class with each other and with others: those of earlier classes, the solutions. known: right ways, by step."""
    everybody = [*people, *others]
    written = {path for one in people for path in one.steps}
    steps: dict[str, Step] = {}
    computed, worded = Rarity(len(people), len(everybody)), Rarity(len(people), len(everybody))
    parts = [part for part in syllabus.parts if any(step.path in written for step in part.steps)]
    wordings = {part.name: [one.wording.get(part.name, frozenset()) for one in everybody] for part in parts}
    for part in parts:
        in_steps = dict(_steps(part, everybody, known))
        steps |= {path: Step.of(common) for path, common in in_steps.items()}
        computed.add_part(Common.of(in_steps.values(), len(people), len(everybody)))
        worded.add_part(Common.of([overlap(wordings[part.name])], len(people), len(everybody)))
    number = len(people) * (len(people) - 1) / 2 + len(people) * len(others)
    least = threshold(number, computed.compared + worded.compared)
    rare = [Rare(of_people) for of_people in wordings.values()]
    of_values, of_wording = computed.doublings(), worded.doublings()
    pairs = []
    for one, other in _highest(np.maximum(of_values, of_wording)):
        pairs.append(
            Pair(
                everybody[one].name,
                everybody[other].name,
                float(of_values[one, other]),
                float(of_wording[one, other]),
                bool(max(of_values[one, other], of_wording[one, other]) >= least),
                _alike_steps(everybody, one, other, steps, known),
                tuple(choice for of_part in rare for choice in of_part.of(one, other)),
            )
        )
    tells = (
        StepTells(
            path,
            int((step.way_of[: len(people)] >= 0).sum()),
            step.size,
            float(step.shares[LEAST_LIKENESS]),
            step.can_tell,
        )
        for path, step in steps.items()
        if path in written
    )
    unread = tuple(row for one in people for row in _unread(one))
    return Similarity(tuple(pairs), tuple(tells), least, sum(bool(one.steps) for one in people), unread)


def _unread(one: Compared) -> Iterator[Unread]:
    for reason in dict.fromkeys(one.unread.values()):
        yield Unread(one.name, tuple(step for step, why in one.unread.items() if why == reason), reason)


def _steps(part: SyllabusPart, everybody: Sequence[Compared], known: Known) -> Iterator[tuple[str, Overlap]]:
    """Yield what people have in common in each step of a part."""
    for step in part.steps:
        of_people = [one.steps.get(step.path, frozenset()) for one in everybody]
        yield step.path, overlap(of_people, [way.fingerprints for way in known.get(step.path, ())])


def _highest(doublings: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs that are told most, each once. doublings: of a class's people with everybody."""
    rows, columns = np.triu_indices(len(doublings), 1, doublings.shape[1])
    values = doublings[rows, columns]
    best = np.argsort(-values, kind="stable")[:MOST_PAIRS]
    return [(int(rows[index]), int(columns[index])) for index in best if values[index] > 0]


def _alike_steps(
    everybody: Sequence[Compared], one: int, other: int, steps: Mapping[str, Step], known: Known
) -> tuple[AlikeStep, ...]:
    found = []
    for path, step in steps.items():
        if (level := step.level(one, other)) >= LEAST_LIKENESS:
            way = everybody[one].steps[path] & everybody[other].steps[path]
            label = _known_as(way, known.get(path, ()))
            found.append(AlikeStep(path, level / 100, float(step.shares[level]), step.can_tell, label))
    return tuple(sorted(found, key=lambda alike: (not alike.can_tell, alike.share)))


def _known_as(way: frozenset[int], known: Sequence[KnownWay]) -> str:
    """Return the label of the known way that a way is; empty if it is none."""
    alike = {one.label: len(way & one.fingerprints) / max(1, len(way | one.fingerprints)) for one in known}
    best = max(alike, key=alike.__getitem__, default="")
    return best if best and alike[best] >= AS_KNOWN else ""
