"""Recognising a tensor by its numbers: it is something known, a part of that, its numbers in another order, or times a constant."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from autograder.course.answer import Array
from autograder.course.shapes import Shape
from autograder.course.trace import NOISE, SAME, Made, Numbers, alike, numbers_in


class Likeness(IntEnum):
    """How much a tensor is like something known, the most last."""

    NONE = 0
    SCALED = 1
    """Times a constant, or plus one."""
    MISPLACED = 2
    """The same numbers in the same shape, but in another order."""
    PART = 3
    """Some of the numbers, or of what is repeated all of them several times."""
    REORDERED = 4
    """The same numbers in another order, in a shape that nothing known has with these numbers."""
    RESHAPED = 5
    """One after the other the same numbers, maybe made piece by piece."""
    EQUAL = 6


@dataclass(frozen=True)
class Recognised:
    """What a tensor is like. known: the place of that among what is known; None if it is like nothing."""

    likeness: Likeness
    known: int | None = None


NOTHING = Recognised(Likeness.NONE)


@dataclass(frozen=True, eq=False)
class Known:
    """Something that a right way has. title: what students call it, if they do; made: by which operation, if any."""

    numbers: Numbers
    shape: Shape | None
    title: str = ""
    made: int | None = None

    @property
    def tells(self) -> bool:
        """Whether it has enough different numbers for a coincidence to be unlikely."""
        return tells(self.numbers)


def tells(numbers: Numbers) -> bool:
    """Return whether numbers are so different that a coincidence is unlikely: a mask, or a tensor of ones, tells nothing."""
    finite = numbers.ordered[np.isfinite(numbers.ordered)]
    return (
        len(finite) > 0 and not np.isin(finite, (0, 1)).all() and (len(finite) == 1 or finite[-1] - finite[0] > NOISE)
    )


def is_switch(numbers: Numbers) -> bool:
    """Return whether all numbers are 0, 1 or infinite: a mask, or what is added to scores for it."""
    kinds = {0.0: 0, 1.0: 1, np.inf: 1, -np.inf: 1}
    return {kinds.get(number) for number in np.unique(numbers.flat).tolist()} == {0, 1}


REPEATS = frozenset(("expand", "expand_as", "broadcast_to", "repeat", "repeat_interleave", "tile", "[ ]"))
"""Operations that repeat numbers."""


class Recogniser:
    """Recognises tensors among those that are known."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.known = tuple(known)

    def recognise(self, made: Made) -> Recognised:
        """Return what an operation made is most like: of what it made in several turns, the last one alone is a part at most, if it tells."""
        shapes, repeats = (made.shapes[-1], None), made.name in REPEATS
        found = [self._recognise(*pair, repeats) for pair in zip(made.numbers, shapes, strict=False)]
        if len(found) > 1 and found[0].likeness > Likeness.PART:
            found[0] = replace(found[0], likeness=Likeness.PART) if tells(made.numbers[0]) else NOTHING
        return max(found, key=lambda one: one.likeness, default=NOTHING)

    def _recognise(self, numbers: Numbers, shape: Shape | None, repeats: bool) -> Recognised:
        best, misplaced = NOTHING, None
        if not len(numbers.flat) or not np.isfinite(numbers.flat).any():
            return NOTHING
        telling = tells(numbers)
        for place, known in enumerate(self.known):
            likeness = _likeness(numbers, shape, known, telling, repeats)
            if likeness == Likeness.EQUAL:
                return Recognised(likeness, place)
            if likeness == Likeness.MISPLACED:
                misplaced = Recognised(likeness, place)
            elif likeness > best.likeness:
                best = Recognised(likeness, place)
        return misplaced or best


