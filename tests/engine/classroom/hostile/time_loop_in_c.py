"""Never returns from a call in C, which holds the interpreter's lock.

part1_simplified.dot_product: timed_out
"""

import itertools


def dot_product(a, b):
    sum(itertools.repeat(0))
    return (a * b).sum()
