"""The relation of two tensors is known by their numbers."""

import numpy as np
import pytest

from autograder.course.answer import Array
from autograder.grading.compare import Kind, compare, numbers_of

KNOWN = np.array([[1.0, 2.0, 4.0], [7.0, 9.0, 12.0]])

RELATED = {
    "the same": (KNOWN + 1e-6, Kind.EQUAL),
    "in another shape": (KNOWN.reshape(3, 2), Kind.RESHAPED),
    "in another order": (KNOWN.T, Kind.PERMUTED),
    "at other places": (KNOWN[::-1], Kind.PERMUTED),
    "some of them": (KNOWN[:, 1], Kind.PART),
    "times a constant": (-3 * KNOWN.T, Kind.SCALED),
    "others": (KNOWN**2, Kind.OTHER),
    "a mask, which tells nothing": (np.array([1.0, 0.0]), Kind.OTHER),
}


@pytest.mark.parametrize(("yours", "kind"), RELATED.values(), ids=RELATED)
def test_a_relation_is_known(yours: Array, kind: Kind) -> None:
    assert compare(numbers_of(yours), numbers_of(KNOWN), (yours.shape, KNOWN.shape)).kind == kind


def test_the_factor_is_known_in_whatever_order_the_numbers_are() -> None:
    assert compare(numbers_of(-3 * KNOWN.T), numbers_of(KNOWN)).by == pytest.approx(-3)


@pytest.mark.parametrize(("yours", "misplaced"), [(KNOWN[::-1], True), (KNOWN.T, False)])
def test_numbers_are_misplaced_in_the_right_shape_only(yours: Array, misplaced: bool) -> None:
    assert compare(numbers_of(yours), numbers_of(KNOWN), (yours.shape, KNOWN.shape)).is_misplaced == misplaced
