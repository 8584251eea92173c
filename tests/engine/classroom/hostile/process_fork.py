"""Forks for ever.

part1_simplified.dot_product: passed
"""

import os

from targets import must_fail


def dot_product(a, b):
    must_fail(("fork", os.fork), ("forkpty", os.forkpty))
    return (a * b).sum()