def _likeness(numbers: Numbers, shape: Shape | None, known: Known, telling: bool, repeats: bool) -> Likeness:
    """Return how much some numbers are like something known.

    shape: theirs, if they are one tensor. telling: whether they tell. repeats: whether what made them repeats numbers.
    """
    same_shape = shape is not None and known.shape is not None and _long(shape) == _long(known.shape)
    if numbers.are(known.numbers, in_order=True):
        return Likeness.EQUAL if same_shape else Likeness.RESHAPED if telling else Likeness.NONE
    if not telling or not known.tells or len(known.numbers.flat) < 2:
        return Likeness.NONE
    if numbers.are(known.numbers):
        return Likeness.MISPLACED if same_shape else Likeness.REORDERED
    if len(numbers.flat) == len(known.numbers.flat):
        return Likeness.SCALED if factor(numbers, known.numbers) is not None else Likeness.NONE
    may_be_part = repeats or len(numbers.flat) < len(known.numbers.flat)
    return Likeness.PART if may_be_part and is_part(numbers, known.numbers) else Likeness.NONE


def factor(numbers: Numbers, known: Numbers) -> float | None:
    """Return by what constant something known was multiplied, if it was, in the same order or in another."""
    if not numbers.size or not known.size or not 3 <= len(numbers.flat) == len(known.flat):
        return None
    by = numbers.size / known.size
    room = 2 * SAME * numbers.size + NOISE
    with np.errstate(invalid="ignore"):
        if alike(numbers.ordered, known.ordered * np.float32(by), room):
            return by
        if alike(numbers.ordered, known.ordered[::-1] * np.float32(-by), room):
            return -by
    return None


def is_part(numbers: Numbers, known: Numbers) -> bool:
    """Return whether all of some numbers are among those of something known."""
    mine, theirs = numbers.ordered, known.ordered
    if len(mine) < 2:
        return False
    right = np.searchsorted(theirs, mine).clip(0, len(theirs) - 1)
    left = (right - 1).clip(0)
    room = 0.1 * SAME * known.size + NOISE
    with np.errstate(invalid="ignore"):
        near = (np.abs(theirs[left] - mine) <= room) | (np.abs(theirs[right] - mine) <= room) | (theirs[right] == mine)
    return bool(near.all())


def _long(shape: Shape) -> Shape:
    """Return a shape without its dimensions of size 1."""
    return tuple(size for size in shape if size != 1)


def inner_of_softmax(scores: Array, weights: Array) -> Iterable[Array]:
    """Yield what a softmax makes on its way, if these are its scores and its weights."""
    if scores.shape != weights.shape or not weights.size:
        return
    with np.errstate(all="ignore"):
        for axis in range(scores.ndim):
            largest = scores.max(axis=axis, keepdims=True)
            shifted = scores - largest
            raised = np.exp(shifted)
            total = raised.sum(axis=axis, keepdims=True)
            if scores.shape[axis] > 1 and np.allclose(raised / total, weights, rtol=1e-3, atol=1e-5):
                plain = np.exp(scores)
                yield from (largest, shifted, raised, total, plain, plain.sum(axis=axis, keepdims=True))
                return


def known_from(
    inputs: Iterable[tuple[str, Array]], outputs: Iterable[tuple[str, Array]], way: tuple[Made, ...]
) -> list[Known]:
    """Return all that is known of a case: its inputs, what the reference makes, and what comes out."""
    known = [Known(Numbers(numbers_in([array])), array.shape, title) for title, array in inputs]
    for place, made in enumerate(way):
        known += [
            Known(numbers, None if several else made.shapes[-1], "", place)
            for several, numbers in enumerate(made.numbers)
        ]
    known += [Known(Numbers(numbers_in([array])), array.shape, title) for title, array in outputs]
    whole = [one.numbers.flat.reshape(one.shape) for one in known if one.shape is not None]
    for made in way:
        if "softmax" in made.name and made.last is not None:
            for scores in whole:
                known += [
                    Known(Numbers(numbers_in([array])), array.shape) for array in inner_of_softmax(scores, made.last)
                ]
    return known
