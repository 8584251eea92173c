"""Sleeps.

part1_simplified.dot_product: timed_out
"""

import time


def dot_product(a, b):
    time.sleep(3600)
