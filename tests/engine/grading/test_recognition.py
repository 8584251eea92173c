"""A tensor is recognised by its numbers."""

import numpy as np

from autograder.course.trace import Made, Numbers
from autograder.grading.recognition import NOTHING, Known, Recogniser, factor

KNOWN = np.array([1.0, 2.0, 4.0, 7.0], np.float32)


def test_the_factor_is_known_in_whatever_order_the_numbers_are() -> None:
    assert factor(Numbers(3 * KNOWN[::-1]), Numbers(KNOWN)) == 3.0


def test_fewer_or_more_numbers_are_no_multiple() -> None:
    assert factor(Numbers(3 * KNOWN[:3]), Numbers(KNOWN)) is None


def test_what_the_last_turn_of_a_loop_makes_is_no_part_where_it_tells_nothing() -> None:
    ones = np.ones((5, 1), np.float32)
    tiles = Numbers(np.concatenate([KNOWN / KNOWN.sum(), ones.ravel()]))
    made = Made("softmax", (), ((5, 2), (5, 1)), 3, (Numbers(ones), tiles))

    assert Recogniser([Known(Numbers(ones), (5, 1))]).recognise(made) == NOTHING
