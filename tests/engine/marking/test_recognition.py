"""A tensor is recognised by its numbers."""

import numpy as np

from autograder.course.trace import Numbers
from autograder.marking.recognition import factor

KNOWN = np.array([1.0, 2.0, 4.0, 7.0], np.float32)


def test_the_factor_is_known_in_whatever_order_the_numbers_are() -> None:
    assert factor(Numbers(3 * KNOWN[::-1]), Numbers(KNOWN)) == 3.0


def test_fewer_or_more_numbers_are_no_multiple() -> None:
    assert factor(Numbers(3 * KNOWN[:3]), Numbers(KNOWN)) is None
