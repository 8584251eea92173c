"""The right numbers in another order: where each number of a wrong answer is in the right one."""

from dataclasses import dataclass

import numpy as np

from autograder.course.answer import Array

UNKNOWN = -1
"""An owner that is unknown, since equal numbers belong to several."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Owners:
    """To which row, column or other slice of the right answer each shown number belongs. by: what such a slice is called.

    expected, yours: the owner's number for each cell, UNKNOWN if it is not clear.
    """

    by: str
    expected: Array
    yours: Array


def letter(owner: int) -> str:
    """Return the letter beside the numbers of an owner, for readers without colours."""
    return "?" if owner == UNKNOWN else LETTERS[owner % len(LETTERS)]


def sources(expected: Array, yours: Array, rounding: float) -> tuple[Array, ...] | None:
    """Return for each number of yours where it is in the expected answer, as one array of indices per dimension.

    Returns None unless both hold the same numbers in another order, most of them once. rounding: how far equal numbers may be
    apart. A number that is in several places counts as in its own if it is right there, and as UNKNOWN elsewhere.
    """
    if expected.shape != yours.shape or not np.isfinite(expected).all() or not np.isfinite(yours).all():
        return None
    ranks, given_ranks = np.argsort(expected, axis=None, kind="stable"), np.argsort(yours, axis=None, kind="stable")
    numbers = expected.ravel()[ranks]
    if not np.allclose(yours.ravel()[given_ranks], numbers, rtol=0, atol=rounding):
        return None
    alike = np.diff(numbers) <= 2 * rounding
    several = np.empty(numbers.size, dtype=bool)
    several[given_ranks] = np.append(alike, False) | np.append(False, alike)
    if 2 * several.sum() > several.size:
        return None
    stands = np.empty(numbers.size, dtype=int)
    stands[given_ranks] = ranks
    in_place = np.abs(expected - yours).ravel() <= rounding
    stands[in_place] = np.flatnonzero(in_place)
    lost = (several & ~in_place).reshape(expected.shape)
    return tuple(
        np.where(lost, UNKNOWN, index) for index in np.unravel_index(stands.reshape(expected.shape), expected.shape)
    )
